"""Misconception search of native problems: run the wrong variants on the cases of a job."""

from __future__ import annotations

from functools import partial

from torchstone.judge.build.compiler_client import BuildService, CompilerClient
from torchstone.judge.child import wire
from torchstone.judge.pool.payload import payload_of
from torchstone.judge.pool.reference_process import ReferenceProcess
from torchstone.judge.pool.submission_process import Dead
from torchstone.judge.pool.submission_processes import Fork, SubmissionProcesses

# Of CPU time and idle time, building included; two processors build at once.
VARIANTS_SECONDS = 16.0


def compare_variants(
    reference: ReferenceProcess, builder: CompilerClient, build_service: BuildService, fork: Fork
) -> None:
    """Hand over to the reference what each wrong variant answers, until the time is used up.

    Args:
        reference: The reference, which has graded a wrong answer.
        builder: Builds the variants; it has built the submission.
        build_service: Keeps what was built for the next job.
        fork: Makes a process; each variant runs in processes of its own.
    """
    cases = reference.begin_comparing()
    if not cases:
        return
    run_s, built_before_s = 0.0, builder.spent_cpu_s()
    for name, source, built in build_service.variants(builder):
        answered: list[list[wire.Frame]] = []
        payload = partial(payload_of, builder.order.assignment, source, built=built)
        processes = SubmissionProcesses.enter(builder.order, fork, payload)
        try:
            for case in cases:
                answered.append(processes.answer(case))
        except Dead:
            pass  # what it answered before says enough, or nothing
        finally:
            run_s += processes.end().cpu_s + processes.allowance.spent_idle_s
        reference.compare(name, answered)
        if run_s + builder.spent_cpu_s() - built_before_s > VARIANTS_SECONDS:
            return
