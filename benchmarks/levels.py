"""Measure what walls and fork cost a job at each level of isolation.

``python benchmarks/levels.py`` prints the table of the handbook's page on the sandbox: milliseconds
from the order until the process is confined, for loading the model solution of problem 01, and
until the process is gone; the median, with the least in parentheses. The levels take turns.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.machine import describe, summary
from torchstone.bank.loader import CONTENT, load_bank
from torchstone.core import paths
from torchstone.core.isolation import Isolation
from torchstone.judge.assignment import assignment_of
from torchstone.judge.child.protocol import wire
from torchstone.judge.child.protocol.encryption import new_key
from torchstone.judge.child.protocol.frames import ToJob
from torchstone.judge.child.protocol.records import as_dict
from torchstone.judge.pool.payload import bans_of, payload_of
from torchstone.judge.pool.submission_process import CONFINE_SECONDS, Mode, SubmissionProcess
from torchstone.judge.pool.worker_pool import WorkerPool
from torchstone.judge.process.time_limit import Allowance

WARM_UP = 4


def measure(worker_pool: WorkerPool) -> tuple[float, float, float]:
    """Fork, load and end one process; return the milliseconds of each."""
    problem = load_bank().get("01")
    assignment = assignment_of(problem)
    template = worker_pool.workers(0).template(bans_of(assignment, Mode.PLAIN))
    payload = payload_of(assignment, problem.solution.source, Mode.PLAIN, None)
    times = [time.perf_counter()]
    process = SubmissionProcess.fork(template, assignment, slot=0, key=new_key())
    process.job.started()
    process.channel.exchange([], Allowance.of_judge(CONFINE_SECONDS).watch(process.job.meter))
    times.append(time.perf_counter())
    process.ask([process.key, *wire.pack(ToJob.LOAD, as_dict(payload))])
    times.append(time.perf_counter())
    process.end()
    times.append(time.perf_counter())
    first, second, third = ((b - a) * 1e3 for a, b in itertools.pairwise(times))
    return first, second, third


def main() -> int:
    """Measure every level and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--quick", action="store_true", help="tiny sizes: to see that it works")
    given = parser.parse_args()
    runs, warm_up = (1, 0) if given.quick else (given.runs, WARM_UP)
    # Each level takes seconds to start: the quick form takes the strongest.
    levels = [Isolation.FULL] if given.quick else list(Isolation)
    rows: dict[Isolation, list[tuple[float, float, float]]] = {level: [] for level in levels}
    with contextlib.ExitStack() as open_until_the_end:
        worker_pools = {}
        for level in levels:
            worker_pool = WorkerPool(bank_root=CONTENT, cache=paths.cache_dir(), at_most=level)
            worker_pools[level] = open_until_the_end.enter_context(worker_pool.running())
        for run in range(warm_up + runs):
            for level, worker_pool in worker_pools.items():
                row = measure(worker_pool)
                if run >= warm_up:
                    rows[level].append(row)
    for level, worker_pool in worker_pools.items():
        columns = zip(*rows[level], strict=True)
        cells = [f"{statistics.median(each):.1f} ({min(each):.1f}) ms" for each in columns]
        note = "" if worker_pool.isolation is level else f" (this machine: {worker_pool.isolation})"
        sys.stdout.write(f"| `{level}`{note} | {' | '.join(cells)} |\n")
    sys.stdout.write(f"\n{summary(describe(threads=1))}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
