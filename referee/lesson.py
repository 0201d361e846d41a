"""The lesson that stands in the kernel: its cells, run again with other settings, its settings, its history."""

import json

import numpy as np

from .languages.python import PythonSpace

# What makes model, loss, optimizer and the functions around them anew, in the order of the lesson.
DEFINING = "setup loader model weights session loss train_step train evaluate infer profile devices".split()
# Of all cells, in their order; show may stand anywhere.
TAGS = """parameters setup data loader model weights session loss train_step train evaluate infer profile run synthetic
devices show more""".split()


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

    def history(self):
        """(losses of all mini-batches, the last test accuracy) of its own run; losses None where only Keras has them.

        Raises LessonError where ``history`` is neither a list of (losses, training accuracy, test accuracy), one for
        each epoch, nor what Keras' ``fit`` returns.
        """
        self.named("history")
        history = self.space.value("history")
        if hasattr(history, "history") and hasattr(history, "params"):  # Keras
            values = history.history
            given = history.params  # Keras 2 has samples and batch_size in place of steps
            steps = given.get("steps") or -(-given.get("samples", 0) // (given.get("batch_size") or 1))
            steps *= len(history.epoch)
            key = next((name for name in ("val_accuracy", "val_acc") if name in values), None)
            if key is None:
                raise LessonError("{}: fit's history has no val_accuracy: give validation_data".format(self.name))
            return steps, np.asarray(values["loss"], np.float64), float(values[key][-1])
        try:
            losses = np.concatenate([np.asarray(losses, np.float64).ravel() for losses, _, _ in history])
            return len(losses), losses, float(history[-1][2])
        except (TypeError, ValueError, IndexError):
            raise LessonError(
                "{}: history must be a list of (losses, training accuracy, test accuracy), one for each epoch".format(
                    self.name
                )
            ) from None
