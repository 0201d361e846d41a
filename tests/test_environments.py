"""Environments are made once, from their lock, where the user's pip looks; environment.yml and the locks keep step."""

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from runner import environments, matrix

REPOSITORY = Path(__file__).resolve().parent.parent
FRAMEWORKS = [
    "torch",
    "keras",
    "jax",
    "jaxlib",
    "flax",
    "optax",
    "numpy",
    "scipy",
    "protobuf",
    "papermill",
    "ipykernel",
]
VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"


def pins(path):
    """{package: version} of a lock; each line must be a plain pin."""
    found = {}
    for line in path.read_text().splitlines():
        if not line.startswith("#"):
            name, version = re.fullmatch(r"([a-z0-9._-]+)==([\w.]+)", line).groups()
            found[name] = version
    return found


def test_every_lock_is_plain_and_holds_what_its_in_file_pins():
    for lock in (REPOSITORY / "environments").glob("*.txt"):
        held = pins(lock)
        wanted = re.findall(r"^([A-Za-z0-9_-]+)(?:\[[\w,-]+\])?==([\w.]+)", lock.with_suffix(".in").read_text(), re.MULTILINE)
        assert all(held[name.lower().replace("_", "-")] == version for name, version in wanted), lock.name
        assert {"ipykernel", "matplotlib", "pooch", "numpy"} <= set(held), lock.name


def test_locks_of_main_agree():
    cpu, gpu = (pins(REPOSITORY / "environments" / f"main-{device}.txt") for device in ("cpu", "gpu"))
    assert {name: cpu[name] for name in FRAMEWORKS} == {name: gpu[name] for name in FRAMEWORKS}
    assert all(gpu[name] == version for name, version in cpu.items())
    tensorflow = pins(REPOSITORY / "environments" / "tensorflow-gpu.txt")
    assert cpu["tensorflow-cpu"] == tensorflow["tensorflow"] and len(set(cpu) & set(tensorflow)) > 50
    assert all(cpu.get(name, version) == version for name, version in tensorflow.items())
    assert not [name for name in cpu if name.startswith(("nvidia-cu", "cuda")) or name == "triton"]


def test_no_lock_holds_one_nvidia_library_for_two_releases_of_cuda():
    """Their wheels write the same files: the one that is installed last would serve both."""
    for lock in (REPOSITORY / "environments").glob("*.txt"):
        releases = set(re.findall(r"^nvidia-[a-z]+-(cu\d+)==", lock.read_text(), re.MULTILINE))
        assert len(releases) <= 1, (lock.name, releases)


def test_the_conda_file_is_main_gpu():
    text = (REPOSITORY / "environment.yml").read_text()
    assert "-r environments/main-gpu.txt" in text
    for entry in matrix.Matrix(REPOSITORY).environments.values():
        for device in ("cpu", "gpu"):
            assert environments.lock_file(REPOSITORY, entry, device).exists()
    assert f"python={matrix.Matrix(REPOSITORY).environments['main']['python']}" in text


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A folder with one wheel, tiny 1.0+cpu, that only the user's pip configuration points to; no index at all."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    info = "tiny-1.0+cpu.dist-info"
    with zipfile.ZipFile(folder / "tiny-1.0+cpu-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny.py", "value = 1\n")
        # it asks for what nobody has: a lock is installed without resolving
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0+cpu\nRequires-Dist: nobody\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", f"tiny.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    root = tmp_path / "repo"
    (root / "environments").mkdir(parents=True)
    (root / "environments" / "main.txt").write_text("tiny==1.0\n")
    return root


@pytest.mark.parametrize("tool", ["uv", "pip"])
def test_an_environment_is_made_once_and_an_incomplete_one_again(shelf, monkeypatch, tool):
    if tool == "pip":
        monkeypatch.setattr(environments, "find_uv", lambda root, base: None)
    entry = {"python": VERSION, "lock": "main.txt", "check": "import tiny"}
    said = []
    prefix = environments.make(shelf, "main", entry, "cpu", said.append)
    assert environments.probe(environments.interpreter(prefix), "import tiny; assert tiny.value == 1") == ""
    assert len(said) == 1
    assert environments.make(shelf, "main", entry, "cpu", said.append) == prefix
    assert len(said) == 1
    (prefix / "complete").unlink()
    (prefix / "left-over").touch()
    environments.make(shelf, "main", entry, "cpu", said.append)
    assert len(said) == 2 and not (prefix / "left-over").exists()
    # another lock is another environment
    (shelf / "environments" / "main.txt").write_text("# changed\ntiny==1.0\n")
    assert environments.prefix_of(shelf, "main", entry, "cpu") != prefix


