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
STARTS = 2  # of a kernel that dies before it answers: another process may have taken its ports meanwhile
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
        kernel = _Kernel(kernels, environ, backend)
        async with places:
            for page in chosen:
                if answer := further.get((page.path, backend)):
                    alone = not kernel.runs
                    ran = await _run(page, kernel, "" if alone else FORGET)
                    if ran[1] and not alone:  # what an earlier page left may be the reason
                        await kernel.end()
                        ran = await _run(page, kernel)
                    if ran[1]:
                        await kernel.end()
                    answer.set_result(ran)
            await kernel.end()

    async def one(page):
        nonlocal done
        async with places:
            kernel = _Kernel(kernels, environ, page.backends[0])
            first = await _run(page, kernel)
            await kernel.end()
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


class _Kernel:
    """A kernel on one backend of Keras: started when it is first asked for, and again after its end."""

    def __init__(self, kernels, environ, backend):
        self.backend, self._environ = backend, {**environ, "KERAS_BACKEND": backend}
        self._specs, self._manager = KernelSpecManager(kernel_dirs=[str(kernels)]), None

    @property
    def runs(self):
        """Whether it was started and not ended."""
        return self._manager is not None

    async def manager(self, folder):
        """The manager of the kernel, which answers; raises DeadKernelError where it died as often as it was started."""
        for _ in range(STARTS):
            if self.runs:
                break
            self._manager = AsyncKernelManager(kernel_name=KERNEL, kernel_spec_manager=self._specs)
            with open(os.devnull, "w") as nowhere:  # what libraries say beside the kernel's own streams
                await self._manager.start_kernel(env=self._environ, cwd=str(folder), stdout=nowhere, stderr=nowhere)
            client = self._manager.client()
            client.start_channels()
            try:
                await client.wait_for_ready(timeout=TIMEOUT)
            except RuntimeError:
                await self.end()
            finally:
                client.stop_channels()
        if not self.runs:
            raise DeadKernelError(f"the kernel died before it answered, each of {STARTS} times")
        return self._manager

    async def end(self):
        """Ends the kernel, if it runs: the client leaves one alone whose manager it was given."""
        manager, self._manager = self._manager, None
        if manager and manager.has_kernel:
            await manager.shutdown_kernel(now=True)


async def _run(page, kernel, before=""):
    """(the executed notebook, what went wrong in it or "", the seconds that it took); ``before``: code to run first."""
    began, said = time.monotonic(), ""
    notebook = nbformat.read(page.path, as_version=4)
    if kernel.backend != page.backends[0]:
        notebook.cells = [cell for cell in notebook.cells if " ".join(cell.metadata.get("tags", [])) in pages.OF_KERAS]
    if before:
        notebook.cells.insert(0, nbformat.v4.new_code_cell(before))
    try:
        manager = await kernel.manager(page.path.parent)
        client = NotebookClient(notebook, km=manager, timeout=TIMEOUT, record_timing=False, coalesce_streams=True)
        await client.async_execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        said = f"    Keras on {kernel.backend}, {_where(notebook)}{_first_lines(_message(notebook, error))}"
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
    lines = list(difflib.unified_diff(before, _shown(ran), lineterm="", n=0))[2:]  # behind those with the files' names
    changed = [line for line in lines if not line.startswith("@@")]
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
