"""Facts about a topic from the proving process: claims, output, and leftovers of runs."""

from __future__ import annotations

import msgspec


class _Message(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Message between the two processes, written as JSON."""


class Order(_Message, frozen=True, kw_only=True):
    """Order to prove a topic.

    Attributes:
        folder: The folder of the topic.
        names: Names of torch in the texts, which must resolve.
        changes: Whether to try the changes of the topic.
        mutants: Whether to try mutants.
    """

    folder: str
    names: tuple[str, ...] = ()
    changes: bool = True
    mutants: bool = False


class Failure(_Message, frozen=True, kw_only=True):
    """An exception, with its cell and its line in the cell."""

    cell: str
    line: int
    error: str


class Output(_Message, frozen=True, kw_only=True):
    """Output of the statement of a cell that ends on a line."""

    cell: str
    line: int
    lines: tuple[str, ...]


class Run(_Message, frozen=True, kw_only=True):
    """Result of running the cells of a question.

    Attributes:
        claims: Claim -> whether its assert held; claims that were not reached are missing.
        failure: The exception that ended the run early.
        outputs: The printed output.
        warned: Deprecation warnings.
        cpu_s: CPU seconds, including child processes; over the budget they are scaled to the
            machine for which the budgets are set.
        left: Processes and files that were left behind.
        is_over: Whether the run was killed at its deadline.
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
        """Return the claims whose assert failed."""
        return frozenset(claim for claim, holds in self.claims.items() if not holds)


class QuestionFacts(_Message, frozen=True, kw_only=True):
    """Facts about one question.

    Attributes:
        run: The run of its unchanged cells.
        changes: The run with each change; None if the edit fits nowhere, or more than once.
        num_mutants: The number of mutants that were tried.
        survivors: Mutants that no claim or output noticed: cell, line and rule.
    """

    id: str
    run: Run
    changes: tuple[Run | None, ...] = ()
    num_mutants: int = 0
    survivors: tuple[str, ...] = ()


class TopicFacts(_Message, frozen=True, kw_only=True):
    """Facts about one topic.

    Attributes:
        setup: The run of the set-up, which all questions share.
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
