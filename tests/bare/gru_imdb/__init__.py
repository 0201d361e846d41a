"""A random mini-batch of 64 reviews of 150 tokens, with labels."""

import numpy as np

BATCH = 64
TOKENS = np.random.RandomState(0).randint(0, 30000, (BATCH, 150))
LABELS = np.random.RandomState(1).randint(0, 2, BATCH)
