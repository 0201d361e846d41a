#!/usr/bin/env bash
# Runs notebooks and writes the tables: see ./run_all.sh --help. All this file does is find a Python 3.11, 3.12 or 3.13
# (on PATH, in pyenv's versions folder, from uv); runner/ makes the environments and does the rest.
set -euo pipefail
root=$(CDPATH="" cd -- "$(dirname "${BASH_SOURCE[0]}")" && pwd)

works() { "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' >/dev/null 2>&1; }

python=""
for candidate in python3.{11,12,13} "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.{11,12,13}*/bin/python python3; do
    if command -v "$candidate" >/dev/null && works "$candidate"; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ] && command -v uv >/dev/null; then
    python=$(uv python find 3.11 2>/dev/null || { uv python install 3.11 >&2 && uv python find 3.11; }) || python=""
fi
if [ -z "$python" ]; then
    echo "No Python 3.11, 3.12 or 3.13 found (on PATH, in pyenv, from uv)." >&2
    echo "Debian 12 and 13, Ubuntu 24.04: apt-get install python3 python3-venv python3-pip" >&2
    exit 1
fi
PYTHONPATH=$root${PYTHONPATH:+:$PYTHONPATH} exec "$python" -P -m runner "$@" # -P: not from the folder that this is called from
