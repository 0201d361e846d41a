"""Environments are made once, from locks with hashes; kernels see a whitelisted environment. No network is needed."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from catalog import locks
from runner import environments
from runner.hosts import cpu

REPOSITORY = Path(__file__).resolve().parent.parent
ENTRIES = tomllib.loads((REPOSITORY / "frameworks.toml").read_text())["environments"]
LOCKS = sorted((REPOSITORY / "environments").glob("*.txt"))
VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
RUNNING = sys._base_executable  # not that of a virtual environment


def pins(stem):
    """{package: version} of a lock."""
    blocks = locks.blocks((REPOSITORY / "environments" / f"{stem}.txt").read_text())
    return {name: re.match(r"[^=]+==+([^ ;]+)", block).group(1) for name, block in blocks.items()}


# ---------------------------------------------------------------------------------------------------- the processor
@pytest.mark.parametrize(
    ("vendor", "flags", "told"),
    [
        ("AuthenticAMD", "fpu avx2 sha", True),
        ("GenuineIntel", "fpu avx2 sha", False),
        ("AuthenticAMD", "fpu sha", False),
    ],
)
def test_an_old_mkl_is_told_of_amds_avx2(tmp_path, monkeypatch, vendor, flags, told):
    path, real = tmp_path / "cpuinfo", cpu.made_by_intel
    path.write_text(f"vendor_id\t: {vendor}\nflags\t\t: {flags}\n")
    monkeypatch.setattr(cpu, "made_by_intel", lambda: real(path))
    entry = {"variables_unless_intel": {"MKL_DEBUG_CPU_TYPE": "5"}}
    seen = environments.kernel_environ(entry, Path("/prefix"), 1, Path("/scratch"))
    assert ("MKL_DEBUG_CPU_TYPE" in seen) == told


# ------------------------------------------------------------------------------------------------------------- locks
@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_every_requirement_has_a_hash_and_says_via_what_it_came(lock):
    blocks = locks.blocks(lock.read_text())
    assert len(re.findall(r"^[^\s#]", lock.read_text(), re.MULTILINE)) == len(blocks) > 0
    for name, block in blocks.items():
        assert re.search(r"^ +--hash=sha256:[0-9a-f]{64}( \\)?$", block, re.MULTILINE), name
        assert re.search(r"^    # via( |$)", block, re.MULTILINE), name
    assert "://" not in lock.read_text(), "a lock names no index"


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_a_lock_holds_what_its_in_file_pins(lock):
    held = pins(lock.stem)
    source = lock.with_suffix(".in").read_text()
    for name, version in re.findall(r"^([A-Za-z0-9_-]+)(?:\[[\w,-]+\])?==+([\w.]+)", source, re.MULTILINE):
        assert held[locks.normal(name)].split("+")[0] == version, name


def test_kernels_of_every_environment_can_write_records():
    for entry in (entry for name, entry in ENTRIES.items() if name != "site"):  # which runs no kernel
        for device in ("cpu", "gpu"):
            held = pins(locks.lock_file(REPOSITORY, entry, device).stem)
            kernel = set() if entry.get("language") == "R" else {"ipykernel"}
            assert {"matplotlib", "pooch", "numpy", "tomli", "threadpoolctl"} | kernel <= set(held)


def test_locks_of_main_agree():
    cpu, gpu, tensorflow = pins("main-cpu"), pins("main-gpu"), pins("tensorflow-gpu")
    assert {**cpu, "torch": "2.13.0"}.items() <= gpu.items()
    assert cpu["tensorflow-cpu"] == tensorflow["tensorflow"] and len(set(cpu) & set(tensorflow)) > 50
    assert all(cpu.get(name, version) == version for name, version in tensorflow.items())
    assert not [name for name in cpu if name.startswith(("nvidia-cu", "cuda")) or name == "triton"]


def test_torch_is_the_cpu_build_in_one_lock_and_the_cuda_build_in_the_other():
    cpu, gpu = ((REPOSITORY / "environments" / f"main-{device}.txt").read_text() for device in ("cpu", "gpu"))
    cpu, gpu = locks.blocks(cpu)["torch"], locks.blocks(gpu)["torch"]
    assert cpu.startswith("torch==2.13.0+cpu ") and cpu.count("--hash") == 3  # one for each Python
    assert gpu.startswith("torch===2.13.0 ")  # "==" would admit 2.13.0+cpu
    assert not set(re.findall(r"sha256:\w+", cpu)) & set(re.findall(r"sha256:\w+", gpu))
    assert "torch.version.cuda" in locks.per_device(ENTRIES["main"], "check", "gpu")


def test_no_lock_holds_one_nvidia_library_for_two_releases_of_cuda():
    """Their wheels write the same files: the one that is installed last would serve both."""
    for lock in LOCKS:
        releases = set(re.findall(r"^nvidia-[a-z]+-(cu\d+)==", lock.read_text(), re.MULTILINE))
        assert len(releases) <= 1, (lock.name, releases)


def test_the_conda_file_is_main_gpu():
    text = (REPOSITORY / "environment.yml").read_text()
    assert "- -r environments/main-gpu.txt" in text
    assert f"python={locks.pythons(ENTRIES['main'])[0]}\n" in text


def test_uv_is_pinned():
    assert list(pins("uv")) == ["uv"]


LOCK = """# made by hand
alpha==1.0 ; python_full_version < '3.12' \\
    --hash=sha256:{a}
    # via
    #   -r x.in
    #   Delta.Two
