"""Times a lesson in R or Julia against a bare script of the same language, alternating, in one run.

    PYTHONPATH=. python tests/benchmarks/step_foreign.py WORKLOAD ROW [--rounds N] [--passes N]

The lesson trains through its check, as in a timed round, on the first samples of the sample. The bare script,
tests/bare/WORKLOAD/FRAMEWORK.R or .jl, defines a function ``bare_pass`` that trains as many in mini-batches as large.
Prints the seconds of a pass of each, and the median, smallest and largest ratio; exit status 1 where the median is
above 1.05. Run it on an otherwise idle machine, with the main environment's interpreter.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from catalog.inputs import OWN, Notebook
from referee.languages import literals
from runner import environments
from tests import kernels

ALLOWED = 1.05
SAMPLES = 1280
# {count}: samples; {rounds}: alternations, of which two come before those that count; {passes}: in each.
LOOPS = {
    "R": """
order <- np$arange({count}L)
clock <- function(work) system.time(for (k in seq_len({passes})) work())[["elapsed"]]
for (k in seq_len({rounds} + 2)) {{
  works <- list(ours = function() check$train(x_train, y_train, order), bare = bare_pass)
  if (k %% 2 == 0) works <- rev(works)
  for (name in names(works)) cat("TIMED", name, clock(works[[name]]) / {passes}, "\\n")
}}
""",
    "julia": """
order = collect(0:{count} - 1)
several(work) = foreach(_ -> work(), 1:{passes})
for k in 1:{rounds} + 2
    works = ["ours" => () -> check.train(x_train, y_train, order), "bare" => bare_pass]
    for (name, work) in (k % 2 == 0 ? reverse(works) : works)
        println("TIMED $name ", @elapsed(several(work)) / {passes})
    end
end
""",
}


def program(row, rounds, passes) -> str:
    """The source of one run: the lesson's definitions, its check, the bare script, and the alternation."""
    notebook = Notebook(row.notebook)
    own = {name: row.parameters[name] for name in notebook.parameters if name in row.parameters}
    own |= {"DATA": "sample", "TRAIN_SAMPLES": SAMPLES, "TEST_SAMPLES": 150}
    arrow = " <- " if notebook.language == "R" else " = "
    given = [name + arrow + literals.written(value, notebook.language) for name, value in own.items()]
    cells = [source for tag, source in notebook.cells if tag not in OWN]
    bare = kernels.ROOT / "tests" / "bare" / row.workload / (row.framework + notebook.check.suffix)
    loop = LOOPS[notebook.language].format(count=SAMPLES, rounds=rounds, passes=passes)
    found = [cells[0], *given, *cells[1:], notebook.check.read_text(), bare.read_text(), loop]
    return "\n\n".join(found)


def main():
    """Run both in turn, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workload")
    parser.add_argument("row")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--passes", type=int, default=1)
    options = parser.parse_args()
    row = kernels.row(options.workload, options.row)
    language, entry = Notebook(row.notebook).language, kernels.declarations().environments[row.environment]
    prefix = environments.make(kernels.ROOT, row.environment, entry, "cpu")
    with tempfile.TemporaryDirectory() as folder:
        environ = environments.kernel_environ(entry, prefix, int(os.environ.get("OMP_NUM_THREADS", 2)), Path(folder))
        path = Path(folder) / "program"
        path.write_text(program(row, options.rounds, options.passes))
        include = "include_string(Main, read(ARGS[1], String))"  # paths in it are relative to the notebook's folder
        julia = [environ.get("ROSETTA_JULIA"), "--startup-file=no", "-e", include]
        command = ["Rscript", "--vanilla"] if language == "R" else julia
        given = {**os.environ, **environ, "PYTHONPATH": str(kernels.ROOT), **row.variables}
        done = subprocess.run(
            [*command, str(path)], cwd=row.notebook.parent, env=given, capture_output=True, text=True, check=False
        )
    if done.returncode:
        sys.exit(done.stderr[-3000:])
    times = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("TIMED")]
    ours, bare = ([float(seconds) for name, seconds in times if name == one][2:] for one in ("ours", "bare"))
    ratios = [a / b for a, b in zip(ours, bare, strict=True)]
    found = dict(ours=statistics.median(ours), bare=statistics.median(bare), ratio=statistics.median(ratios))
    print(json.dumps({**found, "smallest": min(ratios), "largest": max(ratios), "row": row.id}))
    return 0 if found["ratio"] <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
