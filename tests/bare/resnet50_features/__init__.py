"""A random batch of 32 images of 224 x 224, (N, C, H, W). A step is one batch, forward only."""

import numpy as np

BATCH = 32
IMAGES = np.random.RandomState(0).rand(BATCH, 3, 224, 224).astype(np.float32)