beta==2.0+cpu \\
    --hash=sha256:{a} \\
    --hash=sha256:{b}
    # via alpha
delta-two[extra]===4.0 \\
    --hash=sha256:{b}
    # via -r x.in
other==9
    # via -r via.in
"""


def test_closure_follows_the_via_comments():
    text = LOCK.format(a="0" * 64, b="1" * 64)
    assert locks.closure(text, ["alpha"]) == ["alpha==1.0", "beta==2.0+cpu"]
    assert locks.closure(text, ["delta_two"]) == ["alpha==1.0", "beta==2.0+cpu", "delta-two==4.0"]
    assert locks.closure(text, ["other"]) == ["other==9"]
    assert locks.closure(LOCK.format(a="2" * 64, b="3" * 64), ["alpha"]) == ["alpha==1.0", "beta==2.0+cpu"]
    with pytest.raises(ValueError, match="does not hold nothing"):
        locks.closure(text, ["nothing"])


def test_closures_of_real_locks():
    text = (REPOSITORY / "environments" / "main-cpu.txt").read_text()
    torch = locks.closure(text, ["torch"])
    assert {"torch==2.13.0+cpu", "sympy==1.14.0", "mpmath==1.3.0"} <= set(torch) and len(torch) < 20
    assert not {name for name in torch if name.startswith(("jax", "keras", "pytest"))}
    assert "numpy==2.4.6" in locks.closure(text, ["jax"])
    text = (REPOSITORY / "environments" / "cntk.txt").read_text()
    assert {"cntk==2.7.post2", "numpy==1.19.5"} <= set(locks.closure(text, ["cntk"]))


# ------------------------------------------------------------------------------------------------------------ making
@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A folder with one wheel, tiny 1.0, that only the user's pip configuration points to; no index at all."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    info, wheel = "tiny-1.0.dist-info", folder / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("tiny.py", "value = 1\n")
        # it asks for what nobody has: a lock is installed without resolving
        file.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\nRequires-Dist: nobody\n")
        file.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        file.writestr(f"{info}/RECORD", f"tiny.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
    for variable in ("UV_INDEX", "UV_FIND_LINKS", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("UV_DEFAULT_INDEX", folder.as_uri())  # it has no page for any package
    uv = environments.find_uv(REPOSITORY)  # it is there: the main environment was made with it
    monkeypatch.setattr(environments, "find_uv", lambda root: uv)
    root = tmp_path / "repo"
    (root / "environments").mkdir(parents=True)
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (root / "environments" / "main.txt").write_text(f"tiny==1.0 --hash=sha256:{digest}\n    # via -r main.in\n")
    return root


def test_an_environment_is_made_once_and_an_incomplete_one_again(shelf):
    entry = {"python": VERSION, "lock": "main.txt", "check": {"cpu": "import tiny", "gpu": "import nobody"}}
    entry |= {"links": {"libold.so.1": "libc.so.6"}, "variables": {"LD_LIBRARY_PATH": "{prefix}/links"}}
    entry |= {"disk_mb": {"cpu": 7}, "download_mb": 3}
    assert environments.size(shelf, "main", entry, "cpu") == {"disk_mb": 7, "download_mb": 3}
    said = []
    prefix = environments.make(shelf, "main", entry, "cpu", said.append)
    python = environments.interpreter(prefix)
    assert environments.probe(python, "import tiny; assert tiny.value == 1") == ""
    assert environments.size(shelf, "main", entry, "cpu") == {"disk_mb": 0, "download_mb": 0}
    assert len(said) == 1 and environments.make(shelf, "main", entry, "cpu", said.append) == prefix
    # an old name is linked to the system's library
    assert (prefix / "links" / "libold.so.1").resolve().name.startswith("libc")
    environ = {**os.environ, **environments.variables(entry, prefix)}
    assert environments.probe(python, "import ctypes; ctypes.CDLL('libold.so.1')", environ=environ) == ""
    assert len(said) == 1
    (prefix / "complete").unlink()
    (prefix / "left-over").touch()
    environments.make(shelf, "main", entry, "cpu", said.append)
    assert len(said) == 2 and not (prefix / "left-over").exists()
    # one whose Python has gone is made anew, too; another lock is another environment
    Path(python).unlink()
    assert not environments.is_made(prefix)
    (shelf / "environments" / "main.txt").write_text("# changed\n")
    assert environments.prefix_of(shelf, "main", entry, "cpu") != prefix


def test_the_newest_of_a_name_can_be_typed(shelf):
    entry = {"python": VERSION, "lock": "main.txt"}
    old = environments.make(shelf, "main", entry, "cpu", len)
    link = shelf / ".environments" / "main"
    assert link.resolve() == old.resolve() and environments.probe(str(link / "bin" / "python"), "import tiny") == ""
    lock = shelf / "environments" / "main.txt"
    lock.write_text(lock.read_text() + "# changed\n")
    new = environments.make(shelf, "main", entry, "cpu", len)
    assert link.resolve() == new.resolve() != old.resolve() and environments.is_made(old)
    assert not list(link.parent.glob("*.part"))


def test_another_file_than_the_lock_means_is_refused(shelf):
    (shelf / "environments" / "main.txt").write_text(f"tiny==1.0 --hash=sha256:{'0' * 64}\n")
    entry = {"python": VERSION, "lock": "main.txt", "needs": "apt-get install something"}
    with pytest.raises(environments.Broken, match="(?s)environment main .*Hash mismatch.*Remedy.*apt-get") as broken:
        environments.make(shelf, "main", entry, "cpu", len)
    first, *_, last, _ = str(broken.value).splitlines()
    assert last.strip() and first.endswith(f"could not be made: {last.strip()}"), "a batch tells the first line alone"
    assert not list(shelf.glob(".environments/*/complete"))


def test_an_index_out_of_reach_is_left_out(shelf, monkeypatch):
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    entry = {"python": VERSION, "lock": "main.txt", "check": "import tiny"}
    entry |= {"indexes": {"cpu": ["http://127.0.0.1:9/simple"]}, "fallback": {"lock": "x.txt", "packages": ["tiny"]}}
    said = []
    prefix = environments.make(shelf, "main", entry, "cpu", said.append)
    assert environments.is_made(prefix) and len(said) == 1, "its own build, and not the fallback's"


def test_where_a_build_is_missing_the_fallbacks_is_taken(shelf, tmp_path, monkeypatch):
    uv = tmp_path / "uv"  # knows no build when it is asked, and "installs" what it is told to
    uv.write_text(f"""#!/bin/sh
