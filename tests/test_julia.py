"""Julia's kernel, and what of Julia's lessons needs no referee."""

import gzip
import json
import threading
import time

import nbclient
import nbformat
import numpy as np
import psutil
import pytest
from jupyter_client.manager import KernelManager

from common.data import mnist
from runner import environments
from runner.languages import julia_kernel
from tests import kernels

ROOT = kernels.ROOT
pytestmark = [pytest.mark.kernels, pytest.mark.xdist_group("julia")]  # one kernel for all
START = 120  # seconds


@pytest.fixture(scope="module")
def manager(tmp_path_factory):
    """A kernel that all tests of this module share, but for those that end it."""
    manager = started(tmp_path_factory.mktemp("jupyter"))
    yield manager
    manager.shutdown_kernel(now=True)


def started(folder):
    """A KernelManager of the kernel, started in a folder; skips where this machine cannot have it."""
    try:
        python, environ = kernels.of("julia")
    except environments.Broken:
        raise
    except environments.Unavailable as reason:
        pytest.skip(str(reason))
    argv = [python, "-m", "runner.languages.julia_kernel", "-f", "{connection_file}"]
    environments.write_kernel(folder, "julia", argv, "julia")
    manager = KernelManager(kernel_name="julia")
    manager.kernel_spec_manager.kernel_dirs = [str(folder / "kernels")]
    manager.start_kernel(cwd=str(folder), env={**environ, "PYTHONPATH": str(ROOT)})
    return manager


def execute(manager, *sources, timeout=START):
    """The outputs of cells by nbclient: a list for each cell that was executed, and what was raised or None."""
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    notebook = nbformat.v4.new_notebook(cells=cells)
    client = nbclient.NotebookClient(notebook, km=manager, timeout=timeout, startup_timeout=START)
    raised = None
    client.kc = manager.client()
    client.kc.start_channels()
    client.kc.wait_for_ready(timeout=START)
    try:
        for number, cell in enumerate(cells):
            client.execute_cell(cell, number)
    except nbclient.exceptions.CellExecutionError as error:
        raised = error
    finally:
        client.kc.stop_channels()
    return [cell.outputs for cell in cells], raised


def one(manager, source):
    """The outputs of a cell."""
    return execute(manager, source)[0][0]


def printed(outputs, name="stdout"):
    return "".join(output.text for output in outputs if output.output_type == "stream" and output.name == name)


def failure(manager, source, **named):
    outputs, raised = execute(manager, source, **named)
    assert raised is not None
    return outputs[0][-1]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("1 + 1", "2"),
        ('"a"', '"a"'),
        ("x = [1.0, 2.0]; x'", "1.0  2.0"),
        ("struct Pair2\n    a::Int\nend\nPair2(3)", "Pair2(3)"),
        ("f(x) = x + 1\nf(1)", "2"),
    ],
)
def test_the_last_value_is_shown(manager, source, text):
    (output,) = one(manager, source)
    assert output.output_type == "execute_result" and text in output.data["text/plain"]


@pytest.mark.parametrize(
    "source",
    ["nothing", "1;", "y = 3; # a remark", "", "# a remark", "using Random", "p(x) = x", "function q(x)\n    x\nend"],
)
def test_nothing_is_shown_of_nothing_and_after_a_semicolon(manager, source):
    assert one(manager, source) == []


def test_a_large_value_is_cut(manager):
    (output,) = one(manager, "zeros(10^4, 10^3)")
    assert "⋮" in output.data["text/plain"] and len(output.data["text/plain"]) < 10000


def test_names_stay_from_cell_to_cell_and_loops_may_change_them(manager):
    outputs, raised = execute(manager, "total = 0", "for k in 1:3\n    total += k\nend", "total")
    assert raised is None and outputs[1] == [] and outputs[2][0].data["text/plain"] == "6"


def test_a_definition_is_seen_at_once_when_it_is_made_anew(manager):
    outputs, _ = execute(manager, "g() = 1", "g()", "g() = 2", "g()")
    assert [outputs[1][0].data["text/plain"], outputs[3][0].data["text/plain"]] == ["1", "2"]


