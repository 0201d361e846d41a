"""Makes the kernels' environments from their locks, once, with uv; says what a kernel's process sees.

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
from pathlib import Path

from catalog import locks
from runner.hosts import cpu
from runner.languages import kernels

ROOT = Path(__file__).resolve().parent.parent  # of the project whose code runs

# Loads a shared library as the system's linker finds it, and prints the file it was: glibc's handle
# is a link_map, whose second member (link.h) is the file's name.
LOAD = """import ctypes, sys
handle = ctypes.CDLL(sys.argv[1])._handle
print(ctypes.c_char_p.from_address(handle + ctypes.sizeof(ctypes.c_void_p)).value.decode())"""

# Of OpenMP and the BLAS libraries, of NumExpr, TensorFlow and XLA: no lesson counts threads.
THREADS = ["OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS"]
THREADS += ["TF_NUM_INTRAOP_THREADS", "NPROC"]
NO_GPU = {"CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu"}  # rows of a CPU see none, whatever the machine has
# The variables of the user's shell that a kernel sees; no other one can change a result.
KEPT = """HOME PATH LANG LC_ALL TMPDIR USER TERM CUDA_VISIBLE_DEVICES ROSETTA_DATA
HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy
SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE""".split()
KEPT_ON_GPUS = [*KEPT, "LD_LIBRARY_PATH"]  # containers tell with it where the driver is
# Of the user's settings of pip and uv those count that say where packages come from, and how they are reached.
PIP_KEPT = set(
    """find-links index-url extra-index-url trusted-host cert client-cert proxy no-index timeout retries
keyring-provider cache-dir""".split()
)
UV_KEPT = re.compile(
    "UV_(INDEX|DEFAULT_INDEX|EXTRA_INDEX|FIND_LINKS|INSECURE_HOST|NATIVE_TLS|SYSTEM_CERTS|KEYRING|OFFLINE|HTTP_|REQUEST"
    "|CACHE|NO_CACHE|CONCURRENT|LINK_MODE|PYTHON_INSTALL|PYTHON_DOWNLOADS|PYTHON_PREFERENCE|CONFIG_FILE|NO_CONFIG)"
)
# uv reads no configuration of pip's: pip's settings, and the variables that tell uv the same.
UV_NAMES = {
    "find-links": "UV_FIND_LINKS",
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "trusted-host": "UV_INSECURE_HOST",
    "cert": "SSL_CERT_FILE",
    "proxy": "ALL_PROXY",
}


class Unavailable(Exception):
    """This machine cannot have the environment; the message holds the remedy. Rows are skipped."""

    status = "skipped"


class Broken(Unavailable):
    """Making the environment failed; the message names it and the remedy. Its rows fail."""

    status = "failed"


# ------------------------------------------------------------------------------------------ entries
def prefix_of(root: Path, name: str, entry: dict, device: str) -> Path:
    """Where the environment lies: the folder's name carries the hash of the recipe."""
    lock = locks.lock_file(root, entry, device)
    recipe = [lock.read_text(), locks.pythons(entry), entry.get("links"), locks.per_device(entry, "fallback", device)]
    if build := entry.get("build_constraints"):
        recipe.append((lock.parent / build).read_text())
    recipe += [entry["language"]] if "language" in entry else []
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
    return {key: 0 if made else locks.per_device(entry, key, device, 0) for key in ("disk_mb", "download_mb")}


