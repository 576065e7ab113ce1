#!/bin/sh
# Prints how many processes run the tests: one for each core this process may use, at least two,
# and at most as many as have 3 GiB of memory each: torch, two zygotes and their jobs.
set -eu
memory=${1:-/proc/meminfo}
cores=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)
workers=$(($(awk '/^MemAvailable:/ {print $2}' "$memory") / (3 << 20)))
[ "$workers" -le "$cores" ] || workers=$cores
[ "$workers" -ge 2 ] || workers=2
echo "$workers"
