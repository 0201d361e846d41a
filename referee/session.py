"""One run of a lesson under the referee: the cells that the runner puts behind the lesson's own call this."""

import importlib
import importlib.util

import numpy as np
from common import timing

from . import data, parameters, record, timed, weights
from .adapters import Adapters
from .lesson import Lesson, LessonError
from .proof.prove import TrainingProver
from .proof.reference import Reference

LEARNED = 0.95  # of the first tenth of the losses: what the mean of the last tenth must be below, if spec.json has none
LONG = 200  # steps of a run that must have learned
BETTER = 0.1  # of what always naming the commonest class gets wrong, predictions must be right on more than so much
MARGIN = 5e-4  # between two shares of right answers, of which one may have been rounded for a history


class Session(object):
    """A run that ``job``, a dict of plain values, describes. ``space``: the kernel's ``globals()``, or that of another
    language.

    job: "workload", "row", "framework", "precision", "device"; "lesson", the notebook's path; "check", the file that
    defines ``check``; "data", a module of common.data; "reference", the results' name; "changed", the settings that the
    user set; "parts", those of the proof; "seconds", of the timed run; "threads"; "packages", {name: distributions, of
    which one is installed}; "record", where to write. Raises parameters.ParameterError for a setting out of its range.
    """

    REFERENCE, ADAPTERS, PROVER = Reference, Adapters, TrainingProver

    def __init__(self, job, space):
        self.job, self.lesson = job, Lesson(job["lesson"], space)
        self.space = self.lesson.space
        self.reference = self.REFERENCE(job["workload"], job["reference"])
        given = dict({"PRECISION": job["precision"]}, **self.lesson.given)
        self.settings = parameters.settings(job["workload"], given)
        self.proof = self.timer = self.started = self.data = None
        self.measured, self.tables = {}, {}

    def adapters(self):
        """The check's adapters, looked at. Raises AdapterError, or LessonError where no ``check`` was defined."""
        if "check" not in self.space:
            raise LessonError("{} defines no object `check`".format(self.job["check"]))
        return self.ADAPTERS(self.space["check"], self.job["check"], self.lesson.name, self.reference)

    def prover(self, adapters):
        """What computes the parts of the proof, once the data was looked at."""
        given = self.data, self.job["precision"], self.job["changed"]
        return self.PROVER(self.lesson, adapters, self.reference, *given)

    def prove(self):
        """Prove the job's parts and print each; the picture of the proof. Raises ProofError where one fails."""
        adapters = self.adapters()
        self.look(adapters)
        self.proof = self.prover(adapters).prove(self.job["parts"])
        self.proof.require()
        return self.proof.plot()

    def measure(self):
        """The timed run from the shared weights, with the row's own settings."""
        adapters = self.adapters()
        self.lesson.rerun()
        adapters.load(self.reference.weights())
        self.started = weights.digest(adapters.read())
        self.timer, accuracies = timed.run(self.lesson, adapters, self.job["seconds"])
        self.look(adapters)
        self.measured["test accuracy"] = ("%", [100 * share for share in accuracies])
        print("test accuracy {:.2%} after {} steps".format(accuracies[-1], len(self.timer.losses)))

    def judge(self):
        """What the lesson's own run, which stands in the kernel, came to: the referee's count of right answers.

        Raises LessonError where its history has not the steps that its settings promise, another accuracy, or, over
        LONG steps (or the spec's), no falling loss or predictions hardly better than the commonest class.
        """
        adapters = self.adapters()
        (x_test,) = self.lesson.named("x_test")
        (_, labels), (_, truth) = adapters.data()
        steps, losses, shown = self.lesson.history()
        long = self._ran(steps, losses, len(labels))
        share = float(np.mean(adapters.predict(x_test, len(truth)) == truth))
        if not abs(shown - share) <= MARGIN:
            said = "its history ends with a test accuracy of {:.2%}; predict is right on {:.2%} of all test samples"
            raise LessonError("{}: {}".format(self.lesson.name, said.format(shown, share)))
        commonest = float(np.max(np.bincount(truth)) / len(truth))
        if long and not share > commonest + BETTER * (1 - commonest):
            said = "predict is right on {:.2%} of the test samples; always naming the commonest class, on {:.2%}"
            said = "{}: {}: do samples and labels belong together?".format(self.lesson.name, said)
            raise LessonError(said.format(share, commonest))
        self.look(adapters)
        self.timer = timing.Timer()
        self.measured["test accuracy"] = ("%", [100 * share])
        print("test accuracy {:.2%} of {} samples".format(share, len(truth)))

    def _ran(self, steps, losses, samples):
        """Whether the lesson's own run, of so many steps on so many samples, is long: it must have learned then.

        Raises LessonError for steps that its settings do not promise, and for a loss that did not fall in a long run.
        """
        promised = self.lesson.given["EPOCHS"] * -(-samples // self.lesson.given.get("BATCH_SIZE", samples))
        if steps != promised or not np.all(np.isfinite(losses)):
            said = "its history holds {} steps; the settings promise {}, with finite losses"
            raise LessonError("{}: {}".format(self.lesson.name, said.format(steps, promised)))
        tenth, long = max(1, len(losses) // 10), steps >= self.reference.spec.get("long", LONG)
        learned = self.reference.spec.get("learned", LEARNED)
        if long and len(losses) > 1 and not np.mean(losses[-tenth:]) < learned * np.mean(losses[:tenth]):
            said = "its loss did not fall: {:.3f} at first, {:.3f} at last".format(losses[0], losses[-1])
            raise LessonError("{}: {}: do samples and labels belong together?".format(self.lesson.name, said))
        return long

    def count(self):
        """Behind the lesson's last cell: what an epoch allocates and where the time goes, where a table shows it.

        Both train the model on: nothing of the lesson runs after them. Of lessons whose checks have no such adapters,
        no table shows either.
        """
        adapters = self.adapters()
        if "allocations" not in adapters.OPTIONAL:
            return
        counted = adapters.count_allocations() or self.count_allocations(adapters)
        if counted:
            self.measured["allocations"] = ("1", [counted[0]])
            self.measured["allocated"] = ("byte", [counted[1]])
            print("{} allocations of {:.1f} MB in an epoch".format(counted[0], counted[1] / 1e6))
        profiled = adapters.profiled()
        if profiled:
            self.tables["profile"] = profiled

    def count_allocations(self, adapters):
        """(number, bytes) that an epoch asks for, by memray; None where no table shows it or memray is missing.

        memray sees this process alone.
        """
        declared = parameters.declaration(parameters.NOTEBOOKS / self.job["workload"] / "workload.toml")
        asked = any(one["from"] == "allocations" for one in declared.get("measures", {}).values())
        if not asked or self.space.apart or importlib.util.find_spec("memray") is None:
            return None
        allocations = importlib.import_module("referee.allocations")
        x, y = self.lesson.named("x_train", "y_train")
        order, size = np.arange(len(adapters.data()[0][1])), self.lesson.given["BATCH_SIZE"]
        return allocations.count(lambda: adapters.train(x, y, order, -(-len(order) // size)))

    def known(self):
        """The data set, as the lesson's settings name it."""
        given, module = self.lesson.given, importlib.import_module("common.data." + self.job["data"])
        return module.load(*[given[name] for name in ("DATA", "TRAIN_SAMPLES", "TEST_SAMPLES") if name in given])

    def look(self, adapters):
        """Look at every sample and label of the lesson's arrays. Raises DataMismatch."""
        known = self.known()
        (x_train, y_train), (x_test, y_test) = adapters.data()
        data.compare("training", x_train, y_train, known.x_train, known.y_train)
        data.compare("test", x_test, y_test, known.x_test, known.y_test)
        self.data = known

    def record(self):
        """Write the record; it shows itself as a table."""
        settings = dict(self.settings, RECORD_PATH=self.job["record"], THREADS=self.job["threads"])
        if self.job["seconds"]:
            settings["SECONDS"] = self.job["seconds"]
        return record.write(
            self.job["workload"],
            self.job["framework"],
            dict(settings, PRECISION=self.job["precision"], DEVICE=self.job["device"]),
            dict(record.versions(self.job["packages"]), **self.space.versions()),
            self.timer or timing.Timer(),
            proof=self.proof,
            data=self.data,
            weights=self.started,
            measurements=self.measured,
            tables=self.tables,
        )
