"""Pages and figures say what the records say, the same on every machine, and nothing where there is no record."""

import io
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from types import FunctionType, SimpleNamespace

import pandas as pd
import pytest
from PIL import Image

from catalog.declarations import Declarations
from catalog.inputs import Notebook
from common import plots
from report import cells, figures, pages, tables
from report.__main__ import main
from report.records import ReportError
from tests import golden

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = golden.HERE / "results.md"


def cells_of(page, title):
    """The cells of the first table line whose row is `title`, linked or not."""
    lines = page.replace("\u00a0", " ").splitlines()
    line = next(ln for ln in lines if re.match(rf"\|\s*\[?{re.escape(title)}[\]\s]", ln))
    return [cell.strip() for cell in line.strip("|").split("|")]


def results_page(root):
    """A workload's page and, below it, the page of each column, which has the complete tables."""
    results = pages.published(root)
    work = results.declarations.workloads[golden.WORKLOAD]
    text = pages.page("workload.md", results=results, work=work, start=root / "results")
    for column in results.columns:
        text += "\n" + pages.page("column.md", results=results, column=column, start=column.path)
    return text


def outdated(root):
    """The generated files that differ from what would be written, or that are no longer generated."""
    return sorted(pages.differing(pages.render(pages.published(root))))


def test_real_records_become_the_golden_page(root):
    golden.with_published(root)
    golden.Column(root, "published").rounds()
    # which rows there are besides is no matter of these records
    page = re.sub(r"(Not measured[\w ]*): .*?\.(?=\s)", r"\1: the others.", results_page(root))
    if not GOLDEN.exists():  # after a change that is meant: delete it, run, read it
        GOLDEN.write_text(page)
        pytest.fail(f"{GOLDEN.name} was written anew")
    assert page == GOLDEN.read_text()


def test_a_row_is_its_record(root):
    golden.with_published(root)
    record = golden.real("jax")
    values = {name: one["values"] for name, one in record["measurements"].items()}
    shown = cells_of(results_page(root).split("Everything that was measured")[1], "JAX (Flax NNX)")
    assert f"{sorted(values['training rate'])[1]:.0f}" in shown and f"{values['test accuracy'][-1]:.1f} %" in shown
    assert f"{values['first step'][0]:.2f}" in shown and f"{values['peak memory'][0] / 1e6:,.0f}" in shown
    assert f"2 of 7, {record['proof']['parts']['losses']['error']:.2f} of bound" in shown


def test_precisions_have_tables_of_their_own(root):
    golden.with_published(root)
    fp32, bf16 = results_page(root).split("**Precision bf16**")
    assert "off reference by" not in fp32 and "off reference by" in bf16
    assert "only emulates bf16" in bf16 and "share of peak" not in [cell.strip() for cell in bf16.split("|")[1:20]]


def test_then_and_now(root):
    golden.with_published(root)
    page = results_page(root).split("Then and now")[1]
    jax = cells_of(page, "PyTorch, 0.3.1")
    assert jax[:5] == ["PyTorch, 0.3.1", "169", "51", tables.DASH, tables.DASH]
    assert jax[5].startswith("PyTorch (eager), torch 2.13.0") and jax[6] == "1,619"
    assert cells_of(page, "Julia - Knet")[1:] == ["159"] + [tables.DASH] * 5


def test_a_column_out_of_date_stands_beside_figures_of_old_only_with_rows_of_its_own(root):
    golden.Column(root, "published").rounds(rows=["pytorch-eager", "theano"], count=1)
    old = golden.Column(root, "published", machine=golden.MACHINE | {"label": "other"})

    def named_with(*rows):
        for row in rows:
            record = old.record(row)
            record["inputs"]["common"]["common.timing"] = "0" * 16
            old.put(record)
        return "other, cpu" in results_page(root).split("Then and now")[1].split("Everything that was measured")[0]

    assert not named_with("pytorch-eager", "theano")
    assert named_with("tensorflow")


def test_rows_of_a_precision_follow_the_figures_of_old(root):
    golden.with_published(root)
    declared = root / "notebooks/cnn_cifar10/workload.toml"
    text, real = declared.read_text(), declared.readlink()
    declared.unlink()
    declared.write_text(text.replace("[[published]]\n", '[[published]]\nprecision = "bf16"\n', 1))
    try:
        page = results_page(root).split("Then and now")[1]
    finally:
        declared.unlink()
        declared.symlink_to(real)
    assert "Ours are in bf16." in page
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| – | – | – |")]
    titles = [row[3] for row in rows]
    assert sorted(titles) == ["JAX (Flax NNX)", "PyTorch (eager)"], "no version where there is no figure"


def test_quick_runs_do_not_stand_beside_published_figures(root):
    golden.Column(root, "published", profile="quick").rounds(count=1)
    assert tables.DASH == cells_of(results_page(root).split("Then and now")[1], "PyTorch, 0.3.1")[-2]


def test_the_narrow_table_keeps_its_width(root, monkeypatch):
    golden.with_published(root)
    results = pages.published(root)
    main = results.main(results.declarations.workloads[golden.WORKLOAD])
    table = tables.narrow(main, root)
    lines = [re.sub(r"\s+", " ", tables.shown(line)) for line in table.splitlines()]
    assert max(map(len, lines)) <= tables.WIDTH and len(lines) > 8
    real = [tables.shown(line) for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("|")]
    assert max(map(len, real), default=0) <= tables.WIDTH
    assert "version" in table
    monkeypatch.setattr(tables, "WIDTH", 60)
    assert "version" not in tables.narrow(main, root), "figures before versions"


def summary_of(root):
    results = pages.published(root)
    return results.main(results.declarations.workloads[golden.WORKLOAD])


def test_the_limit_of_timed_rounds_is_said_also_where_whole_runs_know_none(root):
    column = golden.Column(root, "published").rounds(["pytorch-eager"], count=2)
    whole = column.record("pytorch-eager", "full")
    whole["parameters"].pop("SECONDS", None)
    column.put(whole)
    summary = summary_of(root)
    same, rounds = tables.settings(summary.work, summary.shown.to_dict("records"))
    assert "SECONDS" not in same and rounds["SECONDS"] == 20


def test_rows_that_a_gpu_alone_has_timed_stand_last(root):
    golden.Column(root, "published").rounds(["pytorch-eager", "jax"], count=1)
    main = summary_of(root)
    golden.Column(root, "published").rounds(["pytorch-eager", "tensorflow"], count=1)
    *_, last = tables.narrow(main, root, summary_of(root)).splitlines()
    assert "TensorFlow" in last and last.count(f" {tables.DASH} ") >= 2


def test_speeds_of_a_gpu_come_with_their_rounds_packages_and_age(root):
    golden.Column(root, "published").rounds(rows=["pytorch-eager", "theano"], count=3)
    results = pages.published(root)
    work = results.declarations.workloads[golden.WORKLOAD]
    summary = results.main(work)
    of = {line.Index: tables.versions(line.versions, 1) for line in summary.lines.itertuples()}
    said = f"medians over 3 rounds, with {of['theano']} and {of['pytorch-eager']}"
    assert tables.of_gpu(summary) == f"box: {said}."
    summary.lines.loc[summary.lines.index.str.contains("theano"), "state"] = "out of date"
    assert tables.of_gpu(summary) == f"box: {said}; partly out of date."
    summary.lines["state"] = "out of date"
    assert tables.of_gpu(summary) == f"box: {said}; out of date."
    # beside a CPU's the page says it, alone it goes without saying
    assert "box: medians" in pages.page("caption.md", main=summary, gpu=summary, work=work)
    assert "box: medians" not in pages.page("table.md", results=results, work=work, start=root)


def test_readme_says_what_its_tables_leave_out(root):
    golden.Column(root, "published").rounds()
    column = golden.Column(root, "published")
    column.put(column.record("tensorflow", kind="full"))
    place = f"table:{golden.WORKLOAD} -->\n<!-- /table -->"
    text = pages.fill(f"<!-- {place}", pages.published(root))
    summary = pages.published(root).main(pages.published(root).declarations.workloads[golden.WORKLOAD])
    for row in summary.lines.itertuples():
        if row.rounds == 6:
            ends = cells_of(text, row.title)[3].split("–")
            assert (float(ends[0]), float(ends[-1])) == pytest.approx((row.ratio_low, row.ratio_high), rel=1e-2)
    said = text.split("Not measured on this machine: ")[1].split(" From ")[0]
    missing = summary.lines[summary.lines["state"] == "not measured"]["title"]
    assert len(missing) and all(title in said for title in missing)
    assert f"medians over {summary.rounds} rounds" in text and "From one full run (epochs: 3): test accuracy." in text


