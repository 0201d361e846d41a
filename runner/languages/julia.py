"""Julia for the environments: the machine's own, or, on Debian 12, that of the release before, unpacked.

Standard library only, as `runner.environments`.
"""

import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

OLDEST = (1, 5)
HELP = "install it (curl -fsSL https://install.julialang.org | sh), and put it on PATH; then run again"
SUITE, VERSION = "bullseye", "1.5.3"
# Julia, and of the libraries that it needs those of which Debian 12 has another release or none: with its libunwind8
# Julia would end at the first exception that is caught.
PACKAGES = """julia julia-common libjulia1 libbsd0 libdsfmt-19937-1 libedit2 libffi7 libgfortran5 libgit2-1.1 libgmp10
libhttp-parser2.9 libllvm9 libmbedcrypto3 libmbedtls12 libmbedx509-0 libmd0 libmpfr6 libopenlibm3 libpcre2-8-0
libquadmath0 libssh2-1 libunwind8 libutf8proc2 libz3-4""".split()
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
# Its OpenBLAS takes CPUs that are younger than itself for the oldest that it knows.
WRAPPER = """#!/bin/sh
# Julia {version} of Debian, with the libraries that it was built for
lib="{root}/usr/lib/{triplet}"
export LD_LIBRARY_PATH="$lib:$lib/julia"
export OPENBLAS_CORETYPE={core}
exec "{root}/usr/bin/julia" "$@"
"""


class NoJulia(Exception):
    """There is no Julia, and none could be unpacked; the message says why, and what helps."""


def program(prefix: Path) -> str:
    """The Julia of an environment."""
    return str(prefix / "bin" / "julia")


def settle(prefix: Path):
    """Puts a link to the machine's own Julia, or one that is unpacked here, into the environment. Raises NoJulia."""
    place = Path(program(prefix))
    own = shutil.which("julia", path=os.pathsep.join([os.environ.get("PATH", ""), str(Path.home() / ".juliaup/bin")]))
    if own:
        found = _version(own)
        if found < OLDEST:
            named = ".".join(map(str, found)) or "of no version"
            raise NoJulia(f"{own} is Julia {named}, too old: Julia 1.5 or later is needed; {HELP}")
        place.unlink(missing_ok=True)
        place.symlink_to(own)
        return
    _unpack(prefix, place)
    if not _version(str(place)):
        raise NoJulia(f"the Julia of Debian's {SUITE} does not run here; {HELP}")


def _version(command) -> tuple:
    try:
        done = subprocess.run([command, "--version"], check=False, capture_output=True, text=True, timeout=120)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return tuple(map(int, re.findall(r"\d+", done.stdout)[:2]))


def _unpack(prefix, place):
    """Debian's packages of SUITE into prefix/julia: apt fetches and verifies them, nothing is installed."""
    name = dict(re.findall(r"^(ID|VERSION_ID)=\"?(\w+)", _text("/etc/os-release"), re.MULTILINE))
    if (name.get("ID"), name.get("VERSION_ID"), platform.machine()) != ("debian", "12", "x86_64"):
        raise NoJulia(f"there is no julia on PATH; {HELP}")
    if not shutil.which("apt-get"):
        raise NoJulia(f"there is no julia on PATH, and no apt-get; {HELP}")
    root = prefix / "julia"
    shutil.rmtree(root, ignore_errors=True)
    for folder in ("lists/partial", "archives/partial", "cache"):
        (root / folder).mkdir(parents=True)
    (root / "sources.list").write_text(f"deb [signed-by={KEYRING}] {_mirror()} {SUITE} main\n")
    settings = {
        "Dir::Etc::SourceList": root / "sources.list",
        "Dir::Etc::SourceParts": "/dev/null",
        "Dir::State::Lists": root / "lists",
        "Dir::State::Status": "/dev/null",
        "Dir::Cache": root / "cache",
        "Dir::Cache::Archives": root / "archives",
        "Acquire::Languages": "none",
    }
    apt = ["apt-get", "-qq", *(f"-o{key}={value}" for key, value in settings.items())]
    _must([*apt, "update"], root)
    _must([*apt, "download", *PACKAGES], root / "archives")
    for package in sorted((root / "archives").glob("*.deb")):
        _must(["dpkg-deb", "-x", str(package), str(root)], root)
    for folder in ("lists", "archives", "cache"):
        shutil.rmtree(root / folder)
    flags = set(re.search(r"^flags\s*:(.*)", _text("/proc/cpuinfo") + "flags:", re.MULTILINE)[1].split())
    core = "SkylakeX" if {"avx512f", "avx512dq", "avx512bw", "avx512vl"} <= flags else "Haswell"
    place.parent.mkdir(exist_ok=True)
    text = WRAPPER.format(version=VERSION, root=root, triplet="x86_64-linux-gnu", core=core)
    place.write_text(text if "avx2" in flags else text.replace(f"export OPENBLAS_CORETYPE={core}\n", ""))
    place.chmod(0o755)


def _mirror() -> str:
    """The mirror of Debian that the machine's own sources name."""
    files = [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))]
    text = "\n".join(map(_text, files))
    found = re.findall(r"^(?:URIs:\s*|deb (?:\[.*?\] )?)(\S+/debian)/?\s", text, re.MULTILINE)
    return (found or ["http://deb.debian.org/debian"])[0]


def _text(path) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _must(command, folder):
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=folder)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines() or [f"it ended with {done.returncode}"]
        raise NoJulia(f"Julia could not be unpacked from Debian's {SUITE} (network?): {said[-1]}; {HELP}")
