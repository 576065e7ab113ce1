"""Misconception search of native problems: run the wrong variants on the cases of a job."""

from __future__ import annotations

from functools import partial

from torchstone.judge.build.compiler_client import BuildService, CompilerClient
from torchstone.judge.child import wire
from torchstone.judge.pool.payload import payload_of
from torchstone.judge.pool.reference_process import ReferenceProcess
from torchstone.judge.pool.submission_process import Dead
from torchstone.judge.pool.submission_processes import Fork, SubmissionProcesses

# The limit of CPU time and idle time together of all runs, and that of the CPU time of the builds.
# A build is kept on the disk, so later jobs need the first limit only.
VARIANTS_SECONDS = 16.0
BUILDS_SECONDS = 90.0


def compare_variants(
    reference: ReferenceProcess, compiler: CompilerClient, build_service: BuildService, fork: Fork
) -> None:
    """Send the answers of each wrong variant to the reference process, until the time is used up.

    Args:
        reference: The reference process, which has graded a wrong answer.
        compiler: Builds the variants; it has built the submission.
        build_service: Keeps the products for the next job.
        fork: Makes a process; each variant runs in its own processes.
    """
    cases = reference.begin_comparing()
    if not cases:
        return
    run_s, built_before_s = 0.0, compiler.spent_cpu_s()
    for name, source, built in build_service.variants(compiler):
        answered: list[list[wire.Frame]] = []
        payload = partial(payload_of, compiler.order.assignment, source, built=built)
        processes = SubmissionProcesses.enter(compiler.order, fork, payload)
        try:
            for case in cases:
                answered.append(processes.answer(case))
        except Dead:
            pass  # the answers before the end of the process are compared
        finally:
            run_s += processes.end().cpu_s + processes.allowance.spent_idle_s
        reference.compare(name, answered)
        built_s = compiler.spent_cpu_s() - built_before_s
        if run_s > VARIANTS_SECONDS or built_s > BUILDS_SECONDS:
            return
