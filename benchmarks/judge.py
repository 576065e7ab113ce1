"""Measure the judge: latency, throughput, memory, beside the same cases in one process.

``python benchmarks/judge.py --json`` prints one object; without ``--json`` a table. The judge, the
process that runs the same cases with neither sandbox nor wire (``in process``), and a fresh
interpreter for each submission (``fresh process``) take turns, so that whatever else the machine
does hits all of them. Latency is taken from the host's acknowledgement of a stored submission to
the stored verdict, over the full case plan of each problem, and to the first case that is reported.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.machine import describe, need_compiler, summary
from torchstone.bank.loader import CONTENT, load_bank
from torchstone.bank.problem import Problem
from torchstone.core.verdict import Verdict
from torchstone.judge.events import Accepted, Case, Done, Event, Interrupted, Started
from torchstone.judge.host.client import Client

IN_PROCESS = """
import gc, sys, time, torch
from pathlib import Path
torch.set_num_threads(1)
from torchstone.judge.kit import load_code
from torchstone.judge.proof.rehearsal import rehearse
folder, names = Path(sys.argv[1]), sys.argv[2].split(",")
code, source = load_code(folder), (folder / "solution.py").read_text(encoding="utf-8")
gc.collect(); gc.freeze()  # as in the zygotes: some cases collect, which would walk all of torch
for line in sys.stdin:
    begun = time.perf_counter()
    wrong = [each for each in rehearse(code, source, names, int(line)) if each.grade.findings]
    print((time.perf_counter() - begun) * 1e3, len(wrong), flush=True)
"""
# Of the throughput: clients at once.
CLIENTS = 4
# What --quick judges: a function, an operator of CUDA C++, and ranks.
QUICK = ("01", "42op", "26")
SLEEPER = """
import time
def softmax(x, dim=-1, dtype=None):
    time.sleep(2.5)
    return x
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """Hold how much is measured.

    Attributes:
        runs: Submissions of each problem that are timed.
        warm_up: Submissions of each problem before them.
        fresh: Fresh processes of each problem.
        turns: Submissions of each client in one measurement of the throughput, at least.
        rounds: Measurements of the throughput; the median counts.
        is_memory_apart: Whether the memory is measured in a host of its own.
    """

    runs: int = 50
    warm_up: int = 3
    fresh: int = 2
    turns: int = 4
    rounds: int = 5
    is_memory_apart: bool = True


TINY = Amount(runs=1, warm_up=0, fresh=1, turns=1, rounds=1, is_memory_apart=False)


def in_process(problem: Problem) -> list[str]:
    """Return the command that judges a problem without sandbox, once for each seed it reads."""
    names = ",".join(problem.spec.entry.names)
    # What the problem itself warns of is said by its own tests.
    python = [sys.executable, "-W", "ignore", "-c", IN_PROCESS]
    return [*python, str(problem.path), names]


class InProcess:
    """Run the cases of one problem in a process of its own, without judge."""

    def __init__(self, problem: Problem) -> None:
        self._process = subprocess.Popen(
            in_process(problem),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
        )

    def run(self, seed: int) -> float:
        """Return the milliseconds of one run."""
        assert self._process.stdin is not None, "the process has a pipe to stdin"
        assert self._process.stdout is not None, "the process has a pipe from stdout"
        self._process.stdin.write(f"{seed}\n")
        self._process.stdin.flush()
        ms, num_wrong = self._process.stdout.readline().split()
        if num_wrong != "0":
            raise RuntimeError(f"the model solution is wrong under seed {seed}")
        return float(ms)

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


@dataclass(frozen=True, slots=True)
class Judged:
    """Hold the milliseconds from the acknowledgement to the first case, and to the verdict."""

    first_ms: float
    ms: float


def judge_once(client: Client, problem: str, source: str, *, kind: str = "submit") -> Judged:
    """Submit what is right; return how long it took.

    Raises:
        RuntimeError: If it was not accepted.
    """
    begun, first, reasons = 0.0, 0.0, []
    for event in client.submit(problem, source, kind=kind):
        if isinstance(event, Accepted):
            begun = time.perf_counter()
        elif isinstance(event, Case):
            first = first or time.perf_counter()
        elif isinstance(event, Interrupted):
            reasons.append(event.reason)
        elif isinstance(event, Done):
            report = event.report
            if report is None or report.verdict is not Verdict.AC:
                came = report and (report.verdict, report.detail)
                raise RuntimeError(f"{problem}: {came} came; interrupted: {reasons}")
    return Judged((first - begun) * 1e3, (time.perf_counter() - begun) * 1e3)


