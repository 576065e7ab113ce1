"""What the proving process says of a topic: which claims held, what was printed, what was left."""

from __future__ import annotations

import msgspec


class _Message(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A message between the two processes, written as JSON."""


class Order(_Message, frozen=True, kw_only=True):
    """What to prove.

    Attributes:
        folder: The folder of the topic.
        names: Names of torch in the texts, which have to resolve.
        changes: Whether to try the changes of the topic.
        mutants: Whether to try edits made by rule.
    """

    folder: str
    names: tuple[str, ...] = ()
    changes: bool = True
    mutants: bool = False


class Failure(_Message, frozen=True, kw_only=True):
    """An exception, with the cell and the line of the cell."""

    cell: str
    line: int
    error: str


class Output(_Message, frozen=True, kw_only=True):
    """What the statement of a cell printed that ends on a line."""

    cell: str
    line: int
    lines: tuple[str, ...]


class Run(_Message, frozen=True, kw_only=True):
    """What running the cells of a question showed.

    Attributes:
        claims: Claim -> whether its assert held; one that was not reached is missing.
        failure: What ended the run early.
        outputs: What was printed.
        warned: The warnings of deprecation.
        cpu_s: CPU seconds, those of child processes included; where they are over the budget, as
            many as the machine for which the budgets are set would have taken.
        left: Processes and files that were left behind.
        is_over: Whether the run was ended because it took too long.
    """

    claims: dict[str, bool] = {}
    failure: Failure | None = None
    outputs: tuple[Output, ...] = ()
    warned: tuple[str, ...] = ()
    cpu_s: float = 0.0
    left: tuple[str, ...] = ()
    is_over: bool = False

    @property
    def false(self) -> frozenset[str]:
        """Return the claims whose assert did not hold."""
        return frozenset(claim for claim, holds in self.claims.items() if not holds)


class QuestionFacts(_Message, frozen=True, kw_only=True):
    """What was seen of one question.

    Attributes:
        run: Its cells as they are.
        changes: Its cells with each change; None where the edit fits nowhere, or more than once.
        num_mutants: How many edits by rule were tried.
        survivors: Those that nothing noticed: cell, line and rule.
    """

    id: str
    run: Run
    changes: tuple[Run | None, ...] = ()
    num_mutants: int = 0
    survivors: tuple[str, ...] = ()


class TopicFacts(_Message, frozen=True, kw_only=True):
    """What was seen of one topic.

    Attributes:
        setup: The set-up, which all questions share.
        unresolved: The ordered names that the installed torch does not have.
        torch: The version of torch.
        cpu_s: CPU seconds of the whole topic.
    """

    folder: str
    setup: Run
    questions: tuple[QuestionFacts, ...] = ()
    unresolved: tuple[str, ...] = ()
    torch: str = ""
    cpu_s: float = 0.0
