"""A kernel for Julia without IJulia: a child `julia` executes the cells (julia_kernel.jl), this process speaks Jupyter.

    python -m runner.languages.julia_kernel -f CONNECTION_FILE      with ROSETTA_JULIA, the `julia`

ipykernel's wrapper kernels are documented in jupyter_client, "Making simple Python wrapper kernels".
"""

import base64
import codecs
import contextlib
import os
import selectors
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel

DRIVER = Path(__file__).with_suffix(".jl")
START = 300  # seconds until `julia` must have answered: the first start on a slow machine takes long
GRACE, AGAIN = 1.0, 0.2  # seconds after an interrupt until it is sent again, since a loop without an allocation
#                          notices none but several in a short time
SOON, LATE = 0.05, 0.5  # seconds after which a whole line, and part of one, are shown
IMAGES = ("image/png", "image/jpeg")


class Ended(Exception):
    """The child has ended; the message says how."""


class Child:
    """A `julia` that runs the driver: requests and answers go through pipes of their own.

    Raises Ended where it does not start.
    """

    def __init__(self, program):
        requests, self.requests = os.pipe()
        self.answers, answers = os.pipe()
        command = [program, "--startup-file=no", "--color=no", str(DRIVER), str(requests), str(answers)]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(requests, answers),
            start_new_session=True,  # interrupts come from here, once
        )
        os.close(requests)
        os.close(answers)
        self.received = bytearray()
        self.printed, self.since = [], 0.0  # [(stream, texts)], and when the first was read
        self.decoders = {}
        for name in ("stdout", "stderr"):
            stream = getattr(self.process, name)
            os.set_blocking(stream.fileno(), False)
            self.decoders[stream.fileno()] = (name, codecs.getincrementaldecoder("utf-8")("replace"))
        self.selector = selectors.DefaultSelector()
        for number in (*self.decoders, self.answers):
            self.selector.register(number, selectors.EVENT_READ)
        said, limit = [], time.monotonic() + START
        try:
            for what, entries in self.events(lambda: limit):
                if what == "ready":
                    self.version = entries["version"].decode()
                    self.said = said  # warnings at the start
                    return
                said += [entries] if what == "stderr" else []
        except Ended as ended:
            raise Ended(f"{ended}: {''.join(said).strip()}" if said else str(ended)) from None
        self.end()
        raise Ended(f"julia did not start within {START} s")

    def send(self, **entries):
        """Send a request."""
        message = struct.pack("<I", len(entries))
        for key, value in entries.items():
            value = value.encode("utf-8", "replace")
            message += struct.pack("<I", len(key)) + key.encode() + struct.pack("<Q", len(value)) + value
        try:
            while message:
                message = message[os.write(self.requests, message) :]
        except OSError:
            raise Ended(self.how()) from None

    def events(self, until=lambda: None):
        """("stdout" or "stderr", text) and (kind of an answer, its entries), as they come, up to done or ready.

        Ends before where ``until()``, a time, has passed. Raises Ended where the child has ended.
        """
        while until() is None or time.monotonic() < until():
            found = [key.fd for key, _ in self.selector.select(SOON if self.printed else 0.2)]
            self.read(number for number in self.decoders if number in found)
            ended = not found and self.printed and self.printed[-1][1][-1].endswith("\n")
            if ended or (self.printed and time.monotonic() > self.since + LATE):
                yield from self.flushed()
            if self.answers not in found:
                continue
            data = os.read(self.answers, 1 << 20)
            self.received += data
            for kind, entries in self.messages():
                self.read(self.decoders)  # what was printed before
                yield from self.flushed()
                yield kind, entries
                if kind in ("done", "ready"):
                    return
            if not data:
                self.read(self.decoders)
                yield from self.flushed()
                raise Ended(self.how())
        yield from self.flushed()

    def flushed(self):
        """What was printed and not yet handed on."""
        printed, self.printed = self.printed, []
        yield from ((name, "".join(texts)) for name, texts in printed)

    def read(self, numbers):
        """Read what the child has printed so far to streams; many small pieces become one."""
        for number in numbers:
            name, decoder = self.decoders[number]
            for _ in range(16):  # more than a pipe holds; not for ever, where one is filled for ever
                try:
                    data = os.read(number, 1 << 16)
                except BlockingIOError:
                    break
                except OSError:
                    data = b""
                if text := decoder.decode(data):
                    self.since = self.since if self.printed else time.monotonic()
                    if not self.printed or self.printed[-1][0] != name:
                        self.printed.append((name, []))
                    self.printed[-1][1].append(text)
                if not data:
                    with contextlib.suppress(KeyError, ValueError):
                        self.selector.unregister(number)
                    break

    def messages(self):
        """The whole messages among what was received."""
        while True:
            entries, at = {}, 4
            try:
                for _ in range(struct.unpack_from("<I", self.received)[0]):
                    (size,) = struct.unpack_from("<I", self.received, at)
                    key = bytes(self.received[at + 4 : at + 4 + size]).decode()
                    (length,) = struct.unpack_from("<Q", self.received, at + 4 + size)
                    at += 12 + size + length
                    if len(self.received) < at:
                        return
                    entries[key] = bytes(self.received[at - length : at])
            except struct.error:
                return  # the rest is still to come
            del self.received[:at]
            yield entries.pop("kind").decode(), entries

    def interrupt(self):
        """Send it SIGINT."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGINT)

    def how(self):
        """How the child ended, in words."""
        try:
            status = self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            return "julia closed its pipe"
        if status < 0:
            return f"julia was ended by {signal.Signals(-status).name}"
        return f"julia ended with exit status {status}"

    def end(self):
        """End it: by closing its requests, and after two seconds by force."""
        for number in (self.requests, self.answers):
            with contextlib.suppress(OSError):
                os.close(number)
        try:
            self.process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class JuliaKernel(Kernel):
    """Cells are evaluated in Julia's Main, under the name In[n] that errors show."""

    implementation = "rosetta-julia"
    implementation_version = "1"
    language_info = {
        "name": "julia",
        "mimetype": "application/julia",
        "file_extension": ".jl",
        "codemirror_mode": "julia",
        "pygments_lexer": "julia",
    }

    def __init__(self, **named):
        super().__init__(**named)
        program = os.environ.get("ROSETTA_JULIA") or "julia"
        try:
            self.child = Child(program)
        except (Ended, OSError) as how:
            raise SystemExit(f"{program} does not start: {how}") from None
        self.language_info = {**self.language_info, "version": self.child.version}
        self.ended = ""

    @property
    def banner(self):
        """What a console shows first."""
        return f"Julia {self.child.version}"

    def do_execute(self, code, silent, store_history=True, user_expressions=None, allow_stdin=False, **_):
        """Executes a cell; answers as Jupyter's protocol asks."""
        base = {"execution_count": self.execution_count}
        if not code.strip():
            return {"status": "ok", "payload": [], "user_expressions": {}, **base}
        failed = None
        try:
            if self.ended:
                raise Ended(self.ended)
            for what, entries in self.executed(code):
                if what == "error":
                    failed = {name: entries[name].decode("utf-8", "replace") for name in ("ename", "evalue")}
                    failed["traceback"] = entries["traceback"].decode("utf-8", "replace").split("\n")
                elif not silent:
                    self.show(what, entries)
        except Ended as how:
            self.ended = str(how)
            said = f"{how}; restart the kernel"
            failed = {"ename": "JuliaEnded", "evalue": said, "traceback": [f"JuliaEnded: {said}"]}
        if failed:
            if not silent:
                self.send_response(self.iopub_socket, "error", failed)
            return {"status": "error", **failed, **base}
        return {"status": "ok", "payload": [], "user_expressions": {}, **base}

    def executed(self, code):
        """The child's events over one cell; an interrupt of this process is handed on."""
        self.child.send(code=code, name=f"In[{self.execution_count}]")
        self.again = None  # when to interrupt once more
        with self.interrupts():
            while True:
                for event in self.child.events(lambda: self.again):
                    yield event
                    if event[0] == "done":
                        return
                self.again = time.monotonic() + AGAIN
                self.child.interrupt()

    @contextlib.contextmanager
    def interrupts(self):
        """SIGINT of this process is the child's, within."""

        def hand_on(*_):
            self.again = time.monotonic() + GRACE
            self.child.interrupt()

        before = signal.signal(signal.SIGINT, hand_on)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def show(self, what, entries):
        """Sends what the child printed or shows."""
        if what in ("stdout", "stderr"):
            self.send_response(self.iopub_socket, "stream", {"name": what, "text": entries})
            return
        if what not in ("result", "display"):
            return
        data = {
            mime: base64.b64encode(value).decode() if mime in IMAGES else value.decode("utf-8", "replace")
            for mime, value in entries.items()
        }
        if what == "result":
            content = {"execution_count": self.execution_count, "data": data, "metadata": {}}
            self.send_response(self.iopub_socket, "execute_result", content)
        else:
            self.send_response(self.iopub_socket, "display_data", {"data": data, "metadata": {}})

    def do_shutdown(self, restart):
        """Ends the child with the kernel; whoever restarts it starts a new process."""
        self.child.end()
        return {"status": "ok", "restart": restart}


if __name__ == "__main__":
    IPKernelApp.launch_instance(kernel_class=JuliaKernel, argv=sys.argv[1:])
