"""Makes the kernels' environments from their lock files, once. Standard library only: it runs before there are any."""

import ast
import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

# Loads a shared library as the system's linker finds it, and prints the file it was: glibc's handle is a link_map, whose
# second member (link.h) is the file's name.
LOAD = """import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
print(ctypes.c_char_p.from_address(library._handle + ctypes.sizeof(ctypes.c_void_p)).value.decode())"""


class Unavailable(Exception):
    """The environment cannot be had on this machine; the message holds the remedy. Its rows are skipped."""


class Broken(Exception):
    """Making the environment failed; the message names it and the remedy. Its rows fail."""


def lock_file(root: Path, entry: dict, device: str) -> Path:
    """The requirements file of an environment's matrix entry on a device."""
    lock = entry["lock"]
    return root / "environments" / (lock if isinstance(lock, str) else lock[device])


def prefix_of(root: Path, name: str, entry: dict, device: str) -> Path:
    """Where the environment lies: its name carries the hash of its lock, so another lock is another folder."""
    lock = lock_file(root, entry, device)
    recipe = lock.read_bytes() + json.dumps([entry["python"], entry.get("build_constraints")]).encode()
    stem = lock.stem if lock.stem.startswith(name) else name
    return root / ".environments" / f"{stem}-{hashlib.sha256(recipe).hexdigest()[:10]}"


def interpreter(prefix: Path) -> str:
    """The Python of an environment."""
    return str(prefix / "bin" / "python")