case "$*" in *--dry-run*) exit 1;; "python find"*) echo {sys.executable}; exit;; esac
[ $1 = pip ] || {{ mkdir -p $5/bin; ln -s {sys.executable} $5/bin/python; exit; }}
for last; do :; done; cp $last {tmp_path}/installed
""")
    uv.chmod(0o755)
    monkeypatch.setattr(environments, "find_uv", lambda root: str(uv))
    (shelf / "environments" / "main.txt").write_text("tiny==1+cpu\n    # via -r x\nown==1\n    # via -r x\n")
    (shelf / "environments" / "gpu.txt").write_text("cuda==2\n    # via tiny\ntiny===1\n    # via -r x\n")
    entry = {"python": VERSION, "lock": "main.txt", "fallback": {"cpu": {"lock": "gpu.txt", "packages": ["tiny"]}}}
    said = []
    environments.make(shelf, "main", entry, "cpu", said.append)
    assert said[1] == "no index gives tiny==1+cpu: taken from gpu.txt"
    assert sorted(re.findall(r"^\w\S+", (tmp_path / "installed").read_text(), re.M)) == [
        "cuda==2",
        "own==1",
        "tiny===1",
    ]


def test_merged_takes_a_package_and_its_dependencies_from_the_other_lock():
    own = "a==1+cpu\n    # via -r x.in\nb==1\n    # via -r x.in\n"
    other = "a==1\n    # via -r x.in\nb==2\n    # via -r x.in\nc==3\n    # via a\n"
    assert locks.merged(own, other, ["a"]) == "a==1\n    # via -r x.in\nb==1\n    # via -r x.in\nc==3\n    # via a\n"


def test_what_the_system_lacks_is_told_with_the_command_that_provides_it(shelf):
    entry = {"python": VERSION, "lock": "main.txt", "libraries": ["libc.so.6", "libnowhere.so.7"]}
    entry |= {"commands": ["no-such-tool"], "needs": "apt-get install libnowhere7"}
    with pytest.raises(environments.Unavailable, match="needs libnowhere.so.7, no-such-tool: apt-get install libnow"):
        environments.make(shelf, "main", entry, "cpu", len)


# ------------------------------------------------------------------------------------------------------- interpreters
@pytest.fixture
def bare(tmp_path, monkeypatch):
    """A machine with the pinned uv, without pyenv and pythons but the running one; returns its PATH folder."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))  # uv on the user's may be a script that needs the rest of it
    uv = environments.find_uv(REPOSITORY)
    monkeypatch.setattr(environments, "find_uv", lambda root: uv)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setenv("UV_PYTHON_INSTALL_DIR", str(tmp_path / "uv"))
    (tmp_path / "bin").mkdir()
    return tmp_path / "bin"


