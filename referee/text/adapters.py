"""What a check of a lesson about text has: logits of every byte, bits per byte, and generation."""

import numpy as np

from ..adapters import AdapterError, Adapters


class TextAdapters(Adapters):
    """Adapters of a lesson that trains on sequences of bytes: x (N, T), y (N, T) the bytes after them."""

    REQUIRED = ("tensors", "data", "load", "read", "gradients", "train", "logits", "evaluate", "generate")
    OPTIONAL = ("synchronize", "peak_memory", "exact")

    def logits(self, x, shape):
        """Logits in evaluation mode: float64 of ``shape`` (N, T, vocabulary)."""
        found = self._array("logits", self._call("logits", x), np.float64)
        if found.shape != tuple(shape):
            self._wrong("logits", "shape {}".format(found.shape), "shape {}".format(tuple(shape)))
        if not np.all(np.isfinite(found)):
            self._wrong("logits", "{} values that are not finite".format(np.sum(~np.isfinite(found))), "finite numbers")
        return found

    def evaluate(self, x, y):
        """Bits per byte by the lesson's own ``evaluate``: float."""
        found = self._floats("evaluate", self._call("evaluate", x, y))
        if len(found) != 1 or not found[0] >= 0:
            self._wrong("evaluate", found[:3].tolist(), "one number of bits per byte")
        return float(found[0])

    def generate(self, prompt, count, temperature=0.0, cache=True):
        """``count`` bytes that follow those of ``prompt``, by the lesson's own ``generate``: uint8 (count,)."""
        found = self._call("generate", bytes(bytearray(prompt)), count, temperature, cache)
        if not isinstance(found, (bytes, bytearray)) or len(found) != count:
            got = "{} of length {}".format(type(found).__name__, len(found) if hasattr(found, "__len__") else "none")
            self._wrong("generate", got, "{} bytes".format(count))
        return np.frombuffer(bytes(found), np.uint8)

    def refuses(self, prompt, temperature):
        """Whether ``generate`` raises ValueError for this temperature."""
        try:
            self._call("generate", bytes(bytearray(prompt)), 1, temperature, True)
        except AdapterError:
            raise
        except ValueError:
            return True
        return False
