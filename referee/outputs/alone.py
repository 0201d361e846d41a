"""The first mini-batch and the memory of a program that has only what runs a network, not what made it.

``python -m referee.outputs.alone`` is that program: it executes the lesson's own cells that need no more.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
from common import timing

from ..lesson import LessonError

BEFORE, WITHIN = ("setup", "infer"), ("session",)  # tags of cells that run before the clock starts, and while it runs


def measure(lesson, given, x, size):
    """(seconds of session and first mini-batch, peak memory in bytes) in a process of its own.

    ``given``: what its cells need beside the settings. ``x``: images as NumPy has them, of which the first ``size`` are
    the mini-batch. Raises LessonError with what the program said where it failed.
    """
    cells = [["".join(lesson.sources(tag)) for tag in tags] for tags in (BEFORE, WITHIN)]
    with tempfile.TemporaryDirectory() as folder:
        images = os.path.join(folder, "images.npy")
        np.save(images, x)
        asked = {"cells": cells, "given": dict(lesson.given, **given), "images": images, "size": size}
        command = [sys.executable, "-m", "referee.outputs.alone"]
        done = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        said, failed = done.communicate(json.dumps(asked).encode())
    if done.returncode:
        reason = failed.decode(errors="replace").strip().splitlines() or ["it said nothing"]
        raise LessonError("{}, alone in a process: {}".format(lesson.name, reason[-1]))
    return tuple(json.loads(said.decode().splitlines()[-1]))


def peak():
    """The largest resident size of this program, in bytes; Linux counts that of its parent in ``ru_maxrss``."""
    try:
        with open("/proc/self/status") as status:
            return 1024 * int(next(line for line in status if line.startswith("VmHWM")).split()[1])
    except OSError:
        return timing.peak_memory()


def main():
    """Execute the cells that stdin names, and print [seconds, bytes]."""
    asked = json.load(sys.stdin)
    before, within = asked["cells"]
    x, names = np.load(asked["images"]), dict(asked["given"], __name__="__main__")
    for source in before:
        exec(source, names)
    begin = time.perf_counter()
    for source in within:
        exec(source, names)
    names["features"](names["model"], x[: asked["size"]])
    seconds = time.perf_counter() - begin
    names["features"](names["model"], x)
    names["features"](names["model"], x[:1])
    print(json.dumps([seconds, peak()]))


if __name__ == "__main__":
    main()
