"""Entries of environments in frameworks.toml, and what locks and interpreters hold: packages, and what each needs.

Standard library only: it is read before there is any environment, on Python 3.11 or later.
"""

import os
import re
import subprocess
from pathlib import Path

MARK = "--- asked for ---"  # in a line before and a line behind what is read of a child's standard output

# Prints Python's version and what is installed as a lock has it: each pin, and via what it came.
INSTALLED = r"""import collections, importlib.metadata, re, sys
via, installed = collections.defaultdict(list), {}
for one in [one for one in importlib.metadata.distributions() if one.metadata["Name"]]:  # a torn one has no name
    installed.setdefault(re.sub("[-_.]+", "-", one.metadata["Name"]).lower(), one)  # the first is imported
for one in installed.values():
    for needed in one.requires or []:
        if "extra ==" not in needed:
            name = re.match(r"[\w.-]+", needed).group()
            via[re.sub("[-_.]+", "-", name).lower()].append(one.metadata["Name"])
print("# %d.%d" % sys.version_info[:2])
for name, one in installed.items():
    print(name + "==" + one.version, *via[name], sep="\n    # via ")"""


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


def output(python: str, code: str, *arguments) -> str:
    """What a snippet prints in an interpreter, less what its site's modules print beside it; "" where it fails."""
    marked = f"print({MARK!r})\n{code}\nprint({MARK!r})"
    command = [python, "-c", marked, *arguments]  # away from the caller's folder, which would be on its path
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=os.sep)
    parts = done.stdout.split(f"{MARK}\n")
    return parts[1] if done.returncode == 0 and len(parts) == 3 else ""
