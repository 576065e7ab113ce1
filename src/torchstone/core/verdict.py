"""Verdicts, aspects, job states and exit codes.

Codes are public interface: they stand in reports, receipts, the command line and the page. No other
module lists them: precedence, family, exit code, whether a case can be shrunk and whether a receipt
can be replayed are properties of the members.
"""

from collections.abc import Iterable
from enum import IntEnum, StrEnum

# What holds of a verdict: a smaller case can show the same, and judging again proves it.
SHRINKS, REPLAYS = "shrinks", "replays"


class Family(StrEnum):
    """A kind of verdicts that look alike to a reader."""

    ACCEPTED = "accepted"
    WRONG = "wrong"
    CRASH = "crash"
    LIMIT = "limit"
    HAZARD = "hazard"
    BANNED = "banned"
    FAULT = "fault"


class Verdict(StrEnum):
    """What the judge says about a submission, worst first.

    The order of the members *is* the precedence: of several outcomes the earliest wins.

    Attributes:
        family: The kind of verdicts that it belongs to.
        can_be_shrunk: Whether the answer to a case shows it, so that a smaller case can, too.
        is_replayable: Whether it depends on no clock, load or machine.
    """

    _value_: str
    family: Family
    can_be_shrunk: bool
    is_replayable: bool

    IE = "IE", Family.FAULT
    CE = "CE", Family.CRASH, REPLAYS
    FORBIDDEN_OP = "FORBIDDEN_OP", Family.BANNED, REPLAYS
    OOB = "OOB", Family.HAZARD, SHRINKS, REPLAYS
    RACE = "RACE", Family.HAZARD, SHRINKS, REPLAYS
    UNINIT = "UNINIT", Family.HAZARD, SHRINKS, REPLAYS
    MLE = "MLE", Family.LIMIT, SHRINKS
    TLE = "TLE", Family.LIMIT
    OLE = "OLE", Family.LIMIT
    HUNG = "HUNG", Family.LIMIT
    RTE = "RTE", Family.CRASH, SHRINKS, REPLAYS
    INPUT_MUTATED = "INPUT_MUTATED", Family.BANNED, SHRINKS, REPLAYS
    WA = "WA", Family.WRONG, SHRINKS, REPLAYS
    SLOW = "SLOW", Family.LIMIT
    AC = "AC", Family.ACCEPTED, REPLAYS

    # A family by default, because a type checker takes a look-up, ``Verdict("WA")``, for this call.
    def __new__(cls, code: str, family: Family = Family.FAULT, *traits: str) -> "Verdict":
        """Make a member of its row."""
        member = str.__new__(cls, code)
        member._value_, member.family = code, family
        member.can_be_shrunk, member.is_replayable = SHRINKS in traits, REPLAYS in traits
        return member

    @property
    def precedence(self) -> int:
        """Return the rank of the verdict; 0 is the worst."""
        return list(Verdict).index(self)

    @property
    def is_overriding(self) -> bool:
        """Return whether it decides a job, whatever the cases came to."""
        return self.precedence <= Verdict.FORBIDDEN_OP.precedence

    @property
    def exit_code(self) -> "ExitCode":
        """Return the exit code a command ends with when this is its verdict."""
        if self is Verdict.AC:
            return ExitCode.ACCEPTED
        # A fault of the judge must never look like a wrong answer to a script.
        return ExitCode.OUR_FAULT if self is Verdict.IE else ExitCode.NOT_ACCEPTED


class Aspect(StrEnum):
    """The side of an answer that was wrong; it accompanies ``WA``.

    The order of the members *is* the precedence: of several the earliest is named.
    """

    PROPERTY = "property"
    SHAPE = "shape"
    DTYPE = "dtype"
    VALUE = "value"
    GRAD = "grad"
    DETERMINISM = "determinism"

    @property
    def precedence(self) -> int:
        """Return the rank of the aspect; 0 is named first."""
        return list(Aspect).index(self)


class State(StrEnum):
    """Where a job stands; a state is not a verdict."""

    QUEUED = "queued"
    RUNNING = "running"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    DONE = "done"


class ExitCode(IntEnum):
    """The exit codes of every command."""

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
    ranked = sorted(verdicts, key=list(Verdict).index)
    if not ranked:
        raise ValueError("worst: no verdicts came; at least one is wanted.")
    return ranked[0]
