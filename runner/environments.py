"""Makes the kernels' environments from their locks, once; says what a kernel's process sees.

Standard library only: it runs before there is any environment, on Python 3.11 or later.
"""

import ast
import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

# Loads a shared library as the system's linker finds it, and prints the file it was: glibc's handle
# is a link_map, whose second member (link.h) is the file's name.
LOAD = """import ctypes, sys
handle = ctypes.CDLL(sys.argv[1])._handle
print(ctypes.c_char_p.from_address(handle + ctypes.sizeof(ctypes.c_void_p)).value.decode())"""

THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")
# The variables of the user's shell that a kernel sees; no other one can change a result.
KEPT = """HOME PATH LANG LC_ALL TMPDIR USER TERM CUDA_VISIBLE_DEVICES ROSETTA_DATA
HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy
SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE""".split()


class Unavailable(Exception):
    """This machine cannot have the environment; the message holds the remedy. Rows are skipped."""


class Broken(Exception):
    """Making the environment failed; the message names it and the remedy. Its rows fail."""


# ------------------------------------------------------------------------------------------ entries
def per_device(entry: dict, key: str, device: str, default=None):
    """entry[key], or its value for the device where the entry gives one for each."""
    value = entry.get(key, default)
    each = isinstance(value, dict) and set(value) <= {"cpu", "gpu"}
    return value.get(device, default) if each else value


def pythons(entry: dict) -> list:
    """The versions of Python that will do, the best one first."""
    return [entry["python"]] if isinstance(entry["python"], str) else entry["python"]


def lock_file(root: Path, entry: dict, device: str) -> Path:
    """The lock of an environment on a device."""
    return root / "environments" / per_device(entry, "lock", device)


def prefix_of(root: Path, name: str, entry: dict, device: str) -> Path:
    """Where the environment lies: the folder's name carries the hash of the recipe."""
    lock = lock_file(root, entry, device)
    recipe = [lock.read_text(), pythons(entry), entry.get("links")]
    recipe.append(per_device(entry, "fallback", device))
    if build := entry.get("build_constraints"):
        recipe.append((lock.parent / build).read_text())
    digest = hashlib.sha256(json.dumps(recipe).encode()).hexdigest()[:10]
    stem = lock.stem if lock.stem.startswith(name) else name
    return root / ".environments" / f"{stem}-{digest}"


def interpreter(prefix: Path) -> str:
    """The Python of an environment."""
    return str(prefix / "bin" / "python")


def is_made(prefix: Path) -> bool:
    """Whether the environment is complete, and the Python it was made from is still there."""
    return (prefix / "complete").exists() and Path(interpreter(prefix)).exists()


def size(root: Path, name: str, entry: dict, device: str) -> dict:
    """{"disk_mb", "download_mb"} that making the environment takes; zeros where it is made."""
    made = is_made(prefix_of(root, name, entry, device))
    keys = ("disk_mb", "download_mb")
    return {key: 0 if made else per_device(entry, key, device, 0) for key in keys}