@pytest.mark.parametrize("rows, shown", [(4, "box"), (3, "older")])
def test_readme_shows_the_column_with_the_most_current_figures(root, rows, shown):
    """Less than half the rows of the older column do not displace it."""
    older = golden.Column(root, "published", machine=golden.OLDER).rounds()
    for name, record in golden.named(older.path / f"{golden.WORKLOAD}.jsonl").items():
        record["inputs"] = golden.real(record["row"])["inputs"]  # of another lesson
        older.put(record, name)
    golden.Column(root, "published").rounds(golden.ROWS[:rows], count=1)
    pages.regenerate(root)
    text = (root / "README.md").read_text()
    assert f"{shown}, cpu, profile cpu" in text and ("out of date" in text) == (shown == "older")
    for label in ("older", "box"):
        assert f"{label}, cpu, profile cpu" in (root / "results/README.md").read_text()


def test_of_columns_with_as_many_rows_the_one_with_more_accuracies_is_shown(root):
    golden.Column(root, "published").rounds(golden.ROWS[:3])
    fuller = golden.Column(root, "published", machine=golden.MACHINE | {"label": "fuller"}).rounds(
        golden.ROWS[:3], count=1
    )
    fuller.put(fuller.record("jax", kind="full"))
    results = pages.published(root)
    assert results.main(results.declarations.workloads[golden.WORKLOAD]).column.label == "fuller"


def test_of_columns_without_a_current_speed_the_one_with_more_rounds_is_shown(root):
    """A full run that is current, of a column measured in one old round, puts nothing before six rounds."""
    old = {"box": golden.Column(root, "published").rounds(golden.ROWS[:3])}
    old["full"] = golden.Column(root, "published", machine=golden.MACHINE | {"label": "full"})
    old["full"].rounds(golden.ROWS[:3], count=1)
    for column in old.values():
        for name, record in golden.named(column.path / f"{golden.WORKLOAD}.jsonl").items():
            record["inputs"]["cells"]["model"] = "another"
            column.put(record, name)
    old["full"].put(old["full"].record("jax", kind="full"))
    results = pages.published(root)
    assert results.main(results.declarations.workloads[golden.WORKLOAD]).column.label == "box"


def test_of_columns_with_as_many_current_figures_the_one_with_more_rounds_is_shown(root):
    golden.Column(root, "published").rounds(golden.ROWS[:3], count=1)
    golden.Column(root, "published", machine=golden.MACHINE | {"label": "later"}).rounds(golden.ROWS[:3])
    results = pages.published(root)
    assert results.main(results.declarations.workloads[golden.WORKLOAD]).column.label == "later"


def test_what_is_regenerated_twice_changes_no_byte(root):
    golden.with_published(root)
    golden.Column(root, "published").rounds(golden.ROWS[:2], count=2)
    old = root / "results/figures/old.png"
    old.parent.mkdir()
    old.write_bytes(b"no longer generated")
    assert old in pages.regenerate(root) and not old.exists()
    assert [path.name for path in root.rglob("*.png")] == ["cnn_cifar10-fp32-speed.png"]
    assert {path.parent for path in root.rglob("*.png")} == {root / "results" / "figures"}
    assert outdated(root) == []
    times = {p: p.stat().st_mtime_ns for p in root.rglob("*.*") if p.is_file()}
    assert pages.regenerate(root) == []
    assert times == {p: p.stat().st_mtime_ns for p in root.rglob("*.*") if p.is_file()}
    text = (root / "README.md").read_text()
    assert (
        text.startswith("# Title\n\n<!-- figure:cnn_cifar10 -->\n")
        and "\nProse stays.\n" in text
        and "\nold\n" not in text
    )
    generated = [root / "notebooks/cnn_cifar10/pytorch_jax.md", root / "results/cnn_cifar10.md"]
    for path in (root / "README.md", *generated):
        path.write_text(path.read_text() + "1")
    assert outdated(root) == generated  # README's prose is not
    links = [
        (p, t) for p in root.rglob("*.md") for t in re.findall(r"\]\(([^)#]+)[^)]*\)|href=\"([^\"]+)\"", p.read_text())
    ]
    local = [(page, a or b) for page, (a, b) in links if not (a or b).startswith("https://") and "docs/" not in a]
    assert len(local) > 60 and [(page, t) for page, t in local if not (page.parent / t).exists()] == []


def test_the_map_names_the_column_whose_run_wrote_a_notebook_last(root):
    stored = {"file": "../../../../notebooks/cnn_cifar10/jax.ipynb", "sha256": "0" * 64}
    for label, number in (("new", 2), ("old", 1)):
        column = golden.Column(root, "published", machine=golden.MACHINE | {"label": label})
        column.put(column.record("jax", kind="full", number=number) | {"notebook": stored})
    pages.regenerate(root)
    text = (root / "notebooks" / "README.md").read_text()
    assert "[new](cnn_cifar10/jax.ipynb)" in text and "[no record](cnn_cifar10/theano.ipynb)" in text
    linked = ["/notebooks/cnn_cifar10/jax.ipynb)" in path.read_text() for path in root.rglob("cpu-cpu/README.md")]
    assert linked == [True, True], "a published row links its lesson"


def test_a_marker_of_no_workload_is_refused(root):
    for kind in ("figure", "table", "workloads", "frameworks"):
        with pytest.raises(ReportError, match="'nothing'; the workloads are: cnn_cifar10"):
            pages.fill(f"<!-- {kind}:nothing -->\n<!-- /{kind} -->", pages.published(root))


def test_nothing_published_yet(root):
    pages.regenerate(root)
    assert (root / "README.md").read_text().count("Not measured yet.") == 1 and outdated(root) == []


def test_figures_are_small_and_the_same_each_time(root):
    golden.Column(root, "published").rounds(count=2)
    column = golden.Column(root, "published")
    for row in ("jax", "theano"):
        column.put(column.record(row, "full"))
    results = pages.published(root)
    (summary,) = results.summaries(results.declarations.workloads["cnn_cifar10"], results.columns[0])
    plan = figures.plan(summary)
    assert [Path(name).stem.rsplit("-", 1)[1] for name in plan] == ["speed", "accuracy", "phases"]
    for name, (alternative, figure) in plan.items():
        png = figure.png()
        image = Image.open(io.BytesIO(png))
        assert png == figure.png() and len(png) < 40_000 and image.mode == "P" and image.size[1] <= 420, name
        assert "CNN on CIFAR-10, fp32" in alternative


@pytest.fixture
def speeds(root):
    """The speed figure of a workload's page; every page and figure is written."""
    golden.Column(root, "published").rounds(golden.ROWS[:3], count=2)
    pages.regenerate(root)
    return root / "results/figures/cnn_cifar10-fp32-speed.png"


def with_a_pixel_changed(png):
    """The picture with one other pixel, and without its stamp."""
    image, changed = Image.open(io.BytesIO(png)), io.BytesIO()
    image.putpixel((7, 7), 1 + image.getpixel((7, 7)))
    image.save(changed, "png")
    return changed.getvalue()


def test_a_figure_that_another_cpu_drew_is_the_same(root, speeds):
    theirs = figures.stamped(with_a_pixel_changed(speeds.read_bytes()), figures.drawn(speeds))
    assert theirs != speeds.read_bytes()
    speeds.write_bytes(theirs)
    assert outdated(root) == [] and pages.regenerate(root) == [] and speeds.read_bytes() == theirs


@pytest.mark.parametrize("damage", ["pixel", "no stamp", "cut off", "no picture"])
def test_a_figure_that_was_changed_afterwards_is_drawn_anew(root, speeds, damage):
    whole, changed = speeds.read_bytes(), with_a_pixel_changed(speeds.read_bytes())
    stamp = whole[figures.HEADER : len(figures.stamped(whole, figures.drawn(speeds))) - len(whole) + figures.HEADER]
    damaged = {"pixel": changed[: figures.HEADER] + stamp + changed[figures.HEADER :], "no stamp": changed}
    damaged |= {"cut off": whole[: len(whole) // 2], "no picture": b"<svg/>"}
    assert Image.open(io.BytesIO(damaged["pixel"])).info == Image.open(io.BytesIO(whole)).info
    speeds.write_bytes(damaged[damage])
    assert outdated(root) == [speeds] and pages.regenerate(root) == [speeds]
    assert outdated(root) == [] and speeds.read_bytes() == whole


def test_a_figure_of_other_data_is_drawn_anew(root, speeds):
    before, column = speeds.read_bytes(), golden.Column(root, "published")
    for number, factor in ((1, 1 + 1e-13), (2, 1 + 1e-13)):  # what another order of summation would change
        column.put(column.record("jax", number=number, speed=factor * (1 + 0.01 * (number - 1))))
    assert [path for path in outdated(root) if path.suffix == ".png"] == []
    column.put(column.record("jax", number=2, speed=1.05))
    assert [path.stem.rsplit("-", 1)[1] for path in outdated(root) if path.suffix == ".png"] == ["speed"]
    assert speeds in pages.regenerate(root) and speeds.read_bytes() != before and outdated(root) == []


def test_a_figure_of_other_code_is_drawn_anew(root, speeds, monkeypatch):
    monkeypatch.setattr(plots, "INK", "#000000")
    assert {path.suffix for path in outdated(root)} == {".png"} and speeds in outdated(root)


def test_all_code_that_draws_is_in_the_digest():
    for function in (*figures.DRAWING, figures.draw_then):
        module, names = function.__globals__, function.__code__.co_names
        own = {module[name] for name in names if isinstance(module.get(name), FunctionType)}
        own |= {getattr(plots, name) for name in names if isinstance(getattr(plots, name, None), FunctionType)}
        assert {one for one in own if one.__module__ in ("report.figures", "common.plots")} <= {
            *figures.DRAWING,
            function,
        }
        looks = [module[name] for name in names if name.isupper() and name in module]
        looks += [getattr(plots, name) for name in names if name.isupper() and hasattr(plots, name)]
        assert [look for look in looks if json.dumps(look) not in figures.code(function)] == []


@pytest.mark.parametrize("value", [63.40625, 0.1 + 0.2, 1234565.0, 1e-7, 5e11 / 3])
def test_a_last_bit_is_rounded_off(value):
    off = [value, math.nextafter(value, 0), math.nextafter(value, math.inf), value * (1 + 1e-14)]
    assert len({*figures.rounded(off)}) == 1 and figures.rounded(off)[0] == pytest.approx(value, rel=5e-6)


# ---------------------------------------------------------------- a user's own column


def test_a_local_column_stands_beside_that_of_its_own_kind_of_machine(root):
    golden.Column(root, "published").rounds(count=1)
    golden.Column(root, "published", machine={**golden.MACHINE, "label": "another", "family": "99"}).rounds(count=3)
    mine = golden.Column(root, profile="quick").rounds(count=1)
    assert "beside the published box" in pages.local(mine.path)


def test_a_local_column_stands_beside_the_published_one(root):
    golden.Column(root, "published").rounds(count=1)
    mine = golden.Column(root).rounds(count=1, speeds={"jax": [0.5]})
    mine.put(
        mine.record("numpy", status="failed", reason="ValueError: no\nmore", measurements={}), "numpy.round1.failed"
    )
    text = pages.local(mine.path)
    assert cells_of(text, "JAX (Flax NNX)")[3:] == ["0.500", "2.0 times slower than this machine's other rows suggest"]
    assert cells_of(text, "Theano")[3:] == ["1.00", tables.DASH]
    assert cells_of(text, "NumPy")[4] == "failed: ValueError: no"
    listed = pd.read_csv(mine.path / "records.csv")
    assert list(listed["row"]).count("jax") == 1 and "rate (1/s)" in listed and listed["commit"].notna().all()
    page = (mine.path / "tables.md").read_text()
    assert "Beside the published column" in page and "The records: [cnn_cifar10](cnn_cifar10)." in page
    assert "](figures/cnn_cifar10-fp32-speed.png)" in page
    assert (mine.path / "figures" / "cnn_cifar10-fp32-speed.png").exists()


def test_a_local_row_links_its_executed_notebook_and_without_one_the_lesson(root):
    mine = golden.Column(root)
    mine.put(mine.record("theano"))
    mine.execute(mine.record("jax", "full"))
    pages.local(mine.path)
    (ran,) = mine.path.glob("*/jax.*.ipynb")
    page = (mine.path / "tables.md").read_text().replace("\u00a0", " ")
    assert f"| [JAX (Flax NNX)](cnn_cifar10/{ran.name}) |" in page
    assert "| [Theano](../../../../notebooks/cnn_cifar10/theano.ipynb) <sup>" in page


def test_another_profile_is_said(root):
    golden.Column(root, "published").rounds(count=1)
    text = pages.local(golden.Column(root, profile="quick").rounds(["jax"], count=1).path)
    assert "The profiles differ (quick here, cpu there)" in text


def test_a_precision_that_one_machine_emulates_is_not_compared(root):
    there = golden.Column(root, "published", machine=golden.MACHINE | {"flags": ["avx512_bf16"]})
    there.put(there.record("jax-bf16"))
    mine = golden.Column(root)
    mine.put(mine.record("jax-bf16"))
    text = pages.local(mine.path)
    assert cells_of(text, "JAX (Flax NNX)")[2:4] == [tables.DASH] * 2 and "Not compared" in text


def test_nothing_published_for_the_device(root, capsys):
    mine = golden.Column(root)
    mine.put(mine.record("jax"))
    main(["local", str(mine.path)])
    assert "nothing is published for this device" in capsys.readouterr().out
    (mine.path.parent / "elsewhere").mkdir()
    with pytest.raises(SystemExit, match="is no column"):
        main(["local", str(mine.path.parent / "elsewhere")])


def test_a_broken_lesson_is_told_in_a_sentence(root):
    mine = golden.Column(root)
    mine.put(mine.record("jax"))
    lesson = root / "notebooks" / golden.WORKLOAD / "jax.ipynb"
    text, real = lesson.read_text(), lesson.readlink()
    lesson.unlink()
    lesson.write_text(f"<<<<<<< mine\n{text}")
    try:
        with pytest.raises(SystemExit, match="jax.ipynb is broken"):
            main(["local", str(mine.path)])
    finally:
        lesson.unlink()
        lesson.symlink_to(real)


def test_a_free_table_of_a_record_is_shown(root):
    path = root / "notebooks/cnn_cifar10/workload.toml"
    text, real = path.read_text(), path.readlink()
    path.unlink()
    tables_line = 'tables = [{ name = "profile", title = "Profile" }]\nsections = ['
    path.write_text(text.replace("sections = [", tables_line, 1))
    try:
        column = golden.Column(root, "published")
        profile = {"columns": ["operation", "calls", "share"], "rows": [["matmul", 500, 0.26123]]}
        column.put(column.record("jax", tables={"profile": profile}))
        made = pages.render(pages.published(root))
        assert "(profiles.md)" in made[column.path / "README.md"].decode()
        page = made[column.path / "profiles.md"].decode()
        assert "<summary>Profile: JAX (Flax NNX)</summary>" in page
        assert cells_of(page, "matmul") == ["matmul", "500", "0.261"]

        path.write_text(path.read_text().replace('"Profile" }', '"Profile", shares = true }'))
        named = {"columns": ["kind", "total, ms"], "rows": [["product", 30], ["sum", 5], ["product", 5]]}
        for row in ("jax", "theano"):
            column.put(column.record(row, tables={"profile": named}))
        results = pages.published(root)
        (summary,) = results.summaries(results.declarations.workloads["cnn_cifar10"], results.columns[0])
        (frame,) = figures._shares(summary.shown, "profile").values()
        assert frame.loc["Theano"].to_dict() == {"product": 87.5, "sum": 12.5} and len(frame) == 2
        alternative, figure = figures.plan(summary)["cnn_cifar10-fp32-profile.png"]
        assert "Profile" in alternative and Image.open(io.BytesIO(figure.png())).size[1] <= 420

        many = {"columns": named["columns"], "rows": [[f"kind {k}", 10 - k] for k in range(len(figures.KINDS) + 2)]}
        column.put(column.record("jax", tables={"profile": many}))
        results = pages.published(root)
        (summary,) = results.summaries(summary.work, results.columns[0])
        (frame,) = figures._shares(summary.shown, "profile").values()
        assert len(frame.columns) == len(figures.KINDS) and frame.columns[-1] == "other"
        assert frame.sum(axis=1).to_list() == pytest.approx([100, 100])
    finally:
        path.unlink()
        path.symlink_to(real)


# ---------------------------------------------------------------- the pages that lead to lessons


def test_a_pair_has_every_cell_of_its_sections_unbroken(root):
    declarations = golden.inputs_of(root).declarations
    work = declarations.workloads[golden.WORKLOAD]
    made = cells.lesson_pages(declarations, work)
    assert {path.name for path in made} == {"README.md", "pytorch_jax.md", "keras_tensorflow.md"}
    for pair in cells.PAIRS:
        text = made[work.folder / f"{'_'.join(pair)}.md"]
        for name in pair:
            notebook = Notebook(work.folder / f"{name}.ipynb")
            found = [cells.tagged(notebook, section["tag"]) for section in work.page["sections"]]
            assert sum(map(bool, found)) > 4 and all(code in text for code in found)
        titles = [section["title"] for section in work.page["sections"]]
        assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == titles
    lessons = made[work.folder / "README.md"]
    for path in work.folder.glob("*.ipynb"):
        assert f"({path.name})" in lessons
    assert "[Keras](keras.ipynb) | Keras (TensorFlow) · Keras (PyTorch) · Keras (JAX)" in lessons


def test_a_workload_without_one_of_two_lessons_has_no_page_of_them(root):
    declarations = golden.inputs_of(root).declarations
    work = declarations.workloads[golden.WORKLOAD]
    path, real = work.folder / "jax.ipynb", (work.folder / "jax.ipynb").readlink()
    path.unlink()
    try:
        assert {p.name for p in cells.lesson_pages(declarations, work)} == {"README.md", "keras_tensorflow.md"}
    finally:
        path.symlink_to(real)


def test_readme_begins_with_two_programs_that_do_the_same():
    """They are executed on the same data and weights, for three steps."""
    text = (ROOT / "README.md").read_text()
    torch_code, jax_code = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[:2]
    assert max(len(line) for line in (torch_code + jax_code).splitlines()) <= 66, "two such fit beside each other"
    script = f"""
import numpy as np
x = np.random.default_rng(0).standard_normal((8, 3)).astype("float32")
y = x.sum(1, keepdims=True)
import torch, torch.nn as nn, torch.nn.functional as F
{torch_code}
with torch.no_grad():
    model.weight[:], model.bias[:] = torch.tensor([[0.5, -0.2, 0.1]]), 0.3
ours = [float(train_step(torch.tensor(x), torch.tensor(y))) for _ in range(3)]
import jax.numpy as jnp, optax
from flax import nnx
{jax_code}
model.kernel[...], model.bias[...] = jnp.array([[0.5], [-0.2], [0.1]]), jnp.array([0.3])
theirs = [float(train_step(model, optimizer, x, y)) for _ in range(3)]
np.testing.assert_allclose(ours, theirs, rtol=1e-5)
assert ours[2] < ours[0]
"""
    subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT)


# ---------------------------------------------------------------- what is committed


def test_every_committed_page_and_figure_is_what_the_records_say():
    assert [os.path.relpath(path, ROOT) for path in outdated(ROOT)] == []


@pytest.mark.parametrize("value, text", [
    (None, "–"), (float("nan"), "–"), (181.04, "181"), (17.26, "17.3"), (1234.4, "1,234"), (0.31, "0.310"),
    (0.0123, "0.0123"), (99.96, "100"), (2e-5, "2.00e-05"), (0, "0"), (float("inf"), "∞"),
])  # fmt: skip
def test_number(value, text):
    assert tables.number(value) == text


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a (x, y)", "b", "c"], "a (x, y), b and c"),
        (["Gluon, 2 devices", "Keras"], "Gluon, 2 devices; and Keras"),
        (["a, b"], "a, b"),
    ],
)
def test_a_list_can_be_told_apart(words, text):
    assert tables.listed(words) == text


