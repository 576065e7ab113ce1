#!/bin/sh
# Prints how many processes run the tests: three for each two cores that this process may use, since
# a test often waits for a browser, a server or a limit of time; at least two, and at most as many
# as have 3 GiB of memory each: torch, two zygotes and their jobs.
set -eu
memory=${1:-/proc/meminfo}
cores=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)
most=$((cores * 3 / 2))
workers=$(($(awk '/^MemAvailable:/ {print $2}' "$memory") / (3 << 20)))
[ "$workers" -le "$most" ] || workers=$most
[ "$workers" -ge 2 ] || workers=2
echo "$workers"
