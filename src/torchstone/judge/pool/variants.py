"""Misconception search with wrong variants that the reference process cannot run.

They run in separate processes: variants that are built, and those of several processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from torchstone.judge.build.build_service import BuildService, compared_variants
from torchstone.judge.build.compiler_client import CompilerClient
from torchstone.judge.child.protocol import wire
from torchstone.judge.messages import CaseResult
from torchstone.judge.order import Dead, Order
from torchstone.judge.pool.payload import payload_of
from torchstone.judge.pool.reference_process import ReferenceProcess
from torchstone.judge.pool.submission_processes import Fork, PayloadOf, SubmissionProcesses

# Limits in seconds: on CPU and idle time of all runs together, and on the CPU time of the builds.
# Builds are cached on disk, so later jobs need the first limit only.
VARIANTS_SECONDS = 16.0
BUILDS_SECONDS = 90.0
# A case of a restarted program takes several starts, so only a few cases are compared.
WRONG_CASES_OF_RUNS = 2
VARIANTS_OF_RUNS_SECONDS = 45.0


@dataclass(frozen=True, slots=True)
class Runner:
    """Runner of the variants of an order.

    Attributes:
        order: The order that was judged.
        fork: Forks a process; each variant runs in its own processes.
        build_service: Caches the products for the next job.
        compiler: The submission's compiler, which also builds the variants; None if nothing is
            built.
    """

    order: Order
    fork: Fork
    build_service: BuildService
    compiler: CompilerClient | None

    def variants(self, group: str) -> Iterator[tuple[str, str, Mapping[str, bytes] | None]]:
        """Yield name, source and products of each variant; those that fail in the group first."""
        if self.compiler is not None:
            yield from self.build_service.variants(self.compiler, group)
            return
        for variant in compared_variants(self.order, group):
            yield variant.name, variant.source, None

    def built_s(self) -> float:
        """Return the CPU time of all builds in seconds."""
        return 0.0 if self.compiler is None else self.compiler.spent_cpu_s()


def compare_variants(
    reference: ReferenceProcess, runner: Runner, decided: CaseResult | None
) -> dict[str, PayloadOf]:
    """Send each wrong variant's answers to the reference process, within a time limit.

    Args:
        reference: The reference process, which has graded a wrong answer.
        runner: Runs the variants.
        decided: The case that determines the verdict; variants that fail in its group come first.

    Returns:
        The payload of each variant, by name.
    """
    payloads: dict[str, PayloadOf] = {}
    if runner.compiler is None and not runner.order.assignment.row.is_led:
        return payloads  # the reference process runs them itself
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
            # Restarted programs are compared by kinds of faults, which several mistakes may share;
            # so no variant is named unless all were tried.
            return payloads
    for each in waiting:
        reference.compare(*each)
    return payloads
