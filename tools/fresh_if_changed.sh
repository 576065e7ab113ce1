#!/bin/sh
# Proves a clean Debian 13 in CI when what it depends on has changed: see fresh_system.sh.
#
# Nothing is done where these files are as a machine has proven them before, or as they were before
# the last 100 commits. `make test` has run every test; here a few that start every kind of sandbox
# are enough, as root. Where no clean system can be made, one line says so, and that is no failure.
set -u
cd "$(dirname "$0")/.."

depends='requirements.lock tools/setup.sh tools/preflight.sh tools/page.sh tools/fresh.sh
    tools/fresh_system.sh'
# How the package is built and what it needs; the settings of linters and tests follow.
build_part() { sed '/^\[tool\.ruff\]/,$d'; }
tests='tests/judge/sandbox/test_torch.py tests/judge/sandbox/test_vendored.py
    tests/judge/pool/test_worker_pool.py tests/judge/build/test_native.py'
cannot=75

cache=${FRESH_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/torchstone/fresh}
# shellcheck disable=SC2086 # a list of words
state=$({ cat $depends tools/fresh_if_changed.sh && build_part <pyproject.toml; } | cksum)
if [ "$(cat "$cache/proven" 2>/dev/null)" = "$state" ]; then
    echo "fresh: this machine has proven these files before."
    exit 0
fi
# Without that much history, as in a shallow clone, they count as changed.
# shellcheck disable=SC2086
if git diff --quiet HEAD~100 HEAD -- $depends 2>/dev/null &&
    [ "$(git show HEAD~100:pyproject.toml | build_part)" = "$(git show HEAD:pyproject.toml | build_part)" ]; then
    echo "fresh: the setup has not changed in the last 100 commits."
    exit 0
fi

FRESH=${FRESH:-debian13} FRESH_USERS=${FRESH_USERS:-root} TEST_WORKERS=2 \
    PYTEST_ARGS=$(echo $tests) tools/fresh.sh
status=$?
if [ $status -eq 0 ]; then
    mkdir -p "$cache" && echo "$state" >"$cache/proven"
fi
[ $status -ne $cannot ] || status=0
exit $status
