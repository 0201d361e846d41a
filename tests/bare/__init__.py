"""Bare scripts, which tests/benchmarks/step.py times: a module a workload, a function a framework. Plain Python 3.6.

The function has the framework's name, takes the row's `parameters`, and imports the framework itself. It makes the
network as the framework's own guide writes it, in its best known form, on random data in memory, and returns a function
that runs one step and returns when it is done. `step.batches` says how many batches that runs, if not one. A folder of
a workload's name has its scripts in R and Julia, which tests/benchmarks/step_foreign.py times.
"""

import os

os.environ.setdefault("GLOG_minloglevel", "2")  # Caffe and Caffe2 print errors only
_cpu = open("/proc/cpuinfo").read()
if "GenuineIntel" not in _cpu and " avx2 " in _cpu:  # else the MKL of 2018's frameworks takes its slowest code
    os.environ["MKL_DEBUG_CPU_TYPE"] = "5"  # before it is loaded
