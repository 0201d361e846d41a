"""One run of a lesson that trains on text, under the referee."""

import numpy as np
from common import timing

from .. import data, session, timed, weights
from ..lesson import LessonError
from .adapters import TextAdapters
from .prove import TextProver

MARGIN = 1e-3  # relative, between two numbers of bits per byte, of which one may have been rounded for a history
WRITTEN = 64  # bytes of the timed generation


class Session(session.Session):
    """As ``session.Session``."""

    ADAPTERS, PROVER = TextAdapters, TextProver

    def measure(self):
        """The timed run from the shared weights, bits per byte, and generation with a cache and without."""
        adapters = self.adapters()
        self.look(adapters)
        self.lesson.rerun()
        adapters.load(self.reference.weights())
        self.started = weights.digest(adapters.read())

        x, y, x_test, y_test = self.lesson.named("x_train", "y_train", "x_test", "y_test")
        clock, found = timed.clock(self.lesson, adapters, len(self.data.x_train), self.job["seconds"]), []
        for order in clock:
            clock.done(adapters.train(x, y, order, -(-len(order) // clock.batch_size)))
            if clock.ends_epoch:
                with clock.phase("evaluation"):
                    found.append(adapters.evaluate(x_test, y_test))
        self.timer = clock
        self.measured["bits per byte"] = ("bit", found)
        for cache, name in ((True, "generation"), (False, "generation without a cache")):
            adapters.generate(self.data.x_test[0, :WRITTEN], WRITTEN, 0.0, cache)  # compiled here, where it is at all
            clock = timing.Timer(adapters.synchronize)
            with clock.phase(name):
                adapters.generate(self.data.x_test[0, :WRITTEN], WRITTEN, 0.0, cache)
            self.measured[name] = ("1/s", [WRITTEN / clock.seconds[name][0]])
        print("{:.3f} bits per byte after {} steps".format(found[-1], len(self.timer.losses)))

    def judge(self):
        """What the lesson's own run came to: bits per byte of the test text, as the referee counts from logits.

        Raises LessonError where its history has not the steps that its settings promise, other bits per byte, or, over
        many steps, no falling loss, or at least as many bits as the entropy of the test bytes' frequencies.
        """
        adapters = self.adapters()
        self.look(adapters)
        nats = {"val_loss": 1 / np.log(2)}  # of Keras
        steps, losses, shown = self.lesson.history("losses, bits per byte", nats)
        spec = self.reference.spec
        if len(losses) < steps:  # means over epochs: the first holds what was learned in it, so they fall half as far
            self.reference.spec = dict(spec, learned=(1 + spec["learned"]) / 2)
        long = self._ran(steps, losses, len(self.data.x_train))
        bits, own = self._bits(adapters), adapters.evaluate(*self.lesson.named("x_test", "y_test"))
        for what, value in (("history ends with", shown), ("evaluate gives", own)):
            if not abs(value - bits) <= MARGIN * bits:
                said = "{}: its {} {:.4f} bits per byte; its logits of all test samples give {:.4f}"
                raise LessonError(said.format(self.lesson.name, what, value, bits))
        counts = np.bincount(self.data.y_test.ravel(), minlength=256) / float(self.data.y_test.size)
        alone = -float(np.sum(counts[counts > 0] * np.log2(counts[counts > 0])))
        if long and not bits < alone:
            said = "{}: {:.2f} bits per byte; a table of how frequent each byte is needs {:.2f}"
            raise LessonError(said.format(self.lesson.name, bits, alone))
        self.timer = timing.Timer()
        self.measured["bits per byte"] = ("bit", [bits])
        print("{:.3f} bits per byte of {} bytes".format(bits, self.data.y_test.size))

    def look(self, adapters):
        """Look at every sequence of the lesson's arrays, with the bytes after it. Raises DataMismatch."""
        known = self.known()
        sets = (known.x_train, known.y_train), (known.x_test, known.y_test)
        for which, ours, theirs in zip(("training", "test"), adapters.data(), sets):
            for part, our, their in zip(("sequences", "bytes after them"), ours, theirs):
                if our.shape != their.shape:
                    said = "the {} {} have shape {}, the data set's {}"
                    raise data.DataMismatch(said.format(which, part, our.shape, their.shape))
            our, their = [np.concatenate([x, y], axis=1) for x, y in (ours, theirs)]
            data.compare(which, our, our[:, -1], their, their[:, -1])
        self.data = known

    def _bits(self, adapters):
        """Bits per byte of all test samples from the lesson's logits, in float64."""
        x, y, size = self.data.x_test, self.data.y_test, self.lesson.given["BATCH_SIZE"]
        total, vocabulary = 0.0, self.reference.results["logits.shape"][2]
        for start in range(0, len(x), size):
            part = y[start : start + size]
            given = adapters.tensors(x[start : start + size], part)
            logits = adapters.logits(given[0], part.shape + (vocabulary,))
            top = logits.max(axis=-1)
            own = np.take_along_axis(logits, part[..., None].astype(np.int64), axis=-1)[..., 0]
            total += float(np.sum(top + np.log(np.sum(np.exp(logits - top[..., None]), axis=-1)) - own))
        return total / y.size / np.log(2)
