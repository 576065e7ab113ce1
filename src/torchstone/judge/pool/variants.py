"""Misconception search where the reference process cannot run the wrong variants itself.

They run in processes of their own: those that are built, and those that are several processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from torchstone.judge.build.build_service import BuildService, compared_variants
from torchstone.judge.build.compiler_client import CompilerClient
from torchstone.judge.child import wire
from torchstone.judge.messages import CaseResult
from torchstone.judge.order import Dead, Order
from torchstone.judge.pool.payload import payload_of
from torchstone.judge.pool.reference_process import ReferenceProcess
from torchstone.judge.pool.submission_processes import Fork, PayloadOf, SubmissionProcesses

# The limit of CPU time and idle time together of all runs, and that of the CPU time of the builds.
# A build is kept on the disk, so later jobs need the first limit only.
VARIANTS_SECONDS = 16.0
BUILDS_SECONDS = 90.0
# A case of a program that is started again takes several starts, so few of them are compared.
WRONG_CASES_OF_RUNS = 2
VARIANTS_OF_RUNS_SECONDS = 45.0


@dataclass(frozen=True, slots=True)
class Runner:
    """Hold what runs the variants of an order.

    Attributes:
        order: The order that was judged.
        fork: Makes a process; each variant runs in its own processes.
        build_service: Keeps the products for the next job.
        compiler: Builds the variants, as it has built the submission; None if nothing is built.
    """

    order: Order
    fork: Fork
    build_service: BuildService
    compiler: CompilerClient | None

    def variants(self, group: str) -> Iterator[tuple[str, str, Mapping[str, bytes] | None]]:
        """Yield name, source and products of each variant, those that fail in a group first."""
        if self.compiler is not None:
            yield from self.build_service.variants(self.compiler, group)
            return
        for variant in compared_variants(self.order, group):
            yield variant.name, variant.source, None

    def built_s(self) -> float:
        """Return the CPU time of all builds."""
        return 0.0 if self.compiler is None else self.compiler.spent_cpu_s()


def compare_variants(
    reference: ReferenceProcess, runner: Runner, decided: CaseResult | None
) -> dict[str, PayloadOf]:
    """Send the answers of each wrong variant to the reference process, until the time is used up.

    Return what a process of each variant loads.

    Args:
        reference: The reference process, which has graded a wrong answer.
        runner: Runs the variants.
        decided: The case that decides the verdict; variants that fail in its group come first.
    """
    payloads: dict[str, PayloadOf] = {}
    if runner.compiler is None and not runner.order.assignment.row.is_led:
        return payloads  # the reference process runs them
    restarts = runner.order.assignment.row.restarts
    cases = reference.begin_comparing(WRONG_CASES_OF_RUNS if restarts else None)
    if not cases:
        return payloads
    group = "" if decided is None else decided.group
    limit_s = VARIANTS_OF_RUNS_SECONDS if restarts else VARIANTS_SECONDS
    run_s, built_before_s = 0.0, runner.built_s()
    waiting: list[tuple[str, list[list[wire.Frame]]]] = []
    for name, source, built in runner.variants(group):
        answered: list[list[wire.Frame]] = []
        payload = partial(payload_of, runner.order.assignment, source, built=built)
        payloads[name] = payload
        processes = SubmissionProcesses.enter(runner.order, runner.fork, payload)
        try:
            for case in cases:
                answered.append(processes.answer(case))
        except Dead:
            pass  # the answers before the end of the process are compared
        finally:
            run_s += processes.end().cpu_s + processes.allowance.spent_idle_s
        waiting.append((name, answered))
        if not restarts:
            reference.compare(*waiting.pop())
        if run_s > limit_s or runner.built_s() - built_before_s > BUILDS_SECONDS:
            # Of runs the kinds of faults are compared, and several mistakes may have the same ones:
            # none is named where another was not tried.
            return payloads
    for each in waiting:
        reference.compare(*each)
    return payloads
