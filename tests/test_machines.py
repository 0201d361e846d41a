"""Other people's machines: what a user's or a site's settings, broken files, full disks and other hosts may do to a batch.

One test for each kind; the cases of a kind are its parameters.
"""

import functools
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from catalog import checkout, files, inputs, locks
from catalog.declarations import Declarations
from runner import __main__ as cli
from runner import batch, environments, job
from runner.hosts import alone, machine
from tests import kernels
from tests.fixtures import fake_repo
from tests.test_runner import FACTS, fake, fields_of, record, repo, results, run  # noqa: F401

REPOSITORY = Path(__file__).resolve().parent.parent
GIT = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]


def shell(command, folder=None, **variables):
    """What a shell says to a command line, with variables beside this process's own (None: without that one)."""
    environ = {name: value for name, value in {**os.environ, **variables}.items() if value is not None}
    options = {"capture_output": True, "check": False, "cwd": folder, "env": environ}
    return subprocess.run(["/bin/bash", "-c", command], **options)


LIST = f"{REPOSITORY}/run_all.sh --list --workload affine_transfer --row numpy"


# --------------------------------------------------------------------------------------------------------- locks
def test_the_machines_lock_does_not_depend_on_the_users_folder_for_temporary_files(tmp_path, monkeypatch):
    before = alone.places(tmp_path / "a")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    assert alone.places(tmp_path / "b")[0] == before[0], "whatever folder the results go to"
    assert before[1].parent == tmp_path / "a", "where a container's /tmp is its own, the results' lock is shared"


def test_another_hosts_running_folders_stay_and_this_hosts_are_removed(repo, fake, monkeypatch):
    monkeypatch.setattr(alone, "host", lambda: "n1")
    left = [results(repo) / name for name in (".running-n1=a", ".running-n1-gpu=a", ".running-n2=a")]
    for folder in left:
        (folder / "more").mkdir(parents=True)
    assert run(repo) == 0
    assert [folder.exists() for folder in left] == [False, True, True]


@pytest.mark.kernels
def test_a_running_jobs_folder_has_the_hosts_name(repo):
    seen = "import os\n\nimport numpy as np\n\nprint(os.environ['IPYTHONDIR'])"
    fake_repo.write_notebook(repo, "one", setup=seen)
    kept = job.run(fields_of(repo, 1))
    text = (results(repo) / kept["notebook"]["file"]).read_text()
    assert kept["status"] == "ok" and f".running-{alone.host()}=" in text


def test_a_lock_names_who_holds_it_now_not_who_wrote_into_it(tmp_path):
    path = tmp_path / "lock"
    path.write_text("1\n")  # of a batch that was killed; process 1 is a stranger
    code = "import fcntl, sys, time; f = open(sys.argv[1], 'a'); fcntl.flock(f, 2); print('held', flush=True); time.sleep(60)"
    holder = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE)
    try:
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(alone.Busy, match=f"^process {holder.pid} holds {path}"), alone.hold(True, [path]):
            pass
    finally:
        holder.kill()
        holder.communicate()
    with alone.hold(True, [path]):
        pass


def test_a_lock_that_somebody_cleaned_away_is_taken_where_others_see_it(tmp_path, monkeypatch):
    path, real = tmp_path / "lock", alone.fcntl.flock

    def cleaned(file, kind):
        real(file, kind)
        monkeypatch.setattr(alone.fcntl, "flock", real)
        path.unlink()

    monkeypatch.setattr(alone.fcntl, "flock", cleaned)
    with alone.hold(True, [path]):
        with pytest.raises(alone.Busy), alone.hold(True, [path]):
            pass


def test_a_file_system_without_locks_is_told_and_the_work_goes_on(tmp_path, monkeypatch):
    def none(file, kind):
        raise OSError(38, "Function not implemented")

    said = []
    monkeypatch.setattr(alone.fcntl, "flock", none)
    with alone.hold(True, [tmp_path / "lock"], say=lambda text, **_: said.append(text)):
        pass
    assert said == [f"{tmp_path} has no locks (Function not implemented): let no other batch of this host work there"]
    with environments.locked(tmp_path / "main"):
        pass


# ------------------------------------------------------------------------- what a child prints before what it is asked
CHATTY = "import atexit\nprint('hello from the site')\natexit.register(print, 'goodbye')\n"


