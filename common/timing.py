"""Clocks that start and stop only when the device has finished its work."""

import time
from contextlib import contextmanager


class Timer(object):
    """Seconds by phase, from ``time.perf_counter``.

    ``synchronize``: a function without arguments that returns when the device has nothing left to do (a CPU framework that
    computes at once needs none). It is called before every clock starts and before it stops. ``seconds`` maps a phase to
    the list of its durations, in order.
    """

    def __init__(self, synchronize=None):
        self.synchronize = synchronize or (lambda: None)
        self.seconds = {}

    def now(self):
        """The clock in seconds, read once the device is idle."""
        self.synchronize()
        return time.perf_counter()

    @contextmanager
    def phase(self, name):
        """Time the body of a ``with`` statement as one duration of the phase ``name``."""
        start = self.now()
        yield
        self.add(name, self.now() - start)

    def add(self, name, seconds):
        """Add one duration to the phase ``name``."""
        self.seconds.setdefault(name, []).append(seconds)

    def start(self):
        """Start the lap clock."""
        self.lap_start = self.now()

    def lap(self, name):
        """Add the time since ``start`` or the last ``lap`` to the phase ``name``; the lap clock goes on."""
        now = self.now()
        self.add(name, now - self.lap_start)
        self.lap_start = now

    def epoch(self, batches):
        """Iterate over ``batches`` and time the loop around it as one duration of the phase "epoch".

        The first step of the run, which traces and compiles, is put apart as the phase "first step"; the first epoch is
        timed without it. An epoch that is left early is not recorded.
        """
        self.start()
        for number, batch in enumerate(batches):
            if number == 1 and "first step" not in self.seconds:
                self.lap("first step")
            yield batch
        self.lap("epoch")
