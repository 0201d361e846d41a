"""What machine this is and how fast it multiplies: `python -m runner.machine DEVICE THREADS PRECISION ...`."""

import json
import platform
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

from common.parameters import physical_cores
from runner import environments

SIZE = {"cpu": 2048, "gpu": 8192}  # of the square products: a GPU needs larger ones to reach its peak
COPIED = 2**26  # fp32 values


def cpu() -> dict:
    """{"cpu": the model's name, "vendor", "family", "model", "flags": sorted} as Linux has them, None where not."""
    text = Path("/proc/cpuinfo").read_text().split("\n\n")[0]
    found = dict(re.findall(r"^(\S[^\t:]*?)\s*:[ ]?(.*)$", text, re.MULTILINE))
    name = re.sub(r"\((R|TM)\)", "", found.get("model name", platform.machine())).strip()
    facts = {"cpu": name, "vendor": found.get("vendor_id"), "family": found.get("cpu family")}
    flags = found.get("flags", found.get("Features", ""))  # on ARM
    return {**facts, "model": found.get("model"), "flags": sorted(flags.split())}


def has_gpu() -> bool:
    """Whether NVIDIA's driver, or Windows' under a Linux of its own, shows its device file."""
    return any(Path(name).exists() for name in ("/dev/nvidiactl", "/dev/dxg"))


def gpu() -> dict:
    """{"gpu", "driver", "cuda"} of the first NVIDIA GPU; each None where there is none."""
    try:
        import pynvml

        pynvml.nvmlInit()
        version = pynvml.nvmlSystemGetCudaDriverVersion_v2()
        name = pynvml.nvmlDeviceGetName(pynvml.nvmlDeviceGetHandleByIndex(0))
        cuda = f"{version // 1000}.{version % 1000 // 10}"
        return {"gpu": name, "driver": pynvml.nvmlSystemGetDriverVersion(), "cuda": cuda}
    except Exception:  # noqa: BLE001  no library, no driver, no device: no GPU
        return {"gpu": None, "driver": None, "cuda": None}


def facts(label: str, device: str) -> dict:
    """The machine as records hold it, without host name. label "": one is made from the CPU (or GPU) and the cores."""
    import psutil

    machine = {"label": label, **cpu(), "physical_cores": physical_cores(), **gpu()}
    machine["ram_gb"] = round(psutil.virtual_memory().total / 2**30, 1)
    machine["os"] = f"{platform.system()} {platform.release().split('-')[0]} {platform.machine()}"
    if not label:
        cores = f"{machine['cpu']} {machine['physical_cores']}core"
        name = machine["gpu"] if device == "gpu" and machine["gpu"] else cores
        name = re.sub(r"\b(CPU|Processor|\d+-Core)\b|@.*?Hz", " ", name, flags=re.IGNORECASE)
        machine["label"] = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return machine


def known(folder: Path, machine: dict) -> dict:
    """What `folder`/machine.json holds, "peaks" at least. Raises ValueError if the label stands for another machine."""
    path = folder / "machine.json"
    kept = json.loads(path.read_text()) if path.exists() else {"peaks": {}}
    for fact in ("cpu", "family", "model", "physical_cores", "gpu"):
        if fact in kept and kept[fact] != machine[fact]:
            said = f"the label {machine['label']} already stands for another machine"
            raise ValueError(f"{said} ({fact}: {kept[fact]}; here: {machine[fact]}): choose another with --label")
    return kept


def measure(device: str, threads: int, *what: str) -> dict:
    """{precision: FLOP/s of a matrix product, "copy": bytes per second, "by"}, found by a process of its own.

    It sees the whitelisted variables of the user's shell, as kernels do. {} where it fails.
    """
    environ = {**environments.kernel_environ({}, Path(), threads, Path(), device), "PYTHONPATH": str(environments.ROOT)}
    command = [sys.executable, "-P", "-m", "runner.machine", device, str(threads), *what]
    try:
        done = subprocess.run(command, env=environ, check=True, capture_output=True, text=True, timeout=300)
        return json.loads(done.stdout.splitlines()[-1])
    except (subprocess.SubprocessError, ValueError, IndexError):
        return {}


def seconds(work, synchronize, about=1.0, choose=statistics.median) -> float:
    """Median (or min) time of work() in seconds, after warming up: 3 runs or more, for `about` a second."""
    times = []
    work()
    synchronize()
    while len(times) < 3 or sum(times) < about:
        start = time.perf_counter()
        work()
        synchronize()
        times.append(time.perf_counter() - start)
    return choose(times)


def speeds(device: str, threads: int, what) -> dict:
    """What `measure` gives, by this process: with torch where it is there, else with NumPy, which has no bf16."""
    found, side, synchronize = {}, SIZE[device], int
    try:
        import torch
    except ImportError:
        import numpy

        found["by"] = f"numpy {numpy.__version__}"
        types = {"fp32": "f4", "fp64": "f8"}

        def matrix(side, name):
            return numpy.random.default_rng(0).random((side, side)).astype(types[name])
    else:
        synchronize = torch.cuda.synchronize if device == "gpu" else int
        found["by"] = f"torch {torch.__version__}"
        types = {"fp32": torch.float32, "tf32": torch.float32, "bf16": torch.bfloat16, "fp64": torch.float64}

        def matrix(side, name):
            torch.set_num_threads(threads if side > SIZE[device] // 8 else 1)
            torch.backends.cuda.matmul.allow_tf32 = name == "tf32"
            return torch.rand(side, side, device="cuda" if device == "gpu" else "cpu").to(types[name])

    for name in sorted({*what} & {*types}):
        a = matrix(side // 8, name)
        # an emulated format is a thousand times slower: there a small product on one thread has to do
        if seconds(lambda a=a: a @ a, synchronize, 0.1, min) < 0.01:
            a = matrix(side, name)
        found[name] = 2 * len(a) ** 3 / seconds(lambda a=a: a @ a, synchronize)
    if "copy" in what:
        a = matrix(int(COPIED**0.5), "fp32")
        b = a + 1
        found["copy"] = 8 * COPIED / seconds(lambda: b.__setitem__(slice(None), a), synchronize)  # read and written
    return found


if __name__ == "__main__":
    print(json.dumps(speeds(sys.argv[1], int(sys.argv[2]), sys.argv[3:])))