def fresh_process(problem: Problem) -> float:
    """Return the milliseconds that a fresh interpreter takes for one submission."""
    begun = time.perf_counter()
    subprocess.run(in_process(problem), input="1\n", text=True, capture_output=True, check=True)
    return (time.perf_counter() - begun) * 1e3


def measure_latency(client: Client, problem: Problem, amount: Amount) -> dict[str, Any]:
    """Measure one problem: judge and, where possible, in process in turns; fresh now and then."""
    source = problem.solution.source
    # What is built, and programs of several processes: no process runs them without the judge.
    if problem.spec.has_own_processes:
        for _ in range(amount.warm_up):
            judge_once(client, problem.id, source)
        judged = [judge_once(client, problem.id, source) for _ in range(amount.runs)]
        return row_of(problem, judged, [], [])
    inside = InProcess(problem)
    for seed in range(amount.warm_up):
        judge_once(client, problem.id, source)
        inside.run(seed)
    judged, alone, cold = [], [], []
    for run in range(amount.runs):
        judged.append(judge_once(client, problem.id, source))
        alone.append(inside.run(run))
        if run < amount.fresh:
            cold.append(fresh_process(problem))
    inside.close()
    return row_of(problem, judged, alone, cold)


def row_of(
    problem: Problem, judged: list[Judged], alone: list[float], cold: list[float]
) -> dict[str, Any]:
    """Return the row of one problem; ``None`` for what was not measured."""
    times = [each.ms for each in judged]
    median = statistics.median(times)
    return {
        "id": problem.id,
        "median_ms": median,
        "p95_ms": percentile(times, 0.95),
        "spread_ms": [min(times), max(times)],
        "first_case_ms": statistics.median(each.first_ms for each in judged),
        "inprocess_median_ms": statistics.median(alone) if alone else None,
        "inprocess_ratio": median / statistics.median(alone) if alone else None,
        "fresh_process_ms": statistics.median(cold) if cold else None,
    }


def measure_throughput(client: Client, problem: Problem, total: int, clients: int) -> float:
    """Return verdicts a second of the full plan, with several clients at once."""
    source = problem.solution.source
    begun = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        # The list raises what a thread raised.
        list(pool.map(lambda _: judge_once(client, problem.id, source), range(total)))
    return total / (time.perf_counter() - begun)


def measure_memory(client: Client, problem: Problem) -> dict[str, float]:
    """Return the PSS of a host with one job running, and what each further running job adds."""
    judge_once(client, problem.id, problem.solution.source)
    one = _pss_of_running(client, 1)
    three = _pss_of_running(client, 3)
    return {"first": one, "further": (three - one) / 2}


def _pss_of_running(client: Client, num_jobs: int) -> float:
    jobs = [_start_sleeper(client) for _ in range(num_jobs)]
    time.sleep(1.5)
    status = client.status()
    assert status is not None, "the host runs"
    pss = sum(map(pss_mib, descendants(status.pid)))
    for job, events in jobs:
        # A job that only waits is judged twice before it is HUNG, which takes 20 s.
        if not client.cancel(job):
            raise RuntimeError("a job ended before its memory was measured")
        for _ in events:
            pass
    return pss


def _start_sleeper(client: Client) -> tuple[str, Iterator[Event]]:
    """Submit what sleeps; return its id and its further events as soon as it is judged."""
    job, events = "", client.submit("01", SLEEPER, kind="run")
    for event in events:
        if isinstance(event, Accepted):
            job = event.job
        elif isinstance(event, Started):
            return job, events
    raise RuntimeError("a job ended before it started")


def descendants(pid: int) -> list[int]:
    """Return a process and everything below it."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                stat = (entry / "stat").read_text().rsplit(")", 1)[1].split()
                parents.setdefault(int(stat[1]), []).append(int(entry.name))
    found, waiting = [], [pid]
    while waiting:
        found.append(waiting.pop())
        waiting += parents.get(found[-1], [])
    return found


def pss_mib(pid: int) -> float:
    """Return the proportional set size of a process.

    Another program that maps the same libraries makes it smaller.
    """
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


@contextlib.contextmanager
def temporary_host(*, workers: int) -> Iterator[Client]:
    """Return a client with a host and a data folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        client = Client(data=Path(folder), workers=workers)
        try:
            yield client
        finally:
            client.stop()