@pytest.fixture
def chatty(tmp_path):
    """A Python whose site prints, at its start and at its end."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(CHATTY)
    python = tmp_path / "bin" / "python3"
    python.parent.mkdir()
    python.write_text(f'#!/bin/sh\nPYTHONPATH={folder}:$PYTHONPATH exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    assert b"hello from the site" in subprocess.run([python, "-c", ""], capture_output=True, check=True).stdout
    return str(python)


def test_what_a_site_prints_is_not_taken_for_an_answer(chatty, monkeypatch):
    assert locks.output(chatty, "import sys; print(sys.prefix)").strip() == sys.prefix
    assert "numpy==" in (said := locks.output(chatty, locks.INSTALLED)) and said.startswith("# 3.")
    assert environments.missing_modules(chatty, ["json", "no_such_module"]) == {"no_such_module"}
    assert environments.probe(chatty, "raise SystemExit('no')") == "no" and environments.probe(chatty, "") == ""
    monkeypatch.setattr(machine.sys, "executable", chatty)
    monkeypatch.setattr(machine, "PEAK", {"cpu": ["numpy"]})
    assert machine.peak("cpu", 1, "fp64")["fp64"] > 0


def test_an_interpreter_that_never_becomes_another_is_not_restarted_for_ever(repo, monkeypatch, capsys):
    monkeypatch.setattr(locks, "output", lambda python, code, *more: "/nowhere\n")

    def restarted(python, argv, environ):
        monkeypatch.setenv(cli.ENTERED, environ[cli.ENTERED])
        raise SystemExit("restarted")

    monkeypatch.setattr(os, "execve", restarted)
    with pytest.raises(SystemExit, match="restarted"):
        run(repo)
    assert run(repo) == 1
    assert "does not say where it is: /nowhere" in capsys.readouterr().err


# ---------------------------------------------------------------------------- the user's and the site's settings
@pytest.mark.kernels
def test_no_setting_of_the_user_or_the_site_reaches_a_kernel(repo, tmp_path, monkeypatch):
    """A matplotlibrc, IPython's settings of the user and of the interpreter; variables of Python, pip, uv and git."""
    home, site = tmp_path / "home", tmp_path / "site"
    for folder in (home / ".config/matplotlib", home / ".ipython/profile_default/startup", site / "startup"):
        folder.mkdir(parents=True)
    (home / ".config/matplotlib/matplotlibrc").write_text("text.usetex: True\nfigure.dpi: 17\n")
    (home / ".ipython/profile_default/startup/a.py").write_text("USER = 1\n")
    (site / "ipython_config.py").write_text("c.InteractiveShellApp.exec_lines = ['SITE = 1']\n")
    (site / "startup" / "a.py").write_text("STARTED = 1\n")
    (tmp_path / "fake_site.py").write_text(  # IPython's list of the site's folders, as if this one were /etc/ipython
        f"from IPython.core import application\napplication.SYSTEM_CONFIG_DIRS.append({str(site)!r})\n"
    )
    monkeypatch.setenv("HOME", str(home))
    theirs = dict(
        PYTHONSTARTUP="x", PYTHONOPTIMIZE="2", PIP_USER="1", UV_SYSTEM_PYTHON="1", GIT_DIR="/x", MPLBACKEND="x"
    )
    for name, value in {**theirs, "MATPLOTLIBRC": "/x"}.items():
        monkeypatch.setenv(name, value)
    check = (
        "import matplotlib, os; assert (matplotlib.rcParams['text.usetex'], matplotlib.rcParams['figure.dpi']) != (True, 17);"
        " assert matplotlib.rcParams['text.usetex'] is False and matplotlib.rcParams['figure.dpi'] == 100;"
        " assert not {'USER', 'SITE', 'STARTED'} & {*globals()}, sorted(globals());"
        f" assert not {{*{sorted(theirs)!r}}} - {{'MPLBACKEND'}} & {{*os.environ}} and os.environ.get('MPLBACKEND') != 'x'"
    )
    fake_repo.write_notebook(repo, "one", train=f"{fake_repo.CELLS['train']}\n        {check}\n")
    fields = fields_of(repo, 1)
    program = fields["kernel"]["argv"][1]
    assert Path(program) == REPOSITORY / "runner" / "languages" / "kernel.py"
    code = (
        f"import runpy, sys; sys.path.insert(0, {str(tmp_path)!r}); import fake_site; "
        f"runpy.run_path({program!r}, run_name='__main__')"
    )
    fields["kernel"]["argv"][1:2] = ["-c", code]
    kept = job.run(fields)
    assert kept["status"] == "ok", kept["reason"]


