"""The namespace of a kernel in Python, in which the referee itself runs."""

import contextlib
import io
import itertools
import linecache

EXECUTED = itertools.count()


class PythonSpace(object):
    """``names``: the kernel's ``globals()``."""

    apart = False  # whether the lesson computes in another process than this one

    def __init__(self, names):
        self.names = names

    def __contains__(self, name):
        return name in self.names

    def __getitem__(self, name):
        return self.names[name]

    value = __getitem__  # of another language: as Python has it

    def update(self, settings):
        """Give names their values."""
        self.names.update(settings)

    def settings(self, source):
        """{NAME: value} of the names in capitals that a source defines, which nothing else sees."""
        found = {}
        exec(source, found)
        return {name: value for name, value in found.items() if name.isupper()}

    def execute(self, source, name):
        """Run a cell, called ``name`` in what is raised; what it prints is not shown."""
        # kept where inspect finds it: TensorFlow's AutoGraph reads the source of functions
        name = "<{}, {}>".format(name, next(EXECUTED))
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(source, name, "exec"), self.names)

    def versions(self):
        """{name: version} of the language itself, where it is not Python."""
        return {}
