"""The namespace of a kernel in Julia, seen from a process of its own: ``python -m referee.languages.julia FOLDER``.

Julia's side, bridge.jl, starts this process, and says through its input what is to be done; it answers its questions,
one line each. Arrays pass as .npy files, in Julia with their axes reversed.
"""

import contextlib
import importlib
import io
import itertools
import json
import os
import sys
import types

import numpy as np

from . import literals


class JuliaError(RuntimeError):
    """What Julia raised, with its kind and message."""


class Handle(object):
    """A value that stays in Julia: ``words`` are what it is called there."""

    def __init__(self, words, dropped=None):
        self.words, self.dropped = words, dropped

    def __del__(self):
        if self.dropped is not None:
            self.dropped.append(self.words[1])


def escaped(text):
    """A text without line ends and tabs."""
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


def plain(text):
    """The reverse of ``escaped``."""
    marks = {"\\": "\\", "n": "\n", "t": "\t"}
    pieces, position = [], 0
    while True:
        found = text.find("\\", position)
        if found < 0:
            return "".join(pieces) + text[position:]
        pieces += [text[position:found], marks[text[found + 1]]]
        position = found + 2


class JuliaSpace(object):
    """What stands in Julia's Main. ``ask``: hands a line over, and returns the line of the answer."""

    apart = True  # whether the lesson computes in another process than this one

    def __init__(self, ask, folder):
        self.ask, self.folder = ask, folder
        self.dropped, self.numbers = [], itertools.count()

    def __contains__(self, name):
        return self._asked("has", name)

    def __getitem__(self, name):
        """The value of a name, which stays in Julia; "check": its functions, as a namespace."""
        if name != "check":
            return Handle(["G", name])
        return types.SimpleNamespace(**{one: self._adapter(one) for one in self._asked("adapters")})

    def value(self, name):
        """The value of a name as Python has it."""
        return self._asked("value", name)

    def update(self, settings):
        """Give names their values."""
        lines = ["{} = {}".format(name, literals.written(value, "julia")) for name, value in settings.items()]
        self.execute("\n".join(lines), "settings")

    def settings(self, source):
        """{NAME: value} of the names in capitals that a source defines, which nothing else sees."""
        return self._asked("settings", self._file(source))

    def execute(self, source, name):
        """Run a cell, called ``name`` in what is raised; what it prints is not shown."""
        self._asked("execute", self._file(source), escaped(name))

    def versions(self):
        """{name: version} of Julia."""
        return self._asked("versions")

    def _adapter(self, name):
        def adapter(*arguments):
            return self._asked("call", name, *[word for one in arguments for word in self._words(one)])

        return adapter

    def _file(self, source):
        path = os.path.join(self.folder, "source.jl")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(source)
        return path

    def _words(self, value):
        if value is None:
            return ["0"]
        if isinstance(value, Handle):
            return value.words
        if isinstance(value, (bool, int, np.integer)):
            return ["N", str(value)]
        if isinstance(value, (float, np.floating)):
            return ["F", repr(float(value))]
        if isinstance(value, str):
            return ["S", escaped(value)]
        if isinstance(value, dict):
            pairs = [word for pair in value.items() for one in pair for word in self._words(one)]
            return ["D", str(len(value))] + pairs
        if isinstance(value, (list, tuple)):
            return ["T", str(len(value))] + [word for one in value for word in self._words(one)]
        path = os.path.join(self.folder, "given{}.npy".format(next(self.numbers)))
        np.save(path, np.ascontiguousarray(value))
        return ["A", path]

    def _asked(self, *words):
        while self.dropped:
            self._answer("drop", self.dropped.pop())
        return self._answer(*words)

    def _answer(self, *words):
        answer = self.ask("\t".join(words)).split("\t")
        for word in words[1:]:
            if word.startswith(self.folder) and word.endswith(".npy"):
                os.remove(word)
        if answer[0] == "error":
            raise JuliaError("{}: {}".format(answer[1], plain(answer[2]).splitlines()[0]))
        return self._value(iter(answer[1:]))

    def _value(self, words):
        kind = next(words)
        if kind == "0":
            return None
        text = next(words)
        if kind == "N":
            return text == "True" if text in ("True", "False") else int(text)
        if kind == "F":
            return float(text)
        if kind == "S":
            return plain(text)
        if kind == "A":
            array = np.load(text)
            os.remove(text)
            return array
        if kind == "H":
            return Handle([kind, text], self.dropped)
        items = [self._value(words) for _ in range((2 if kind == "D" else 1) * int(text))]
        return dict(zip(items[::2], items[1::2])) if kind == "D" else tuple(items)


def main(folder):
    """Serve the kernel that started this process, until its end."""
    heard, told = sys.stdin, sys.stdout

    class Cell(io.TextIOBase):
        """What is printed appears in the kernel's cell."""

        def write(self, text):
            """Show a text."""
            told.write("say\t{}\n".format(escaped(text)))
            told.flush()
            return len(text)

    def ask(line):
        told.write(line + "\n")
        told.flush()
        return heard.readline().rstrip("\n")

    with open(os.path.join(folder, "job.json"), encoding="utf-8") as stream:
        job = json.load(stream)
    session, module = None, importlib.import_module(job.pop("session"))
    for what in iter(heard.readline, ""):
        try:
            with contextlib.redirect_stdout(Cell()):
                session = session or module.Session(job, JuliaSpace(ask, folder))
                found = getattr(session, what.strip())()
                if what.strip() == "record":
                    print(found)
            told.write("done\n")
        except Exception as error:
            told.write("failed\t{}\n".format(escaped("{}: {}".format(type(error).__name__, error))))
        told.flush()


if __name__ == "__main__":
    main(sys.argv[1])
