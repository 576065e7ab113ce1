#!/bin/sh
# Writes requirements.lock from what pip resolves in a clean environment.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$(tools/preflight.sh --python)" -m venv "$work/venv"
# shellcheck disable=SC2086 # TORCHSTONE_PIP_ARGS is a list of words
"$work/venv/bin/python" -m pip install --quiet ${TORCHSTONE_PIP_ARGS:-} hatchling '.[dev]'
"$work/venv/bin/python" tools/lock.py >"$work/requirements.lock"
mv "$work/requirements.lock" requirements.lock