# ------------------------------------------------------------------------------------------- making
def make(root: Path, name: str, entry: dict, device: str, say=print) -> Path:
    """The environment's folder, made if it is not complete; a link without the hash leads to it, a name to type.

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
    link = prefix.with_name(prefix.name.rpartition("-")[0])
    if link.resolve() != prefix.resolve():
        part = link.with_name(f"{link.name}.{os.getpid()}.part")
        part.symlink_to(prefix.name)
        part.replace(link)
    return prefix


@contextlib.contextmanager
def locked(path: Path):
    """Holds PATH.lock, which only one process can."""
    path.parent.resolve().mkdir(exist_ok=True)  # it may be a link to another disk
    with open(f"{path}.lock", "w") as lock:
        with contextlib.suppress(OSError):  # some network file systems have no locks
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _make(root, name, entry, device, prefix, say):
    lacking = [lib for lib in entry.get("libraries", []) if probe(sys.executable, LOAD, lib)]
    lacking += [command for command in entry.get("commands", []) if not shutil.which(command)]
    if lacking:
        raise Unavailable(f"environment {name} needs {', '.join(lacking)}: {entry['needs']}; then run again")
    try:
        kernels.require(entry.get("language", "python"))  # before much is downloaded
    except kernels.Lacking as error:
        raise Unavailable(f"environment {name}: {error}") from None
    uv, base, lock = find_uv(root), find_python(locks.pythons(entry), root), locks.lock_file(root, entry, device)
    environ = uv_environ(base)

    def must(*command, environ=environ):
        if (done := run(*command, env=environ, cwd=prefix.parent)).returncode:  # no uv.toml of the caller's folder
            tail = (done.stdout + done.stderr).strip().splitlines()[-15:] or ["nothing"]
            hint = "see to the above (network, disk space), then run again."
            hint += f" It needs: {entry['needs']}." if "needs" in entry else ""
            more = [f"{' '.join(command[:4])} said:", *tail, f"Remedy: {hint}"]  # a batch tells the first line alone
            raise Broken("\n".join([f"environment {name} could not be made: {tail[-1].strip()}", *more]))

    must(uv, "venv", "--quiet", "--python", base, str(prefix))
    install = [uv, "pip", "sync", "--quiet", "--python", interpreter(prefix), "--require-hashes"]
    if build := entry.get("build_constraints"):
        install += ["--require-build-hashes", "--build-constraints", str(lock.parent / build)]
    if fallback := locks.per_device(entry, "fallback", device):
        own, asked = lock.read_text(), prefix / "asked.txt"
        asked.write_text("".join(locks.blocks(own)[package] for package in fallback["packages"]))
        more = environ.get("UV_INDEX", "")
        for index in (*locks.per_device(entry, "indexes", device, []), ""):  # uv stops at an index that does not answer
            environ["UV_INDEX"] = f"{index} {more}".strip()
            if run(*install, "--dry-run", str(asked), env=environ, cwd=prefix.parent).returncode == 0:
                break
        else:
            say(f"no index gives {asked.read_text().split()[0]}: taken from {fallback['lock']}")
            other = (lock.parent / fallback["lock"]).read_text()
            lock = prefix / "lock.txt"
            lock.write_text(locks.merged(own, other, fallback["packages"]))
    must(*install, str(lock))
    for alias, library in entry.get("links", {}).items():
        (prefix / "links").mkdir(exist_ok=True)
        (prefix / "links" / alias).symlink_to(locks.output(sys.executable, LOAD, library).strip())
    check = locks.per_device(entry, "check", device, "pass")
    must(interpreter(prefix), "-c", check, environ={**environ, **variables(entry, prefix)})
    try:
        kernels.settle(entry.get("language", "python"), prefix, interpreter(prefix))
    except kernels.Lacking as lacking:
        raise Unavailable(f"environment {name}: {lacking}") from None


def find_python(versions, root: Path):
    """A Python of one of `versions` ("3.11"), the first that uv finds on PATH or in pyenv.

    Else one that uv installs, or that conda does. Raises Unavailable, with the remedy, where nothing helps.
    """
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    folders = [f"{sys.base_prefix}/bin", *map(str, sorted(pyenv.glob("*/bin"), reverse=True))]
    path = os.pathsep.join([os.environ.get("PATH", ""), *folders])
    uv, environ = find_uv(root), {**_environ(), "PATH": path}
    above = root / ".environments"  # no uv.toml of the caller's folder
    above.mkdir(exist_ok=True)
    for install in (False, True):
        for version in versions:
            if install:
                run(uv, "python", "install", version, env=_environ(), cwd=above)
            found = run(uv, "python", "find", "--system", version, env=environ, cwd=above)
            if found.returncode == 0:
                return found.stdout.strip()
    conda = next(filter(None, map(shutil.which, ("mamba", "micromamba", "conda"))), None)
    prefix, remedy = root / ".environments" / f"conda-python{versions[0]}", "put conda on PATH; then run again"
    if conda and not Path(interpreter(prefix)).exists():
        done = run(conda, "create", "--quiet", "--yes", "--prefix", str(prefix), f"python={versions[0]}")
        remedy = f"mend {conda}, which said: {(done.stderr or done.stdout).strip()[-300:]}"
    if not Path(interpreter(prefix)).exists():
        raise Unavailable(f"there is no Python {' or '.join(versions)}: pyenv install {versions[0]}, or {remedy}")
    return interpreter(prefix)


def find_uv(root: Path) -> str:
    """The pinned uv: on PATH, or put once under .environments/ with the pip of a new venv.

    Raises Unavailable where no venv can be made, or pip cannot install it.
    """
    pin = root / "environments" / "uv.txt"
    version = re.search(r"^uv==(\S+)", pin.read_text(), re.MULTILINE)[1]
    if (on_path := shutil.which("uv")) and run(on_path, "--version").stdout.split()[1:2] == [version]:
        return on_path
    folder = root / ".environments" / f"uv-{version}"
    with locked(folder):
        if not (folder / "bin" / "uv").exists():
            part = folder.with_name(f"{folder.name}.part")
            if (done := run(sys.executable, "-m", "venv", "--clear", str(part))).returncode:
                said = (done.stdout + done.stderr).strip()[-300:] or "nothing"
                raise Unavailable(f"{sys.executable} makes no venv (apt-get install python3-venv?); it said: {said}")
            install = [interpreter(part), "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes"]
            if (done := run(*install, "-r", str(pin), env=pip_environ(sys.executable))).returncode:
                raise Unavailable(f"pip could not install uv (network?): {done.stderr.strip()[-300:]}; then run again")
            shutil.rmtree(folder, ignore_errors=True)
            part.rename(folder)
    return str(folder / "bin" / "uv")


def pip_settings(base: str) -> dict:
    """Of the settings of the pip of `base`, in its files and in PIP_ variables, those of PIP_KEPT."""
    file = {name: os.environ[name] for name in ("PIP_CONFIG_FILE",) if name in os.environ}
    # none where it has no pip; PIP_USER, say, would choose one of the files
    lines = run(base, "-m", "pip", "config", "list", env={**_environ(), **file}).stdout.splitlines()
    settings = {}
    for section in ("global.", "install."):  # each overrides the one before, as in pip
        said = [line.removeprefix(section).partition("=") for line in lines if line.startswith(section)]
        settings |= {key: ast.literal_eval(value) for key, _, value in said}
    settings |= {k[4:].lower().replace("_", "-"): v for k, v in os.environ.items() if k.startswith("PIP_")}
    return {key: value for key, value in settings.items() if key in PIP_KEPT and value}


def pip_environ(base: str) -> dict:
    """The environment in which pip installs where it is told to: none of its files, and of its settings PIP_KEPT."""
    given = {f"PIP_{key.upper().replace('-', '_')}": value for key, value in pip_settings(base).items()}
    return {**_environ(), **given, "PIP_CONFIG_FILE": os.devnull, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def uv_environ(base: str) -> dict:
    """The environment in which uv looks where the pip of `base` would: pip's files and PIP_ variables say where."""
    settings, environ = pip_settings(base), _environ()
    for key, variable in UV_NAMES.items():
        if key in settings:
            separator = "," if variable == "UV_FIND_LINKS" else " "
            environ.setdefault(variable, separator.join(settings[key].split()))
    environ.setdefault("UV_INDEX_STRATEGY", "unsafe-best-match")  # the best of all, as pip has it
    return environ


