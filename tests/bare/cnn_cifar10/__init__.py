"""Random mini-batches of 64 images, channels first and last, with labels."""

import numpy as np

BATCH = 64
IMAGES = np.random.RandomState(0).rand(BATCH, 3, 32, 32).astype(np.float32)
IMAGES_LAST = np.ascontiguousarray(IMAGES.transpose(0, 2, 3, 1))
LABELS = np.random.RandomState(1).randint(0, 10, BATCH)
