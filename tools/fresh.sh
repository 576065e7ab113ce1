#!/bin/sh
# Proves what a newcomer meets: clones HEAD into an empty folder, with an empty environment and an
# empty home, and runs `make run` and `make test` there. Only pip's configuration comes along.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/home/.config/pip"
pip_config=${XDG_CONFIG_HOME:-$HOME/.config}/pip/pip.conf
[ ! -r "$pip_config" ] || cp "$pip_config" "$work/home/.config/pip/pip.conf"
git clone --quiet "$root" "$work/torchstone" || exit 3

in_fresh_shell() {
    # Values may hold spaces, so the variables are put before the command one by one.
    for name in $(env | sed -nE 's/^(PIP_[A-Z0-9_]+|TORCHSTONE_PIP_ARGS|TMPDIR|CI)=.*/\1/p'); do
        set -- "$name=$(printenv "$name")" "$@"
    done
    (cd "$work/torchstone" && env -i PATH="$PATH" HOME="$work/home" "$@")
}

step() {
    log=$1
    shift
    echo "== $* (fresh clone of $(git -C "$root" rev-parse --short HEAD))"
    in_fresh_shell "$@" </dev/null >"$work/$log" 2>&1
    status=$?
    tail -n 25 "$work/$log"
    echo "== $* ended with $status"
    return $status
}

step run.log make run
run_status=$?
step test.log make test
test_status=$?
echo "fresh: make run $run_status, make test $test_status"
[ $run_status -eq 0 ] && [ $test_status -eq 0 ]
