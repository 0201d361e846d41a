#!/usr/bin/env bash
# Runs every notebook and writes the tables: see ./run_all.sh --help. All this file does is find a Python >= 3.11
# (on PATH, in pyenv's versions folder, from uv); runner/ makes the environments and does the rest.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

works() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

python=""
for candidate in python3.11 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.11*/bin/python python3.{12,13,14} python3; do
    if command -v "$candidate" >/dev/null && works "$candidate"; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ] && command -v uv >/dev/null; then
    python=$(uv python find 3.11 2>/dev/null || { uv python install 3.11 >&2 && uv python find 3.11; }) || python=""
fi
if [ -z "$python" ]; then
    echo "No Python 3.11 found (on PATH, in pyenv, from uv). Debian: apt-get install python3.11 python3.11-venv" >&2
    exit 1
fi
PYTHONPATH=$root${PYTHONPATH:+:$PYTHONPATH} exec "$python" -m runner "$@"
