"""What the notebooks import: data sets, batches, timing, the reference, the record.

Every kernel imports this package, old ones too: Python 3.6 syntax, NumPy and the standard library; pooch and matplotlib
are imported where they are needed.
"""
