"""Who may work on this machine and in a folder of results: locks that lie where what they protect lies.

A batch that measures has its machine and its folder alone; batches that only prove share them.
"""

import contextlib
import fcntl
import os
import re
import tempfile
import time
from pathlib import Path

PAUSE = 5.0  # seconds between two tries of a batch that waits


class Busy(RuntimeError):
    """Another batch holds a lock; the message names its processes."""


def host() -> str:
    """This host's name, as Slurm's node where it is one: in names of files that do not last, never in a record."""
    return re.sub(r"[^\w.-]", "-", os.environ.get("SLURMD_NODENAME") or os.uname().nodename)


def places(results: Path) -> list:
    """The locks of a batch: this machine's, and that of this host's work below `results`.

    The machine's lies in /tmp whatever TMPDIR says. A container or a job of a cluster may have a /tmp of its own: the
    other lock still keeps two batches apart that would write to the same folders.
    """
    folder = Path("/tmp") if os.access("/tmp", os.W_OK) else Path(tempfile.gettempdir())
    return [folder / f"rosetta-{os.getuid()}-{host()}.lock", results / f".{host()}.lock"]


@contextlib.contextmanager
def hold(measuring: bool, locks, wait=False, say=print):
    """Holds the locks: alone if `measuring`, else beside others. `wait`: until they are free, else Busy is raised.

    Children inherit them: they are held until the last job has ended.
    """
    with contextlib.ExitStack() as stack:
        for path in locks:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = stack.enter_context(_taken(path, fcntl.LOCK_EX if measuring else fcntl.LOCK_SH, wait, say))
            os.set_inheritable(file.fileno(), True)
        yield


def _taken(path, kind, wait, say):
    """The open file, locked."""
    told = False
    while True:
        file = open(path, "a+")
        try:
            fcntl.flock(file, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            said = f"{_holders(path)} holds {path}: a measurement needs the machine alone"
            if not wait:
                raise Busy(f"{said}; wait for it or stop it") from None
            if not told:
                say(f"waiting: {said}", flush=True)
            told = True
            time.sleep(PAUSE)
            continue
        except OSError as error:  # some network file systems have none
            say(
                f"{path.parent} has no locks ({error.strerror}): let no other batch of this host work there", flush=True
            )
            return file
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                return file
        file.close()  # somebody cleaned up: the lock that others see is another file


def _holders(path) -> str:
    """The processes that have the file open, less their children: who wrote into it may have ended long since."""
    import psutil  # which the first Python may lack

    there, found = os.stat(path), {}
    for process in psutil.process_iter(["pid", "ppid"]):
        with contextlib.suppress(OSError):
            for fd in os.scandir(f"/proc/{process.info['pid']}/fd"):
                with contextlib.suppress(OSError):
                    if os.path.samestat(there, os.stat(fd.path)):
                        found[process.info["pid"]] = process.info["ppid"]
    pids = sorted(pid for pid, parent in found.items() if parent not in found)
    if not pids:
        return "a process that is not to be seen from here (in another container, of another user)"
    return f"process {', '.join(map(str, pids))}"