def test_a_missing_interpreter_is_told_with_the_remedy(bare, tmp_path):
    (tmp_path / "environments").mkdir()
    (tmp_path / "environments" / "x.txt").write_text("")
    entry = {"python": ["3.98", "3.99"], "lock": "x.txt"}
    with pytest.raises(environments.Unavailable, match=r"no Python 3\.98 or 3\.99: pyenv install 3\.98, .*conda"):
        environments.make(tmp_path, "main", entry, "cpu", len)


def test_the_first_version_that_is_there_is_taken(bare, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path))
    versions = ["3.98", VERSION]
    with pytest.raises(environments.Unavailable, match=r"3\.98"):
        environments.find_python(["3.98"], tmp_path)
    in_pyenv = tmp_path / "pyenv" / "versions" / f"{VERSION}.9" / "bin" / f"python{VERSION}"
    in_pyenv.parent.mkdir(parents=True)
    in_pyenv.symlink_to(RUNNING)
    assert environments.find_python(versions, tmp_path) == str(in_pyenv)
    shim = bare / f"python{VERSION}"  # it points nowhere
    shim.write_text("#!/bin/sh\nexit 127\n")
    shim.chmod(0o755)
    assert environments.find_python(versions, tmp_path) == str(in_pyenv)
    shim.unlink()
    shim.symlink_to(RUNNING)
    assert environments.find_python(versions, tmp_path) == str(shim)
    assert locks.pythons({"python": "3.6"}) == ["3.6"]


def test_a_version_that_is_there_comes_before_one_that_uv_could_fetch(bare, tmp_path, monkeypatch):
    uv, there = tmp_path / "uv", tmp_path / "there"
    there.mkdir()
    uv.write_text(f"""#!/bin/sh
if [ $2 = install ]; then [ $3 != 3.96 ] && : > {there}/$3; else [ -e {there}/$4 ] && echo python$4; fi
""")
    uv.chmod(0o755)
    monkeypatch.setattr(environments, "find_uv", lambda root: str(uv))
    versions = ["3.96", "3.97", "3.98"]
    with pytest.raises(environments.Unavailable, match=r"3\.96"):
        environments.find_python(versions[:1], tmp_path)
    assert environments.find_python(versions, tmp_path) == "python3.97", "the best one that can be fetched"
    (there / "3.97").rename(there / "3.98")
    assert environments.find_python(versions, tmp_path) == "python3.98", "nothing is fetched"


def test_conda_provides_an_interpreter(bare, tmp_path):
    conda = bare / "conda"
    conda.write_text("#!/bin/sh\n[ $6 = python=3.99 ] && /bin/mkdir -p $5/bin && echo > $5/bin/python\n")
    conda.chmod(0o755)
    assert environments.find_python(["3.99"], tmp_path) == str(tmp_path / ".environments/conda-python3.99/bin/python")


