"""The phrasebook: its pages' form, that they are executed and agree, that a wrong value is noticed, and its index."""

import json
import re
import signal
import subprocess
import time
from pathlib import Path

import nbformat
import pytest

from phrases import execute
from phrases import pages as phrases
from report import pages
from runner import environments
from tests import kernels, sample

ROOT = kernels.ROOT
PAGES = phrases.read_all(ROOT)
LINES, WORDS, CALL = 150, 250, 90
HEADINGS = [*phrases.FRAMEWORKS.values(), "They agree", "Do not confuse", "Asked by others"]
DOCS = {
    "PyTorch": r"https://(docs\.)?pytorch\.org|https://onnx",
    "TensorFlow": r"https://www\.tensorflow\.org|https://github\.com/onnx",
    "Keras": r"https://keras\.io",
    "JAX": r"https://(docs\.jax\.dev|flax(-linen)?\.readthedocs\.io|optax\.readthedocs\.io|google-grain\.readthedocs\.io|orbax\.readthedocs\.io)",
}
QUESTIONS = json.loads(
    (ROOT / "tests" / "questions.json").read_text()
)  # of public threads; words: what one searches for
DAILY = 3  # pages of the default sample
SEEN = 4  # index lines that a reader looks through in half a minute
every = pytest.mark.parametrize("page", PAGES, ids=[page.path.stem for page in PAGES])


def today(count, number):
    return sample.turned(PAGES, number, count)


# ---------------------------------------------------------------------------------------------------- form


@every
def test_a_page_has_the_form_of_all(page):
    assert re.findall(r"^# (.+)$", page.prose, re.MULTILINE) == [page.title]
    assert re.findall(r"^## (.+)$", page.prose, re.MULTILINE) == HEADINGS
    tags = [tag for tag, _ in page.cells]
    assert {*phrases.FRAMEWORKS, "check"} <= set(tags), tags
    order = list(dict.fromkeys(tag for tag in tags if tag in phrases.FRAMEWORKS))
    assert order == list(phrases.FRAMEWORKS), order
    lines = sum(source.count("\n") + 1 for _, source in page.cells) + page.prose.count("\n")
    assert lines < LINES, lines
    text = "\n".join(line for line in page.prose.splitlines() if not line.startswith(("|", "#", "- ")))
    assert len(re.sub(r"\]\([^)]*\)", "]", text).split()) <= WORDS
    assert len(page.words) >= 2 and len(set(page.words)) == len(page.words)
    assert all(len(re.sub(r"[`*]", "", call)) <= CALL for call in page.says.values()), page.says
    assert max(len(line) for _, source in page.cells for line in source.splitlines()) <= 110


@every
def test_a_page_links_each_framework_and_who_asked(page):
    parts = dict(zip(HEADINGS, re.split(r"^## .+$", page.prose, flags=re.MULTILINE)[1:], strict=True))
    for framework, address in DOCS.items():
        assert re.search(rf"\]\({address}", parts[framework]), f"{framework} links no documentation of its own"
    asked = re.findall(r"^- \[[^\]]+\]\(https://\S+\)$", parts["Asked by others"], re.MULTILINE)
    assert asked and len(asked) == len(re.findall(r"^- ", parts["Asked by others"], re.MULTILINE))


@every
def test_stored_outputs_are_those_of_a_whole_run(page):
    cells = [c for c in json.loads(page.path.read_text())["cells"] if c["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1)), "./run_all.sh phrasebook"
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert outputs and not [o for o in outputs if o["output_type"] == "error" or o.get("name") == "stderr"]
    assert not re.search(r"/(tmp|home|root|work)/", json.dumps(outputs))


def test_groups_stand_in_their_order_and_titles_once():
    assert [phrases.GROUPS.index(page.group) for page in PAGES] == sorted(phrases.GROUPS.index(p.group) for p in PAGES)
    titles = [page.title.lower() for page in PAGES]
    assert len(set(titles)) == len(titles)


# ---------------------------------------------------------------------------------------------------- bad input


def page_of(folder, about=None, table=None, cells=(("given", "x = 1"), ("check", "assert x == 1")), name="task"):
    """The path of a page in ``folder``/phrasebook with these (tag, source) cells."""
    path = folder / "phrasebook" / f"{name}.ipynb"
    path.parent.mkdir(exist_ok=True)
    table = phrases.FRAMEWORKS.values() if table is None else table
    text = "# A task\n\nWhat it is for.\n\n| framework | say |\n|---|---|\n" + "\n".join(
        f"| {one} | `call` |" for one in table
    )
    made = [nbformat.v4.new_code_cell(source, metadata={"tags": tag.split()}) for tag, source in cells]
    about = {"title": "A task", "group": "Layers", "words": ["a", "b"]} if about is None else about
    metadata = {"phrase": about, "language_info": {"name": "python"}}
    nbformat.write(
        nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text), *made], metadata=metadata), path
    )
    return path


