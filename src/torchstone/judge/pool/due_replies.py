"""Pending replies of a job's reference process: cases to judge, and grades."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from torchstone.judge.child.protocol import wire
from torchstone.judge.pool.reference_process import ReferenceProcess
from torchstone.judge.pool.submission_processes import Packed
from torchstone.judge.replies import Graded

# Maximum number of cases that the reference process makes or grades at once.
MOST_AT_ONCE = 8


class Answered(NamedTuple):
    """The answers to a case, until they are graded."""

    position: int
    answers: list[wire.Frame]
    ms: float


@dataclass(slots=True)
class DueReplies:
    """Pending replies of the reference process, in the order in which they arrive.

    Attributes:
        reference: The reference process of the job.
        num_cases: The number of cases of the plan.
        note: Called with each answered case and its grade.
        cases: The cases that the submission has not started yet.
    """

    reference: ReferenceProcess
    num_cases: int
    note: Callable[[Answered, Graded], None]
    cases: deque[Packed] = field(default_factory=deque)
    _num_made: int = 0
    _owed: deque[list[Answered] | None] = field(default_factory=deque)

    def ask(self, at_most: int = MOST_AT_ONCE) -> None:
        """Request the next cases, if any are left."""
        if self._num_made < self.num_cases:
            self.reference.ask_cases(at_most)
            self._owed.append(None)

    def post(self, answered: list[Answered]) -> None:
        """Send answers to be graded, and request more cases while only a few are ready."""
        if not answered:
            return
        self.take()
        more = len(self.cases) < MOST_AT_ONCE and self._num_made < self.num_cases
        pairs = [(each.position, each.answers) for each in answered]
        self.reference.post_answers(pairs, MOST_AT_ONCE if more else 0)
        self._owed += [answered, None] if more else [answered]

    def refill(self) -> None:
        """Receive all pending replies, which include the next cases."""
        if None not in self._owed:
            self.ask()
        self.take()

    def take(self) -> None:
        """Receive all pending replies."""
        while self._owed:
            answered = self._owed.popleft()
            if answered is None:
                cases = self.reference.take_cases()
                self._num_made += len(cases)
                self.cases += cases
                continue
            for each, graded in zip(answered, self.reference.take_grades(), strict=True):
                self.note(each, graded)