def percentile(values: list[float], share: float) -> float:
    """Return the value below which the share lies, the nearest rank from above."""
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(share * len(ranked)))]


def measure(ids: Sequence[str], amount: Amount) -> dict[str, Any]:
    """Measure everything."""
    bank = load_bank(CONTENT)
    problems = [problem for problem in bank if not ids or problem.id in ids]
    first = bank.get("01")
    load = os.getloadavg()
    with temporary_host(workers=2 if amount.is_memory_apart else 3) as client:
        begun = time.perf_counter()
        judge_once(client, "01", first.solution.source)
        cold = (time.perf_counter() - begun) * 1e3
        rows = []
        for problem in problems:
            rows.append(measure_latency(client, problem, amount))
            say(f"problem {problem.id}: {rows[-1]['median_ms']:.0f} ms")
        source = first.solution.source
        samples = [judge_once(client, "01", source, kind="run").ms for _ in range(amount.runs)]
        say("throughput")
        # Until both workers have what stays warm between jobs.
        least = amount.turns * CLIENTS
        measure_throughput(client, first, total=least, clients=CLIENTS)
        total = max(amount.runs, least)
        throughput = [
            measure_throughput(client, first, total=total, clients=CLIENTS)
            for _ in range(amount.rounds)
        ]
        if not amount.is_memory_apart:
            say("memory")
            memory = measure_memory(client, first)
    if amount.is_memory_apart:
        say("memory")
        with temporary_host(workers=3) as client:
            memory = measure_memory(client, first)
    return {
        "worst_median_ms": max(row["median_ms"] for row in rows),
        "worst_p95_ms": max(row["p95_ms"] for row in rows),
        "worst_first_case_ms": max(row["first_case_ms"] for row in rows),
        "sample01_ms": statistics.median(samples),
        "inprocess_ratio": max(
            filter(None, (row["inprocess_ratio"] for row in rows)), default=None
        ),
        "cold_ms": cold,
        "throughput_per_s": statistics.median(throughput),
        "throughput_spread": [min(throughput), max(throughput)],
        "worker_pss_mib": memory,
        "problems": rows,
        "runs": amount.runs,
        "machine": {
            **describe(threads=1),
            "load_before": load,
            "load_after": os.getloadavg(),
        },
    }


def say(text: str) -> None:
    """Print the progress on stderr."""
    sys.stderr.write(f"{text}\n")


def table(found: dict[str, Any]) -> str:
    """Write the result for a person."""
    lines = ["problem  median ms   p95 ms  first case ms  in process ms  ratio  fresh process ms"]
    for row in found["problems"]:
        lines.append(
            f"{row['id']:>7}  {row['median_ms']:9.1f} {row['p95_ms']:8.1f}"
            f"  {row['first_case_ms']:13.1f}"
            f"  {cell(row['inprocess_median_ms'], '13.1f')}  {cell(row['inprocess_ratio'], '5.2f')}"
            f"  {cell(row['fresh_process_ms'], '16.0f')}"
        )
    memory = found["worker_pss_mib"]
    lines += [
        f"sample cases of 01: {found['sample01_ms']:.1f} ms",
        f"cold (no host yet): {found['cold_ms']:.0f} ms",
        f"throughput of 01: {found['throughput_per_s']:.1f} verdicts/s",
        f"memory: first worker {memory['first']:.0f} MiB, each further {memory['further']:.0f} MiB",
        summary(found["machine"]),
    ]
    return "\n".join(lines)


def cell(value: float | None, form: str) -> str:
    """Return a number, or a dash as wide where there is none."""
    width = form.partition(".")[0]
    return format("-", f">{width}") if value is None else format(value, form)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--runs", type=int, default=Amount().runs)
    parser.add_argument("--problems", default="", help="comma-separated numbers; default all")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: to see that it works")
    options = parser.parse_args()
    need_compiler()
    ids = [each for each in options.problems.split(",") if each]
    if options.quick:
        found = measure(ids or QUICK, TINY)
    else:
        found = measure(ids, Amount(runs=options.runs))
    sys.stdout.write((json.dumps(found) if options.json else table(found)) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
