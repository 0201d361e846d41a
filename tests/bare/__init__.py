"""Bare scripts, which tests/benchmarks/step.py times: a package a workload, a module a framework. Plain Python 3.6.

bare(parameters): the network as the framework's own guide writes it, in its best known form, on random data in memory; a
function that runs one step and returns when it is done. `parameters` are those of the row. `step.batches` says how many
batches it runs, if not one.
"""

import os

os.environ.setdefault("GLOG_minloglevel", "2")  # Caffe and Caffe2 print errors only
_cpu = open("/proc/cpuinfo").read()
if "GenuineIntel" not in _cpu and " avx2 " in _cpu:  # else the MKL of 2018's frameworks takes its slowest code
    os.environ["MKL_DEBUG_CPU_TYPE"] = "5"  # before it is loaded
