"""One run of a lesson that reads files, under the referee."""

import numpy as np
from common import timing

from .. import session, timed, weights
from ..data import DataMismatch
from ..lesson import LessonError
from .adapters import FileAdapters
from .images import ImageReference
from .prove import FileProver
from .score import area
from .workers import watched

MARGIN = 1e-3  # between two mean areas, of which one may have been rounded or computed in another order
LOADED = 2  # passes of the loader alone: the first starts its workers and fills the cache of files
# Images that the synthetic source draws at most; an epoch goes over them again and again, which changes no speed. They
# are more than a mini-batch has on several devices. At 224 x 224 they take 0.6 GB; as many as the training images, of
# which there are 78,985, would take 47.5, more than most GPUs have.
DRAWN = 1024
HISTORY = "losses, {finding: area under its ROC curve}"


class Session(session.Session):
    """As ``session.Session``; the job says, too, what is trained on, "source", and on how many "devices"."""

    REFERENCE, ADAPTERS, PROVER = ImageReference, FileAdapters, FileProver

    def prove(self):
        """As every session, while the loader's workers are watched."""
        with watched():
            return super().prove()

    def measure(self):
        """The timed run from the shared weights: training; on one device from files also evaluation and the loader."""
        adapters, devices, files = self.adapters(), self.job["devices"], self.job["source"] == "files"
        self.look(adapters)
        self.lesson.rerun()
        adapters.load(self.reference.start())
        found = adapters.read()
        self.started = weights.digest({name: found[name] for name in adapters.trained})
        clock = timed.clock(
            self.lesson,
            adapters,
            len(self.data.x_train),
            self.job["seconds"],
            devices,
            apart=devices > 1 and adapters.processes,
        )
        train = self._training(adapters, devices, files)
        with watched():
            for order in clock:
                clock.done(train(order, clock.batch_size, -(-len(order) // clock.batch_size)))
            if files and devices == 1:
                with clock.phase("evaluation"):
                    self._area(adapters)
                for _ in range(LOADED):
                    with clock.phase("loading"):
                        adapters.count_loaded(self.data.x_train, self.data.y_train)
        self.timer = clock

    def _training(self, adapters, devices, files):
        """(order, size, batches) -> losses of one pass over the training samples ``order``, int64 (samples,).

        Without ``files`` the images are random numbers, float32 (DRAWN at most, 3, CROP, CROP), and sample k is image k
        modulo their number: a pass has as many steps as one over the files.
        """
        paths, y = self.data.x_train, self.data.y_train
        name = ("train_files" if files else "train") + ("_devices" if devices > 1 else "")
        adapters.require(name, "a timed run on {} device{}".format(devices, "s" if devices > 1 else ""))
        if files:
            return lambda order, *sizes: getattr(adapters, name)([paths[k] for k in order], y[order], *sizes)
        rng, side = np.random.default_rng(self.lesson.given["SEED"]), self.lesson.given["CROP"]
        drawn = min(len(paths), DRAWN)
        x, y = adapters.tensors(rng.standard_normal((drawn, 3, side, side), dtype=np.float32), y[:drawn])
        if devices > 1:
            return lambda order, *sizes: adapters.train_devices(x, y, order % drawn, *sizes)
        return lambda order, _, batches: adapters.train(x, y, order % drawn, batches)

    def judge(self):
        """What the lesson's own run came to: the mean area under the ROC curves of the findings that count.

        Raises LessonError where its history has neither a loss for each step that its settings promise nor one for each
        epoch, another mean area than its own model has now, or losses that did not fall.
        """
        adapters, given = self.adapters(), self.lesson.given
        self.look(adapters)
        _, losses, shown = self.lesson.history(HISTORY, (), lambda areas: np.mean(list(areas.values())))
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
        found = adapters.predict_files(paths, truth)
        places = {name: self.data.classes.index(name) for name in self.data.counted}
        return {name: area(truth[:, k], found[:, k]) for name, k in places.items()}

    def look(self, adapters):
        """Look at the lists of files and findings. Raises DataMismatch where they are not the data set's."""
        known = self.known()
        (ours,) = self.lesson.named("data")
        for part in ("train", "valid", "test"):
            paths, findings = [[getattr(one, name + "_" + part) for one in (ours, known)] for name in "xy"]
            if list(paths[0]) != list(paths[1]) or not np.array_equal(*findings):
                raise DataMismatch("data.x_{0} and data.y_{0} are not the data set's files and findings".format(part))
        self.data = known