@pytest.mark.parametrize(
    "given, said",
    [
        ({"about": {}}, "no title"),
        ({"about": {"title": "A", "group": "Layer", "words": ["a"]}}, "no group 'Layer': Layers, Losses"),
        ({"about": {"title": "A", "group": "Layers", "words": ["a"], "tags": 1}}, "an unknown tags"),
        ({"about": {"title": "A", "group": "Layers", "words": ["a"], "backends": ["mxnet"]}}, "no backend 'mxnet'"),
        ({"table": ["PyTorch", "TensorFlow", "Keras"]}, "no line of JAX in its table"),
        ({"cells": [("model", "x = 1")]}, "a cell tagged 'model': given, pytorch"),
    ],
)
def test_a_page_that_lacks_something_is_named(tmp_path, given, said):
    path = page_of(tmp_path, **given)
    with pytest.raises(phrases.PageError, match=re.escape(said)) as error:
        phrases.read(path)
    assert str(error.value).startswith("task.ipynb: ")


# ---------------------------------------------------------------------------------------------------- executing


def executed(root, *names):
    """(the number of pages that disagree, what was said)."""
    said, (python, environ) = [], kernels.of("main")
    argv = [python, "-P", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    specs = root / "kernels"
    if not specs.exists():
        environments.write_kernel(root, execute.KERNEL, argv)
    wrong = execute.execute(root, names, specs, environ, 2, say=lambda text, **_: said.append(text))
    return wrong, "\n".join(said)


@pytest.mark.kernels
def test_a_page_that_agrees_keeps_its_outputs_and_says_what_changed(tmp_path):
    path = page_of(tmp_path, cells=[("given", "print('one')"), ("check", "import sys; print('x', file=sys.stderr)")])
    assert executed(tmp_path)[0] == 0
    cells = json.loads(path.read_text())["cells"][1:]
    assert [c["outputs"] for c in cells] == [[{"name": "stdout", "output_type": "stream", "text": ["one\n"]}], []]
    assert [c["execution_count"] for c in cells] == [1, 2]
    before = path.read_bytes()
    assert "otherwise" not in executed(tmp_path)[1] and path.read_bytes() == before
    path.write_text(path.read_text().replace("print('one')", "print('two')"))
    wrong, said = executed(tmp_path, "task")
    assert wrong == 0 and "-one" in said and "+two" in said


def test_a_changed_number_is_shown_from_both_sides_also_where_it_is_negative(tmp_path):
    def printed(number):
        stream = nbformat.v4.new_output("stream", name="stdout", text=f"{number}\n")
        return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("print(x)", outputs=[stream])])

    path = page_of(tmp_path)
    page = phrases.read(path)
    nbformat.write(printed(-1), path)
    said = execute._changes(page, printed(-2))
    assert "--1" in said and "+-2" in said
    assert not execute._changes(page, printed(-1))


@pytest.mark.kernels
def test_a_kernel_ends_with_its_page(tmp_path):
    path = page_of(tmp_path, cells=[("given", "import os; print(os.getpid())"), ("check", "assert True")])
    assert executed(tmp_path)[0] == 0
    (output,) = json.loads(path.read_text())["cells"][1]["outputs"]
    assert not Path("/proc", output["text"][0].strip()).exists()


@pytest.mark.parametrize(
    "source, said",
    [
        (
            "assert x == 2, 'PyTorch gives 1'",
            "DISAGREES\n    Keras on tensorflow, the cell tagged check: AssertionError: PyTorch gives 1",
        ),
        ("import os; os._exit(3)", "DeadKernelError"),
    ],
)
@pytest.mark.kernels
def test_a_page_that_disagrees_is_named_and_stores_nothing(tmp_path, source, said):
    path = page_of(tmp_path, cells=[("given", "x = 1\nprint(x)"), ("check", source)])
    before = path.read_bytes()
    wrong, told = executed(tmp_path)
    assert wrong == 1 and "task" in told and said in told
    assert path.read_bytes() == before


