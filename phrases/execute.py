"""Executes the pages of the phrasebook, each in a kernel of its own, and stores what they printed."""

import asyncio
import difflib
import json
import os
import time
from pathlib import Path

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from phrases import pages

TIMEOUT = 300  # seconds that a cell may take; the slowest take ten on a busy machine
KERNEL = "phrasebook"
LINES = 6  # of a message or of a change, that are shown


def execute(root: Path, names, kernels: Path, environ: dict, jobs: int, say=print) -> int:
    """Executes the pages of these names (all without any), ``jobs`` at a time; the number of those that disagree.

    Each page runs on the first of its backends of Keras, and its cells OF_KERAS run on the others, too. Where all
    agree, the outputs of the first are stored in the page.
    ``kernels``: the folder of the spec of a kernel KERNEL; ``environ``: what its process sees. Raises LookupError for a
    name that no page has, PageError for a page that cannot be read.
    """
    known = {page.path.stem: page for page in pages.read_all(root)}
    if unknown := sorted(set(names) - set(known)):
        raise LookupError(f"phrasebook: no page {', '.join(unknown)}; there are: {', '.join(known)}")
    chosen = [known[name] for name in names] or list(known.values())
    environ = {**environ, "TF_CPP_MIN_LOG_LEVEL": "2", "MPLBACKEND": "module://matplotlib_inline.backend_inline"}
    return asyncio.run(_all(chosen, kernels, environ, jobs, say))


async def _all(chosen, kernels, environ, jobs, say):
    places, done = asyncio.Semaphore(jobs), 0

    async def one(page):
        nonlocal done
        ran, said = [], ""
        async with places:  # for all backends: a page is said when it is done, not when all pages are nearly done
            began = time.monotonic()
            for backend in page.backends:
                notebook, said = await _run(page, backend, kernels, environ)
                ran.append(notebook)
                if said:
                    break
        done += 1
        on = f" ({', '.join(page.backends)})" if len(page.backends) > 1 else ""
        state = f"DISAGREES\n{said}" if said else "ok" + _changes(page, ran[0])
        say(f"[{done}/{len(chosen)}] {page.path.stem}{on}: {time.monotonic() - began:.0f} s, {state}", flush=True)
        if not said:
            _store(page, ran[0])
        return bool(said)

    return sum(await asyncio.gather(*map(one, chosen)))


async def _run(page, backend, kernels, environ):
    """(the executed notebook, what went wrong in it or "")."""
    notebook = nbformat.read(page.path, as_version=4)
    if backend != page.backends[0]:
        notebook.cells = [cell for cell in notebook.cells if " ".join(cell.metadata.get("tags", [])) in pages.OF_KERAS]
    manager = AsyncKernelManager(kernel_name=KERNEL, kernel_spec_manager=KernelSpecManager(kernel_dirs=[str(kernels)]))
    client = NotebookClient(notebook, km=manager, timeout=TIMEOUT, record_timing=False, coalesce_streams=True)
    client.resources = {"metadata": {"path": str(page.path.parent)}}
    try:
        with open(os.devnull, "w") as nowhere:  # what libraries say beside the kernel's own streams
            await client.async_execute(env={**environ, "KERAS_BACKEND": backend}, stdout=nowhere, stderr=nowhere)
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        return notebook, f"    Keras on {backend}, {_where(notebook)}{_first_lines(_message(notebook, error))}"
    finally:  # the client leaves a kernel alone whose manager it was given
        if manager.has_kernel:
            await manager.shutdown_kernel(now=True)
    return notebook, ""


def _message(notebook, error):
    """What the cell that failed said, or, where it said nothing, what the kernel did."""
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", []) if out.output_type == "error"]
    return f"{outputs[0].ename}: {outputs[0].evalue}" if outputs else f"{type(error).__name__}: {error}"


def _where(notebook):
    """Which cell failed: "the cell tagged check: "."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                return f"the cell tagged {' '.join(cell.metadata.get('tags', []))}: "
    return ""


def _first_lines(text):
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    return "\n        ".join(lines[:LINES])


def _shown(notebook):
    """The text that a notebook's cells show, as lines."""
    found = []
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            text = output.get("text", output.get("data", {}).get("text/plain", ""))
            if output.get("name") != "stderr":
                found += "".join(text).splitlines()
    return found


def _changes(page, ran):
    """What the page prints now and did not, as lines to show; "" where all is as it was stored."""
    before = _shown(json.loads(page.path.read_text(encoding="utf-8")))
    changed = [
        line
        for line in difflib.unified_diff(before, _shown(ran), lineterm="", n=0)
        if line[:2] not in ("--", "++", "@@")
    ]
    if not before or not changed:
        return ""
    return ", prints otherwise than before:\n        " + "\n        ".join(changed[:LINES])


def _store(page, ran):
    """Writes the outputs of an executed page into the page, unless they are there already; never what stderr said."""
    stored = nbformat.read(page.path, as_version=4)
    count = 0
    for cell, executed in zip(stored.cells, ran.cells, strict=True):
        if cell.cell_type == "code":
            count += 1
            cell.outputs = [output for output in executed.outputs if output.get("name") != "stderr"]
            cell.execution_count = count
            for output in cell.outputs:
                if output.output_type == "execute_result":
                    output.execution_count = count
    text = nbformat.writes(stored).rstrip("\n") + "\n"
    if text != page.path.read_text(encoding="utf-8"):
        part = page.path.with_name(page.path.name + f".{os.getpid()}.part")
        part.write_text(text, encoding="utf-8")
        part.replace(page.path)
