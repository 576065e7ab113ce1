#!/bin/sh
# Writes requirements.lock: resolved from metadata, for every Python and both builds of torch.
# With --keep, pins of the present lock stay where they hold. .venv is not used: an old lock that
# no longer holds must not prevent a new one.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$(tools/preflight.sh --python)" -m venv "$work/venv"
# shellcheck disable=SC2086 # TORCHSTONE_PIP_ARGS is a list of words
"$work/venv/bin/python" -m pip install --quiet ${TORCHSTONE_PIP_ARGS:-} packaging
export PYTHONPATH=src
"$work/venv/bin/python" -m tools.lock "$@" >"$work/requirements.lock"
"$work/venv/bin/python" -m tools.lock_check "$work/requirements.lock"
cat "$work/requirements.lock" >requirements.lock