@pytest.mark.kernels
@pytest.mark.parametrize("deaths", [1, 2])
def test_a_kernel_that_dies_before_it_answers_is_started_once_more(tmp_path, deaths):
    page_of(tmp_path)
    starts, (python, _) = tmp_path / "starts", kernels.of("main")
    dies = f"echo >>{starts}; [ $(wc -l <{starts}) -le {deaths} ] && exit 3; exec {python} -m ipykernel_launcher -f $0"
    environments.write_kernel(tmp_path, execute.KERNEL, ["/bin/sh", "-c", dies, "{connection_file}"])
    wrong, said = executed(tmp_path)
    assert (wrong, starts.read_text()) == (deaths - 1, "\n" * 2)
    assert ("the kernel died before it answered" in said) == (deaths == 2), said


@pytest.mark.kernels
def test_a_page_runs_on_each_backend_that_it_names(tmp_path):
    about = {"title": "A", "group": "Layers", "words": ["a", "b"], "backends": ["jax", "torch"]}
    page_of(tmp_path, about, cells=[("given", "import os"), ("jax", "x = 1"), ("check", "assert x")])
    with pytest.raises(phrases.PageError, match="no cell tagged check and keras"):
        executed(tmp_path)
    check = "assert os.environ['KERAS_BACKEND'] == 'jax', sorted(set(globals()) & {'x'})"
    page_of(tmp_path, about, cells=[("given", "import os"), ("jax", "x = 1"), ("check keras", check)])
    wrong, said = executed(tmp_path)
    assert wrong == 1 and "Keras on torch, the cell tagged check keras: AssertionError: []" in said


@pytest.mark.kernels
@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_command_and_its_kernels_not_one_page_alone(tmp_path, asked):
    waits = f"import os, time\nopen(f'{tmp_path}/{{os.getpid()}}.pid', 'w')\ntime.sleep(60)"
    for name in "abc":
        page_of(tmp_path, cells=[("given", waits), ("check", "assert True")], name=name)
    run = f"from pathlib import Path; from tests import test_phrasebook; test_phrasebook.executed(Path({str(tmp_path)!r}))"
    python, environ = kernels.of("main")
    began = time.monotonic()
    command = subprocess.Popen(
        [python, "-c", run],
        cwd=ROOT,
        env={**environ, "PYTHONPATH": str(ROOT)},
        stdout=-1,
        stderr=-1,
        preexec_fn=lambda: signal.signal(asked, signal.SIG_DFL),  # a test in the background inherits that it is ignored
    )
    while len(pids := [Path("/proc", path.stem) for path in tmp_path.glob("*.pid")]) < 2:
        if command.poll() is not None or time.monotonic() - began > 100:
            command.kill()
            pytest.fail(b"".join(command.communicate()).decode() or "no two kernels in 100 s")
        time.sleep(0.1)
    command.send_signal(asked)
    said = command.communicate(timeout=20)
    assert command.returncode in (-asked, 128 + asked), said
    while any(path.exists() for path in pids):  # a kernel looks for its parent each second
        assert time.monotonic() - began < 150
        time.sleep(0.1)
    assert len(list(tmp_path.glob("*.pid"))) == 2


@pytest.mark.kernels
def test_pages_on_a_further_backend_share_a_kernel_and_nothing_else(tmp_path):
    pids = tmp_path / "pids"
    kept = f"import os; here = os.environ['KERAS_BACKEND'] == 'jax'; here and print(os.getpid(), file=open({str(pids)!r}, 'a'))"
    found = {  # page: what its last cell does in the kernel that it shares
        "a": "import builtins; builtins.left = mine = 1",
        "b": "assert 'mine' not in globals()",
        "c": "import builtins; assert not hasattr(builtins, 'left')",  # right in a kernel of its own
        "d": "os._exit(here and 3)",
        "e": "assert here or True",
        "f": "assert not here, 'JAX differs'",
    }
    for name, source in found.items():
        about = {"title": name, "group": "Layers", "words": ["a", "b"], "backends": ["torch", "jax"]}
        cells = [("given", kept), ("check keras", f"if here:\n    {source}")]
        page_of(tmp_path, about, cells=cells, name=name)
    wrong, said = executed(tmp_path)
    states = dict(re.findall(r"\] (\w) \(torch, jax\): \d+ s, (\w+)", said))
    assert wrong == 2 and states == dict.fromkeys("abce", "ok") | dict.fromkeys("df", "DISAGREES"), said
    assert (
        "DeadKernelError" in said and "Keras on jax, the cell tagged check keras: AssertionError: JAX differs" in said
    )
    first, second, third, alone, *_ = pids.read_text().split()
    assert first == second == third != alone  # the third was run again
    assert not any(Path("/proc", pid).exists() for pid in pids.read_text().split())


