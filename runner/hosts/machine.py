"""What machine this is and how fast it multiplies: `python -m runner.hosts.machine HOW DEVICE THREADS PRECISION ...`.

HOW is "probe", one product whose speed before and after a run shows whether the machine is as fast as usual, or a
library of PEAK, of whose products the fastest counts.
"""

import contextlib
import fcntl
import json
import os
import platform
import re
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from catalog import files
from catalog.locks import MARK
from referee.parameters import physical_cores
from runner import environments

SIZE = {"cpu": 2048, "gpu": 8192}  # of the square products: a GPU needs larger ones to reach its peak
COPIED = 2**26  # fp32 values
WORDS = ("by", "of")  # what peaks hold beside speeds: the libraries, and that several products were tried
# What is tried for the peak: libraries, square matrices, convolutions. PyTorch has oneDNN and MKL, NumPy OpenBLAS;
# TensorFlow's fastest product is oneDNN's convolution, too. Short products end undisturbed on a busy machine.
PEAK = {"cpu": ["torch", "numpy"], "gpu": ["torch"]}
SIDES = {"cpu": [256, 768, 2048], "gpu": [4096, 8192]}
CONVOLUTIONS = {  # images (on a CPU for each thread), channels, side of an image, kernels of 3 x 3
    "cpu": [(8, 256, 14, 256), (4, 128, 28, 128), (4, 64, 56, 64)],
    "gpu": [(256, 256, 56, 256)],
}
LEAST_FREE = 500 * 2**20  # bytes free before work starts


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
    """{"gpu", "driver", "cuda"} of the first NVIDIA GPU that programs see; each None where there is none."""
    try:
        import pynvml

        pynvml.nvmlInit()
        version = pynvml.nvmlSystemGetCudaDriverVersion_v2()
        shown = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")[0].strip()  # a number, or how a UUID begins
        if shown.startswith("MIG-"):
            device = pynvml.nvmlDeviceGetHandleByUUID(shown)
        elif shown.startswith("GPU-"):
            every = map(pynvml.nvmlDeviceGetHandleByIndex, range(pynvml.nvmlDeviceGetCount()))
            device = next(one for one in every if pynvml.nvmlDeviceGetUUID(one).startswith(shown))
        else:
            device = pynvml.nvmlDeviceGetHandleByIndex(int(shown or 0))
        name, cuda = pynvml.nvmlDeviceGetName(device), f"{version // 1000}.{version % 1000 // 10}"
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
    """What `folder`/machine.json holds, "peaks" at least: {device: peaks}.

    Raises ValueError if the label stands for another machine than `machine`, or the file is broken. A GPU that was not
    seen, as from a container without it, is no other GPU.
    """
    path = folder / "machine.json"
    kept = {"peaks": {}, **(files.as_json(path) if path.exists() else {})}
    for fact in ("cpu", "family", "model", "physical_cores", "gpu"):
        unseen = fact == "gpu" and None in (kept.get(fact), machine.get(fact))
        if fact in kept and fact in machine and kept[fact] != machine[fact] and not unseen:
            said = f"the label {folder.name} already stands for another machine"
            raise ValueError(f"{said} ({fact}: {kept[fact]}; here: {machine[fact]}): choose another with --label")
    return kept


def keep(folder: Path, machine: dict, peaks: dict) -> dict:
    """Writes the facts and, of each device's peaks, the larger into `folder`/machine.json.

    Returns what was known before, with these peaks. Several hosts of one kind may do so at once.
    """
    from referee.record import write_json  # with NumPy, which the first Python may lack

    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".machine.lock", "w") as lock:
        with contextlib.suppress(OSError):  # some network file systems have no locks
            fcntl.flock(lock, fcntl.LOCK_EX)
        kept = known(folder, machine)
        for device, found in peaks.items():
            kept["peaks"][device] = larger(kept["peaks"].get(device, {}), found)
        seen = {fact: value for fact, value in machine.items() if value is not None or fact not in kept}
        write_json(folder / "machine.json", {**kept, **seen})
    return kept


