"""Kernels in R and Julia, and what starts them.

kernel        a kernel in Python without the machine's settings of IPython
kernels       what each language needs, how it is found, and the command of its kernel
julia         Julia for an environment: the machine's own, or Debian's, unpacked
julia_kernel  a kernel for Julia where there is no IJulia; julia_kernel.jl is its half in Julia
papermill     papermill, which writes parameters as each language has them
"""
