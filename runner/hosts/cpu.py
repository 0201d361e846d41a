"""What old libraries do not know of a CPU, and must be told."""

import re
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")
# (vendor, family) or (vendor, family, model), as /proc/cpuinfo has them: AMD's Zen 5 of 2024; Intel's Rocket Lake of
# 2021, Sapphire, Emerald and Granite Rapids of 2023 and 2024. OpenBLAS 0.3.20 has the right kernels for the Intel ones,
# but for Emerald Rapids only 0.3.26 has (driver/others/dynamic.c of its releases).
YOUNGER = {
    ("AuthenticAMD", "26"),
    ("GenuineIntel", "6", "167"),
    ("GenuineIntel", "6", "143"),
    ("GenuineIntel", "6", "207"),
    ("GenuineIntel", "6", "173"),
    ("GenuineIntel", "6", "174"),
}


def made_by_intel(path=CPUINFO) -> bool:
    """Whether the CPU is Intel's, or has no AVX2, without which MKL_DEBUG_CPU_TYPE=5 would end a process."""
    text = path.read_text() if path.exists() else ""
    return "GenuineIntel" in text or " avx2 " not in text


def openblas_kernels(path=CPUINFO) -> dict:
    """{"OPENBLAS_CORETYPE": "SkylakeX"} on YOUNGER CPUs with AVX-512, else {}.

    An OpenBLAS from before takes them for CPUs of 2004 to 2007, and uses no AVX (docs/trials.md, Affine map). One that
    knows them takes SkylakeX, or kernels that are the same but for bfloat16.
    """
    text = path.read_text() if path.exists() else ""
    asked = [re.search(rf"^{name}\s*: (\w+)$", text, re.MULTILINE) for name in ("vendor_id", "cpu family", "model")]
    vendor, family, model = [found[1] if found else "" for found in asked]
    younger = (vendor, family) in YOUNGER or (vendor, family, model) in YOUNGER
    return {"OPENBLAS_CORETYPE": "SkylakeX"} if younger and " avx512vl " in text else {}