@pytest.mark.parametrize("name", sorted({row.environment for row in kernels.rows()} - {"r", "julia"}))
@pytest.mark.notebooks
def test_kernels_of_every_python_start_without_the_sites_settings(name):
    python, environ = kernels.of(name)
    code = (
        "from runner.languages import kernel; from IPython.core import application as a; "
        "a.SYSTEM_CONFIG_DIRS.append('/x'); kernel.forget(); "
        "assert not a.SYSTEM_CONFIG_DIRS and not getattr(a, 'ENV_CONFIG_DIRS', [])"
    )
    done = subprocess.run([python, "-c", code], env={**environ, "PYTHONPATH": str(REPOSITORY)}, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


def test_no_module_or_setting_of_pythonpath_reaches_the_runner(tmp_path):
    """A broken psutil, another `common`, a sitecustomize that prints; no docstrings, no assertions; no HOME."""
    for name in ("psutil", "common", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text(f"print('{name} of another project'); raise_an_error\n")
    variables = {"PYTHONPATH": str(tmp_path), "PYTHONOPTIMIZE": "2", "PYTHONHOME": "/nowhere", "HOME": None}
    said = shell(LIST, tmp_path, **variables)
    assert said.returncode == 0 and b"numpy" in said.stdout and b"another project" not in said.stdout, said.stderr


def test_pip_and_uv_install_into_the_environment_whatever_their_settings_say(tmp_path, monkeypatch):
    for name in [name for name in os.environ if name.startswith(("PIP_", "UV_"))]:
        monkeypatch.delenv(name)
    given = dict(PIP_USER="1", PIP_TARGET="/t", PIP_PREFIX="/p", PIP_REQUIRE_VIRTUALENV="1", PIP_NO_BINARY=":all:")
    given |= dict(UV_SYSTEM_PYTHON="1", UV_PYTHON="3.9", UV_EXCLUDE_NEWER="2001-01-01", UV_PROJECT="/x", UV_TARGET="/t")
    base = sys._base_executable  # a virtual environment may have no pip
    needed = dict(
        PIP_INDEX_URL="https://one.example/simple", PIP_PROXY="http://p", UV_CACHE_DIR="/c", UV_NATIVE_TLS="1"
    )
    for name, value in (given | needed | {"VIRTUAL_ENV": "/v", "PYTHONPATH": "/x"}).items():
        monkeypatch.setenv(name, value)
    for environ in (environments.uv_environ(base), environments.pip_environ(base)):
        assert not {*given, "VIRTUAL_ENV", "PYTHONPATH"} & {*environ} and environ["UV_CACHE_DIR"] == "/c"
    assert environ["PIP_INDEX_URL"] == needed["PIP_INDEX_URL"] and environ["PIP_PROXY"] == "http://p"
    assert environ["PIP_CONFIG_FILE"] == os.devnull, "a file may say user, target or prefix, too"
    config = tmp_path / "pip.conf"
    config.write_text("[global]\ntarget = /t\nindex-url = https://two.example\n[install]\nuser = true\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    monkeypatch.delenv("PIP_INDEX_URL")
    assert environments.pip_environ(base)["PIP_INDEX_URL"] == "https://two.example"


def test_no_uv_toml_of_the_callers_folder_counts(tmp_path, monkeypatch):
    (tmp_path / "uv.toml").write_text("no such setting = 1\n")
    monkeypatch.chdir(tmp_path)
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    root = tmp_path.parent / f"{tmp_path.name}-root"
    root.mkdir()
    uv = environments.find_uv(REPOSITORY)
    monkeypatch.setattr(environments, "find_uv", lambda root: uv)
    assert subprocess.run([uv, "python", "find", version], capture_output=True).returncode != 0, "uv would read it"
    assert environments.find_python([version], root)


@pytest.mark.parametrize(("given", "kept"), [("", None), ("~/d", "{home}/d"), ("d", "{here}/d"), ("/d", "/d")])
def test_the_folder_of_data_is_one_for_all_who_read_it(tmp_path, monkeypatch, given, kept):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/h/somebody")
    monkeypatch.setenv("ROSETTA_DATA", given)
    cli.settle()
    assert os.environ.get("ROSETTA_DATA") == (kept and kept.format(home="/h/somebody", here=tmp_path))


def test_what_is_not_there_does_not_count(tmp_path, monkeypatch, capsys):
    """A TMPDIR of another host, as a cluster's jobs inherit it; no HOME."""
    monkeypatch.setenv("TMPDIR", str(tmp_path / "none"))
    monkeypatch.delenv("HOME")
    cli.settle()
    assert "TMPDIR" not in os.environ and os.path.isdir(os.environ["HOME"])
    assert "TMPDIR" in capsys.readouterr().err


# ---------------------------------------------------------------------------------------------------- broken files
MERGED = "<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> branch\n"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("notebooks/toy/one.ipynb", MERGED, "merge"),
        ("notebooks/toy/one.ipynb", '{"cells": [{"cell', "Unterminated"),
        ("notebooks/toy/one.ipynb", '{"cells": [{"source": ""}], "metadata": {}}', "cell_type"),
        ("notebooks/toy/one.ipynb", "{}", "cells"),
        ("notebooks/toy/one.ipynb", "[]", "no dict"),
        ("notebooks/toy/reference/spec.json", "", "empty"),
        ("notebooks/toy/workload.toml", MERGED, "merge"),
        ("frameworks.toml", "[profiles", "end of document"),
        ("frameworks.toml", b"\xff", "no UTF-8"),
        ("results/equivalences.toml", "[[change]]\nwhat = 1\n", "'parts'"),
        ("results/equivalences.toml", "[[change", "end of document"),
        ("results/local/here/machine.json", '{"peaks": {"cp', "Unterminated"),
    ],
)
def test_every_broken_file_is_named(repo, fake, capsys, monkeypatch, name, text, said):
    path = repo / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert run(repo) == 1
    said_by = capsys.readouterr()
    error = said_by.err or [line for line in said_by.out.splitlines() if "failed," in line][0]
    assert len(error.splitlines()) == 1 and "Traceback" not in error
    assert Path(name).name in error and said in error and not fake.jobs, error


def test_a_file_that_breaks_while_a_batch_runs_costs_its_own_rows(repo, fake, capsys, monkeypatch):
    def edited(jobs, workers):
        for done in fake(jobs, workers):
            (repo / "notebooks/toy/two.ipynb").write_text(MERGED)
            yield done

    monkeypatch.setattr(batch, "execute", edited)
    assert run(repo, "--row", "plain", "two", "--rounds", "2") == 1
    assert fake.names.count("plain.round1") == 1 and "plain.round2b" in fake.names, "the rest runs"
    said = capsys.readouterr().out
    assert "two.ipynb is broken: a merge left its markers in it" in said and "1 failed" in said


def test_a_mistake_of_the_programs_own_is_no_wrong_option(repo, fake, monkeypatch):
    for error in (KeyError("cells"), IndexError("list index out of range")):
        with monkeypatch.context() as patch:
            patch.setattr(batch.Batch, "plan", lambda *args, error=error: (_ for _ in ()).throw(error))
            with pytest.raises(type(error)):
                run(repo)


def test_a_record_of_a_later_make_is_told_and_never_overwritten(repo, fake, capsys):
    assert run(repo) == 0
    path = results(repo) / "plain.round1.json"
    path.write_text(json.dumps({**record(repo, "plain.round1"), "schema": 99}))
    kept = path.read_bytes()
    assert run(repo) == 1 and path.read_bytes() == kept and len(fake.jobs) == 1
    said = capsys.readouterr().err
    assert str(path) in said and "later make" in said and "--label" in said
    assert run(repo, "--list") == 0
    assert "0 of 1 up to date" in capsys.readouterr().out


# ------------------------------------------------------------------------------------------ what editors do to notebooks
def content_of(repo, name="one"):
    path = repo / f"notebooks/toy/{name}.ipynb"
    return path, json.loads(path.read_text())


@pytest.mark.parametrize("source", ["", " \n", "# a comment", []], ids=["empty", "blank", "comment", "list"])
def test_a_cell_that_says_nothing_puts_nothing_out_of_date(repo, fake, source):
    assert run(repo) == 0
    path, content = content_of(repo)
    cell = {"cell_type": "code", "execution_count": None, "id": "x", "metadata": {}, "outputs": [], "source": source}
    path.write_text(json.dumps({**content, "cells": [*content["cells"], cell]}))
    assert run(repo) == 0 and len(fake.jobs) == 1


def test_a_cell_without_a_tag_is_named_so(repo, fake, capsys):
    assert run(repo) == 0
    path, content = content_of(repo)
    cell = {"cell_type": "code", "execution_count": None, "id": "x", "metadata": {}, "outputs": [], "source": "y = 1"}
    path.write_text(json.dumps({**content, "cells": [*content["cells"], cell]}))
    capsys.readouterr()
    assert run(repo, "--why", "plain") == 0
    assert "round 1: cell without a tag\n" in capsys.readouterr().out


@pytest.mark.parametrize("metadata", [{}, None, {"kernelspec": {"name": "mine"}}, {"language_info": {"version": "3"}}])
@pytest.mark.kernels
def test_a_notebook_whose_metadata_were_stripped_runs(repo, fields, metadata):
    path, content = content_of(repo)
    content.pop("metadata")
    path.write_text(json.dumps({**content, **({"metadata": metadata} if metadata is not None else {})}))
    kept = job.run(fields_of(repo, 1))
    assert kept["status"] == "ok", kept["reason"]


@pytest.mark.parametrize(("suffix", "language"), [(".R", "R"), (".jl", "julia"), (".py", "python")])
def test_the_language_of_a_stripped_notebook_is_that_of_its_check(tmp_path, suffix, language):
    (tmp_path / "checks").mkdir()
    (tmp_path / "checks" / f"one{suffix}").write_text("")
    (tmp_path / "one.ipynb").write_text(json.dumps({"cells": [], "metadata": {}}))
    assert inputs.Notebook(tmp_path / "one.ipynb").language == language


@pytest.fixture
def fields(repo):
    return fields_of(repo, 1)


# ------------------------------------------------------------------------------------------- commits and dirty trees
def git(folder, *words):
    subprocess.run([*GIT, "-C", str(folder), *words], check=True, capture_output=True)


@pytest.fixture
def cloned(tmp_path, monkeypatch):
    """A repository with one commit."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    root = tmp_path / "clone"
    root.mkdir()
    git(root, "init", "-q")
    (root / ".gitignore").write_text((REPOSITORY / ".gitignore").read_text())
    (root / "a").write_text("1")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    assert len(checkout.commit(root)) == 12
    return root


def test_the_commit_of_another_repository_is_not_taken(cloned, monkeypatch, tmp_path):
    own, inside = checkout.commit(cloned), cloned / "release"
    inside.mkdir()
    assert checkout.commit(inside) is None, "an archive that was unpacked below it"
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    (other / "b").write_text("1")
    git(other, "add", ".")
    git(other, "commit", "-q", "-m", "another")
    for name, value in (
        ("GIT_DIR", other / ".git"),
        ("GIT_WORK_TREE", other),
        ("GIT_INDEX_FILE", other / ".git/index"),
    ):
        monkeypatch.setenv(name, str(value))
        assert checkout.commit(cloned) == own, name


def test_what_is_ignored_may_be_a_link(cloned, tmp_path):
    own = checkout.commit(cloned)
    (tmp_path / "elsewhere").mkdir()
    (cloned / "results").mkdir()
    for name in (".environments", "results/local"):
        (cloned / name).symlink_to(tmp_path / "elsewhere")
    assert checkout.commit(cloned) == own


def test_a_file_that_git_was_told_not_to_show_is_a_difference(cloned):
    git(cloned, "config", "status.showUntrackedFiles", "no")
    (cloned / "module.py").write_text("x = 1")
    assert checkout.commit(cloned).endswith("+")


def test_where_git_cannot_tell_nothing_is_said(cloned, monkeypatch):
    (cloned / ".git" / "index").write_bytes(b"broken")
    assert checkout.commit(cloned) is None, "not: clean"
    monkeypatch.setenv("PATH", "/nowhere")
    assert checkout.commit(cloned) is None


def test_line_ends_are_the_repositorys(cloned, tmp_path):
    (cloned / ".gitattributes").write_text((REPOSITORY / ".gitattributes").read_text())
    (cloned / "run.sh").write_bytes(b"#!/bin/sh\necho\n")
    git(cloned, "add", ".")
    git(cloned, "commit", "-q", "-m", "two")
    git(tmp_path, "-c", "core.autocrlf=true", "clone", "-q", str(cloned), "windows")
    assert b"\r" not in (tmp_path / "windows" / "run.sh").read_bytes()


# ------------------------------------------------------------------------------------------------------- environments
@pytest.mark.parametrize(
    ("shown", "name"),
    [
        (None, "A"),
        ("", "A"),
        ("1", "B"),
        ("1,0", "B"),
        ("GPU-b", "B"),
        ("MIG-c", "MIG-c"),
        ("GPU-x", None),
        ("7", None),
    ],
)
def test_the_gpu_is_the_first_that_programs_see(monkeypatch, shown, name):
    names = {0: "A", 1: "B"}
    library = SimpleNamespace(
        nvmlInit=lambda: None,
        nvmlSystemGetCudaDriverVersion_v2=lambda: 13000,
        nvmlSystemGetDriverVersion=lambda: "580.1",
        nvmlDeviceGetCount=lambda: 2,
        nvmlDeviceGetHandleByIndex=lambda number: [0, 1][number],
        nvmlDeviceGetHandleByUUID=lambda uuid: uuid,
        nvmlDeviceGetUUID=lambda device: ["GPU-a1", "GPU-b1"][device],
        nvmlDeviceGetName=lambda device: names.get(device, device),
    )
    monkeypatch.setitem(sys.modules, "pynvml", library)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if shown is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", shown)
    assert machine.gpu() == ({"gpu": name, "driver": "580.1", "cuda": "13.0"} if name else
                             {"gpu": None, "driver": None, "cuda": None})  # fmt: skip


@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), ValueError("the lock does not hold x"),
                                   FileNotFoundError(2, "No such file", "uv")])  # fmt: skip
def test_an_environment_that_cannot_be_made_costs_its_own_rows(repo, fake, monkeypatch, error):
    def make(root, name, entry, device, say=print):
        if name == "old":
            raise error
        return root / name

    monkeypatch.setattr(environments, "make", make)
    monkeypatch.setattr(environments, "interpreter", lambda prefix: sys.executable)
    assert cli.main(["--label", "here", "--row", "plain", "two"], root=repo) == 1
    assert record(repo, "two.round1.failed")["reason"].startswith("environment old: ")
    assert record(repo, "plain.round1")["status"] == "ok"


def test_an_environment_that_cannot_be_made_is_tried_once_for_all_its_frameworks(repo, fake, monkeypatch):
    tried = []

    def make(root, name, entry, device, say=print):
        tried.append(name)
        if name == "old":
            raise environments.Broken(f"environment {name} could not be made: no disk")
        return root / name

    toml = repo / "frameworks.toml"
    toml.write_text(toml.read_text().replace('environment = "main"', 'environment = "old"'))
    monkeypatch.setattr(environments, "make", make)
    monkeypatch.setattr(environments, "interpreter", lambda prefix: sys.executable)
    assert cli.main(["--label", "here", "--row", "plain", "two"], root=repo) == 1
    assert tried.count("old") == 1
    for name in ("plain", "two"):
        assert record(repo, f"{name}.round1.failed")["reason"] == "environment old could not be made: no disk"


def test_a_kernel_that_has_gone_costs_its_own_rows(repo, fake, monkeypatch):
    """Julia, say, was removed after its environment had been made."""
    from runner.languages import kernels as languages_kernels

    real = languages_kernels.argv

    def gone(language, prefix, python):
        if "old" in str(prefix):
            raise FileNotFoundError(2, "No such file or directory", "julia")
        return real(language, prefix, python)

    monkeypatch.setattr(environments, "make", lambda root, name, entry, device, say=print: root / name)
    monkeypatch.setattr(environments, "interpreter", lambda prefix: f"{sys.executable}" + "/" * ("old" in str(prefix)))
    monkeypatch.setattr(languages_kernels, "argv", gone)
    assert cli.main(["--label", "here", "--row", "plain", "two"], root=repo) == 1
    assert "julia" in record(repo, "two.round1.failed")["reason"] and record(repo, "plain.round1")["status"] == "ok"


# --------------------------------------------------------------------------------------------- terminals and calls
@pytest.mark.parametrize(
    ("before", "after", "variables"),
    [
        ("", "| cat", {"LC_ALL": "en_US.ISO-8859-1", "LANG": None}),
        ("", ">&-", {}),
        ("", "2>&-", {}),
        ("", "<&-", {}),
        ("unset HOME;", "", {}),
        ("", "", {"CDPATH": "/", "PYENV_ROOT": "/nowhere", "BASH_ENV": "/nowhere"}),
    ],
    ids=["latin-1", "no stdout", "no stderr", "no stdin", "no home", "shell"],
)
def test_the_command_works_however_it_is_called(before, after, variables, tmp_path):
    said = shell(f"{before} {LIST} {after}", tmp_path, **variables)
    assert said.returncode == 0 and b"Traceback" not in said.stderr, said.stderr
    assert b"numpy" in said.stdout or ">&-" in after


def test_the_command_may_be_a_link(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "rosetta").symlink_to(REPOSITORY / "run_all.sh")
    (tmp_path / "again").symlink_to("bin/rosetta")
    assert b"numpy" in shell(LIST.replace(f"{REPOSITORY}/run_all.sh", "./again"), tmp_path).stdout


@pytest.mark.parametrize(
    ("program", "patched", "argv"),
    [
        ("runner", "from catalog import selection as m; m.standing", ["--list", "--python", sys.executable]),
        ("report", "from report import pages as m; m.regenerate", []),
    ],
)
def test_a_terminal_without_a_letter_gets_another(program, patched, argv):
    code = f"import runpy, sys; sys.path.insert(0, {str(REPOSITORY)!r}); {patched} = lambda *_: '\u2013'; " \
           f"sys.argv = {['x', *argv]}; runpy.run_module({program!r}, run_name='__main__')"  # fmt: skip
    environ = {**os.environ, "PYTHONIOENCODING": "latin-1"}  # as a locale of Latin-1 has it, which few machines have
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True)
    assert done.returncode == 0 and done.stdout == b"\\u2013\n", done.stderr


def test_a_reader_that_ends_early_ends_the_command_quietly():
    said = shell(f"{LIST.replace('--workload affine_transfer --row numpy', '')} | true; exit ${{PIPESTATUS[0]}}")
    assert said.returncode == 128 + signal.SIGPIPE and said.stderr == b"", said.stderr


def test_a_folder_whose_name_has_a_colon_is_refused_in_one_line(tmp_path):
    root = tmp_path / "a:b"
    root.mkdir()
    (root / "run_all.sh").write_bytes((REPOSITORY / "run_all.sh").read_bytes())
    said = shell(f"bash '{root}/run_all.sh' --list")
    assert said.returncode == 1 and b"colon" in said.stderr and len(said.stderr.splitlines()) == 1


@pytest.mark.kernels
def test_a_folder_may_have_braces_in_its_name(tmp_path):
    repo = fake_repo.make(tmp_path / "{x} {scratch2}")
    kept = job.run(fields_of(repo, 1))
    assert kept["status"] == "ok", kept["reason"]


@pytest.mark.parametrize(("system", "processor"), [("darwin23", "arm64"), ("msys", "x86_64"), ("linux-gnu", "aarch64")])
def test_another_system_is_told_in_one_line_what_is_needed(system, processor):
    """bash takes these variables from its caller."""
    said = shell(f"{REPOSITORY}/run_all.sh --profile cpu", OSTYPE=system, HOSTTYPE=processor)
    assert said.returncode == 1 and len(said.stderr.splitlines()) == 1
    assert b"Linux on x86-64 (WSL serves)" in said.stderr and processor.encode() in said.stderr


heard = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # by what a shell's "&" started, too


def test_ctrl_c_during_imports_says_nothing_odd(tmp_path):
    """The signal arrives while the runner's own modules are imported."""
    code = (
        f"import sys; sys.path.insert(0, {str(REPOSITORY)!r})\n"
        "import os, signal, importlib.abc\n"
        "class Late(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, *more):\n"
        "        if name == 'catalog.inputs': os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Late())\n"
        "sys.argv = ['x', '--list']\n"
        "import runpy; runpy.run_module('runner', run_name='__main__')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, preexec_fn=heard)
    assert done.returncode in (130, -signal.SIGINT) and b"Traceback" not in done.stderr, done.stderr


def test_ctrl_c_while_a_python_is_tried_does_not_lead_to_the_next_one(tmp_path):
    for name, does in (("python3.11", "kill -INT $PPID; exit 1"), ("python3.12", "echo went on")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / name).chmod(0o755)
    environ = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    command = ["/bin/bash", str(REPOSITORY / "run_all.sh")]
    done = subprocess.run(command, env=environ, capture_output=True, preexec_fn=heard)
    assert done.returncode == 130 and done.stdout == b""


# --------------------------------------------------------------------------------------------- room, limits, loopback
def test_a_label_folder_of_somebody_else_is_told_before_work_starts(repo, fake, capsys, monkeypatch):
    def denied(*args, dir, **more):
        assert Path(dir) == results(repo).parent
        raise PermissionError(13, "Permission denied", str(dir))

    monkeypatch.setattr(machine.tempfile, "TemporaryFile", denied)
    assert run(repo) == 1
    said = capsys.readouterr().err
    assert f"cannot write to {results(repo).parent}: Permission denied" in said and "--label" in said and not fake.jobs


def test_a_limit_on_files_is_told_before_work_starts(repo, fake, capsys, monkeypatch):
    monkeypatch.setattr(machine.resource, "getrlimit", lambda which: (2**20, 2**20))
    assert run(repo) == 1
    assert "1 MB at most" in (said := capsys.readouterr().err) and "ulimit -f unlimited" in said and not fake.jobs


def test_a_host_without_loopback_is_told_before_work_starts(repo, fake, capsys, monkeypatch):
    def down(*args, **more):
        raise OSError(99, "Cannot assign requested address")

    monkeypatch.setattr(machine.socket, "create_server", down)
    assert run(repo) == 1
    assert "127.0.0.1" in (said := capsys.readouterr().err) and "ip link set lo up" in said and not fake.jobs


# ------------------------------------------------------------------------------------------------- what is told
def test_a_run_that_begins_is_told(repo, fake, capsys):
    assert run(repo) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (
        lines[1].startswith("rows: 1")
        and lines[3] == "  toy plain round1 ..."
        and lines[4].startswith("[1/1] toy plain")
    )


def test_list_and_why_look_at_the_column_of_the_settings(repo, fake, capsys):
    assert run(repo, "--set", "EPOCHS=2") == 0
    capsys.readouterr()
    assert run(repo, "--list") == 0 and "up to date" not in capsys.readouterr().out
    assert run(repo, "--list", "--set", "EPOCHS=2") == 0 and "2 of 2 up to date" in capsys.readouterr().out
    assert run(repo, "--why", "plain", "--set", "EPOCHS=2") == 0
    assert capsys.readouterr().out == "toy here, round 1: up to date\ntoy here, proof: up to date\n"


def test_a_proof_is_short_whatever_sets_its_length():
    """Lessons that call something so many times are no exception."""
    declared = Declarations(REPOSITORY)
    now = inputs.Inputs(declared)
    for row in declared.rows("cpu", "cpu"):
        if "CALLS" in declared.workloads[row.workload].parameters:
            assert now.parameters(row, "proof")["CALLS"] < row.parameters["CALLS"]


def test_facts_of_a_machine_are_written_by_several_at_once(tmp_path):
    machine.keep(tmp_path, FACTS, {"cpu": {"fp32": 1e9, "by": "a"}})
    machine.keep(tmp_path, FACTS, {"cpu": {"fp32": 3e9, "by": "a"}, "gpu": {"fp32": 9e9, "by": "b"}})
    kept = machine.keep(tmp_path, FACTS, {"cpu": {"fp32": 2e9, "by": "a"}})
    assert kept["peaks"]["cpu"]["fp32"] == 3e9 and kept["peaks"]["gpu"]["fp32"] == 9e9
    assert files.as_json(tmp_path / "machine.json")["flags"] == FACTS["flags"]
    with pytest.raises(ValueError, match="stands for another machine"):
        machine.keep(tmp_path, {**FACTS, "cpu": "B"}, {})


def test_a_gpu_that_was_not_seen_is_no_other_one(tmp_path):
    for seen, kept in ((None, None), ("H100", "H100"), (None, "H100")):
        machine.keep(tmp_path, {**FACTS, "gpu": seen}, {})
        assert files.as_json(tmp_path / "machine.json")["gpu"] == kept
    with pytest.raises(ValueError, match="gpu: H100; here: L4"):
        machine.known(tmp_path, {**FACTS, "gpu": "L4"})


# ------------------------------------------------------------------------------------------------ what the pages say
def commands():
    """The options of every ./run_all.sh in docs/running.md, in the Dockerfile and in skypilot.yaml."""
    blocks = re.findall(r"```bash\n(.*?)```", (REPOSITORY / "docs" / "running.md").read_text(), re.DOTALL)
    text = "\n".join([*blocks, *yaml.safe_load((REPOSITORY / "skypilot.yaml").read_text())["run"].splitlines()])
    lines = re.findall(r"^\./run_all\.sh ?(.*)$", text.replace("\\\n", " "), re.MULTILINE)
    docker = (REPOSITORY / "Dockerfile").read_text()
    assert 'ENTRYPOINT ["./run_all.sh"]' in docker
    lines.append(" ".join(json.loads(re.search(r"^CMD (.*)$", docker, re.MULTILINE)[1])))
    lines.append(re.search(r" rosetta (--profile gpu --label h100)$", text, re.MULTILINE)[1])
    return [shlex.split(line.replace("$", ""), comments=True) for line in lines]


@pytest.mark.parametrize("argv", commands(), ids=" ".join)
def test_every_command_of_the_pages_has_options_that_there_are(argv):
    args, declared = cli.parser().parse_args(argv), kernels.declarations()
    assert args.profile in declared.profiles and not set(args.workload) - set(declared.workloads)
    rows = declared.rows(args.profile, args.device or declared.profiles[args.profile]["device"])
    known = {name for row in rows for name in (row.id, f"{row.workload}/{row.id}")}
    assert not {*args.row, *filter(None, [args.why])} - known