@pytest.fixture
def pinned(tmp_path, monkeypatch):
    """A checkout that pins uv 7.7.7, on a machine without it and without an index."""
    (tmp_path / "environments").mkdir()
    (tmp_path / "environments" / "uv.txt").write_text(f"uv==7.7.7 \\\n    --hash=sha256:{'0' * 64}\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    return tmp_path


def test_only_the_pinned_uv_is_used(pinned, monkeypatch):
    script = pinned / "uv"
    script.write_text("#!/bin/sh\necho uv 7.7.6\n")
    script.chmod(0o755)
    no_index = pinned / "python3"
    no_index.write_text("""#!/bin/sh
[ $2 = pip ] && { echo no index >&2; exit 1; }
/bin/mkdir -p $4/bin && /bin/cp $0 $4/bin/python
""")
    no_index.chmod(0o755)
    with monkeypatch.context() as patch, pytest.raises(environments.Unavailable, match="install uv.*no index"):
        patch.setattr(sys, "executable", str(no_index))
        environments.find_uv(pinned)
    script.write_text("#!/bin/sh\necho 'uv 7.7.7 (linux)'\n")
    assert environments.find_uv(pinned) == str(script)
    script.unlink()
    own = pinned / ".environments" / "uv-7.7.7" / "bin" / "uv"
    own.parent.mkdir(parents=True)
    own.touch()
    assert environments.find_uv(pinned) == str(own)


def test_without_venv_the_command_is_told(pinned, monkeypatch):
    python = pinned / "python3"
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    with pytest.raises(environments.Unavailable, match="makes no venv.*apt-get install python3-venv"):
        environments.find_uv(pinned)


def test_pip_configuration_reaches_uv(monkeypatch, tmp_path):
    for variable in [name for name in os.environ if name.startswith(("PIP_", "UV_"))]:
        monkeypatch.delenv(variable)
    config = tmp_path / "pip.conf"
    config.write_text(
        "[global]\nindex-url = https://one.example/simple\nfind-links =\n  /a\n  /b\n[install]\ntrusted-host = h\n"
    )
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "https://two.example/simple")
    environ = environments.uv_environ(RUNNING)
    assert environ["UV_DEFAULT_INDEX"] == "https://one.example/simple"
    assert environ["UV_FIND_LINKS"] == "/a,/b"
    assert environ["UV_INDEX"].split()[0] == "https://two.example/simple"
    assert environ["UV_INSECURE_HOST"] == "h"


# ----------------------------------------------------------------------------------------------------------- kernels
def test_a_kernel_sees_whitelisted_variables_and_its_own(monkeypatch):
    monkeypatch.setattr(cpu, "openblas_kernels", lambda: {"C": "c"})
    for name in list(os.environ):
        monkeypatch.delenv(name)
    for name in ("HOME", "PATH", "LC_ALL", "https_proxy", "SSL_CERT_FILE", "CUDA_VISIBLE_DEVICES", "ROSETTA_DATA"):
        monkeypatch.setenv(name, f"my {name}")
    for name in ("LD_LIBRARY_PATH", "TF_ENABLE_ONEDNN_OPTS", "OMP_NUM_THREADS", "PYTHONPATH", "JUPYTER_PATH"):
        monkeypatch.setenv(name, "the shell's")
    entry = {"variables": {"A": "{prefix}/a"}, "caches": {"B": "{scratch}/b"}}
    environ = environments.kernel_environ(entry, Path("/p"), 3, Path("/s"))
    assert environ == {
        **{name: f"my {name}" for name in ("HOME", "PATH", "LC_ALL", "https_proxy", "SSL_CERT_FILE")},
        **{"ROSETTA_DATA": "my ROSETTA_DATA", "CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu", "LANG": "C.UTF-8"},
        **dict.fromkeys(environments.THREADS, "3"),
        **{"A": "/p/a", "B": "/s/b", "C": "c"},
    }
    entry = {"variables": {"LD_LIBRARY_PATH": "{prefix}/links"}}
    assert environments.kernel_environ(entry, Path("/p"), 1, Path("/s"))["LD_LIBRARY_PATH"] == "/p/links"
    on_gpu = environments.kernel_environ({}, Path("/p"), 1, Path("/s"), "gpu")
    assert on_gpu["LD_LIBRARY_PATH"] == "the shell's" and on_gpu["HOME"] == "my HOME"
    assert on_gpu["CUDA_VISIBLE_DEVICES"] == "my CUDA_VISIBLE_DEVICES" and "JAX_PLATFORMS" not in on_gpu


