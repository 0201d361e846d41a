"""Mistakes in frameworks.toml and workload.toml: each is named with file and line."""

from pathlib import Path

import pytest

from catalog.declarations import DeclarationError, Declarations
from tests.fixtures import fake_repo

REPOSITORY = Path(__file__).resolve().parent.parent


def test_the_declarations_of_this_project_are_whole():
    declared = Declarations(REPOSITORY)
    for profile in declared.profiles:
        for device in ("cpu", "gpu"):
            rows = declared.rows(profile, device)
            assert len({(row.workload, row.id) for row in rows}) == len(rows)
            assert all(row.environment in declared.environments for row in rows)


def test_rows_of_a_profile(repo):
    declared = Declarations(repo)
    rows = {row.id: row for row in declared.rows("cpu", "cpu", flags=["avx2"])}
    assert list(rows) == ["plain", "compiled", "two", "two-bf16"]
    assert rows["compiled"].parameters["COMPILE"] is True and rows["compiled"].shortened == {"SECONDS": 20}
    assert not rows["two"].part and rows["two"].parameters["TRAIN_SAMPLES"] == 80
    assert rows["two-bf16"].part and rows["two-bf16"].parameters["TRAIN_SAMPLES"] == 16
    assert rows["two-bf16"].shortened == {"SECONDS": 20} and not rows["two"].today and rows["plain"].today
    native = {row.id: row for row in declared.rows("cpu", "cpu", flags=["avx512_bf16"])}
    assert not native["two-bf16"].part
    assert [row.id for row in declared.rows("gpu", "gpu")] == ["plain", "compiled", "plain-tf32", "compiled-tf32"]


# file, text, what stands there instead, line on which it stands, what the message names
WORKLOAD, FRAMEWORKS = "notebooks/toy/workload.toml", "frameworks.toml"
OLD_FIGURES = """[[published]]
title = "Old"
url = "https://example.org"
year = 2018
what = "seconds"
columns = ["s"]
measure = "{}"
rows = [{{ name = "One", row = "{}", s = 1 }}]
[page]"""
STUDY = """[page]
study = {{ file = "one", title = "One", text = "", table = "{}", measures = ["rate"], then = {{ rate = {{ columns = ["{}"] }} }}, forms = [{{ title = "A", what = "", rows = ["plain"] }}, {{ title = "B", what = "", rows = ["{}"] }}] }}"""
MISTAKES = [
    (WORKLOAD, "[page]", STUDY.format("profile", "s", "two"), "study", "page.tables has no 'profile'"),
    (WORKLOAD, "[page]", STUDY.format("profile", "s", "nope"), "study", "nope"),
    (
        WORKLOAD,
        "[page]",
        STUDY.format("profile", "s", "two") + '\ntables = [{ name = "profile", title = "P" }]',
        "study",
        "page.study.then.rate: no published figures have the column 's'",
    ),
    (WORKLOAD, 'proof = "training"', 'proof = "training"\nprof = 1', "prof = ", "prof"),
    (WORKLOAD, 'data = "toy"', 'data = "nope"', "data = ", "common/data/nope.py"),
    (WORKLOAD, "[profiles.gpu]", "[profiles.tpu]", "[profiles.tpu]", "tpu"),
    (WORKLOAD, "part = { TRAIN_SAMPLES = 8 }", "part = { NOPE = 8 }", "[profiles.quick]", "NOPE"),
    (
        WORKLOAD,
        "part = { TRAIN_SAMPLES = 8 }",
        "part = { TRAIN_SAMPLES = 0 }",
        "[profiles.quick]",
        "TRAIN_SAMPLES is 0; it must be a whole number at least 1",
    ),
    (
        WORKLOAD,
        "[profiles.quick]",
        '[profiles.quick]\nwithout = ["nope"]',
        "without = ",
        "the proof has no part 'nope'",
    ),
    (WORKLOAD, 'reference_row = "plain"', 'reference_row = "nope"', "reference_row", "nope"),
    (WORKLOAD, 'framework = "two"', 'framework = "nope"', "two = {", "nope"),
    (WORKLOAD, 'variant = "compiled"', 'variant = "nope"', "compiled = {", "nope"),
    (WORKLOAD, 'note = "old"', 'note = "nope"', "two = {", "nope"),
    (WORKLOAD, 'summary_measures = ["rate"]', 'summary_measures = ["nope"]', "summary_measures", "nope"),
    (WORKLOAD, "phases = []", 'phases = ["seconds", "nope"]', "phases", "nope"),
    (WORKLOAD, 'note = "old" }', 'note = "old", part = ["gpu"] }', "two = {", "profile 'gpu' has no part"),
    (WORKLOAD, "[page]", OLD_FIGURES.format("nope", "plain"), "measure = ", "nope"),
    (WORKLOAD, "[page]", OLD_FIGURES.format("seconds", "nope"), "rows = [", "nope"),
    (WORKLOAD, "speed = true", "speed = false", "[measures.rate]", "speed = true"),
    (WORKLOAD, 'better = "higher"\nspeed', 'better = "lower"\nspeed', "better = ", "'higher' was expected"),
    (WORKLOAD, 'over = "TRAIN_SAMPLES"', 'over = "NOPE"', "over = ", "NOPE"),
    (WORKLOAD, 'precisions = ["fp32", "tf32", "bf16"]', 'precisions = ["fp8"]', "precisions", "fp8"),
    (FRAMEWORKS, 'environment = "old"', 'environment = "nope"', 'environment = "nope"', "nope"),
    (FRAMEWORKS, 'lock = "main.txt"', 'lock = "main.txt"\nlok = 1', "lok = ", "lok"),
]