# -------------------------------------------------------------------------------------------- locks
def normal(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def blocks(lock_text: str) -> dict:
    """{package: its lines} of a lock: the pin, its hashes, the comment via what it came."""
    parts = re.split(r"^(?=[A-Za-z0-9][\w.-]*(?:\[.*?\])?==)", lock_text, flags=re.MULTILINE)
    return {normal(re.match(r"[\w.-]+", part).group()): part for part in parts[1:]}


def closure(lock_text: str, packages) -> list:
    """Sorted "name==version" of the packages and all they depend on, by the "via" comments.

    Hashes and the lock's order do not matter. Raises ValueError where the lock lacks a package.
    """
    lines = blocks(lock_text)
    parents = {}  # {package: those that require it}
    for name, block in lines.items():
        said = re.findall(r"^ +#(?: via|  ) ([\w.-]+)(?:\[.*\])?$", block, re.MULTILINE)
        parents[name] = {normal(parent) for parent in said}
    inside = {normal(name) for name in packages}
    if inside - set(lines):
        raise ValueError(f"the lock does not hold {', '.join(sorted(inside - set(lines)))}")
    while more := {name for name in lines if name not in inside and parents[name] & inside}:
        inside |= more
    return sorted(f"{n}=={re.search(r'==+([^ ;]+)', lines[n])[1].strip()}" for n in inside)


def merged(lock_text: str, other: str, packages) -> str:
    """The lock with the packages, and all they depend on, as the other lock has them."""
    needed = [pin.split("==")[0] for pin in closure(other, packages)]
    return "".join({**blocks(lock_text), **{n: blocks(other)[n] for n in needed}}.values())


# ------------------------------------------------------------------------------------------- making
def make(root: Path, name: str, entry: dict, device: str, say=print) -> Path:
    """The environment's folder, made if it is not complete.

    Raises Unavailable or Broken, each with a remedy.
    """
    prefix = prefix_of(root, name, entry, device)
    if not is_made(prefix):
        with locked(prefix):  # a second run waits here, then finds it complete
            if not is_made(prefix):
                shutil.rmtree(prefix, ignore_errors=True)  # what an interrupted making left
                say(f"making the environment {name} in {prefix.relative_to(root)} (once)")
                _make(root, name, entry, device, prefix, say)
                (prefix / "complete").touch()
    return prefix


@contextlib.contextmanager
def locked(path: Path):
    """Holds PATH.lock, which only one process can."""
    path.parent.mkdir(exist_ok=True)
    with open(f"{path}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _make(root, name, entry, device, prefix, say):
    lacking = [lib for lib in entry.get("libraries", []) if probe(sys.executable, LOAD, lib)]
    lacking += [command for command in entry.get("commands", []) if not shutil.which(command)]
    if lacking:
        needs = f"environment {name} needs {', '.join(lacking)}"
        raise Unavailable(f"{needs}: {entry['needs']}; then run again")
    versions = pythons(entry)
    base = find_python(versions, root)
    if base is None:
        remedy = f"pyenv install {versions[0]}, or put conda on PATH; then run again"
        raise Unavailable(f"environment {name} needs Python {' or '.join(versions)}: {remedy}")
    uv, environ = find_uv(root), uv_environ(base)
    for url in indexes_in_reach(per_device(entry, "indexes", device, [])):
        environ["UV_INDEX"] = f"{url} {environ.get('UV_INDEX', '')}".strip()

    def run(*command, environ=environ, check=True):
        done = subprocess.run(command, env=environ, capture_output=True, text=True)
        if done.returncode and check:
            tail = "\n".join((done.stdout + done.stderr).strip().splitlines()[-15:])
            hint = f" It needs: {entry['needs']}." if "needs" in entry else ""
            raise Broken(
                f"environment {name} could not be made: {' '.join(command[:4])} said:\n{tail}\n"
                f"Remedy: see to the above (network, disk space), then run again.{hint}"
            )
        return done.returncode == 0

    # Locks are complete: there is nothing to resolve.
    install = [uv, "pip", "install", "--quiet", "--python", interpreter(prefix)]
    install += ["--no-deps", "--require-hashes"]
    if build := entry.get("build_constraints"):
        install += ["--build-constraints", str(root / "environments" / build)]
        install.append("--require-build-hashes")
    run(uv, "venv", "--quiet", "--python", base, str(prefix))
    lock = lock_file(root, entry, device)
    if fallback := per_device(entry, "fallback", device):
        text, asked = lock.read_text(), prefix / "asked.txt"
        asked.write_text("".join(blocks(text)[package] for package in fallback["packages"]))
        if not run(*install, "--dry-run", "-r", str(asked), check=False):
            say(f"no index has {asked.read_text().split()[0]}: taken from {fallback['lock']}")
            other = (root / "environments" / fallback["lock"]).read_text()
            lock = prefix / "lock.txt"
            lock.write_text(merged(text, other, fallback["packages"]))
    run(*install, "-r", str(lock))
    for alias, library in entry.get("links", {}).items():
        (prefix / "links").mkdir(exist_ok=True)
        (prefix / "links" / alias).symlink_to(output(sys.executable, LOAD, library).strip())
    check = per_device(entry, "check", device, "pass")
    run(interpreter(prefix), "-c", check, environ={**environ, **variables(entry, prefix)})


def find_python(versions, root: Path):
    """A Python of one of `versions` ("3.11"), the first that is here: this one, on PATH, in pyenv.

    Else one that uv has or installs, or that conda does; None where nothing helps.
    """
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in versions:
        own = version == "{}.{}".format(*sys.version_info) and sys.prefix == sys.base_prefix
        candidates = [sys.executable] * own + [shutil.which(f"python{version}")]
        candidates += sorted(pyenv.glob(f"{version}.*/bin/python"), reverse=True)
        snippet = f"import sys; assert '%d.%d' % sys.version_info[:2] == '{version}'"
        for candidate in map(str, filter(None, candidates)):
            if not probe(candidate, snippet):  # a pyenv shim on PATH may exist and yet not run
                return candidate
    with contextlib.suppress(Unavailable):
        uv = [find_uv(root), "python"]
        for step in ("find", "install", "find"):
            for version in versions:
                command = [*uv, step, version]
                done = subprocess.run(command, check=False, capture_output=True, text=True)
                if done.returncode == 0 and step == "find":
                    return done.stdout.strip()
                if done.returncode == 0:
                    break
    conda = next(filter(None, map(shutil.which, ("mamba", "micromamba", "conda"))), None)
    prefix = root / ".environments" / f"conda-python{versions[0]}"
    if conda and not Path(interpreter(prefix)).exists():
        create = [conda, "create", "--quiet", "--yes", "--prefix", str(prefix)]
        subprocess.run([*create, f"python={versions[0]}"], check=False, capture_output=True)
    return interpreter(prefix) if Path(interpreter(prefix)).exists() else None


def find_uv(root: Path) -> str:
    """The pinned uv: on PATH, or put once under .environments/ with the running Python's pip.

    Raises Unavailable where there is neither pip nor venv, or pip cannot install it.
    """
    pin = root / "environments" / "uv.txt"
    version = re.search(r"^uv==(\S+)", pin.read_text(), re.MULTILINE)[1]
    if on_path := shutil.which("uv"):
        done = subprocess.run([on_path, "--version"], check=False, capture_output=True, text=True)
        if done.stdout.split()[1:2] == [version]:
            return on_path
    folder = root / ".environments" / f"uv-{version}"
    with locked(folder):
        if not (folder / "bin" / "uv").exists():
            _install_uv(folder, pin)
    return str(folder / "bin" / "uv")


def _install_uv(folder, pin):
    python = sys.executable
    helper, part = (folder.with_name(f"{folder.name}.{what}") for what in ("pip", "part"))
    for old in (helper, part, folder):
        shutil.rmtree(old, ignore_errors=True)
    if probe(python, "import pip"):
        venv = [python, "-m", "venv", str(helper)]
        if subprocess.run(venv, check=False, capture_output=True).returncode:
            remedy = "apt-get install python3-venv python3-pip; then run again"
            raise Unavailable(f"{python} has neither pip nor venv, which install uv: {remedy}")
        python = interpreter(helper)
    install = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes"]
    install += ["--target", str(part), "-r", str(pin)]
    done = subprocess.run(install, check=False, capture_output=True, text=True)
    shutil.rmtree(helper, ignore_errors=True)
    if done.returncode:
        said = done.stderr.strip()[-300:]
        raise Unavailable(f"pip could not install uv (network?): {said}; then run again")
    part.rename(folder)


def pip_settings(base: str) -> dict:
    """pip's configuration (files, PIP_ variables) as {"find-links": ["..."], ...}: words."""
    lines = []
    for pip in ([base, "-m", "pip"], ["pip3"], ["pip"]):  # a base may come without
        with contextlib.suppress(OSError):
            command = [*pip, "config", "list"]
            done = subprocess.run(command, check=False, capture_output=True, text=True)
            if done.returncode == 0:
                lines = done.stdout.splitlines()
                break
    settings = {}
    for section in ("global.", "install.", ":env:."):  # each overrides the one before, as in pip
        for line in lines:
            if line.startswith(section) and "=" in line:
                key, value = line[len(section) :].split("=", 1)
                settings[key] = str(ast.literal_eval(value)).split()
    own = {k: v for k, v in os.environ.items() if k.startswith("PIP_")}  # without pip, too
    return {**settings, **{k[4:].lower().replace("_", "-"): v.split() for k, v in own.items()}}


def uv_environ(base: str) -> dict:
    """The environment in which uv looks where pip would: uv reads no pip configuration."""
    dropped = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    environ = {k: v for k, v in os.environ.items() if k not in dropped}
    pip = pip_settings(base)

    def add(variable, words, separator=" "):
        if words:
            environ[variable] = separator.join(filter(None, [environ.get(variable), *words]))

    add("UV_FIND_LINKS", pip.get("find-links"), ",")
    add("UV_INDEX", pip.get("extra-index-url"))
    add("UV_INSECURE_HOST", pip.get("trusted-host"))
    if pip.get("index-url"):
        environ.setdefault("UV_DEFAULT_INDEX", pip["index-url"][0])
    if pip.get("cert"):
        environ.setdefault("SSL_CERT_FILE", pip["cert"][0])
    if pip.get("no-index", ["0"])[0].lower() in ("1", "true", "yes"):
        environ["UV_NO_INDEX"] = "1"
    environ.setdefault("UV_INDEX_STRATEGY", "unsafe-best-match")  # the best of all, as pip has it
    return environ


def indexes_in_reach(urls) -> list:
    """Those of `urls` that answer within a few seconds: uv stops at an index that does not."""
    reached = []
    for url in urls:
        with contextlib.suppress(OSError, ValueError):  # URLError, refused, timed out
            urllib.request.urlopen(url.rstrip("/") + "/", timeout=5).close()
            reached.append(url)
    return reached


# ------------------------------------------------------------------------------------------ kernels
def variables(entry: dict, prefix: Path) -> dict:
    """The variables of the entry, such as library paths."""
    given = entry.get("variables", {})
    return {name: text.replace("{prefix}", str(prefix)) for name, text in given.items()}


def starter_environ(jupyter: Path) -> dict:
    """The environment to start papermill with; jupyter: what write_kernel returned.

    A kernel sees all that papermill sees, as kernel.json only adds to it.
    """
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    return {**kept, "JUPYTER_PATH": str(jupyter), "PYTHONUNBUFFERED": "1"}


def kernel_environ(entry: dict, prefix: Path, threads: int, scratch: Path) -> dict:
    """What a kernel sees besides the two variables of starter_environ, and nothing else.

    KEPT of this process, the project on PYTHONPATH, the thread variables, and the entry's variables
    and caches, which lie in `scratch`.
    """
    environ = {name: os.environ[name] for name in KEPT if name in os.environ}
    environ["PYTHONPATH"] = str(Path(__file__).resolve().parent.parent)
    environ.update(dict.fromkeys(THREADS, str(threads)), **variables(entry, prefix))
    caches = entry.get("caches", {})
    return {**environ, **{k: v.replace("{scratch}", str(scratch)) for k, v in caches.items()}}


def write_kernel(folder: Path, name: str, python: str, environ: dict) -> Path:
    """Writes the kernel spec of one run below `folder`; returns the path for JUPYTER_PATH."""
    # What C libraries write to the process's own streams, such as oneDNN's greeting, is no output of a cell.
    quiet = "--IPKernelApp.capture_fd_output=False"
    argv = [python, "-m", "ipykernel_launcher", "-f", "{connection_file}", quiet]
    spec = {"argv": argv, "display_name": name, "language": "python", "env": environ}
    kernel = Path(folder) / "kernels" / name
    kernel.mkdir(parents=True, exist_ok=True)
    (kernel / "kernel.json").write_text(json.dumps(spec, indent=1))
    return Path(folder)


# ------------------------------------------------------------------------------------- interpreters
def probe(python: str, snippet: str, *arguments, seconds=180, environ=None) -> str:
    """Runs a snippet in an interpreter: "" if it ends well, else the last line it said."""
    command = [python, "-c", snippet, *arguments]
    options = {"capture_output": True, "text": True, "timeout": seconds, "env": environ}
    try:
        done = subprocess.run(command, check=False, **options)
    except OSError as error:
        return f"{python} does not run ({error.strerror})"
    except subprocess.TimeoutExpired:
        return f"no answer within {seconds} s"
    said = (done.stderr or done.stdout).strip().splitlines() or [f"ended with {done.returncode}"]
    return said[-1] if done.returncode else ""


def output(python: str, code: str, *arguments) -> str:
    """What a snippet prints in an interpreter; "" where it fails."""
    command = [python, "-c", code, *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout


def missing_modules(python: str, modules) -> set:
    """Those of `modules` that the interpreter cannot find (it does not import them)."""
    find = "import importlib.util as u, sys; print([m for m in sys.argv[1:] if not u.find_spec(m)])"
    return set(ast.literal_eval(output(python, find, *sorted(modules)) or repr(list(modules))))


def installed_packages(python: str) -> str:
    """Python's version, then "name==version" of all packages, one a line: the lock of --python."""
    found = "sorted({d.name + '==' + d.version for d in m.distributions()})"
    code = f"import sys, importlib.metadata as m; print(sys.version, *{found}, sep='\\n')"
    return output(python, code)