def test_an_environment_that_cannot_be_made_names_itself_and_the_remedy(shelf):
    (shelf / "environments" / "main.txt").write_text("no-such-package-here==1.0\n")
    entry = {"python": VERSION, "lock": "main.txt", "needs": "apt-get install something"}
    with pytest.raises(environments.Broken, match="(?s)environment main .*no-such-package-here.*Remedy.*apt-get"):
        environments.make(shelf, "main", entry, "cpu", len)
    assert not list(shelf.glob(".environments/*/complete"))


def test_a_missing_interpreter_is_told_with_the_remedy(shelf, monkeypatch):
    monkeypatch.setattr(environments, "find_uv", lambda root, base: None)
    monkeypatch.setattr(environments.shutil, "which", lambda name: None)
    with pytest.raises(environments.Unavailable, match=r"main needs Python 3\.99: uv python install 3\.99.*conda"):
        environments.make(shelf, "main", {"python": "3.99", "lock": "main.txt"}, "cpu", len)


def test_conda_provides_an_interpreter(shelf, monkeypatch, tmp_path):
    monkeypatch.setattr(environments, "find_uv", lambda root, base: None)
    conda = tmp_path / "bin" / "conda"
    conda.parent.mkdir()
    conda.write_text("#!/bin/sh\n[ $1 = create ] && [ $6 = python=3.99 ] && mkdir -p $5/bin && touch $5/bin/python\n")
    conda.chmod(0o755)
    monkeypatch.setenv("PATH", f"{conda.parent}:/usr/bin:/bin")
    assert environments.find_python("3.99", shelf) == str(shelf / ".environments" / "conda-python3.99" / "bin" / "python")


def test_what_the_system_lacks_is_told_with_the_command_that_provides_it(shelf):
    entry = {"python": VERSION, "lock": "main.txt", "libraries": ["libc.so.6", "libnowhere.so.7"], "commands": ["no-such-tool"],
             "needs": "apt-get install libnowhere7"}
    with pytest.raises(environments.Unavailable, match="main needs libnowhere.so.7, no-such-tool: apt-get install libnowhere7"):
        environments.make(shelf, "main", entry, "cpu", len)
    assert not list(shelf.glob(".environments/main*/bin"))


def test_an_old_name_is_linked_to_the_systems_library(shelf):
    entry = {"python": VERSION, "lock": "main.txt", "links": {"libold.so.1": "libc.so.6"},
             "variables": {"LD_LIBRARY_PATH": "{prefix}/links"}, "check": "import ctypes; ctypes.CDLL('libold.so.1')"}
    prefix = environments.make(shelf, "main", entry, "cpu", len)
    assert (prefix / "links" / "libold.so.1").resolve().name.startswith("libc")
    assert environments.variables(entry, prefix) == {"LD_LIBRARY_PATH": f"{prefix}/links"}


def test_an_index_out_of_reach_is_left_out():
    assert environments.indexes_in_reach(["http://127.0.0.1:9/simple", "not a url"]) == []


def test_pip_configuration_reaches_uv(monkeypatch, tmp_path):
    for variable in [name for name in os.environ if name.startswith(("PIP_", "UV_"))]:
        monkeypatch.delenv(variable)
    config = tmp_path / "pip.conf"
    config.write_text("[global]\nindex-url = https://one.example/simple\nfind-links =\n  /a\n  /b\n[install]\ntrusted-host = h\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "https://two.example/simple")
    environ = environments.uv_environ(sys.executable)
    assert environ["UV_DEFAULT_INDEX"] == "https://one.example/simple"
    assert environ["UV_FIND_LINKS"] == "/a,/b"
    assert environ["UV_INDEX"].split()[0] == "https://two.example/simple"
    assert environ["UV_INSECURE_HOST"] == "h"


def test_kernels_are_written_beside_the_environment_not_to_the_user(tmp_path):
    jupyter = environments.write_kernel(tmp_path, "x", "/bin/python", {"A": "1"}, tmp_path / "prefix")
    spec = json.loads((jupyter / "kernels" / "rosetta-x" / "kernel.json").read_text())
    assert spec["env"] == {"PYTHONPATH": str(tmp_path), "A": "1"} and spec["argv"][0] == "/bin/python"


def test_run_all_is_thin_and_passes_its_options_on(tmp_path):
    script = REPOSITORY / "run_all.sh"
    assert len(script.read_text().splitlines()) < 40
    done = subprocess.run([str(script), "--framework", "x"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "pytorch" in done.stderr


def test_a_row_of_every_environment_runs_in_the_tests():
    rows = {row.id: row for row in matrix.Matrix(REPOSITORY).rows("quick", "cpu") if row.precision == "fp32"}
    script = (REPOSITORY / "tests" / "run.sh").read_text()
    named = re.search(r"--row ((?:[\w-]+|\s|\\\n)+)\n\w+=", script).group(1).replace("\\", " ").split()
    assert {rows[name].environment for name in named} == {row.environment for row in rows.values()}
    assert {rows[name].framework for name in named} >= {row.framework for row in rows.values() if not row.era}
