"""Misconception search of native problems: run the wrong variants on the cases of a job."""

from __future__ import annotations

from functools import partial

from torchstone.judge.build.build_service import BuildService
from torchstone.judge.build.compiler_client import CompilerClient
from torchstone.judge.child import wire
from torchstone.judge.messages import CaseResult
from torchstone.judge.pool.payload import payload_of
from torchstone.judge.pool.reference_process import ReferenceProcess
from torchstone.judge.pool.submission_process import Dead
from torchstone.judge.pool.submission_processes import Fork, PayloadOf, SubmissionProcesses

# The limit of CPU time and idle time together of all runs, and that of the CPU time of the builds.
# A build is kept on the disk, so later jobs need the first limit only.
VARIANTS_SECONDS = 16.0
BUILDS_SECONDS = 90.0


def compare_variants(
    reference: ReferenceProcess,
    compiler: CompilerClient,
    build_service: BuildService,
    fork: Fork,
    decided: CaseResult | None,
) -> dict[str, PayloadOf]:
    """Send the answers of each wrong variant to the reference process, until the time is used up.

    Return what a process of each variant loads.

    Args:
        reference: The reference process, which has graded a wrong answer.
        compiler: Builds the variants; it has built the submission.
        build_service: Keeps the products for the next job.
        fork: Makes a process; each variant runs in its own processes.
        decided: The case that decides the verdict; variants that fail in its group come first.
    """
    cases = reference.begin_comparing()
    payloads: dict[str, PayloadOf] = {}
    if not cases:
        return payloads
    group = "" if decided is None else decided.group
    run_s, built_before_s = 0.0, compiler.spent_cpu_s()
    for name, source, built in build_service.variants(compiler, group):
        answered: list[list[wire.Frame]] = []
        payload = partial(payload_of, compiler.order.assignment, source, built=built)
        payloads[name] = payload
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
            break
    return payloads
