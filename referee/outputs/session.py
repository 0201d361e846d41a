"""One run of a lesson that only computes outputs, under the referee."""

import numpy as np
from common import timing
from common.data import resnet50

from .. import session, timed
from ..data import DataMismatch
from ..lesson import LessonError
from ..proof.outputs import OutputsProof
from . import alone, prove
from .adapters import OutputAdapters
from .images import preprocessed
from .reference import OutputsReference

TOGETHER, SINGLE = 64, 20  # images of a timed pass; timed passes of one image
REDUCED = 0.1  # of features in reduced precision, relative: what is timed may be off the reference by so much
SHOWN = {"fp32": 1e-4}  # of features that a lesson shows, from those that its model gives now; else REDUCED
PIXEL = 1e-3  # of values up to 255: float32 holds them to 1.5e-5
KINDS = {"full": "Keras', ImageNet, kernels rounded to fp16", "sample": "drawn"}


class Session(session.Session):
    """As ``session.Session``; the job has, too: "images", how many the timed run computes."""

    REFERENCE, ADAPTERS, PROVER = OutputsReference, OutputAdapters, prove.OutputsProver

    def measure(self):
        """The timed run: the first mini-batch of a new model, then all images, then single ones.

        Its images are the fifty photos, or noise where there are none, in another order in each pass. What comes out is
        compared with the reference after the clock has stopped: LessonError where it is off.
        """
        adapters = self.adapters()
        self.look(adapters)
        full, size = self.data.source == "full", self.lesson.given["BATCH_SIZE"]
        self.name, self.images = ("photos", self.data.x_test) if full else ("features", self.reference.noise)
        arrays = resnet50.load(self.data.source)
        self.lesson.rerun(*prove.ANEW)
        self.timer = timing.Timer(adapters.synchronize)
        self._pass(adapters, "first call", size, 0, arrays)
        for number in range(max(1, self.job["images"] // TOGETHER)):
            self._pass(adapters, "inference", TOGETHER, number)
        adapters.features(adapters.tensors(self.images[:1]), 1)  # compiled forms have another program for one image
        for number in range(SINGLE):
            self._pass(adapters, "one image", 1, number)
        self.timer.peak_memory_bytes = timed.peak_memory(adapters)
        if adapters.alone:
            x = adapters.tensors(self._some(TOGETHER, 0)[1])
            seconds, self.timer.peak_memory_bytes = alone.measure(self.lesson, adapters.alone_with(), x, size)
            self.timer.seconds["first call"] = [seconds]
        rates = [TOGETHER / seconds for seconds in self.timer.seconds["inference"]]
        self.measured["rate"] = ("1/s", rates)
        self._weigh(arrays)
        single = 1000 * np.median(self.timer.seconds["one image"])
        print("{:.1f} images/s; {:.1f} ms for one image".format(np.median(rates), single))

    def _some(self, count, first):
        """(numbers of ``count`` images of the run, the images), from number ``first`` on, again and again."""
        numbers = (first + np.arange(count)) % len(self.reference.results[self.name + ".norms"])
        return numbers, self.images[numbers]

    def _pass(self, adapters, phase, count, first, arrays=None):
        """Time the features of some images; with weights ``arrays``, those of a new model, which is timed, too."""
        numbers, images = self._some(count, first)
        x = adapters.tensors(images)
        with self.timer.phase(phase):
            if arrays:
                self.lesson.rerun("model")
                adapters.load(arrays)
            found = adapters.features(x, count)
        self._compare("the timed run", self.name, found, numbers)

    def judge(self):
        """What the lesson's own run came to: how many of the photos have the right class, as the referee counts.

        Raises LessonError where ``embeddings`` and ``predicted`` are not what its model gives now, or the reference's.
        """
        adapters = self.adapters()
        self.look(adapters)
        labels = self.data.y_test
        found = adapters.features(adapters.tensors(self.data.x_test), len(labels))
        classes = adapters.logits(found).argmax(axis=1)
        shown, predicted = [np.asarray(one) for one in self.lesson.named("embeddings", "predicted")]
        off = np.linalg.norm(found) * SHOWN.get(self.job["precision"], REDUCED)
        if shown.shape != found.shape or not np.linalg.norm(shown - found) <= off:
            raise LessonError("{}: its embeddings are not the features of its model".format(self.lesson.name))
        if not np.array_equal(predicted, classes):
            raise LessonError("{}: predicted holds other classes than its model gives".format(self.lesson.name))
        name = {"full": "photos", "sample": "sample"}[self.data.source]
        self._compare("its own run", name, found, np.arange(len(labels)))
        if self.data.source == "full":
            right = int(np.sum(classes == labels))
            self.measured["top-1"] = ("photos", [right])
            print("{} of {} photos have the right class".format(right, len(labels)))
        self.timer = timing.Timer()
        self._weigh(resnet50.load(self.data.source))

    def look(self, adapters):
        """Look at every image and label of the lesson's arrays. Raises DataMismatch."""
        known = self.known()
        (x, y), right = adapters.data(), preprocessed(known.x_test)
        if x.shape != right.shape or y.shape != known.y_test.shape:
            said = "the lesson has images {} and labels {}, the data set {} and {}"
            raise DataMismatch(said.format(x.shape, y.shape, right.shape, known.y_test.shape))
        if not np.array_equal(y, known.y_test):
            raise DataMismatch("the labels are not the data set's")
        off = np.abs(x - right).reshape(len(x), -1).max(axis=1)
        if not np.all(off <= PIXEL):
            worst = int(np.flatnonzero(~(off <= PIXEL))[0])
            said = (
                "{} of {} images are not the data set's, blue first and less the mean; first image {} (off by {:.3g})"
            )
            raise DataMismatch(said.format(np.sum(~(off <= PIXEL)), len(x), worst, off[worst]))
        self.data = known

    def _compare(self, what, name, features, numbers):
        """Raise LessonError where features are not those of the images ``numbers`` of the reference's ``name``."""
        bound = float(self.reference.results[name + ".bound"]) if self.job["precision"] == "fp32" else REDUCED
        errors = OutputsProof(self.reference).relative_errors(name, features, numbers)
        if errors.max() > bound:
            said = "{}: features of {} are off the reference's by {:.2g} for image {} (bound {:.1e})"
            worst = int(errors.argmax())
            raise LessonError(said.format(self.lesson.name, what, errors[worst], numbers[worst], bound))

    def _weigh(self, arrays):
        """The table of the record that says which weights ran."""
        rows = [[KINDS[self.data.source], resnet50.digest(arrays)]]
        self.tables["weights"] = (["weights", "sha256"], rows)
