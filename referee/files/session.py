"""One run of a lesson that reads files, under the referee."""

import importlib

import numpy as np
from common import timing

from .. import session, timed, weights
from ..data import DataMismatch
from ..lesson import LessonError
from . import prove
from .adapters import FileAdapters
from .images import ImageReference
from .score import area
from .workers import watched

MARGIN = 1e-3  # between two mean areas, of which one may have been rounded or computed in another order
LOADED = 2  # passes of the loader alone: the first starts its workers and fills the cache of files


class Session(session.Session):
    """As ``session.Session``; the job has, too:

    "parts", names of the proof's parts; "source", "files" or "memory": what the timed run trains on; "devices", on how
    many.
    """

    REFERENCE = ImageReference

    def adapters(self):
        """The check's adapters, looked at. Raises AdapterError, or LessonError where no ``check`` was defined."""
        if "check" not in self.space:
            raise LessonError("{} defines no object `check`".format(self.job["check"]))
        findings = self.reference.y.shape[1]
        return FileAdapters(self.space["check"], self.job["check"], self.lesson.name, self.reference.spec, findings)

    def prove(self):
        """Prove the job's parts and print each. Raises ProofError where one fails."""
        adapters = self.adapters()
        self.look(adapters)
        with watched():
            self.proof = prove.prove(self.lesson, adapters, self.reference, self.data, self.job["parts"])
        self.proof.require()

    def measure(self):
        """The timed run from the shared weights: training; on one device from files also evaluation and the loader."""
        adapters, devices, files = self.adapters(), self.job["devices"], self.job["source"] == "files"
        self.look(adapters)
        self.lesson.rerun()
        adapters.load(self.reference.start())
        found = adapters.read()
        self.started = weights.digest({name: found[name] for name in adapters.trained})
        size, memory = self.lesson.given["BATCH_SIZE"] * devices, adapters.peak_memory
        kind = timed.ApartRun if devices > 1 and adapters.processes else timing.Run
        clock = kind(
            len(self.data.x_train),
            size,
            self.lesson.given["EPOCHS"],
            self.lesson.given["SEED"],
            self.job["seconds"],
            adapters.synchronize,
            (lambda: memory() or timing.peak_memory()) if memory else None,
        )
        train = self._training(adapters, devices, files)
        with watched():
            for order in clock:
                clock.done(train(order, size, -(-len(order) // size)))
            if files and devices == 1:
                with clock.phase("evaluation"):
                    self._area(adapters)
                for _ in range(LOADED):
                    with clock.phase("loading"):
                        adapters.batches(self.data.x_train, self.data.y_train, True)
        self.timer = clock

    def _training(self, adapters, devices, files):
        """(order, size, batches) -> losses of one pass over the training samples ``order``."""
        paths, y = self.data.x_train, self.data.y_train
        name = ("train_files" if files else "train") + ("_devices" if devices > 1 else "")
        adapters.require(name, "a timed run on {} device{}".format(devices, "s" if devices > 1 else ""))
        if files:
            return lambda order, *sizes: getattr(adapters, name)([paths[k] for k in order], y[order], *sizes)
        rng, side = np.random.default_rng(self.lesson.given["SEED"]), self.lesson.given["CROP"]
        x, y = adapters.tensors(rng.standard_normal((len(paths), 3, side, side), dtype=np.float32), y)
        if devices > 1:
            return lambda order, *sizes: adapters.train_devices(x, y, order, *sizes)
        return lambda order, _, batches: adapters.train(x, y, order, batches)

    def judge(self):
        """What the lesson's own run came to: the mean area under the ROC curves of the findings that count.

        Raises LessonError where its history has not the steps that its settings promise, another mean area than its
        own model has now, or losses that did not fall.
        """
        adapters, given = self.adapters(), self.lesson.given
        self.look(adapters)
        losses, shown = self._history()
        promised = given["EPOCHS"] * -(-len(self.data.x_train) // given["BATCH_SIZE"])
        if len(losses) not in (promised, given["EPOCHS"]) or not np.all(np.isfinite(losses)):
            said = "its history holds {} losses; the settings promise {}, all finite"
            raise LessonError("{}: {}".format(self.lesson.name, said.format(len(losses), promised)))
        if len(losses) > 1 and not np.mean(losses[-len(losses) // 3 :]) < np.mean(losses[: -(-len(losses) // 3)]):
            said = "its loss did not fall: {:.3f} at first, {:.3f} at last".format(losses[0], losses[-1])
            raise LessonError("{}: {}".format(self.lesson.name, said))
        areas = self._area(adapters)
        mean = float(np.mean(list(areas.values())))
        if not abs(mean - shown) <= MARGIN:
            said = "its history ends with a mean area of {:.4f}; its model has {:.4f}".format(shown, mean)
            raise LessonError("{}: {}".format(self.lesson.name, said))
        self.timer = timing.Timer()
        self.measured["mean area"] = ("", [mean])
        print("mean area under the ROC curves {:.3f} of {} findings".format(mean, len(areas)))

    def _area(self, adapters):
        """{finding: area} of those that count, over the images of validation and test, from the lesson's own model."""
        paths, truth = self.data.x_valid + self.data.x_test, np.concatenate([self.data.y_valid, self.data.y_test])
        x = np.concatenate([images for images, _ in adapters.batches(paths, truth, False)]).astype(np.float32)
        found = adapters.predict(adapters.tensors(x, truth)[0], len(truth))
        places = {name: self.data.classes.index(name) for name in self.data.counted}
        return {name: area(truth[:, k], found[:, k]) for name, k in places.items()}

    def _history(self):
        """(losses of all mini-batches, or of all epochs; the last mean area). Raises LessonError for another one."""
        (history,) = self.lesson.named("history")
        try:
            losses = np.concatenate([np.asarray(one, np.float64).ravel() for one, _ in history])
            return losses, float(np.mean(list(history[-1][1].values())))
        except (TypeError, ValueError, IndexError, AttributeError):
            said = "history must be a list of (losses, {finding: area under its ROC curve}), one for each epoch"
            raise LessonError("{}: {}".format(self.lesson.name, said)) from None

    def look(self, adapters):
        """Look at the lists of files and findings. Raises DataMismatch where they are not the data set's."""
        given, module = self.lesson.given, importlib.import_module("common.data." + self.job["data"])
        known = module.load(given["DATA"], given["TRAIN_SAMPLES"], given["TEST_SAMPLES"])
        (ours,) = self.lesson.named("data")
        for part in ("train", "valid", "test"):
            paths, findings = [[getattr(one, name + "_" + part) for one in (ours, known)] for name in "xy"]
            if list(paths[0]) != list(paths[1]) or not np.array_equal(*findings):
                raise DataMismatch("data.x_{0} and data.y_{0} are not the data set's files and findings".format(part))
        self.data = known
