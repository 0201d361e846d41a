"""Markdown and outputs of notebooks become HTML of a page; their links lead to pages of the site, or to GitHub."""

import base64
import hashlib
import html
import posixpath
import re
from functools import cache
from pathlib import Path
from urllib.parse import quote, unquote

from markdown_it import MarkdownIt

from report import tables
from website.clean import clean, usable
from website.code import highlighted

ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
PICTURES = {".png", ".svg", ".jpg", ".jpeg", ".gif", ".webp"}
SHOWN = {"image/png": ".png", "image/jpeg": ".jpg", "image/svg+xml": ".svg"}  # of an output's forms, the first


def slug(heading: str) -> str:
    """The anchor of a heading in HTML, as GitHub makes it."""
    return tables.slug(html.unescape(re.sub(r"<[^>]+>", "", heading)).strip())


def relative(target: str, here: str) -> str:
    """The link from the page at address `here` to an address "PATH/", "PATH/#ANCHOR" or a file's of the site."""
    path, mark, anchor = target.partition("#")
    found = posixpath.relpath(f"/{path}", f"/{here}")
    found += "/" * (path == "" or path.endswith("/"))
    return f"#{anchor}" if mark and path == here else found + mark + anchor


def _fence(tokens, index, options, env):
    token = tokens[index]
    language = (token.info.split() or ["text"])[0]
    return f"<pre><code>{highlighted(token.content, language)}</code></pre>\n"


PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
PARSER.renderer.rules["fence"] = _fence


@cache
def _rendered(text):  # a lesson's text stands on its page, and beside each other lesson
    return PARSER.render(text)


class Markup:
    """Renders what notebooks and Markdown files hold.

    `root`: the checkout; `repository`: "OWNER/NAME" on GitHub or ""; `pages`: {path in the checkout: address on the
    site}, of which those `anchored` have the same headings there; `places`: {(path, anchor of a heading): address} of
    those that are several pages; `files`: {address: bytes} of the pictures that were met; `missing`: sentences on links
    that lead nowhere.
    """

    def __init__(self, root: Path, repository: str = ""):
        self.root, self.repository = Path(root), repository
        self.pages, self.anchored, self.places, self.files, self.missing = {}, set(), {}, {}, set()

    def github(self, path: str, kind="blob") -> str | None:
        """The address of a file or, with `kind` "tree", a folder on GitHub; None where the repository is not known."""
        return f"https://github.com/{self.repository}/{kind}/HEAD/{quote(path)}" if self.repository else None

    def link(self, url: str, source: str, here: str) -> str | None:
        """The link of the file `source` to `url`, as the page at `here` has it; None for nothing that can be shown."""
        if not url or re.match(r"[a-z]+:", url, re.IGNORECASE):
            return url or None
        path, mark, anchor = url.partition("#")
        if not path:
            return relative(self.places[source, anchor], here) if (source, anchor) in self.places else url
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), unquote(path)))
        address = self.pages.get(target, self.pages.get(posixpath.join(target, "README.md")))
        if address is not None:
            exact = self.places.get((target, anchor), address + mark + anchor)
            return relative(exact if target in self.anchored else address, here)
        there = self.root / target
        if target.startswith("..") or not there.exists():
            self.missing.add(f"{source}: a link to {url}, which is not there")
            return None
        return self.github(target, "tree" if there.is_dir() else "blob")

    def markdown(self, text: str, source: str, here: str) -> str:
        """Markdown of the file `source` as HTML of the page at address `here`: cleaned, with anchors at headings."""
        done = clean(
            _rendered(text),
            lambda url: self.link(url, source, here),
            lambda url: self._stored(posixpath.join(posixpath.dirname(source), unquote(url)), here),
        )
        done = re.sub(r"<h([2-6])>(.*?)</h\1>", _anchored, done, flags=re.DOTALL)
        done = done.replace("<pre>", '<pre tabindex="0">')
        return _wide(done)

    def _stored(self, path, here):
        """(address, size) of a picture of the checkout, which is copied to the site; None where it is not one."""
        there = self.root / posixpath.normpath(path)
        inside = there.resolve().is_relative_to(self.root.resolve())
        if not (inside and there.suffix in PICTURES and there.is_file()):
            return None
        return self.picture(there.read_bytes(), there.suffix, here)

    def picture(self, data: bytes, suffix: str, here: str) -> tuple:
        """(address as the page at `here` has it, {"width", "height"} in pixels) of a picture, kept once."""
        name = f"pictures/{hashlib.sha256(data).hexdigest()[:16]}{suffix}"
        self.files[name] = data
        if suffix == ".png":
            size = [int.from_bytes(data[k : k + 4], "big") for k in (16, 20)]
        elif suffix in (".jpg", ".jpeg"):  # behind the start of its frame: ITU-T T.81, B.2.2
            found = re.search(rb"\xff[\xc0-\xc2]..\x08(..)(..)", data, re.S)
            size = [int.from_bytes(number, "big") for number in found.groups()[::-1]] if found else []
        else:
            found = re.search(rb'<svg[^>]*?\bwidth="(\d+)[^>]*?\bheight="(\d+)', data)
            size = [int(number) for number in found.groups()] if found else []
        return relative(name, here), dict(zip(("width", "height"), size, strict=False))

    def outputs(self, cell: dict, here: str):
        """Yields the HTML of each output of a code cell: text, picture or cleaned HTML."""
        for output in _joint(cell.get("outputs", [])):
            data = {kind: _joined(content) for kind, content in output.get("data", {}).items()}
            plain = data.get("text/plain", _joined(output.get("text", "")))
            if output.get("output_type") == "error":
                plain = f"{output.get('ename')}: {output.get('evalue')}"
            if kind := next((kind for kind in SHOWN if kind in data), None):
                raw = data[kind].encode() if kind == "image/svg+xml" else base64.b64decode(data[kind])
                address, size = self.picture(raw, SHOWN[kind], here)
                given = "".join(f' {name}="{value}"' for name, value in size.items())
                alt = html.escape(_description(plain))
                yield f'<img src="{address}"{given} alt="{alt}" loading="lazy">'
            elif "text/html" in data and (shown := self._html(data["text/html"])):
                yield shown
            elif plain.strip():
                yield f'<pre class="out" tabindex="0">{html.escape(ANSI.sub("", plain).rstrip(), quote=False)}</pre>'

    def _html(self, text):
        shown = clean(text, lambda url: url if re.match("https?:", url) and usable(url) else None)
        return _wide(f'<div class="out">{shown}</div>') if re.sub(r"<[^>]+>", "", shown).strip() else ""


def _joint(outputs):
    """The outputs, texts that were printed one after the other as one."""
    found = []
    for output in outputs:
        if found and output.get("output_type") == found[-1].get("output_type") == "stream":
            found[-1] = {**found[-1], "text": _joined(found[-1]["text"]) + _joined(output["text"])}
        else:
            found.append(output)
    return found


def _joined(text) -> str:
    return "".join(text) if isinstance(text, list | str) else str(text)


def _description(plain):
    """The alternative text of a picture: what the cell said it is, unless that is the object's own name."""
    text = plain.strip().strip("'\"[]")
    return "A picture that the cell above draws" if not text or text.startswith("<") else text


def _anchored(match):
    level, text = match.groups()
    return f'<h{level} id="{html.escape(slug(text))}">{text}</h{level}>'


def _wide(text):
    """Tables in a frame of their own, in which they scroll, so that the page does not."""
    start = '<div class="wide" tabindex="0" role="region" aria-label="Table"><table>'
    return text.replace("<table>", start).replace("</table>", "</table></div>")
