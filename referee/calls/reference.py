"""The matrices of a lesson about repeated calls, and the stored results."""

import numpy as np

from .. import weights
from ..proof.reference import Reference

ADDRESS = 16  # of an array, modulo LINE, as the C library places large ones: JAX copies these on a CPU
LINE = 64  # bytes; JAX shares the memory of arrays at multiples of it


class CallReference(Reference):
    """As ``Reference``; ``spec["sets"]`` names the matrices that take the places of m, x and b."""

    def drawn(self, size):
        """(m, x, b), float32 of ``size`` x ``size``, as the lessons draw them."""
        tensors = [[name, [size, size], init] for name, _, init in self.spec["tensors"]]
        return tuple(weights.draw(tensors, self.spec["seed"]).values())

    def sets(self):
        """[(m, x, b), ...] of the proof: arrays of their own, each at such an address."""
        known = self.weights()
        return [tuple(placed(known[name]) for name in names) for names in self.spec["sets"]]


def placed(array):
    """A copy that lies at ADDRESS modulo LINE: whether a framework copies it is no matter of luck."""
    buffer = np.empty(array.nbytes + 2 * LINE, np.uint8)
    start = (ADDRESS - buffer.ctypes.data) % LINE
    copy = buffer[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy
