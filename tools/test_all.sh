#!/bin/sh
# Runs every test, part after part, and prints the minutes of each; a part that fails does not end
# the others. With a part as argument, that one alone. A part is a folder of tests/, less the
# folders in it that are parts themselves; `house` is what lies beside these folders.
set -u
cd "$(dirname "$0")/.."
parts='house core bank store study interview app cli web web/browser content docs cudasim kernels
    models distributed nested doctor xray microtorch microtorch/conformance judge judge/attacks
    judge/build judge/native
    judge/pool judge/reference'
# The kernels of every instruction set that this processor has, not only of the best one.
export TORCHSTONE_KERNEL_SETS=all
house='tests/test_*.py tests/tools tests/examples tests/benchmarks'

run_part() {
    set -- "$1" -n "${TEST_WORKERS:-3}" --dist loadfile -m ''
    for other in $parts; do
        case $other in "$1"/*) set -- "$@" "--ignore=tests/$other" ;; esac
    done
    name=$1
    shift
    # shellcheck disable=SC2086 # a list of paths
    if [ "$name" = house ]; then set -- "$@" $house; else set -- "$@" "tests/$name"; fi
    .venv/bin/python -m pytest -q "$@"
}

report=''
failed=0
for part in ${1:-$parts}; do
    echo "== $part"
    began=$(date +%s)
    run_part "$part"
    status=$?
    # 5: no test was chosen.
    [ $status -eq 0 ] || [ $status -eq 5 ] || failed=1
    seconds=$(($(date +%s) - began))
    report="$report$(printf '%-24s %3d min %02d s, ended with %d' "$part" \
        $((seconds / 60)) $((seconds % 60)) $status)
"
done
printf '%s' "$report"
exit $failed