def test_unicode_passes_both_ways(manager):
    outputs = one(manager, 'ŷ = "π ≈ 3, 数字 😀"\nprint(ŷ)\nŷ')
    assert printed(outputs) == "π ≈ 3, 数字 😀" and outputs[-1].data["text/plain"] == '"π ≈ 3, 数字 😀"'


def test_both_streams_are_told_apart(manager):
    outputs = one(manager, 'println("a"); println(stderr, "b"); @info "c"')
    assert (
        printed(outputs) == "a\n" and printed(outputs, "stderr").startswith("b\n") and "c" in printed(outputs, "stderr")
    )


def test_big_output_arrives_whole(manager):
    text = printed(one(manager, 'for k in 1:200_000\n    println("line ", k, " é")\nend'))
    assert text == "".join(f"line {k} é\n" for k in range(1, 200_001))


def test_output_comes_while_a_cell_runs(manager):
    client, seen = manager.client(), {}
    client.start_channels()
    client.wait_for_ready(timeout=START)
    sent = client.execute('println("first"); sleep(3); println("second")')
    while len(seen) < 2:
        message = client.get_iopub_msg(timeout=60)
        if message["msg_type"] == "stream" and message["parent_header"]["msg_id"] == sent:
            for word in message["content"]["text"].split():
                seen[word] = time.monotonic()
    client.get_shell_msg(timeout=60)
    client.stop_channels()
    assert seen["second"] - seen["first"] > 2


def test_an_error_names_type_message_cell_and_line(manager):
    output = failure(manager, 'function h(x)\n    x < 0 && error("below zero: π")\nend\n\nh(-1)')
    assert (output.ename, output.evalue) == ("ErrorException", "below zero: π")
    text = "\n".join(output.traceback)
    assert "h at In[" in text and "]:2" in text and "]:5" in text and "julia_kernel" not in text and len(text) < 2000


@pytest.mark.parametrize(
    ("source", "name", "words"),
    [
        ("undefined_name", "UndefVarError", "undefined_name"),
        ("1 +", "ErrorException", "syntax"),
        ("a = 1\nb = = 2", "ErrorException", "syntax"),
        ('include("no such file.jl")', "SystemError|ErrorException", "no such file"),
        ("[1, 2][3]", "BoundsError", "3"),
        ("deep(n) = deep(n + 1) + 1\ndeep(1)", "StackOverflowError", ""),
        ("throw(7)", "Int64", "7"),
    ],
)
def test_other_errors(manager, source, name, words):
    output = failure(manager, source)
    assert output.ename in name.split("|") and words in output.evalue and len(output.traceback) < 40
    assert one(manager, "1 + 1")[0].data["text/plain"] == "2", "it goes on"


def test_output_before_an_error_is_kept(manager):
    outputs, raised = execute(manager, 'println("before"); error("x")')
    assert raised is not None and printed(outputs[0]) == "before\n" and outputs[0][-1].ename == "ErrorException"


@pytest.mark.parametrize(
    "loop",
    [
        "while true\n    sleep(0.01)\nend",
        "while true\n    rand(10)\nend",
        "let k = 0\n    while true\n        k += 1\n    end\nend",
    ],
    ids=["sleeps", "allocates", "computes"],
)
def test_an_endless_loop_is_interrupted(manager, loop):
    timer = threading.Timer(3, manager.interrupt_kernel)
    timer.start()
    output = failure(manager, loop)
    timer.join()
    assert output.ename == "InterruptException"
    outputs, raised = execute(manager, "sleep(0.5)", "1 + 1")
    assert raised is None and outputs[1][0].data["text/plain"] == "2", "no interrupt is left for the next cell"


def test_pictures_are_shown(manager):
    png = "iVBORw0KGgo="
    outputs = one(manager, f'using Base64\ndisplay("image/png", base64decode("{png}"))\nprintln("after")')
    (shown,) = [output for output in outputs if output.output_type == "display_data"]  # what is printed may come first
    assert shown.data["image/png"].strip() == png and printed(outputs) == "after\n"
    plots = (ROOT / "common" / "julia" / "plots.jl").as_posix()
    history = "[([0.2, 0.1], 0.5, 0.4), ([0.1, 0.1], 0.75, 0.7)]"
    (output,) = one(manager, f'include("{plots}")\nplot_training({history})')
    assert output.data["image/svg+xml"].startswith("<svg") and "epoch 2" in output.data["text/plain"]


