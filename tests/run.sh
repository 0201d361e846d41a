#!/usr/bin/env bash
# Every test. Runs one row in every framework through the runner first, as a user would, which also makes the main
# environment if there is none; then checks the code and runs the tests in that environment.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

./run_all.sh --precision fp32 --label tests
python=$(ls -td .environments/main-cpu-*/bin/python | head -n 1)
"$python" -m ruff check .
"$python" -m pytest -q tests
