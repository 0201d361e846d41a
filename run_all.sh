#!/usr/bin/env bash
# Runs notebooks and writes the tables: see ./run_all.sh --help. All this file does is find a Python 3.11, 3.12 or 3.13
# (on PATH, in pyenv's versions folder, from uv); runner/ makes the environments and does the rest.
set -euo pipefail
trap 'exit 130' INT # Ctrl-C that ends a Python while it is tried ends the whole
end() { printf 'run_all.sh: %s\n' "$@" >&2 && exit 1; }
works() { "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' >/dev/null 2>&1; }

case "$OSTYPE $HOSTTYPE $*" in
linux*" x86_64 "* | linux*" --python"*) ;;
*) end "the batch needs Linux on x86-64 (WSL serves); what runs here, on $OSTYPE and $HOSTTYPE: docs/running.md" ;;
esac
: 2>/dev/null 3>&1 || exec >/dev/null # closed by who called: the next file that is opened would take its place
: 3>&2 || exec 2>/dev/null
root=$(CDPATH="" cd -- "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
[[ $root != *:* ]] || end "PYTHONPATH cannot name a folder whose path has a colon: move $root"
unset "${!PYTHON@}" # what the user's other programs are told of modules, optimization and encoding

python=""
for candidate in python3.{11,12,13} "${PYENV_ROOT:-${HOME:-}/.pyenv}"/versions/3.{11,12,13}*/bin/python python3; do
    if command -v "$candidate" >/dev/null && works "$candidate"; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ] && command -v uv >/dev/null; then
    python=$(uv python find 3.11 2>/dev/null || { uv python install 3.11 >&2 && uv python find 3.11; }) || python=""
fi
[ "$python" ] || end "No Python 3.11, 3.12 or 3.13 found (on PATH, in pyenv, from uv)." \
    "Debian 12 and 13, Ubuntu 24.04: apt-get install python3 python3-venv python3-pip"
PYTHONPATH=$root exec "$python" -P -m runner "$@" # -P: not from the folder that this is called from
