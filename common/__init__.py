"""What lessons import: data sets and pictures. What the referee does: batches and clocks.

Every kernel imports this package, old ones too: Python 3.6 syntax, NumPy and the standard library; data/chestxray needs
Pillow, too. pooch, matplotlib, h5py, TensorFlow and JAX are imported where they are needed.
"""
