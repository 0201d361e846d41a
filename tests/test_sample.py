"""The day's sample of proofs: a row of each environment, those that changed first, and in time every row."""

from catalog import selection
from tests import kernels, sample


def test_a_sample_has_every_environment_and_is_what_its_words_choose(capsys):
    for number in (0, 1, 740_000):
        rows = sample.rows(number, paths=set())
        assert {row.environment for row in rows} == {row.environment for row in kernels.rows()}
        assert len(rows) == len({(row.workload, row.id) for row in rows}) >= sample.ROWS
        names = [f"{row.workload}/{row.id}" for row in rows]
        chosen = selection.chosen(kernels.declarations(), kernels.rows(), {"row": names})
        assert sorted((row.workload, row.id) for row in chosen) == sorted((row.workload, row.id) for row in rows)
    sample.main(1)
    assert len(capsys.readouterr().out.split()) >= sample.ROWS


def test_a_changed_row_comes_first_and_in_time_every_row_comes():
    first, second = (sample.rows(number, paths=set()) for number in (0, 1))
    asked = next(row for row in second if row not in first and row.environment == "main")
    path = asked.notebook.relative_to(kernels.ROOT).as_posix()
    assert any(row.notebook == asked.notebook for row in sample.rows(0, paths={path}))
    found = {(row.workload, row.id) for number in range(400) for row in sample.rows(number, paths=set())}
    assert found == {(row.workload, row.id) for row in kernels.rows()}
