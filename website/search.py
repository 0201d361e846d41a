"""The search's index, made by Pagefind from the pages that the search finds."""

import asyncio
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pagefind.index import IndexConfig, PagefindIndex

INTERFACES = re.compile(r"pagefind-(?!entry|worker)")  # Pagefind's own, which the site does not use

WEIGHT = {"Phrase": 2}  # of the words of a kind of page: a phrase answers a question more shortly than a lesson


def spread(text: str) -> str:
    """A page as it is indexed: "nn.utils.clip_grad_norm_" in code is found by each of its names, too.

    Pagefind 1.5 takes dotted names for one word.
    """

    def parted(code):
        return re.sub(r"(?<=\w)([.(])(?=[A-Za-z_])", r"\1 ", code[0])

    return re.sub(r"<code>.*?</code>", parted, text, flags=re.DOTALL)


async def _index(pages, folder):
    async with PagefindIndex(config=IndexConfig(force_language="en", output_path=folder)) as index:
        for address, (text, kind) in sorted(pages.items()):
            about = f'data-pagefind-body data-pagefind-weight="{WEIGHT.get(kind, 1)}" data-pagefind-meta="kind:{kind}"'
            marked = text.replace("<main ", f"<main {about} ", 1)
            await index.add_html_file(content=spread(marked), url=f"/{address}")


def files(pages: dict) -> dict:
    """{address: bytes} of the index and its program, from {address: (HTML, kind)}."""
    # apart: the caller may have a loop of its own
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(1) as apart:
        apart.submit(asyncio.run, _index(pages, folder)).result()
        found = sorted(path for path in Path(folder).rglob("*") if path.is_file() and not INTERFACES.match(path.name))
        return {f"pagefind/{path.relative_to(folder).as_posix()}": path.read_bytes() for path in found}
