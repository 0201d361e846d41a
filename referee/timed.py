"""The timed run: the lesson's own loop, fed and clocked by the referee."""

from functools import partial

import numpy as np
from common import timing


class ApartRun(timing.Run):
    """Of work in other processes than this one, whose CPU time says nothing about them."""

    busy = None


def clock(lesson, adapters, samples, seconds, devices=1, apart=False):
    """A ``timing.Run`` over so many samples, with the lesson's settings, a mini-batch of BATCH_SIZE for each device.

    ``seconds``: 0 for whole epochs, else about how long; ``apart``: whether other processes than this one compute. A
    lesson without BATCH_SIZE takes all samples in each step, so an epoch is a step.
    """
    given, kind = lesson.given, ApartRun if apart else timing.Run
    size, seed = given.get("BATCH_SIZE", samples) * devices, given.get("SEED", 1)
    return kind(samples, size, given["EPOCHS"], seed, seconds, adapters.synchronize, partial(peak_memory, adapters))


def peak_memory(adapters):
    """Bytes: what the framework's allocator had at most, where the check knows it, else this process."""
    return (adapters.peak_memory and adapters.peak_memory()) or timing.peak_memory()


def run(lesson, adapters, seconds):
    """Train and evaluate with the lesson's settings and arrays; (the finished ``timing.Run``, accuracies by epoch).

    The clock runs while mini-batches are gathered, trained, and their losses have become numbers on the host. What the
    lesson predicts is timed as the phase "evaluation"; the share of right answers is counted here, after the clock. A
    lesson without BATCH_SIZE predicts once, behind the last step.
    """
    x_train, y_train, x_test, y_test = lesson.named("x_train", "y_train", "x_test", "y_test")
    (_, labels), (_, truth) = adapters.data()
    timer, accuracies = clock(lesson, adapters, len(labels), seconds, apart=lesson.space.apart), []

    def share():
        with timer.phase("evaluation"):
            classes = adapters.predict(x_test, len(truth))
        return float(np.mean(classes == truth))

    for order in timer:
        timer.done(adapters.train(x_train, y_train, order, -(-len(order) // timer.batch_size)))
        if timer.ends_epoch and "BATCH_SIZE" in lesson.given:
            accuracies.append(share())
    return timer, accuracies or [share()]
