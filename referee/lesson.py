"""The lesson that stands in the kernel: its cells, run again with other settings, its settings, its history."""

import json

import numpy as np

from .languages.python import PythonSpace

# What makes model, loss, optimizer and the functions around them anew, in the order of the lesson.
DEFINING = "setup loader model weights session loss train_step train evaluate infer profile devices".split()
# Of all cells, in their order; show may stand anywhere.
TAGS = """parameters setup data loader model weights session loss train_step train evaluate infer profile run synthetic
devices show more""".split()
ACCURACIES = {"val_accuracy": 1, "val_acc": 1}  # of Keras since 2.3, and of Keras before


class LessonError(ValueError):
    """The lesson lacks what the referee needs; the message names the file and what was expected."""


class Lesson(object):
    """The lesson at ``path``, whose definitions have been executed in ``space`` (of Python also ``globals()``).

    ``name``: its file's name. ``defaults``: its settings as the file has them, by name. ``given``: the settings as they
    are in the kernel, where the runner may have set others. Raises LessonError for a file without settings, or with a
    cell that has none of the TAGS and so would never run again.
    """

    def __init__(self, path, space):
        self.path, self.space = str(path), PythonSpace(space) if isinstance(space, dict) else space
        self.name = self.path.replace("\\", "/").rpartition("/")[2]
        with open(self.path, encoding="utf-8") as stream:
            cells = [cell for cell in json.load(stream)["cells"] if cell["cell_type"] == "code"]
        found = [(cell["metadata"].get("tags", []), "".join(cell["source"])) for cell in cells]
        self.cells = [(tag, source) for tags, source in found for tag in tags]
        for tags, source in found:
            if source.strip() and not set(tags) & set(TAGS):
                begins, tags = source.strip().splitlines()[0], ", ".join(tags) or "none"
                said = "{}: the cell that begins {!r} needs one of the tags {}; its tags: {}"
                raise LessonError(said.format(self.name, begins, ", ".join(TAGS), tags))
        self.defaults = {}
        for source in self.sources("parameters"):
            self.defaults.update(self.space.settings(source))
        self.given = {name: self.space.value(name) for name in self.defaults if name in self.space}

    def sources(self, tag):
        """The sources of the cells with a tag. Raises LessonError where there is none."""
        found = [source for one, source in self.cells if one == tag]
        if not found:
            tags = ", ".join(dict.fromkeys(one for one, _ in self.cells)) or "none"
            raise LessonError("{} has no cell tagged {!r}; its tags: {}".format(self.name, tag, tags))
        return found

    def rerun(self, *tags, **settings):
        """Run the lesson's own cells of these tags again (default: all of DEFINING that it has), what they print muted.

        ``settings``: other values of its settings, until the next call; the rest are as given. Raises LessonError for
        a tag or a setting that the lesson lacks.
        """
        unknown = sorted(set(settings) - set(self.defaults))
        if unknown:
            raise LessonError(
                "{} has no setting {}: the cell tagged parameters must define it; it defines {}".format(
                    self.name, ", ".join(unknown), ", ".join(self.defaults)
                )
            )
        self.space.update(self.given)
        self.space.update(settings)
        sources = [(tag, source) for tag in tags for source in self.sources(tag)]
        if not tags:
            sources = [(tag, source) for tag, source in self.cells if tag in DEFINING]
        for tag, source in sources:
            self.space.execute(source, "{}, {}".format(self.name, tag))

    def named(self, *names):
        """What the lesson defines by these names. Raises LessonError for one that it does not."""
        missing = [name for name in names if name not in self.space]
        if missing:
            raise LessonError("{} defines no {}: the referee needs it".format(self.name, ", ".join(missing)))
        return [self.space[name] for name in names]

    def history(self, form="losses, training accuracy, test accuracy", keras=ACCURACIES, end=float):
        """(steps, losses, what the last epoch ended with) of its own run; of Keras one loss for each epoch.

        ``form``: what a list has for each epoch; ``end`` makes the last of it a number. ``keras``: what the history of
        Keras' ``fit`` calls that, and what it is multiplied by. Raises LessonError where ``history`` is neither.
        """
        self.named("history")
        history = self.space.value("history")
        if keras and hasattr(history, "history") and hasattr(history, "params"):  # Keras
            values, given = history.history, history.params  # Keras 2 has samples and batch_size in place of steps
            steps = given.get("steps") or -(-given.get("samples", 0) // (given.get("batch_size") or 1))
            there = [name for name in keras if name in values]
            if not there:
                said = "{}: fit's history has no {}: give validation_data"
                raise LessonError(said.format(self.name, next(iter(keras))))
            shown = float(values[there[0]][-1] * keras[there[0]])
            return steps * len(history.epoch), np.asarray(values["loss"], np.float64), shown
        try:
            if {len(epoch) for epoch in history} != {form.count(", ") + 1}:
                raise ValueError(form)
            losses = np.concatenate([np.asarray(epoch[0], np.float64).ravel() for epoch in history])
            return len(losses), losses, float(end(history[-1][-1]))
        except (TypeError, ValueError, IndexError, AttributeError):
            said = "{}: history must be a list of ({}), one for each epoch"
            raise LessonError(said.format(self.name, form)) from None