@pytest.mark.parametrize(("path", "old", "new", "place", "named"), MISTAKES, ids=[m[4][:25] for m in MISTAKES])
def test_a_mistake_is_named_with_file_and_line(repo, path, old, new, place, named):
    fake_repo.edit(repo / path, old, new)
    with pytest.raises(DeclarationError) as error:
        Declarations(repo)
    lines = (repo / path).read_text().splitlines()
    expected = next(number for number, line in enumerate(lines, 1) if line.startswith(place))
    said = str(error.value)
    assert Path(path).name in said and named in said
    assert int(said.split("line ")[1].split(":")[0]) == expected, said


@pytest.mark.parametrize("lacking", ["two.ipynb", "checks/two.py"])
def test_a_row_without_a_notebook_or_check(repo, lacking):
    (repo / "notebooks" / "toy" / lacking).unlink()
    with pytest.raises(DeclarationError, match=rf"toy/workload.toml, line \d+: row two has no \w+ {lacking}"):
        Declarations(repo)


def test_a_file_that_is_no_toml(repo):
    (repo / WORKLOAD).write_text("title = \n")
    with pytest.raises(DeclarationError, match="toy/workload.toml.*line 1"):
        Declarations(repo)


def test_on_gpus_no_row_of_keras_in_fp32_is_rounded_to_tf32():
    """Keras has no setting of its own for it: the variables of its backends say it, where a proof in fp32 holds."""
    rows = Declarations(REPOSITORY).rows("gpu", "gpu")
    keras = [row for row in rows if row.framework == "keras" and row.precision != "fp64"]
    said = {"JAX_DEFAULT_MATMUL_PRECISION": "highest"}, {"NVIDIA_TF32_OVERRIDE": "0"}
    assert len(keras) > 20
    for row in keras:
        assert said["-jax" not in row.id].items() <= row.variables.items(), row.id
        assert row.precision != "tf32", row.id


@pytest.mark.parametrize("profile, size", [("quick", 56), ("cpu", 56), ("gpu", 224)])
def test_the_operations_of_densenet_are_those_of_its_images(profile, size):
    """Table 1 of arXiv:1608.06993: multiplications of the convolutions and the last layer, forward and backward."""

    def multiplications(side, channels, width, kernel):
        return side * side * channels * width * kernel * kernel

    work = Declarations(REPOSITORY).workloads["densenet_chestxray"]
    assert work.profiles[profile]["parameters"].get("CROP", 56) == size
    side, channels = size // 2, 64
    first = total = multiplications(side, 3, 64, 7)
    side = side // 2
    for block, layers in enumerate((6, 12, 24, 16)):
        for grown in range(channels, channels + 32 * layers, 32):
            total += multiplications(side, grown, 128, 1) + multiplications(side, 128, 32, 3)
        channels += 32 * layers
        if block < 3:
            total += multiplications(side, channels, channels // 2, 1)
            side, channels = side // 2, channels // 2
    total += channels * 14
    assert work.flops_of(profile) == pytest.approx(2 * (3 * total - first), rel=1e-4)  # no gradient of the images
