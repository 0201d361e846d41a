#!/usr/bin/env bash
# The tests, in three parts: (a) the code's form, and what needs no notebook's cells; (b) the proofs of a row of each environment;
# (c) a sample of pasted cells and planted mistakes. tests/sample.py says which: it turns from day to day, and
# rows that were just changed come first. --everything: all rows, all cells, all plants, and whether a second run resumes.
# --fast: of (a) what needs neither kernels nor a browser nor another environment than the main one, in three minutes.
# Makes the environments that are not there. At most 25 minutes on two cores, environments included, without --everything.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
case "${1:-}" in "" | --fast | --everything) ;; *) echo "tests/run.sh: --fast, --everything or nothing, not $1" >&2 && exit 2 ;; esac
everything=()
[ "${1:-}" != --everything ] || everything=(--everything)

unset PYTHONDONTWRITEBYTECODE # of a container: each process would compile all that it imports

./run_all.sh --list >/dev/null # makes the main environment
python=$(cd .environments/main-cpu && pwd -P)/bin/python
at_once=(-q -n auto --maxprocesses 4 --dist loadgroup)

"$python" -m ruff format --check --quiet .
"$python" -m ruff check --quiet .
if [ "${1:-}" = --fast ]; then
    exec "$python" -m pytest "${at_once[@]}" -m "not notebooks and not kernels" tests
fi
"$python" -m pytest "${at_once[@]}" -m "not notebooks" "${everything[@]}" tests
site=$(PYTHONPATH=. "$python" -c 'from tests import kernels; print(kernels.of("site")[0])' | tail -n 1) # made if need be
PYTHONPATH=. "$site" -m pytest "${at_once[@]}" tests/test_site.py

if [ ${#everything[@]} -gt 0 ]; then
    # grep without -q: it would close the pipe while the tables are still being written
    check=(./run_all.sh --check --all --label tests --jobs 2)
    "${check[@]}"
    "${check[@]}" | grep "up to date" >/dev/null
    ./run_all.sh --label tests
    ./run_all.sh --label tests | grep "up to date" >/dev/null
else
    rows=$(PYTHONPATH=. "$python" -m tests.sample)
    # shellcheck disable=SC2086  # several words
    ./run_all.sh --check --label tests --jobs 2 --row $rows
fi
"$python" -m pytest "${at_once[@]}" -m notebooks "${everything[@]}" tests