def test_a_profile_is_drawn_as_bars(manager):
    plots = (ROOT / "common" / "julia" / "plots.jl").as_posix()
    times = 'Dict("products" => 80, "loss" => 15, "Adam" => 0.1, "other" => 4.9)'
    (output,) = one(manager, f'include("{plots}")\nplot_profile({times})')
    lines = [line.split() for line in output.data["text/plain"].splitlines()]
    assert [(line[0], *line[-2:]) for line in lines] == [
        ("products", "80", "%"),
        ("loss", "15", "%"),
        ("other", "5", "%"),
    ]
    assert output.data["image/svg+xml"].count("<rect") == 4  # a background and three bars


def test_display_shows_a_value_before_the_end(manager):
    outputs = one(manager, "display([1 2]); 5")
    assert [output.output_type for output in outputs] == ["display_data", "execute_result"]
    assert "1  2" in outputs[0].data["text/plain"]


def test_cells_include_files_beside_the_notebook(manager, tmp_path):
    (tmp_path / "own.jl").write_text("own() = 11\n")
    outputs, _ = execute(manager, f"cd({json.dumps(str(tmp_path))})", 'include("own.jl")\nown()')
    assert outputs[1][-1].data["text/plain"] == "11"


READER = (ROOT / "common" / "julia" / "mnist.jl").as_posix()


def test_the_reader_gives_the_digits_of_common(manager):
    known = mnist.load("sample", 150, 20)
    source = f"""include("{READER}")
data = load_mnist("sample", 150, 20)
place = reshape(1:28 * 28, 28, 28)
sums = [vec(sum(Int.(x) .* place, dims = (1, 2))) for x in (data.x_train, data.x_test)]
print([sums[1]; sums[2]; data.y_train; data.y_test])"""
    sums = [(x.astype(int) * np.arange(1, 785).reshape(28, 28)).sum(axis=(1, 2)) for x in (known.x_train, known.x_test)]
    assert json.loads(printed(one(manager, source))) == np.concatenate([*sums, known.y_train, known.y_test]).tolist()


def test_the_reader_names_what_is_wrong(manager, tmp_path):
    (tmp_path / "mnist").mkdir()
    execute(manager, f'include("{READER}")\nENV["ROSETTA_DATA"] = {json.dumps(str(tmp_path))};')
    images = tmp_path / "mnist" / "train-images-idx3-ubyte.gz"
    assert f"{images} is missing" in failure(manager, "load_mnist()").evalue
    images.write_bytes(gzip.compress(b"other bytes"))
    assert f"{images} is not the published file" in failure(manager, "load_mnist()").evalue
    assert "2000" in failure(manager, 'load_mnist("sample", 2001, 1)').evalue
    assert "DATA is" in failure(manager, 'load_mnist("all")').evalue


def test_exit_in_a_cell_is_reported_until_a_restart(tmp_path):
    manager = started(tmp_path)
    try:
        output = failure(manager, 'println("last words"); exit(3)')
        assert output.ename == "JuliaEnded" and "exit status 3" in output.evalue
        assert failure(manager, "1 + 1").ename == "JuliaEnded"
        manager.restart_kernel(now=False)
        assert one(manager, "1 + 1")[0].data["text/plain"] == "2"
        output = failure(manager, "ccall(:raise, Cint, (Cint,), 9)")
        assert "SIGKILL" in output.evalue
    finally:
        manager.shutdown_kernel(now=True)


@pytest.mark.parametrize("now", [False, True])
def test_no_julia_is_left_after_a_shutdown(tmp_path, now):
    manager = started(tmp_path)
    one(manager, "1")
    children = psutil.Process(manager.provisioner.pid).children(recursive=True)
    assert children
    manager.shutdown_kernel(now=now)
    _, left = psutil.wait_procs(children, timeout=20)
    assert not left


def test_a_julia_that_does_not_start_is_named(tmp_path):
    broken = tmp_path / "julia"
    broken.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo julia version 1.9.0 && exit\necho no libjulia >&2; exit 1\n'
    )
    broken.chmod(0o755)
    with pytest.raises(julia_kernel.Ended, match="exit status 1.*: no libjulia"):
        julia_kernel.Child(str(broken))
