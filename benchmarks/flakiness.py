"""Judge right answers again and again under load; a verdict that is not AC is a fault of the judge.

``python benchmarks/flakiness.py --problems 21,26 --times 200`` judges every right answer of each
problem (the model solution and ``good/``) 200 times. Meanwhile ``--load`` processes compute without
end, on as many cores as ``--cores`` says: the judge and the load share them. ``--at-once 6 --load
0`` makes the load of judgements instead: each of six has five others beside it on two cores, and
all are counted. Each judgement has a seed of its own. ``--json`` prints one object, without it a
table. The exit status is 1 if a verdict was wrong.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.judge import percentile, say, temporary_host
from benchmarks.machine import describe, need_compiler, summary
from torchstone.bank.loader import CONTENT, load_bank
from torchstone.bank.problem import Problem
from torchstone.core.verdict import Verdict
from torchstone.judge.events import Done, Interrupted
from torchstone.judge.host.client import Client

SPIN = "while True: pass"
# Of the host: one worker for each core.
NUM_CORES = 2


@dataclass(frozen=True, slots=True)
class Outcome:
    """Hold one judgement.

    Attributes:
        verdict: What came, with the group of the failing case; ``-`` for no verdict.
        is_right: Whether that is the verdict of a right answer.
        ms: How long it took.
        interrupted: How often the judge began again.
    """

    verdict: str
    is_right: bool
    ms: float
    interrupted: int


def judge_once(client: Client, problem: str, source: str) -> Outcome:
    """Submit once and wait for the verdict."""
    begun, interrupted, verdict, is_right = time.perf_counter(), 0, "-", False
    for event in client.submit(problem, source):
        if isinstance(event, Interrupted):
            interrupted += 1
        elif isinstance(event, Done) and event.report is not None:
            report = event.report
            is_right = report.verdict is Verdict.AC
            failed = next((case.group for case in report.cases if case.code != "AC"), "load")
            verdict = "AC" if is_right else f"{report.verdict} in {failed}: {report.detail}"
    return Outcome(verdict, is_right, (time.perf_counter() - begun) * 1e3, interrupted)


@contextlib.contextmanager
def loaded(num: int, cores: set[int]) -> Iterator[None]:
    """Have some processes compute on these cores, which this one and its children use, too."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    busy = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(num)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()
        os.sched_setaffinity(0, before)


def measure(
    problems: list[Problem], times: int, load: int, num_cores: int, at_once: int
) -> dict[str, Any]:
    """Judge everything, so many judgements at once; return a row for each right answer."""
    cores = set(sorted(os.sched_getaffinity(0))[:num_cores])
    rows = []
    with loaded(load, cores), temporary_host(workers=at_once) as client:
        for problem in problems:
            for program in (problem.solution, *problem.good):
                name, source = program.name, program.source
                with ThreadPoolExecutor(at_once) as pool:
                    outcomes = list(
                        pool.map(
                            lambda _, id=problem.id, source=source: judge_once(client, id, source),
                            range(times),
                        )
                    )
                rows.append(row_of(problem.id, name, outcomes))
                say(f"{problem.id} {name}: {rows[-1]['wrong']} of {times} wrong")
    return {
        "rows": rows,
        "wrong": sum(row["wrong"] for row in rows),
        "judgements": times * len(rows),
        "load": load,
        "at_once": at_once,
        "machine": {**describe(threads=1), "judged_on_cores": len(cores)},
    }


def row_of(problem: str, name: str, outcomes: list[Outcome]) -> dict[str, Any]:
    """Return the row of one right answer."""
    took = [each.ms for each in outcomes]
    return {
        "id": problem,
        "program": name,
        "times": len(outcomes),
        "wrong": sum(not each.is_right for each in outcomes),
        "verdicts": dict(collections.Counter(each.verdict for each in outcomes)),
        "interrupted": sum(each.interrupted for each in outcomes),
        "median_ms": statistics.median(took),
        "p95_ms": percentile(took, 0.95),
        "max_ms": max(took),
    }


def table(found: dict[str, Any]) -> str:
    """Write the result for a person."""
    lines = ["problem  times  wrong  again  median ms   max ms  program"]
    for row in found["rows"]:
        lines.append(
            f"{row['id']:>7} {row['times']:6} {row['wrong']:6} {row['interrupted']:6}"
            f"  {row['median_ms']:9.0f} {row['max_ms']:8.0f}  {row['program']}"
        )
        lines += [
            f"         {num} x {what}" for what, num in row["verdicts"].items() if row["wrong"]
        ]
    lines.append(
        f"{found['wrong']} of {found['judgements']} wrong, load {found['load']},"
        f" {found['at_once']} judgements at once"
    )
    return "\n".join([*lines, summary(found["machine"])])


def main() -> int:
    """Judge and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--problems", default="", help="comma-separated numbers; default all")
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--load", type=int, default=4, help="processes that compute meanwhile")
    parser.add_argument("--cores", type=int, default=NUM_CORES)
    parser.add_argument("--at-once", type=int, help="judgements at once; default one for each core")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: to see that it works")
    options = parser.parse_args()
    need_compiler()
    ids = [each for each in options.problems.split(",") if each]
    if options.quick:
        ids, options.times = ids or ["01"], 2
    problems = [each for each in load_bank(CONTENT) if not ids or each.id in ids]
    at_once = options.at_once or options.cores
    found = measure(problems, options.times, options.load, options.cores, at_once)
    sys.stdout.write((json.dumps(found) if options.json else table(found)) + "\n")
    return 1 if found["wrong"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
