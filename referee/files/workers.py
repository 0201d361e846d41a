"""A loader's worker process that is killed ends the run; some loaders would wait for it for ever."""

import contextlib
import os
import signal

FATAL = {signal.SIGKILL, signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT}  # loaders end their workers with others


class WorkerKilled(RuntimeError):
    """A child of this process was killed; the message says by which signal and what may be the reason."""


@contextlib.contextmanager
def watched():
    """Within, on Linux, raise WorkerKilled in the main thread as soon as a child is killed.

    A child's end interrupts the main thread, where it waits, too. Children are looked at and left to whoever started
    them; of one that another thread has waited for already, such as a pool's, the answer to that tells. A child that
    this process kills itself is no matter: Grain does so where one needs more than 25 seconds to end.
    """
    before, wait, kill = signal.getsignal(signal.SIGCHLD), os.waitpid, os.kill
    killed, ended = {}, set()

    def waitpid(pid, options):
        child, status = wait(pid, options)
        if child and os.WIFSIGNALED(status) and os.WTERMSIG(status) in FATAL and child not in ended:
            killed[child] = os.WTERMSIG(status)
            kill(os.getpid(), signal.SIGCHLD)
        return child, status

    def end(pid, number):
        ended.add(pid)
        kill(pid, number)

    def look(number, frame):
        if callable(before):
            before(number, frame)
        for child in set(children()) - ended:
            with contextlib.suppress(ChildProcessError):
                found = os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                if found and found.si_code != os.CLD_EXITED and found.si_status in FATAL:
                    killed[child] = found.si_status
        if killed:
            child, number = killed.popitem()
            said = "a worker process (pid {}) was killed by {}: out of memory, or by hand?"
            raise WorkerKilled(said.format(child, signal.Signals(number).name))

    if not os.path.isdir("/proc/self"):
        yield
        return
    os.waitpid, os.kill = waitpid, end
    signal.signal(signal.SIGCHLD, look)
    try:
        yield
    finally:
        os.waitpid, os.kill = wait, kill
        signal.signal(signal.SIGCHLD, before)


def children():
    """Pids of the children of this process, also of those that have ended and were not waited for."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/{}/stat".format(name), errors="replace") as file:
                parent = file.read().rpartition(")")[2].split()[1]
        except OSError:  # it has ended meanwhile
            continue
        if int(parent) == os.getpid():
            found.append(int(name))
    return found
