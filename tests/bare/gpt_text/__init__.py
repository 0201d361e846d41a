"""A random mini-batch of 32 sequences of 128 bytes, with the byte after each."""

import numpy as np

BATCH = 32
TEXT = np.random.RandomState(0).randint(0, 256, (BATCH, 129)).astype(np.int32)
BYTES, AFTER = np.ascontiguousarray(TEXT[:, :-1]), np.ascontiguousarray(TEXT[:, 1:])
