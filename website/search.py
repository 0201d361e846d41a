"""The search's index, made by Pagefind from the pages that the search finds."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

INTERFACES = re.compile(r"pagefind-(?!entry|worker)")  # Pagefind's own, which the site does not use

WEIGHT = {"Phrase": 2}  # of the words of a kind of page: a phrase answers a question more shortly than a lesson


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
            about = f'data-pagefind-body data-pagefind-weight="{WEIGHT.get(kind, 1)}" data-pagefind-meta="kind:{kind}"'
            path = site / address / "index.html"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(spread(text.replace("<main ", f"<main {about} ", 1)), encoding="utf-8")
        command = [sys.executable, "-m", "pagefind", "--site", site, "--output-path", made, "--force-language", "en"]
        done = subprocess.run([*command, "--quiet"], capture_output=True, text=True, check=False)
        if done.returncode:
            raise OSError(f"Pagefind made no index: {(done.stderr or done.stdout).strip()[-500:]}")
        found = sorted(path for path in made.rglob("*") if path.is_file() and not INTERFACES.match(path.name))
        return {f"pagefind/{path.relative_to(made).as_posix()}": path.read_bytes() for path in found}
