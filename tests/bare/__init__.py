"""The bare scripts of cnn_cifar10, which tests/benchmarks/step.py times: one module a framework. Plain Python 3.6.

bare(parameters): the network as the framework's own guide writes it, in its best known form, on random data in memory; a
function that runs one step and returns when it is done. `parameters` are those of the row. `step.batches` says how many
batches it runs, if not one.
"""

import numpy as np

BATCH = 64
IMAGES = np.random.RandomState(0).rand(BATCH, 3, 32, 32).astype(np.float32)
IMAGES_LAST = np.ascontiguousarray(IMAGES.transpose(0, 2, 3, 1))
LABELS = np.random.RandomState(1).randint(0, 10, BATCH)
