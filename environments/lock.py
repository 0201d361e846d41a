"""Makes the locks (NAME.txt) of the environments from their .in files, on Python 3.11 or later:

    python environments/lock.py [NAME ...]      (main-cpu, mxnet, build, uv, ...; default: all)

Versions that a lock holds stay as they are where its .in file allows; to have a package's newest,
delete it from the lock first. A lock holds the hashes of the files for x86_64 Linux and the
environment's Pythons (of the source where there is no wheel), and says "via" which packages each
one came. Comments in an .in file: "#-" names dependencies to leave out; "#=" gives a pin with the
hashes of builds that PyPI does not have, and replaces PyPI's.
"""

import re
import statistics
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
from catalog import locks  # noqa: E402
from runner import environments  # noqa: E402

SYSTEM = "sys_platform == 'linux' and platform_machine == 'x86_64'"
PROJECT = """[project]
name = "locks"
version = "0"
requires-python = ">={first}"
[tool.uv]
environments = ["{system} and implementation_name == 'cpython' and python_version <= '{last}'"]
"""


def directives(text: str, sign: str) -> list:
    """The words of each comment that begins with `sign`."""
    return [line[2:].split() for line in text.splitlines() if line.startswith(sign)]


def compile_lock(uv: str, stem: str, pythons: list) -> tuple:
    """uv's requirements file with the hashes of all files, and the set of those that fit.

    Raises subprocess.CalledProcessError where there is no solution.
    """
    with tempfile.TemporaryDirectory() as scratch:
        for path in [*FOLDER.glob("*.in"), *FOLDER.glob("*.txt")]:
            bare = re.sub(r" \\\n +--hash=\S+", "", path.read_text())  # uv would keep old hashes
            Path(scratch, path.name).write_text(bare)
        left_out = directives((FOLDER / f"{stem}.in").read_text(), "#-")
        lines = [f"{name}; python_version < '0'\n" for words in left_out for name in words]
        Path(scratch, "left-out").write_text("".join(lines))
        project = PROJECT.format(system=SYSTEM, first=pythons[0], last=pythons[-1])
        Path(scratch, "pyproject.toml").write_text(project)
        command = [uv, "pip", "compile", f"{stem}.in", "--quiet", "--no-header"]
        command += ["--generate-hashes", "--override", "left-out", "--python-version", pythons[0]]
        command += ["--python", environments.find_python(pythons, FOLDER.parent)]
        several = len(pythons) > 1
        command += ["--universal"] if several else ["--python-platform", "x86_64-manylinux_2_40"]
        command += [] if stem == "build" else ["--build-constraints", "build.txt"]
        for more in ([f"{stem}.txt"], ["pylock.toml", "--constraints", f"{stem}.txt"]):
            subprocess.run([*command, "--output-file", *more], cwd=scratch, check=True)
        packages = tomllib.loads(Path(scratch, "pylock.toml").read_text())["packages"]
        files = [file for p in packages for file in p.get("wheels") or [p["sdist"]]]
        fitting = {file["hashes"]["sha256"] for file in files}
        return Path(scratch, f"{stem}.txt").read_text(), fitting


def write_lock(uv: str, stem: str, pythons: list):
    """Writes environments/STEM.txt for all `pythons`."""
    source = (FOLDER / f"{stem}.in").read_text()
    text, fitting = compile_lock(uv, stem, pythons)
    blocks = locks.blocks(text)
    heads = {n: block.splitlines()[0].rstrip(" \\").split(" ; ") for n, block in blocks.items()}
    # uv repeats SYSTEM in the marker of each package: what most of them carry goes without saying
    always = statistics.mode("".join(head[1:]) for head in heads.values()).split(" and ")
    lines = [f"# Made by lock.py from {stem}.in."]
    for name, block in blocks.items():
        pin, *marker = heads[name]
        if f"\n{name}===" in source:
            pin = pin.replace("==", "===", 1)
        hashes = [f"sha256:{h}" for h in re.findall(r"sha256:(\w+)", block) if h in fitting]
        for own, *those in directives(source, "#="):
            if own.startswith(f"{name}=="):
                pin, hashes = own, those
        rest = [clause for clause in "".join(marker).split(" and ") if clause not in always]
        head = f"{pin} ; {' and '.join(rest)}" if rest else pin
        lines.append(" \\\n    --hash=".join([head, *hashes]))
        lines += [line for line in block.splitlines() if line.startswith("    #")]
    (FOLDER / f"{stem}.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    jobs = {"build": ["3.7"], "uv": ["3.11"]}
    entries = tomllib.loads((FOLDER.parent / "frameworks.toml").read_text())["environments"]
    for entry in entries.values():
        for device in ("cpu", "gpu"):
            file = locks.lock_file(FOLDER.parent, entry, device)
            jobs[file.stem] = locks.pythons(entry)
    if unknown := {*sys.argv[1:]} - {*jobs}:
        sys.exit(f"no lock {', '.join(sorted(unknown))}; there are: {', '.join(jobs)}")
    try:
        tool = environments.find_uv(FOLDER.parent)
        for job in sys.argv[1:] or jobs:
            print(job, flush=True)
            write_lock(tool, job, jobs[job])
    except (environments.Unavailable, OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"lock.py: {error}")
