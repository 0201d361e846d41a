"""The search's index, made by Pagefind from the pages that the search finds."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

INTERFACES = re.compile(r"pagefind-(?!entry|worker)")  # Pagefind's own, which the site does not use

# The words of a question that say nothing of its subject. Pagefind shows pages that have all words of a question: these
# are metadata of every page, which the script gives no weight.
ASKED = """a an and are as be by can cannot convert do does difference equivalent for from get give has have how i in
into is it like make me migrate my need no not of on or port should similar so support than that the there this to
translate understand use used using versus vs want way we what when where which why with without work write you
your""".split()


def spread(text: str) -> str:
    """A page as it is indexed: "nn.utils.clip_grad_norm_" in code is found by each of its names, too.

    Pagefind 1.5 takes dotted names for one word.
    """

    def parted(code):
        return re.sub(r"(?<=\w)([.(])(?=[A-Za-z_])", r"\1 ", code[0])

    return re.sub(r"<code>.*?</code>", parted, text, flags=re.DOTALL)


def files(pages: dict) -> dict:
    """{address: bytes} of the index and its program, from {address: (HTML, kind)}.

    Pagefind runs as a command: its service for Python waits a tenth of a second at each page, and on a busy machine
    ends before all files are whole.
    """
    with tempfile.TemporaryDirectory() as folder:
        site, made = Path(folder, "site"), Path(folder, "made")
        for address, (text, kind) in pages.items():
            text = text.replace("<main ", f'<main data-pagefind-body data-pagefind-meta="kind:{kind}" ', 1)
            text = text.replace("<h1>", f'<h1 data-pagefind-meta="title, asked:{" ".join(ASKED)}">', 1)
            path = site / address / "index.html"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(spread(text), encoding="utf-8")
        command = [sys.executable, "-m", "pagefind", "--site", site, "--output-path", made, "--force-language", "en"]
        done = subprocess.run([*command, "--quiet"], capture_output=True, text=True, check=False)
        if done.returncode:
            raise OSError(f"Pagefind made no index: {(done.stderr or done.stdout).strip()[-500:]}")
        found = sorted(path for path in made.rglob("*") if path.is_file() and not INTERFACES.match(path.name))
        return {f"pagefind/{path.relative_to(made).as_posix()}": path.read_bytes() for path in found}
