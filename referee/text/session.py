"""One run of a lesson that trains on text, under the referee."""

import importlib

import numpy as np
from common import timing

from .. import data, session, weights
from ..lesson import LessonError
from .adapters import TextAdapters
from .prove import TextProver, prove

MARGIN = 1e-3  # between two numbers of bits per byte, of which one may have been rounded for a history
WRITTEN = 64  # bytes of the timed generation


class Session(session.Session):
    """As ``session.Session``."""

    ADAPTERS = TextAdapters

    def prover(self, adapters):
        """What computes the parts of the proof."""
        given = self.job["precision"], self.job["changed"], self.job.get("without", ())
        return TextProver(self.lesson, adapters, self.reference, *given)

    def prove(self):
        """Prove the lesson and print each part; the picture of the proof. Raises ProofError where a part fails."""
        adapters = self.adapters()
        self.look(adapters)
        self.proof = prove(self.prover(adapters))
        self.proof.require()
        return self.proof.plot()

    def measure(self):
        """The timed run from the shared weights, bits per byte, and generation with a cache and without."""
        adapters = self.adapters()
        self.look(adapters)
        self.lesson.rerun()
        adapters.load(self.reference.weights())
        self.started = weights.digest(adapters.read())

        x, y, x_test, y_test = self.lesson.named("x_train", "y_train", "x_test", "y_test")
        given, memory, found = self.lesson.given, adapters.peak_memory, []
        clock = timing.Run(
            len(self.data.x_train),
            given["BATCH_SIZE"],
            given["EPOCHS"],
            given["SEED"],
            self.job["seconds"],
            adapters.synchronize,
            (lambda: memory() or timing.peak_memory()) if memory else None,
        )
        for order in clock:
            clock.done(adapters.train(x, y, order, -(-len(order) // given["BATCH_SIZE"])))
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
        many steps, no falling loss, or more bits than a table of how frequent each byte is would need.
        """
        adapters, given = self.adapters(), self.lesson.given
        self.look(adapters)
        steps, losses, shown = self._history()
        promised = given["EPOCHS"] * -(-len(self.data.x_train) // given["BATCH_SIZE"])
        if steps != promised or not np.all(np.isfinite(losses)):
            said = "its history holds {} steps; the settings promise {}, with finite losses"
            raise LessonError("{}: {}".format(self.lesson.name, said.format(steps, promised)))
        tenth = max(1, len(losses) // 10)
        learned, long = (
            self.reference.spec.get("learned", session.LEARNED),
            self.reference.spec.get("long", session.LONG),
        )
        if steps >= long and not np.mean(losses[-tenth:]) < learned * np.mean(losses[:tenth]):
            said = "its loss did not fall: {:.3f} at first, {:.3f} at last".format(losses[0], losses[-1])
            raise LessonError("{}: {}: do samples and labels belong together?".format(self.lesson.name, said))
        bits = self._bits(adapters)
        for what, value in (("history ends with", shown), ("evaluate gives", self._evaluated(adapters))):
            if not abs(value - bits) <= MARGIN * bits:
                said = "{}: its {} {:.4f} bits per byte; its logits of all test samples give {:.4f}"
                raise LessonError(said.format(self.lesson.name, what, value, bits))
        counts = np.bincount(self.data.y_test.ravel(), minlength=256) / float(self.data.y_test.size)
        alone = -float(np.sum(counts[counts > 0] * np.log2(counts[counts > 0])))
        if steps >= long and not bits < alone:
            said = "{}: {:.2f} bits per byte; a table of how frequent each byte is needs {:.2f}"
            raise LessonError(said.format(self.lesson.name, bits, alone))
        self.timer = timing.Timer()
        self.measured["bits per byte"] = ("bit", [bits])
        print("{:.3f} bits per byte of {} bytes".format(bits, self.data.y_test.size))

    def look(self, adapters):
        """Look at every sequence of the lesson's arrays, with the bytes after it. Raises DataMismatch."""
        given, module = self.lesson.given, importlib.import_module("common.data." + self.job["data"])
        known = module.load(given["DATA"], given["TRAIN_SAMPLES"], given["TEST_SAMPLES"])
        sets = (known.x_train, known.y_train), (known.x_test, known.y_test)
        for which, ours, theirs in zip(("training", "test"), adapters.data(), sets):
            for part, our, their in zip(("sequences", "bytes after them"), ours, theirs):
                if our.shape != their.shape:
                    said = "the {} {} have shape {}, the data set's {}"
                    raise data.DataMismatch(said.format(which, part, our.shape, their.shape))
            our, their = [np.concatenate([x, y], axis=1) for x, y in (ours, theirs)]
            data.compare(which, our, our[:, -1], their, their[:, -1])
        self.data = known

    def _evaluated(self, adapters):
        return adapters.evaluate(*self.lesson.named("x_test", "y_test"))

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

    def _history(self):
        """(steps, losses of all mini-batches or of all epochs, the last bits per byte).

        Raises LessonError where ``history`` is neither a list of (losses, bits per byte), one for each epoch, nor what
        Keras' ``fit`` returns.
        """
        self.lesson.named("history")
        history = self.space.value("history")
        if hasattr(history, "history") and hasattr(history, "params"):  # Keras, in nats
            values = history.history
            if "val_loss" not in values:
                raise LessonError("{}: fit's history has no val_loss: give validation_data".format(self.lesson.name))
            return (
                history.params["steps"] * len(history.epoch),
                np.array(values["loss"]),
                values["val_loss"][-1] / np.log(2),
            )
        try:
            losses = np.concatenate([np.asarray(losses, np.float64).ravel() for losses, _ in history])
            return len(losses), losses, float(history[-1][1])
        except (TypeError, ValueError, IndexError):
            said = "{}: history must be a list of (losses, bits per byte), one for each epoch"
            raise LessonError(said.format(self.lesson.name)) from None
