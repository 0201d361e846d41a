"""The referee: proves, times and records a lesson through its check, with one code for every framework.

A *lesson* is a notebook that knows nothing of this package. Its *check*, ``checks/FRAMEWORK.py`` beside it, defines an
object ``check`` of adapters: docs/adding.md lists them. The runner executes the lesson's cells, then a ``session``.

    session       one run: what is proven, timed, looked at and recorded, in which order
    lesson        the lesson's cells, and running them again with other settings
    adapters      the check's functions, and what each must return
    data          whether the lesson's arrays are the data set's
    timed         the timed run
    proof/        the parts of a proof, what computes them, and the references that they are compared with
    files/, outputs/   lessons that read files; that only compute outputs of a trained network
    calls/        lessons that call the same computation many times
    text/         lessons that train on text and write
    languages/    lessons in R and Julia
    record        what a run leaves behind; parameters, weights, allocations, operations

Every kernel imports this package, old ones too: Python 3.6 syntax, NumPy and the standard library; files/ needs Pillow,
too. memray, tomli and threadpoolctl are imported where they are needed.
"""