def make(root: Path, name: str, entry: dict, device: str, say=print) -> Path:
    """The environment's folder, made if it is not complete. Raises Unavailable or Broken, each with a remedy."""
    prefix = prefix_of(root, name, entry, device)
    mark = prefix / "complete"
    if mark.exists():
        return prefix
    prefix.parent.mkdir(exist_ok=True)
    with open(prefix.parent / f"{prefix.name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a second run waits here, then finds it complete
        if not mark.exists():
            shutil.rmtree(prefix, ignore_errors=True)  # what an interrupted making left
            say(f"making the environment {name} in {prefix.relative_to(root)} (once)")
            _make(root, name, entry, device, prefix, say)
            mark.touch()
    return prefix


def _make(root, name, entry, device, prefix, say):
    version = entry["python"]
    base = find_python(version, root)
    if base is None:
        with_uv = f"uv python install {version}, or " if tuple(map(int, version.split("."))) > (3, 6) else ""  # uv has no 3.6
        raise Unavailable(
            f"environment {name} needs Python {version}: {with_uv}pyenv install {version}, or put conda on PATH; then run again"
        )
    lacking = {library: probe(sys.executable, LOAD, library) for library in entry.get("libraries", [])}
    lacking = [library for library, said in lacking.items() if said]
    lacking += [command for command in entry.get("commands", []) if not shutil.which(command)]
    if lacking:
        raise Unavailable(f"environment {name} needs {', '.join(lacking)}: {entry['needs']}; then run again")
    uv = find_uv(root, base)
    environ = uv_environ(base)
    for url in indexes_in_reach(entry.get("indexes", {}).get(device, [])):
        environ["UV_INDEX"] = f"{url} {environ.get('UV_INDEX', '')}".strip()
    requirements = ["-r", str(lock_file(root, entry, device))]
    if uv:
        steps = [[uv, "venv", "--quiet", "--python", base, str(prefix)]]
        install = [uv, "pip", "install", "--quiet", "--python", interpreter(prefix)]
        constraints = "--build-constraints"
    else:
        steps = [[base, "-m", "venv", str(prefix)]]
        install = [interpreter(prefix), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        install += [word for url in environ.get("UV_INDEX", "").split() for word in ("--extra-index-url", url)]
        constraints = "--build-constraint"
    if "build_constraints" in entry:
        requirements += [constraints, str(root / "environments" / entry["build_constraints"])]
    # The locks are complete: nothing to resolve. That keeps CUDA packages out of main-cpu.
    steps.append([*install, "--no-deps", *requirements])
    for step in steps:
        _run(step, environ, name, entry, prefix)
    for alias, library in entry.get("links", {}).items():
        (prefix / "links").mkdir(exist_ok=True)
        (prefix / "links" / alias).symlink_to(output(sys.executable, LOAD, library).strip())
    check = [interpreter(prefix), "-c", entry.get("check", "pass")]
    environ.update(variables(entry, prefix))
    if subprocess.run(check, env=environ, check=False, capture_output=True).returncode:
        # A build that needs more than the lock lists, such as the CUDA build of torch where no CPU build was found.
        say(f"environment {name}: installing the dependencies of the builds that were found (this may take long)")
        _run([*install, *requirements], environ, name, entry, prefix)
        _run(check, environ, name, entry, prefix)


def _run(command, environ, name, entry, prefix):
    with contextlib.suppress(OSError):
        done = subprocess.run(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode == 0:
            return
        tail = "\n".join(done.stdout.strip().splitlines()[-15:])
        hint = f" It needs: {entry['needs']}." if "needs" in entry else ""
        raise Broken(
            f"environment {name} could not be made: {' '.join(command[:4])} ... said:\n{tail}\n"
            f"Remedy: see to the above (network, disk space), remove {prefix}, run again.{hint}"
        )
    raise Broken(f"environment {name} could not be made: {command[0]} does not run")


def variables(entry: dict, prefix: Path) -> dict:
    """The variables that the kernels of an environment need, such as library paths."""
    return {name: value.replace("{prefix}", str(prefix)) for name, value in entry.get("variables", {}).items()}


def find_python(version: str, root: Path):
    """A Python of `version` ("3.11"): this one, on PATH, in pyenv's versions folder, from uv or conda; None if none is."""
    if version == f"{sys.version_info[0]}.{sys.version_info[1]}" and sys.prefix == sys.base_prefix:
        return sys.executable
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [
        shutil.which(f"python{version}"),
        *sorted(pyenv.glob(f"{version}.*/bin/python"), reverse=True),
    ]
    probe = f"import sys; assert '%d.%d' % sys.version_info[:2] == '{version}'"
    for candidate in filter(None, candidates):
        if subprocess.run([str(candidate), "-c", probe], check=False, capture_output=True).returncode == 0:
            return str(candidate)  # a pyenv shim on PATH may exist and yet not run
    uv = find_uv(root, None)
    if uv:
        for step in (["find"], ["install", "--quiet"], ["find"]):
            found = subprocess.run([uv, "python", *step, version], check=False, capture_output=True, text=True)
            if step == ["find"] and found.returncode == 0:
                return found.stdout.strip()
    conda = next(filter(None, map(shutil.which, ("mamba", "micromamba", "conda"))), None)
    prefix = root / ".environments" / f"conda-python{version}"
    if conda and not (prefix / "bin" / "python").exists():
        subprocess.run([conda, "create", "--quiet", "--yes", "--prefix", str(prefix), f"python={version}"],
                       check=False, capture_output=True)
    return str(prefix / "bin" / "python") if (prefix / "bin" / "python").exists() else None


def find_uv(root: Path, base):
    """uv on PATH, or else put once under .environments/uv with `base`'s pip; None where there is neither."""
    own = root / ".environments" / "uv"
    found = shutil.which("uv") or shutil.which(str(own / "bin" / "uv"))
    if found or base is None:
        return found
    install = [
        base,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--target",
        str(own),
        "uv",
    ]
    subprocess.run(install, check=False, capture_output=True)
    return shutil.which(str(own / "bin" / "uv"))


def pip_settings(base: str) -> dict:
    """pip's own configuration (files and PIP_ variables) as {"find-links": ["..."], ...}: lists of words."""
    lines = []
    for pip in ([base, "-m", "pip"], ["pip3"], ["pip"]):  # a base made by uv or Debian may come without
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
    for variable, value in os.environ.items():  # also where there is no pip to ask
        if variable.startswith("PIP_"):
            settings[variable[4:].lower().replace("_", "-")] = value.split()
    return settings


def uv_environ(base: str) -> dict:
    """The process environment in which uv looks where the user's pip would: uv reads no pip configuration itself."""
    environ = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")}
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
    environ.setdefault("UV_INDEX_STRATEGY", "unsafe-best-match")  # pip's own: the best build of all indexes
    return environ


def indexes_in_reach(urls) -> list:
    """Those of `urls` that answer within a few seconds: uv stops at an index that does not."""
    reached = []
    for url in urls:
        with contextlib.suppress(OSError, ValueError):  # URLError, refused, timed out
            urllib.request.urlopen(url.rstrip("/") + "/", timeout=5).close()
            reached.append(url)
    return reached


def write_kernel(root: Path, name: str, python: str, variables: dict, folder: Path) -> Path:
    """Writes kernel.json under `folder`/share/jupyter and returns that path, for JUPYTER_PATH.

    The user's own kernels are not touched. `common` is found through PYTHONPATH.
    """
    spec = {
        "argv": [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": f"Rosetta ({name})",
        "language": "python",
        "env": {"PYTHONPATH": str(root), **variables},
    }
    jupyter = folder / "share" / "jupyter"
    kernel = jupyter / "kernels" / f"rosetta-{name}"
    kernel.mkdir(parents=True, exist_ok=True)
    (kernel / "kernel.json").write_text(json.dumps(spec, indent=1))
    for site in (folder / "lib").glob("python*/site-packages"):  # `common` is found from any folder in it
        (site / "rosetta.pth").write_text(f"{root}\n")
    return jupyter


def probe(python: str, snippet: str, *arguments, seconds=180) -> str:
    """Runs a snippet in an interpreter: "" if it ends well, else the last line it said."""
    try:
        done = subprocess.run([python, "-c", snippet, *arguments], capture_output=True, text=True, timeout=seconds)
    except OSError as error:
        return f"{python} does not run ({error.strerror})"
    except subprocess.TimeoutExpired:
        return f"no answer within {seconds} s"
    said = (done.stderr or done.stdout).strip().splitlines()
    return "" if done.returncode == 0 else (said[-1] if said else f"ended with status {done.returncode}")


def output(python: str, code: str, *arguments) -> str:
    """What a snippet prints in an interpreter; "" where it fails."""
    return subprocess.run([python, "-c", code, *arguments], check=False, capture_output=True, text=True).stdout


def missing_modules(python: str, modules) -> set:
    """Those of `modules` that the interpreter cannot find (found, not imported: that would take seconds each)."""
    code = "import importlib.util as u, sys; print([m for m in sys.argv[1:] if u.find_spec(m) is None])"
    return set(ast.literal_eval(output(python, code, *sorted(modules)) or repr(list(modules))))


def installed_packages(python: str) -> str:
    """Name and version of all packages of an interpreter, one a line: what stands for the lock with --python."""
    found = "sorted({d.name + '==' + d.version for d in m.distributions()})"
    return output(python, f"import sys, importlib.metadata as m; print(sys.version, *{found}, sep='\\n')")
