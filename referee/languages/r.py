"""The namespace of a kernel in R, whose process holds this Python, too: bridge.R hands its functions over."""

import contextlib
import importlib
import io
import json
import types


class RSpace(object):
    """``bridge``: a dict of functions of R, which bridge.R describes."""

    apart = False  # whether the lesson computes in another process than this one

    def __init__(self, bridge):
        self.bridge = bridge

    def __contains__(self, name):
        return bool(self.bridge["has"](name))

    def __getitem__(self, name):
        """What R has there: an object of Python as it is, anything else as reticulate converts it."""
        if name == "check":
            return types.SimpleNamespace(**self.bridge["check"]())
        return self.bridge["get"](name)

    value = __getitem__

    def update(self, settings):
        """Give names their values."""
        for name, value in settings.items():
            self.bridge["set"](name, list(value) if isinstance(value, tuple) else value)

    def settings(self, source):
        """{NAME: value} of the names in capitals that a source defines, which nothing else sees."""
        return {name: value for name, value in dict(self.bridge["settings"](source)).items() if name.isupper()}

    def execute(self, source, name):
        """Run a cell, called ``name`` in what is raised; what it prints is not shown."""
        self.bridge["execute"](source, name)

    def versions(self):
        """{name: version} of R and its packages."""
        return dict(self.bridge["versions"]())


class Cell(io.TextIOBase):
    """What is printed appears in the cell; ``say``: a function of R."""

    def __init__(self, say):
        self.say = say

    def write(self, text):
        """Show a text."""
        self.say(text)
        return len(text)


class Referee(object):
    """A session of the module that ``job``, a JSON text, names, in the kernel that ``bridge`` belongs to."""

    def __init__(self, job, bridge):
        job = json.loads(job)
        session = importlib.import_module(job.pop("session")).Session
        self.cell, self.session = Cell(bridge["say"]), session(job, RSpace(bridge))

    def _asked(self, name):
        with contextlib.redirect_stdout(self.cell):
            return getattr(self.session, name)()

    def prove(self):
        """Prove the lesson, without the picture."""
        self._asked("prove")

    def measure(self):
        """The timed run."""
        self._asked("measure")

    def judge(self):
        """What the lesson's own run came to."""
        self._asked("judge")

    def count(self):
        """What stands behind the lesson's last cell."""
        self._asked("count")

    def record(self):
        """Write the record, and show it."""
        self.cell.write("{}\n".format(self._asked("record")))