def _environ() -> dict:
    """This process's variables less those that say where and how Python, pip and uv work otherwise."""
    left_out = {k for k in os.environ if k.startswith("UV_") and not UV_KEPT.match(k)} | {"VIRTUAL_ENV", "CONDA_PREFIX"}
    kept = {k: v for k, v in os.environ.items() if k not in left_out}
    return {k: v for k, v in kept.items() if not k.startswith(("PYTHON", "PIP_"))}


# ------------------------------------------------------------------------------------------ kernels
def variables(entry: dict, prefix: Path) -> dict:
    """The variables of the entry, such as library paths, and of its language."""
    own = kernels.environ(entry.get("language", "python"), prefix, interpreter(prefix))
    return own | {name: text.replace("{prefix}", str(prefix)) for name, text in entry.get("variables", {}).items()}


def kernel_environ(entry: dict, prefix: Path, threads: int, scratch: Path, device: str = "cpu") -> dict:
    """What a kernel's process sees, besides where Jupyter finds it, and nothing else.

    KEPT (or KEPT_ON_GPUS) of this process, the thread variables, and the entry's variables and caches, which lie in
    `scratch`. Who starts it says what is on PYTHONPATH.
    """
    environ = {"LANG": "C.UTF-8"}  # where the shell has none, as in a container: R would write ä as <U+00E4>
    environ |= {name: os.environ[name] for name in (KEPT_ON_GPUS if device == "gpu" else KEPT) if name in os.environ}
    environ.update({} if device == "gpu" else NO_GPU)
    environ.update(dict.fromkeys(THREADS, str(threads)), **variables(entry, prefix))
    environ |= cpu.openblas_kernels() | ({} if cpu.made_by_intel() else entry.get("variables_unless_intel", {}))
    return environ | {k: v.replace("{scratch}", str(scratch)) for k, v in entry.get("caches", {}).items()}


