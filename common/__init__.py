"""What the notebooks import: data, batches, clocks, shared weights, the proof, the record.

Every kernel imports this package, old ones too: Python 3.6 syntax, NumPy and the standard library.
pooch, matplotlib and tomli are imported where they are needed.
"""