@pytest.mark.parametrize(
    ("vendor", "family", "model", "flags", "expected"),
    [
        ("AuthenticAMD", 26, 2, "fpu avx2 avx512f avx512vl sha", {"OPENBLAS_CORETYPE": "SkylakeX"}),
        ("AuthenticAMD", 26, 2, "fpu avx2 sha", {}),
        ("AuthenticAMD", 25, 17, "fpu avx2 avx512f avx512vl sha", {}),
        ("GenuineIntel", 6, 207, "fpu avx2 avx512f avx512vl sha", {"OPENBLAS_CORETYPE": "SkylakeX"}),
        ("GenuineIntel", 6, 143, "fpu avx2 sha", {}),
        ("GenuineIntel", 6, 85, "fpu avx2 avx512f avx512vl sha", {}),
        ("GenuineIntel", 26, 2, "fpu avx2 avx512f avx512vl sha", {}),
    ],
)
def test_an_old_openblas_is_told_which_kernels_a_young_cpu_has(tmp_path, vendor, family, model, flags, expected):
    (tmp_path / "cpuinfo").write_text(
        f"vendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\nmodel name\t: a CPU\nflags\t\t: {flags}\n"
    )
    assert cpu.openblas_kernels(tmp_path / "cpuinfo") == expected
    assert cpu.openblas_kernels(tmp_path / "missing") == {}


def test_a_kernel_is_written_for_one_run(tmp_path):
    jupyter = environments.write_kernel(tmp_path, "rosetta-x", ["/bin/R", "{connection_file}"], "R")
    spec = json.loads((jupyter / "kernels" / "rosetta-x" / "kernel.json").read_text())
    assert "env" not in spec and spec["argv"][0] == "/bin/R" and spec["language"] == "R"


# ---------------------------------------------------------------------------------------------------------- run_all.sh
@pytest.mark.parametrize("name", ["python3.12", "python3.13", "python3"])
def test_run_all_finds_a_python_and_passes_its_options_on(tmp_path, name):
    python = tmp_path / name
    python.write_text('#!/bin/sh\n[ "$1" = -c ] || echo "$PYTHONPATH" "$@"\n')
    python.chmod(0o755)
    said = run_all(tmp_path, "--row", "a b")
    assert said.stdout == f"{REPOSITORY} -P -m runner --row a b\n"


def test_no_module_of_the_folder_that_it_is_called_from_is_imported(tmp_path):
    for name in ("psutil", "jsonschema", "statistics", "common", "runner"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a module of another folder')")
    command = ["/bin/bash", str(REPOSITORY / "run_all.sh"), "--list", "--workload", "affine_transfer"]
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    said = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert said.returncode == 0 and "numpy" in said.stdout, said.stderr


def test_run_all_without_a_python_tells_the_command(tmp_path):
    said = run_all(tmp_path)
    assert said.returncode == 1 and "apt-get install python3 python3-venv python3-pip" in said.stderr
    assert len((REPOSITORY / "run_all.sh").read_text().splitlines()) < 40


def run_all(folder, *options):
    """Runs run_all.sh on a machine with what is in `folder`, dirname and readlink alone."""
    for program in ("dirname", "readlink"):
        (folder / program).symlink_to(f"/usr/bin/{program}")
    environ = {"PATH": str(folder), "HOME": str(folder)}
    command = ["/bin/bash", str(REPOSITORY / "run_all.sh"), *options]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=False)


@pytest.mark.kernels
def test_pip_install_makes_common_importable_and_nothing_else(tmp_path):
    """As README says to who opens a lesson alone: `pip install -e .`, then `from common.data import cifar10`."""
    project = tmp_path / "project"
    project.mkdir()
    for name in ("common", "referee", "runner"):
        shutil.copytree(environments.ROOT / name, project / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(environments.ROOT / "pyproject.toml", project)
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", str(tmp_path / "venv")], check=True)
    python = str(tmp_path / "venv" / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", "-e", str(project)], check=True)
    code = (
        "import importlib.util as u; from common.data import cifar10; print(cifar10.__file__, u.find_spec('referee'))"
    )
    done = subprocess.run([python, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(project / "common" / "data" / "cifar10.py"), "None"]