@pytest.mark.parametrize(
    ("unit", "value", "text"),
    [("yes or no", 1.0, "yes"), ("yes or no", 0.0, "no"), ("yes or no", 0.5, "0.500"), ("%", 85.31, "85.3 %")],
)
def test_a_measure_says_its_unit(unit, value, text):
    assert tables.measured(value, SimpleNamespace(unit=unit)) == text


@pytest.mark.parametrize("folder", ["/cpu-cpu", "results/local/nowhere/quick-cpu"])
def test_a_column_that_is_not_there_is_not_made(root, folder):
    path = root / folder
    with pytest.raises(ReportError, match="is no column"):
        pages.local(path)
    assert not path.exists()


def test_rows_with_fewer_rounds_are_named_under_the_table(root):
    column = golden.Column(root, "published").rounds(("pytorch-eager", "jax"))
    path = column.path / f"{golden.WORKLOAD}.jsonl"
    kept = [line for line in path.read_text().splitlines() if not re.match(r'{"name":"jax\.round[3-6]"', line)]
    path.write_text("\n".join(kept) + "\n")
    said = pages.page("caption.md", main=pages.published(root).main(Declarations(root).workloads[golden.WORKLOAD]))
    assert "medians over 6 rounds" in said and "Of JAX (Flax NNX) there are fewer, 2: their ranges say little." in said
