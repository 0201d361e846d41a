#!/usr/bin/env bash
# Every test. Makes the main environment if there is none, checks the code, runs the tests, and then one row in each
# framework through the runner, as a user would.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

./run_all.sh --row numpy --label tests   # makes the environment
python=$(ls -d .environments/main-cpu-*/bin/python | head -n 1)
"$python" -m ruff check .
"$python" -m pytest -q -p no:cacheprovider tests
./run_all.sh --precision fp32 --label tests
