"""Run the wrong variants of a native problem on the cases of a job, to name the misconception."""

from __future__ import annotations

from functools import partial

from torchstone.judge.build.builder import Smith, Smithy
from torchstone.judge.child import wire
from torchstone.judge.pool.payload import payload_of
from torchstone.judge.pool.reference_process import Bench
from torchstone.judge.pool.submission_process import Dead
from torchstone.judge.pool.submission_processes import Entrant, Fork

# Of CPU time and idle time, building included; two processors build at once.
VARIANTS_SECONDS = 16.0


def compare_variants(bench: Bench, smith: Smith, smithy: Smithy, fork: Fork) -> None:
    """Hand over to the reference what each wrong variant answers, until the time is used up.

    Args:
        bench: The reference, which has graded a wrong answer.
        smith: Builds the variants; it has built the submission.
        smithy: Keeps what was built for the next job.
        fork: Makes a process; each variant runs in processes of its own.
    """
    cases = bench.begin_comparing()
    if not cases:
        return
    run_s, built_before_s = 0.0, smith.spent_cpu_s()
    for name, source, built in smithy.variants(smith):
        answered: list[list[wire.Frame]] = []
        payload = partial(payload_of, smith.order.assignment, source, built=built)
        entrant = Entrant.enter(smith.order, fork, payload)
        try:
            for case in cases:
                answered.append(entrant.answer(case))
        except Dead:
            pass  # what it answered before says enough, or nothing
        finally:
            run_s += entrant.end().cpu_s + entrant.allowance.spent_idle_s
        bench.compare(name, answered)
        if run_s + smith.spent_cpu_s() - built_before_s > VARIANTS_SECONDS:
            return
