"""Random mini-batches of 32 images, channels first and last, with findings."""

import numpy as np

BATCH = 32
IMAGES = np.random.RandomState(0).standard_normal((BATCH, 3, 56, 56)).astype(np.float32)
IMAGES_LAST = np.ascontiguousarray(IMAGES.transpose(0, 2, 3, 1))
FINDINGS = (np.random.RandomState(1).rand(BATCH, 14) < 0.1).astype(np.float32)
LAYERS = (6, 12, 24, 16)
