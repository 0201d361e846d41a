"""The search's index, made by Pagefind from the pages that the search finds."""

import asyncio
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pagefind.index import IndexConfig, PagefindIndex

INTERFACES = re.compile(r"pagefind-(?!entry|worker)")  # Pagefind's own, which the site does not use


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
            marked = text.replace("<main ", f'<main data-pagefind-body data-pagefind-meta="kind:{kind}" ', 1)
            await index.add_html_file(content=spread(marked), url=f"/{address}")


def files(pages: dict) -> dict:
    """{address: bytes} of the index and its program, from {address: (HTML, kind)}."""
    with (
        tempfile.TemporaryDirectory() as folder,
        ThreadPoolExecutor(1) as apart,
    ):  # the caller may have a loop of its own
        apart.submit(asyncio.run, _index(pages, folder)).result()
        found = sorted(path for path in Path(folder).rglob("*") if path.is_file() and not INTERFACES.match(path.name))
        return {f"pagefind/{path.relative_to(folder).as_posix()}": path.read_bytes() for path in found}
