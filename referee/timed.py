"""The timed run: the lesson's own loop, fed and clocked by the referee."""

import numpy as np
from common import timing


class ApartRun(timing.Run):
    """Of work in other processes than this one, whose CPU time says nothing about them."""

    busy = None


def run(lesson, adapters, seconds):
    """Train and evaluate with the lesson's settings and arrays; (the finished ``timing.Run``, accuracies by epoch).

    ``seconds``: 0 for whole epochs, else about how long. The clock runs while mini-batches are gathered, trained, and
    their losses have become numbers on the host. What the lesson predicts is timed as the phase "evaluation"; the share
    of right answers is counted here, after the clock. A lesson without BATCH_SIZE takes all samples in each step, so an
    epoch is a step; it predicts once, behind the last.
    """
    x_train, y_train, x_test, y_test = lesson.named("x_train", "y_train", "x_test", "y_test")
    (_, labels), (_, truth) = adapters.data()
    size, epochs = lesson.given.get("BATCH_SIZE", len(labels)), lesson.given["EPOCHS"]
    seed, accuracies = lesson.given.get("SEED", 1), []
    memory = (lambda: adapters.peak_memory() or timing.peak_memory()) if adapters.peak_memory else None
    kind = ApartRun if lesson.space.apart else timing.Run
    clock = kind(len(labels), size, epochs, seed, seconds, adapters.synchronize, memory)

    def share():
        with clock.phase("evaluation"):
            classes = adapters.predict(x_test, len(truth))
        return float(np.mean(classes == truth))

    for order in clock:
        clock.done(adapters.train(x_train, y_train, order, -(-len(order) // size)))
        if clock.ends_epoch and "BATCH_SIZE" in lesson.given:
            accuracies.append(share())
    return clock, accuracies or [share()]
