"""Executes the pages of the phrasebook, each in a kernel of its own, and stores what they printed."""

import asyncio
import difflib
import json
import os
import threading
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
FORGET = "%reset -f\nimport keras; keras.utils.clear_session(); del keras"  # the page before, in the same kernel


def execute(root: Path, names, kernels: Path, environ: dict, jobs: int, say=print) -> int:
    """Executes the pages of these names (all without any), ``jobs`` kernels at a time; the number that disagree.

    Each page runs in a kernel of its own on the first of its backends of Keras. Its cells OF_KERAS run on the others,
    too, page after page in one kernel for each backend: nearly all of a kernel's time is its imports. Where all agree,
    the outputs of the first are stored in the page.
    ``kernels``: the folder of the spec of a kernel KERNEL; ``environ``: what its process sees. Raises LookupError for a
    name that no page has, PageError for a page that cannot be read.
    """
    known = {page.path.stem: page for page in pages.read_all(root)}
    if unknown := sorted(set(names) - set(known)):
        raise LookupError(f"phrasebook: no page {', '.join(unknown)}; there are: {', '.join(known)}")
    chosen = [known[name] for name in names] or list(known.values())
    environ = {**environ, "TF_CPP_MIN_LOG_LEVEL": "2", "MPLBACKEND": "module://matplotlib_inline.backend_inline"}
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    work = asyncio.run_coroutine_threadsafe(_all(chosen, kernels, environ, jobs, say), loop)
    try:  # in the main thread nbclient would take Ctrl-C for the end of one page
        return work.result()
    finally:  # ZeroMQ aborts a process that exits while a thread waits on its sockets
        asyncio.run_coroutine_threadsafe(_cancel(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


async def _cancel():
    """Ends what still runs in this loop; the kernels end with this process."""
    if running := asyncio.all_tasks() - {asyncio.current_task()}:
        for task in running:
            task.cancel()
        await asyncio.wait(running, timeout=1)


async def _all(chosen, kernels, environ, jobs, say):
    places, done = asyncio.Semaphore(jobs), 0
    further = {(page.path, backend): asyncio.Future() for page in chosen for backend in page.backends[1:]}

    async def elsewhere(backend):
        manager = None
        async with places:
            for page in chosen:
                if answer := further.get((page.path, backend)):
                    alone, manager = manager is None, manager or _manager(kernels)
                    ran = await _run(page, backend, manager, environ, "" if alone else FORGET)
                    if ran[1] and not alone:  # what an earlier page left may be the reason
                        await _end(manager)
                        manager = _manager(kernels)
                        ran = await _run(page, backend, manager, environ)
                    if ran[1]:
                        await _end(manager)
                        manager = None
                    answer.set_result(ran)
            if manager:
                await _end(manager)

    async def one(page):
        nonlocal done
        async with places:
            manager = _manager(kernels)
            first = await _run(page, page.backends[0], manager, environ)
            await _end(manager)
        ran = [first] + [await further[page.path, backend] for backend in page.backends[1:]]
        done += 1
        on = f" ({', '.join(page.backends)})" if len(page.backends) > 1 else ""
        said = "\n".join(said for _, said, _ in ran if said)
        state = f"DISAGREES\n{said}" if said else "ok" + _changes(page, first[0])
        seconds = sum(seconds for *_, seconds in ran)
        say(f"[{done}/{len(chosen)}] {page.path.stem}{on}: {seconds:.0f} s, {state}", flush=True)
        if not said:
            _store(page, first[0])
        return bool(said)

    # the further backends first: each page is said when its own run ends
    backends = dict.fromkeys(backend for _, backend in further)
    return sum(filter(None, await asyncio.gather(*map(elsewhere, backends), *map(one, chosen))))


def _manager(kernels):
    return AsyncKernelManager(kernel_name=KERNEL, kernel_spec_manager=KernelSpecManager(kernel_dirs=[str(kernels)]))


async def _end(manager):
    """Ends a kernel: the client leaves one alone whose manager it was given."""
    if manager.has_kernel:
        await manager.shutdown_kernel(now=True)


async def _run(page, backend, manager, environ, before=""):
    """(the executed notebook, what went wrong in it or "", the seconds that it took).

    ``manager``: of a kernel that runs, or is started; ``before``: code that is executed first.
    """
    began, said = time.monotonic(), ""
    notebook = nbformat.read(page.path, as_version=4)
    if backend != page.backends[0]:
        notebook.cells = [cell for cell in notebook.cells if " ".join(cell.metadata.get("tags", [])) in pages.OF_KERAS]
    if before:
        notebook.cells.insert(0, nbformat.v4.new_code_cell(before))
    client = NotebookClient(notebook, km=manager, timeout=TIMEOUT, record_timing=False, coalesce_streams=True)
    client.resources = {"metadata": {"path": str(page.path.parent)}}
    try:
        with open(os.devnull, "w") as nowhere:  # what libraries say beside the kernel's own streams
            await client.async_execute(env={**environ, "KERAS_BACKEND": backend}, stdout=nowhere, stderr=nowhere)
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        said = f"    Keras on {backend}, {_where(notebook)}{_first_lines(_message(notebook, error))}"
    return notebook, said, time.monotonic() - began


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
