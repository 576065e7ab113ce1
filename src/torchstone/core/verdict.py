"""The one list of verdicts, aspects and job states, and the exit code each of them means.

Codes are public interface: they stand in reports, receipts, the command line and the page.
"""

from collections.abc import Iterable
from enum import IntEnum, StrEnum


class Verdict(StrEnum):
    """What the judge says about a submission, worst first.

    The order of the members *is* the precedence: of several outcomes the earliest wins.
    """

    IE = "IE"
    CE = "CE"
    FORBIDDEN_OP = "FORBIDDEN_OP"
    OOB = "OOB"
    RACE = "RACE"
    UNINIT = "UNINIT"
    MLE = "MLE"
    TLE = "TLE"
    OLE = "OLE"
    HUNG = "HUNG"
    RTE = "RTE"
    INPUT_MUTATED = "INPUT_MUTATED"
    WA = "WA"
    SLOW = "SLOW"
    AC = "AC"

    @property
    def precedence(self) -> int:
        """Return the rank of the verdict; 0 is the worst."""
        return _PRECEDENCE[self]

    @property
    def exit_code(self) -> "ExitCode":
        """Return the exit code a command ends with when this is its verdict."""
        if self is Verdict.AC:
            return ExitCode.ACCEPTED
        # A fault of the judge must never look like a wrong answer to a script.
        return ExitCode.OUR_FAULT if self is Verdict.IE else ExitCode.NOT_ACCEPTED


_PRECEDENCE = {verdict: rank for rank, verdict in enumerate(Verdict)}


class Aspect(StrEnum):
    """The side of an answer that was wrong; it accompanies ``WA``."""

    VALUE = "value"
    GRAD = "grad"
    SHAPE = "shape"
    DTYPE = "dtype"
    PROPERTY = "property"
    DETERMINISM = "determinism"


class State(StrEnum):
    """Where a job stands; a state is not a verdict."""

    QUEUED = "queued"
    RUNNING = "running"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    DONE = "done"


class ExitCode(IntEnum):
    """What every command answers to the shell."""

    ACCEPTED = 0
    NOT_ACCEPTED = 1
    MISUSE = 2
    OUR_FAULT = 3


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Pick the verdict of highest precedence.

    Raises:
        ValueError: There are no verdicts; nothing judged is not the same as accepted.

    >>> worst([Verdict.AC, Verdict.WA, Verdict.TLE])
    <Verdict.TLE: 'TLE'>
    """
    ranked = sorted(verdicts, key=_PRECEDENCE.__getitem__)
    if not ranked:
        raise ValueError("worst: no verdicts came; at least one is wanted.")
    return ranked[0]
