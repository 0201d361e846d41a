"""What old libraries do not know of a CPU, and must be told."""

import re
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")


def made_by_intel(path=CPUINFO) -> bool:
    """Whether the CPU is Intel's, or has no AVX2, without which MKL_DEBUG_CPU_TYPE=5 would end a process."""
    text = path.read_text() if path.exists() else ""
    return "GenuineIntel" in text or " avx2 " not in text


def openblas_kernels(path=CPUINFO) -> dict:
    """{"OPENBLAS_CORETYPE": "SkylakeX"} on AMD's CPUs of family 26 (Zen 5, 2024) with AVX-512, else {}.

    An OpenBLAS from before takes them for AMD's first of 64 bits, and uses no AVX (docs/trials.md, Affine map). One
    that knows them takes SkylakeX by itself.
    """
    text = path.read_text() if path.exists() else ""
    younger = re.search(r"AuthenticAMD\ncpu family\s*: 26\n.*? avx512vl ", text, re.DOTALL)
    return {"OPENBLAS_CORETYPE": "SkylakeX"} if younger else {}
