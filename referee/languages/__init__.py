"""Lessons in other languages than Python: how the referee, which is Python, speaks with their kernels.

A *space* is a kernel's namespace as ``lesson.Lesson`` uses it. Python's is in the referee's own process. R's process
holds Python, through reticulate: its functions are called directly. Julia starts a Python process, and answers it
through its pipes.

    literals      plain values, written and read in each language
    python        the space of a kernel in Python
    r, bridge.R   the space of a kernel in R, and what answers there
    julia, bridge.jl  the same of Julia
"""
