#!/bin/sh
# Proves what a newcomer meets: clones HEAD into an empty folder, with an empty environment and an
# empty home, and runs `make run` and `make test` there. Only pip's configuration comes along, the
# way to the network, and what says which tests to run (PYTEST_ARGS).
# FRESH=debian12 or debian13 does so on a clean system of that name, see fresh_system.sh.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
if [ -n "${FRESH:-}" ]; then
    name=$FRESH
    unset FRESH
    exec "$root/tools/fresh_system.sh" "$name"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/home/.config/pip"
pip_config=${XDG_CONFIG_HOME:-$HOME/.config}/pip/pip.conf
[ ! -r "$pip_config" ] || cp "$pip_config" "$work/home/.config/pip/pip.conf"
git clone --quiet "$root" "$work/torchstone" || exit 3

passed() {
    env | sed -nE 's/^(PIP_[A-Z0-9_]+|TORCHSTONE_PIP_ARGS|TORCHSTONE_TORCH|PYTEST_ADDOPTS|PYTEST_ARGS|TEST_WORKERS|TMPDIR|CI)=.*/\1/p'
    env | sed -nE 's/^((https?|no|all)_proxy|(HTTPS?|NO|ALL)_PROXY)=.*/\1/p'
    env | sed -nE 's/^(SSL_CERT_FILE|NODE_EXTRA_CA_CERTS|REQUESTS_CA_BUNDLE)=.*/\1/p'
}

# Runs a command in the clone as a newcomer would, in place of this shell.
in_fresh_shell() {
    # Values may hold spaces, so the variables are put before the command one by one.
    for name in $(passed); do
        set -- "$name=$(printenv "$name")" "$@"
    done
    cd "$work/torchstone" && exec env -i PATH="$PATH" HOME="$work/home" "$@"
}

# `make run` serves the page until it is told to end: load the page, tell it, and ask how it ended.
try_run() {
    echo "== make run (fresh clone of $(git -C "$root" rev-parse --short HEAD))"
    (in_fresh_shell make run) </dev/null >"$work/run.log" 2>&1 &
    make_pid=$!
    url=''
    while [ -z "$url" ] && kill -0 $make_pid 2>/dev/null; do
        sleep 0.5
        url=$(sed -nE 's/.*(http:\/\/127\.0\.0\.1:[0-9]+\/) *$/\1/p' "$work/run.log" | head -n 1)
    done
    page=1
    if [ -n "$url" ]; then
        python3 -c 'import sys, urllib.request
with urllib.request.urlopen(sys.argv[1] + "en/problems/01") as page:
    sys.exit("/assets/" not in page.read().decode())' "$url"
        page=$?
        # The server took the place of the recipe, so it is the one child of make.
        kill -TERM "$(cat /proc/$make_pid/task/$make_pid/children)"
    fi
    wait $make_pid
    status=$?
    tail -n 25 "$work/run.log"
    echo "== make run: page $page, ended with $status"
    [ $page -eq 0 ] && return $status
}

try_test() {
    echo "== make test"
    (in_fresh_shell make test) </dev/null >"$work/test.log" 2>&1
    status=$?
    # Where tests failed, what they printed: nothing of this log is left later.
    [ $status -eq 0 ] || sed -n '/^=* \(ERRORS\|FAILURES\) /,/^=* short test/p' "$work/test.log" |
        head -n 2000
    # The names of all that failed, however many: pytest lists them last.
    tail -n 25 "$work/test.log" | grep -v '^FAILED\|^ERROR'
    grep '^FAILED\|^ERROR' "$work/test.log"
    return $status
}

try_run
run_status=$?
try_test
test_status=$?
echo "fresh: make run $run_status, make test $test_status"
[ $run_status -eq 0 ] && [ $test_status -eq 0 ]