def check_room(folder: Path):
    """Raises OSError, with a sentence, unless records can be written to `folder` and kernels can be reached."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"x" * 4096)
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as error:
        said = f"cannot write to {folder}: {error.strerror or error}"
        gone = [str(one) for one in folder.parents if one.is_symlink() and not one.exists()]
        said += f" ({gone[0]} is a link that leads nowhere)" if gone else ""
        raise OSError(f"{said}. Mend that, or choose another --label, then run again.") from None
    free, least = shutil.disk_usage(folder).free >> 20, LEAST_FREE >> 20
    if free < least:
        raise OSError(f"{folder} has {free} MB free, {least} MB are needed. Free some, then run again.")
    largest = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    if largest != resource.RLIM_INFINITY and largest < LEAST_FREE:
        raise OSError(f"files may have {largest >> 20} MB at most, {least} MB are needed: `ulimit -f unlimited`")
    try:
        with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname(), 10):
            pass
    except OSError as error:
        said = f"nothing can be reached at 127.0.0.1 ({error.strerror or error})"
        raise OSError(f"{said}, where kernels are spoken with: `ip link set lo up`, then run again.") from None


def measure(device: str, threads: int, *what: str) -> dict:
    """The probe: {precision: FLOP/s of a matrix product, "copy": bytes per second, "by"}, in a second for each.

    It tells how fast the machine is just now, not how fast anything can be: that is `peak`. {} where it fails.
    """
    return _asked("probe", device, threads, what)


def peak(device: str, threads: int, *what: str) -> dict:
    """As measure has it, but of the fastest of several libraries' products, each by its shortest time.

    Half a minute: once for a machine and device, and again before a run that seems faster is doubted. {} where it
    fails.
    """
    found = {}
    for library in PEAK[device]:
        found = larger(found, _asked(library, device, threads, what))
    return found | ({"of": "the fastest of several products"} if found else {})


@contextlib.contextmanager
def shared():
    """A dict whose "share" is, after the block, the part of all CPUs' time that others took within it: 0 to 1.

    Others are all but this process and the children that ended within: other users, and the host of a virtual machine.
    """
    import psutil

    def taken():
        times, mine = psutil.cpu_times(), os.times()
        idle = times.idle + getattr(times, "iowait", 0.0)
        whole = sum(times) - getattr(times, "guest", 0.0) - getattr(times, "guest_nice", 0.0)  # both are in user, too
        return whole - idle - sum(mine[:4]), whole

    others, whole = taken()
    found = {"share": 0.0}
    yield found
    others, whole = (now - before for now, before in zip(taken(), (others, whole), strict=True))
    found["share"] = min(1.0, max(0.0, others / whole)) if whole > 0 else 0.0


def larger(known: dict, found: dict) -> dict:
    """Of two peaks the larger speed for each precision; "by" names the libraries of both."""
    names = dict.fromkeys(name for one in (known, found) for name in one.get("by", "").split(", ") if name)
    most = {k: max(one[k] for one in (known, found) if k in one) for k in {**known, **found} if k not in WORDS}
    words = {"by": ", ".join(names), "of": found.get("of", known.get("of"))}
    return most | {name: text for name, text in words.items() if text}


def _asked(how, device, threads, what):
    """What a process of its own finds, with the whitelisted variables of the user's shell, as kernels have them."""
    environ = {**environments.kernel_environ({}, Path(), threads, Path(), device), "PYTHONPATH": str(environments.ROOT)}
    command = [sys.executable, "-P", "-m", "runner.hosts.machine", how, device, str(threads), *what]
    try:
        done = subprocess.run(command, env=environ, check=True, capture_output=True, text=True, timeout=300)
        return json.loads(done.stdout.split(f"{MARK}\n")[1])
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


# ------------------------------------------------------------------------------------------------------------ the peak
# A library is a function of (device, threads) that gives its name and version, the precisions that it has, and a
# generator of (FLOP, a function that computes them and waits for the result).
def _torch(device, threads):
    import torch

    torch.set_num_threads(threads)
    where, synchronize = ("cuda", torch.cuda.synchronize) if device == "gpu" else ("cpu", int)
    types = {"fp32": torch.float32, "tf32": torch.float32, "bf16": torch.bfloat16, "fp64": torch.float64}

    def products(name, sides, convolutions):
        def drawn(*shape):
            return torch.rand(*shape, device=where).to(types[name])

        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = name == "tf32"
        torch.backends.cudnn.benchmark = True
        for side in sides:
            a = drawn(side, side)
            yield 2 * side**3, lambda a=a: (a @ a, synchronize())
        for images, channels, side, kernels in convolutions if name != "fp64" else []:  # in fp64 they are slow
            images *= threads if device == "cpu" else 1
            x, w = drawn(images, channels, side, side), drawn(kernels, channels, 3, 3)
            x, w = (tensor.contiguous(memory_format=torch.channels_last) for tensor in (x, w))
            # the zeros at the border count, as they do in the FLOPs of a workload
            flop = 18 * images * channels * side**2 * kernels
            yield flop, lambda x=x, w=w: (torch.conv2d(x, w, padding=1), synchronize())

    return f"torch {torch.__version__}", types, products


def _numpy(device, threads):
    import numpy

    types = {"fp32": "f4", "fp64": "f8"}

    def products(name, sides, convolutions):
        for side in sides:
            a = numpy.random.default_rng(0).random((side, side)).astype(types[name])
            yield 2 * side**3, lambda a=a: a @ a

    return f"numpy {numpy.__version__}", types, products


def fastest(library: str, device: str, threads: int, what) -> dict:
    """{precision: FLOP/s of the fastest of a library's products, "by"}, by this process; "copy" is torch's alone.

    Raises ImportError without the library, KeyError for one that is not known.
    """
    by, types, products = {"torch": _torch, "numpy": _numpy}[library](device, threads)
    found = {"by": by}
    for name in sorted({*what} & {*types}):
        [(flop, work)] = products(name, [SIZE[device] // 8], [])
        slow = seconds(work, int, 0.1, min)
        found[name] = flop / slow
        if slow < 0.01:  # else the format is emulated, a thousand times slower: large products would take minutes
            tried = products(name, SIDES[device], CONVOLUTIONS[device])
            found[name] = max(flop / seconds(work, int, 0.5, min) for flop, work in tried)
    if library == "torch" and "copy" in what:
        found["copy"] = speeds(device, threads, ["copy"])["copy"]
    return found


if __name__ == "__main__":
    how, kind, count, *names = sys.argv[1:]
    found = speeds(kind, int(count), names) if how == "probe" else fastest(how, kind, int(count), names)
    print(MARK, json.dumps(found), MARK, "", sep="\n")
