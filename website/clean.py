"""HTML that others wrote, such as a notebook's output, becomes harmless: known tags, no styles, no ids, all closed."""

import html
import re
from html.parser import HTMLParser

VOID = {"br", "hr", "img"}
TAGS = VOID | set(
    "a abbr b blockquote caption code dd del details div dl dt em h1 h2 h3 h4 h5 h6 i kbd li ol p pre s samp small "
    "span strong sub summary sup table tbody td tfoot th thead tr u ul var".split()
)
SILENT = {"script", "style", "template", "iframe", "object", "noscript", "title"}  # with all that they hold
KEPT = {"a": {"href", "title"}, "img": {"src", "alt", "width", "height"}, "td": {"colspan", "rowspan"}}
KEPT |= {"th": KEPT["td"] | {"scope"}, "ol": {"start"}, "i": {"class"}}
COLOURS = set("ckmsfd")  # the classes of highlighted code, see website.code


def usable(url: str) -> bool:
    """Whether a link may lead there: the web, mail, or a place without a scheme, such as a file's relative path."""
    plain = re.sub(r"[\x00-\x20]", "", url).lower()
    scheme = re.match(r"([a-z][a-z0-9+.-]*):", plain)
    return scheme[1] in ("http", "https", "mailto") if scheme else not plain.startswith("//")


class _Cleaner(HTMLParser):
    """Collects in `done` what is kept of the HTML that it is fed."""

    def __init__(self, link, picture):
        super().__init__(convert_charrefs=True)
        self.link, self.picture, self.done, self.open, self.silent = link, picture, [], [], []

    def handle_starttag(self, tag, attributes):
        """Keeps a known tag with its known attributes."""
        if tag in SILENT:
            self.silent.append(tag)
        if self.silent or tag not in TAGS:
            return
        kept = {name: value or "" for name, value in attributes if name in KEPT.get(tag, ())}
        if tag == "i" and kept.get("class") not in COLOURS:
            kept.pop("class", None)
        if tag == "a":
            href = kept.pop("href", "")
            found = self.link(href) if usable(href) else None
            kept = ({"href": found} if found else {}) | kept
        if tag == "img":
            found = self.picture(kept.get("src", "")) if usable(kept.get("src", "")) else None
            if found is None:  # no picture of the repository: its text stands for it
                self.done.append(html.escape(kept.get("alt", "")))
                return
            kept = {"src": found[0], "alt": kept.get("alt", ""), "loading": "lazy", **found[1]}
        given = "".join(f' {name}="{html.escape(str(value))}"' for name, value in kept.items())
        self.done.append(f"<{tag}{given}>")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        """Closes the tag, and what was left open inside it."""
        if self.silent:
            if tag == self.silent[-1]:
                self.silent.pop()
        elif tag in self.open:
            while (last := self.open.pop()) != tag:
                self.done.append(f"</{last}>")
            self.done.append(f"</{tag}>")

    def handle_data(self, text):
        """Keeps the text, escaped."""
        if not self.silent:
            self.done.append(html.escape(text, quote=False))


def clean(text: str, link=lambda url: url, picture=lambda url: None) -> str:
    """The HTML `text` with known tags and attributes alone, each tag closed.

    `link` gives the address for an `href`, or None where there is none; `picture` gives (address, {attribute: value})
    for a `src`, or None. What would run, style, or look like a part of the page is dropped.
    """
    cleaner = _Cleaner(link, picture)
    cleaner.feed(text)
    cleaner.close()
    return "".join([*cleaner.done, *(f"</{tag}>" for tag in reversed(cleaner.open))])