def write_kernel(folder: Path, name: str, argv: list, language: str = "python") -> Path:
    """Writes the kernel spec of one run below `folder`; returns the path for JUPYTER_PATH. `argv`: its command."""
    kernel = folder / "kernels" / name
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": name, "language": language}))
    return folder


def own_settings(scratch: Path) -> dict:
    """Variables by which no settings of the user's count in a kernel; its own lie in the folder `scratch`."""
    (scratch / "matplotlibrc").touch()
    own = {"MATPLOTLIBRC": "matplotlibrc", "IPYTHONDIR": "ipython", "KERAS_HOME": "keras"}
    return {"THEANORC": os.devnull} | {name: str(scratch / place) for name, place in own.items()}


# ------------------------------------------------------------------------------------- interpreters
def run(*command, **options) -> subprocess.CompletedProcess:
    """Runs a command and keeps what it says; whether it failed is for the caller to see."""
    return subprocess.run(command, check=False, capture_output=True, text=True, **options)


def probe(python: str, snippet: str, *arguments, environ=None) -> str:
    """Runs a snippet in an interpreter: "" if it ends well, else the last line it said."""
    try:
        done = run(python, "-c", snippet, *arguments, timeout=180, env=environ)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{python} does not run: {error}"
    said = (done.stderr or done.stdout).strip().splitlines() or [f"ended with {done.returncode}"]
    return said[-1] if done.returncode else ""


def missing_modules(python: str, modules) -> set:
    """Those of `modules` that the interpreter cannot find (it does not import them)."""
    find = "import importlib.util as u, sys; print([m for m in sys.argv[1:] if not u.find_spec(m)])"
    return set(ast.literal_eval(locks.output(python, find, *sorted(modules)) or repr(list(modules))))
