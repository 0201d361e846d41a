"""What the tests put beside each framework's notebook of cnn_cifar10: one module a framework, plain Python 3.6.

SHIFTED: (text of the notebook, its replacement): zeros beyond two borders only, so that the picture moves by one.
DROPPED: the same for a dropout left on, where `dropout=(0, 0, 0)` does not stand in the notebook.
PASTED: what a reader types after pasting the template cells, twenty steps on one batch; leaves the losses in `values`.
STEP: one step of the notebook over the batches of the iterator `_order`; leaves the function `step`.
bare(parameters): the network as the framework's own guide writes it, on random data in memory; a function that runs one
step and returns when it is done. `parameters` are those of the row. `step.batches` says how many batches it runs, if
not one.
"""

import numpy as np

BATCH = 64
IMAGES = np.random.RandomState(0).rand(BATCH, 3, 32, 32).astype(np.float32)
IMAGES_LAST = np.ascontiguousarray(IMAGES.transpose(0, 2, 3, 1))
LABELS = np.random.RandomState(1).randint(0, 10, BATCH)