def test_a_page_that_is_not_there_is_named_with_those_that_are(tmp_path):
    page_of(tmp_path)
    with pytest.raises(LookupError, match="no page clipping; there are: task"):
        executed(tmp_path, "clipping")


@pytest.mark.notebooks
@pytest.mark.parametrize("part", range(DAILY))
def test_a_wrong_value_of_any_framework_is_noticed(request, part):
    everything, number = (request.config.getoption(f"--{name}") for name in ("everything", "rotation"))
    chosen = PAGES if everything else today(DAILY, number)
    for page in chosen[part::DAILY]:
        done = subprocess.run(
            [kernels.of("main")[0], "-m", "tests.phrase_plant", str(page.path)],
            cwd=ROOT,
            env={**kernels.of("main")[1], "PYTHONPATH": str(ROOT), "KERAS_BACKEND": "tensorflow"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr[-2000:]


@pytest.mark.notebooks
def test_pages_agree(request, tmp_path):
    everything, number = (request.config.getoption(f"--{name}") for name in ("everything", "rotation"))
    (tmp_path / "phrasebook").mkdir()
    for page in PAGES if everything else today(DAILY, number):
        (tmp_path / "phrasebook" / page.path.name).write_bytes(page.path.read_bytes())
    wrong, said = executed(tmp_path)
    assert not wrong, said
    assert "otherwise" not in said, said


# ---------------------------------------------------------------------------------------------------- the index


def test_the_index_shows_each_call_and_each_word():
    index = pages.phrasebook(kernels.declarations())
    text, tables = index[ROOT / "phrasebook" / "README.md"], index[ROOT / "phrasebook" / "coming_from.md"]
    for page in PAGES:
        line = next(line for line in text.splitlines() if f"({page.path.name})" in line)
        assert all(call in line for call in page.says.values()) and all(word in line for word in page.words)
    for path in ROOT.glob("notebooks/*/*.ipynb"):
        for row in phrases.coming_from(path)[1:]:
            assert "| " + " | ".join(row) + " |" in tables, f"{path}: {row}"


@pytest.mark.parametrize("question", QUESTIONS, ids=[question["page"] for question in QUESTIONS])
def test_a_question_of_others_is_answered(question):
    assert "](phrasebook/README.md)" in (ROOT / "README.md").read_text().split("\n## ")[0]  # one click from the top
    text = pages.phrasebook(kernels.declarations())[ROOT / "phrasebook" / "README.md"]
    lines = [line for line in text.splitlines() if line.startswith("| [")]
    for word in question["words"]:
        assert word.lower() in question["asked"].lower(), "not the asker's own word"
        lines = [line for line in lines if word.lower() in line.lower()]
    assert any(f"({question['page']}.ipynb)" in line for line in lines), f"{question['words']} lead elsewhere: {lines}"
    assert len(lines) <= SEEN, lines
    page = next(page for page in PAGES if page.path.stem == question["page"])
    for tag, call in question["calls"].items():
        assert any(call in source for one, source in page.cells if one == tag), f"{tag} has no {call}"


@pytest.mark.parametrize("content", ["<<<<<<< HEAD", "{}", '{"metadata": {}, "cells": [{"cell_type": "raw"}]}', "[]"])
def test_a_page_that_is_no_notebook_is_named(tmp_path, content):
    (tmp_path / "clip.ipynb").write_text(content)
    with pytest.raises(phrases.PageError, match="clip.ipynb cannot be read as a notebook"):
        phrases.read(tmp_path / "clip.ipynb")
