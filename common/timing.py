"""Clocks that start and stop only when the device has finished its work."""

import time
from contextlib import contextmanager

import numpy as np

from .batches import epoch_order

# Phases that say nothing about the steady state.
PREPARATION = {"import", "data", "first step", "first call", "evaluation"}


class Timer(object):
    """Seconds by phase, from ``time.perf_counter``.

    ``synchronize``: a function without arguments that returns when the device has nothing left to do
    (a framework that computes at once needs none). It is called before every clock starts and before
    it stops. ``seconds`` maps a phase to the list of its durations, in order.
    """

    def __init__(self, synchronize=None):
        self.synchronize = synchronize or (lambda: None)
        self.seconds = {}
        self.phases_cpu = self.phases_wall = 0.0

    @property
    def busy(self):
        """CPU seconds per second of the phases that are no preparation; None before any."""
        return self.phases_cpu / self.phases_wall if self.phases_wall else None

    def now(self):
        """The clock in seconds, read once the device is idle."""
        self.synchronize()
        return time.perf_counter()

    @contextmanager
    def phase(self, name):
        """Time the body of a ``with`` statement as one duration of the phase ``name``."""
        start, cpu = self.now(), time.process_time()
        yield
        self._spent(name, self.now() - start, time.process_time() - cpu)

    def _spent(self, name, seconds, cpu):
        self.add(name, seconds)
        if name not in PREPARATION:
            self.phases_cpu += cpu
            self.phases_wall += seconds

    def add(self, name, seconds):
        """Add one duration to the phase ``name``."""
        self.seconds.setdefault(name, []).append(seconds)

    def measurements(self):
        """The phases as measurements of the record, in seconds."""
        return {name: ("s", list(values)) for name, values in self.seconds.items()}


class Run(Timer):
    """A training run: hands out the orders of its samples and times what is done with each.

        run = Run(len(x_train), BATCH_SIZE, EPOCHS, SEED, SECONDS)
        for order in run:
            run.done(train_epoch(model, optimizer, x_train, y_train, order))

    The first order is one batch: the first timed step. The others are the rest of that epoch and the
    following epochs. Where ``seconds`` is above 0 they are parts of an epoch without its short last
    mini-batch, for which some frameworks compile the step anew, and the run ends about that long after
    the two parts that told the speed, or before that with the last of ``epochs``. Where they told too low
    a speed, as where each call takes long to start, it goes on until at least half of the time is used:
    ``done`` then takes ``ends_epoch`` back. The clock runs from handing out an order to ``done``.

    ``memory``: a function that returns the peak memory in bytes, called after the last order; default:
    ``peak_memory``.
    """

    def __init__(self, samples, batch_size, epochs, seed, seconds=0, synchronize=None, memory=None):
        Timer.__init__(self, synchronize)
        self.samples, self.batch_size, self.epochs, self.seed = samples, batch_size, epochs, seed
        self.limit, self.memory = seconds, memory or peak_memory
        self.losses, self.seen, self.rates = [], 0, []
        self.cpu = self.wall = 0.0  # of the steady state
        self.peak_memory_bytes = None  # read when the last order is done with

    @property
    def busy(self):
        """CPU seconds per second of the steady state; None before it."""
        return self.cpu / self.wall if self.wall else None

    def __iter__(self):
        """Yield int64 arrays of sample numbers; ``ends_epoch``: whether one is the last of an epoch or of the run."""
        self.cpu = self.wall = 0.0
        self.ends_run = False
        for epoch in range(self.epochs):
            order = epoch_order(self.samples, self.seed, epoch)
            if self.limit:
                order = order[: max(1, len(order) // self.batch_size) * self.batch_size]
            start = 0
            while start < len(order) and not self.ends_run:
                size = self._size(len(order) - start)
                self.ends_epoch = self.ends_run or start + size == len(order)
                yield self._hand_out(order[start : start + size])
                start += size
            if self.limit and self._left() <= 0:
                break
        self.peak_memory_bytes = int(self.memory())

    def _size(self, rest):
        """How many samples the next order holds."""
        if not self.seen:
            return min(rest, self.batch_size)
        if not self.limit:
            return rest
        if len(self.rates) < 2:  # two short parts tell the speed; the first may still compile
            return min(rest, 4 * self.batch_size)
        batches = max(1, int(self._left() * self.rates[-1] / self.batch_size))
        self.ends_run = batches * self.batch_size < rest
        return batches * self.batch_size if self.ends_run else rest

    def _left(self):
        """Seconds until a limited run ends."""
        return self.limit - sum(self.seconds.get("training", [])[2:])

    def _hand_out(self, order):
        self.order = order
        self.cpu_start, self.begin = time.process_time(), self.now()
        return order

    def done(self, losses):
        """Stop the clock: ``losses`` holds one value for each batch of the order handed out last.

        Raises ValueError where their number is another: batches were dropped or added.
        """
        seconds, cpu = self.now() - self.begin, time.process_time() - self.cpu_start
        losses = np.asarray(losses, np.float64).ravel()
        batches = -(-len(self.order) // self.batch_size)
        if len(losses) != batches:
            raise ValueError("{} losses came back for {} batches: were batches dropped?".format(len(losses), batches))
        if self.seen:
            self.add("training", seconds)
            self.rates.append(len(self.order) / seconds)
            self.cpu, self.wall = self.cpu + cpu, self.wall + seconds
        else:
            self.add("first step", seconds)
        self.seen += len(self.order)
        if self.limit and self.ends_run and self._left() > self.limit / 2:
            self.ends_run = self.ends_epoch = False
        self.losses.extend(losses.tolist())

    def measurements(self):
        """The phases in seconds, and the training rate in samples per second.

        One rate for each epoch; in a run of limited time one rate over all of its parts but the two
        that only told the speed.
        """
        found = Timer.measurements(self)
        rates = self.rates
        if self.limit and len(rates) > 2:
            seconds = self.seconds["training"][2:]
            rates = [sum(r * s for r, s in zip(rates[2:], seconds)) / sum(seconds)]
        if rates:
            found["training rate"] = ("1/s", list(rates))
        return found


def peak_memory():
    """The largest resident size of this process so far, in bytes."""
    import resource
    import sys

    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest if sys.platform == "darwin" else largest * 1024  # kilobytes elsewhere
