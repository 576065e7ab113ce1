"""Shrinking: run the submission and the named wrong variant on ever smaller cases."""

from __future__ import annotations

from dataclasses import dataclass

from torchstone.judge.child.protocol import wire
from torchstone.judge.messages import Smallest
from torchstone.judge.order import Dead, Order
from torchstone.judge.pool.reference_process import ReferenceProcess
from torchstone.judge.pool.submission_processes import (
    Fork,
    Packed,
    PayloadOf,
    SubmissionProcesses,
)
from torchstone.judge.report import smallest_of

SHRINK_BUDGET = 20
# Limit in seconds on the CPU time of each program, and on idle time.
SHRINK_SECONDS = 5.0
# It takes two seconds to establish that several processes wait.
SHRINK_SECONDS_OF_SEVERAL = 30.0


def shrink(
    reference: ReferenceProcess,
    index: int,
    order: Order,
    fork: Fork,
    *payloads: PayloadOf,
) -> Smallest:
    """Return the smallest case that still fails in the same way.

    Args:
        reference: Proposes the cases and grades the answers.
        index: The failing case to begin with.
        order: The order to judge.
        fork: Forks a process.
        payloads: Payload of the submission's processes, and of the named variant's if the reference
            process cannot run it.
    """
    seconds = SHRINK_SECONDS_OF_SEVERAL if order.assignment.row.is_led else SHRINK_SECONDS
    sides: list[_Side] = []
    try:
        for payload in payloads:
            entered = SubmissionProcesses.enter(order, fork, payload, at_most=seconds)
            sides.append(_Side(entered))
        case, smallest = reference.begin_shrinking(index, SHRINK_BUDGET)
        while smallest is None:
            case, smallest = reference.continue_shrinking(*[each.answer(case) for each in sides])
    finally:
        for each in sides:
            each.processes.end()
    return smallest_of(smallest)


@dataclass(slots=True)
class _Side:
    """The processes of one program, which answer cases until one of them ends."""

    processes: SubmissionProcesses
    _is_alive: bool = True

    def answer(self, case: Packed) -> list[wire.Frame]:
        """Return the answers to a case; empty if a process has ended."""
        try:
            return self.processes.answer(case) if self._is_alive else []
        except Dead:
            self._is_alive = False
            return []
