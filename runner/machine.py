"""What machine this is, and its peaks: `python -m runner.machine DEVICE THREADS` measures and prints them as JSON."""

import json
import platform
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

from common.parameters import physical_cores
from runner import files

SIZE = 2048  # of the square products
COPY_BYTES = 256 * 2**20


def cpu_flags() -> list:
    """The CPU's feature flags, in Linux' names; [] where they cannot be told."""
    try:
        found = re.search(r"^(?:flags|Features)\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
        if found:
            return found[1].split()
    except OSError:
        pass
    try:
        import cpuinfo

        return cpuinfo.get_cpu_info().get("flags", [])
    except ImportError:
        return []


def cpu_model() -> str:
    """The CPU's model name."""
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
        if found:
            return re.sub(r"\((R|TM)\)", "", found[1]).strip()
        import cpuinfo

        return cpuinfo.get_cpu_info().get("brand_raw") or platform.machine()
    except (OSError, ImportError):
        return platform.machine()


def gpu_facts() -> dict:
    """{"gpu", "driver", "cuda"} of the first NVIDIA GPU; each None where there is none."""
    try:
        import pynvml

        pynvml.nvmlInit()
        cuda = pynvml.nvmlSystemGetCudaDriverVersion_v2()
        name, driver = (
            pynvml.nvmlDeviceGetName(pynvml.nvmlDeviceGetHandleByIndex(0)),
            pynvml.nvmlSystemGetDriverVersion(),
        )
        pynvml.nvmlShutdown()
        return {"gpu": name, "driver": driver, "cuda": f"{cuda // 1000}.{cuda % 1000 // 10}"}
    except Exception:  # noqa: BLE001  no library, no driver, no device: no GPU
        return {"gpu": None, "driver": None, "cuda": None}


def facts(label: str, device: str) -> dict:
    """The machine as records hold it, without host name. label "": one is made from the CPU (or GPU) and the cores."""
    import psutil

    machine = {
        "label": label,
        "cpu": cpu_model(),
        "physical_cores": physical_cores(),
        "ram_gb": round(psutil.virtual_memory().total / 2**30, 1),
        **gpu_facts(),
        "os": f"{platform.system()} {platform.release().split('-')[0]} {platform.machine()}",
    }
    if not label:
        name = machine["gpu"] if device == "gpu" and machine["gpu"] else f"{machine['cpu']} {machine['physical_cores']}core"
        name = re.sub(r"\b(CPU|Processor|\d+-Core)\b|@.*?Hz", " ", name, flags=re.IGNORECASE)
        machine["label"] = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return machine


def machine_file(folder: Path, machine: dict, device: str, python: str, environ: dict, say=print) -> dict:
    """Reads or writes `folder`/machine.json: the machine, and under "peaks" what was measured once per device.

    Raises ValueError when the label already stands for another machine.
    """
    path = folder / "machine.json"
    kept = json.loads(path.read_text()) if path.exists() else {"peaks": {}}
    for fact in ("cpu", "physical_cores", "gpu"):
        if fact in kept and kept[fact] != machine[fact]:
            raise ValueError(
                f"the label {machine['label']} already stands for another machine "
                f"({fact}: {kept[fact]}; here: {machine[fact]}): choose another with --label"
            )
    result = {**kept, **machine}
    if device not in result["peaks"]:
        say("measuring this machine's peaks (once)")
        command = [python, "-m", "runner.machine", device, str(machine["physical_cores"])]
        done = subprocess.run(command, env=environ, check=False, capture_output=True, text=True, timeout=600)
        if done.returncode == 0:
            result["peaks"] = {**result["peaks"], device: json.loads(done.stdout.splitlines()[-1])}
        else:
            say(f"the peaks could not be measured: {done.stderr.strip().splitlines()[-1:]}; no shares of peak then")
    if result != kept:
        files.write_json(path, result)
    return result


def median_seconds(work, synchronize, choose=statistics.median) -> float:
    """Median (or min) time of work() in seconds, after warming up: 3 to 9 runs, about 3 s of them."""
    times = []
    work()
    synchronize()
    begin = time.perf_counter()
    while len(times) < 3 or (len(times) < 9 and time.perf_counter() - begin < 3):
        start = time.perf_counter()
        work()
        synchronize()
        times.append(time.perf_counter() - start)
    return choose(times)


def peaks(device: str, threads: int) -> dict:
    """{"fp32_flops", "bf16_flops" (null without torch), "copy_bytes_per_second", "by"}; TF32 is off."""
    operations = 2 * SIZE**3
    try:
        import torch
    except ImportError:
        import numpy

        a = numpy.ones((SIZE, SIZE), "float32")
        source = numpy.ones(COPY_BYTES // 4, "float32")
        target = numpy.empty_like(source)
        return {
            "fp32_flops": operations / median_seconds(lambda: a @ a, int),
            "bf16_flops": None,
            "copy_bytes_per_second": 2 * COPY_BYTES / median_seconds(lambda: numpy.copyto(target, source), int),
            "by": f"numpy {numpy.__version__}",
        }
    torch.set_num_threads(threads)
    torch.backends.cuda.matmul.allow_tf32 = False
    place = "cuda" if device == "gpu" else "cpu"
    synchronize = torch.cuda.synchronize if device == "gpu" else int
    size = SIZE * 4 if device == "gpu" else SIZE  # a GPU needs larger products to reach its peak
    measured = {}
    for name, dtype in (("fp32_flops", torch.float32), ("bf16_flops", torch.bfloat16)):
        # an emulated format is a thousand times slower: there a small product has to do
        side = size if _product(torch, SIZE // 8, place, dtype, synchronize, min) < 0.01 else SIZE // 8
        measured[name] = 2 * side**3 / _product(torch, side, place, dtype, synchronize)
    source = torch.ones(COPY_BYTES // 4, device=place)
    target = torch.empty_like(source)
    # read once and written once
    measured["copy_bytes_per_second"] = 2 * COPY_BYTES / median_seconds(lambda: target.copy_(source), synchronize)
    return {**measured, "by": f"torch {torch.__version__}"}


def _product(torch, side, place, dtype, synchronize, choose=statistics.median) -> float:
    a = torch.randn(side, side, device=place).to(dtype)
    b = torch.empty_like(a)
    return median_seconds(lambda: torch.mm(a, a, out=b), synchronize, choose)


if __name__ == "__main__":
    print(json.dumps(peaks(sys.argv[1], int(sys.argv[2]))))
