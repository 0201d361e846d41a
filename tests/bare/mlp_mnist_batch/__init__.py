"""60,000 random digits of 784 pixels, all in one batch, with labels."""

import numpy as np

DIGITS = np.random.RandomState(0).rand(60000, 784).astype(np.float32)
LABELS = np.random.RandomState(1).randint(0, 10, len(DIGITS))
