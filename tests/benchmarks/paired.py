"""Measures a row before and after a change of code, in turn: the evidence behind an entry of results/equivalences.toml.

    PYTHONPATH=. python tests/benchmarks/paired.py COMMIT WORKLOAD ROW OUT.json [--rounds 6] [--profile quick]

COMMIT is checked out beside this checkout, with the same environments. Both run the row round by round, the one that
begins alternating, each through its own runner. OUT.json holds the speeds, their ratios (now over then), and the
smallest and largest: the change counts as none where these enclose 1. Run it on an otherwise idle machine, with the
main environment's interpreter.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from catalog.declarations import Declarations
from runner.hosts import machine

ROOT = Path(__file__).resolve().parents[2]
LABEL = "paired"


def speed(tree, workload, row, profile, number):
    """The median speed of round `number` of the row, run now in a checkout."""
    command = ["./run_all.sh", "--workload", workload, "--row", row, "--profile", profile, "--label", LABEL]
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([*command, "--rounds", str(number)], cwd=tree, env=environ, check=True, stdout=subprocess.DEVNULL)
    path = tree / f"results/local/{LABEL}/{profile}-cpu/{workload}/{row}.round{number}.json"
    source = Declarations(ROOT).workloads[workload].speed.source
    return float(np.median(json.loads(path.read_text())["measurements"][source]["values"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("commit", "workload", "row", "out"):
        parser.add_argument(name)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--profile", default="quick")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        before = Path(folder) / "before"
        subprocess.run(["git", "worktree", "add", "--detach", str(before), asked.commit], cwd=ROOT, check=True)
        try:
            (before / ".environments").symlink_to(ROOT / ".environments")
            speeds = {"then": [], "now": []}
            for number in range(1, asked.rounds + 1):
                turn = [("then", before), ("now", ROOT)]
                for name, tree in turn if number % 2 else turn[::-1]:
                    speeds[name].append(speed(tree, asked.workload, asked.row, asked.profile, number))
                print(f"{number}/{asked.rounds}: now / then {speeds['now'][-1] / speeds['then'][-1]:.3f}", flush=True)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(before)], cwd=ROOT, check=False)
    ratios = [now / then for now, then in zip(speeds["now"], speeds["then"], strict=True)]
    found = {"workload": asked.workload, "row": asked.row, "commit": asked.commit, "machine": machine.cpu()["cpu"]}
    found |= {**speeds, "ratios": ratios, "smallest": min(ratios), "largest": max(ratios)}
    Path(asked.out).write_text(json.dumps(found, indent=1) + "\n")
    print(f"ratio {np.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})")
    return 0 if min(ratios) <= 1 <= max(ratios) else 1


if __name__ == "__main__":
    sys.exit(main())
