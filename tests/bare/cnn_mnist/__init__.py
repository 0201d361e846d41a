"""Random mini-batches of 1,000 digits, channels first and last, with labels."""

import numpy as np

BATCH = 1000
IMAGES = np.random.RandomState(0).rand(BATCH, 1, 28, 28).astype(np.float32)
IMAGES_LAST = np.ascontiguousarray(IMAGES.transpose(0, 2, 3, 1))
LABELS = np.random.RandomState(1).randint(0, 10, BATCH)
