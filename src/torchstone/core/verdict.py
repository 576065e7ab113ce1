"""Verdicts, aspects, job states and exit codes.

The codes are public interface: reports, receipts, the command line and the page show them. No other
module lists them. Precedence, family, exit code, whether a case can be shrunk and whether a receipt
can be replayed are properties of the members.
"""

from collections.abc import Iterable
from enum import IntEnum, StrEnum

# Traits of a verdict: a smaller case can show it; judging again reproduces it.
SHRINKS, REPLAYS = "shrinks", "replays"


class Family(StrEnum):
    """Groups of verdicts that are shown alike."""

    ACCEPTED = "accepted"
    WRONG = "wrong"
    CRASH = "crash"
    LIMIT = "limit"
    HAZARD = "hazard"
    BANNED = "banned"
    FAULT = "fault"


class Verdict(StrEnum):
    """The verdicts of a submission, worst first.

    The order of the members *is* the precedence: of several outcomes the earliest is reported.

    Attributes:
        family: The group to which the verdict belongs.
        can_be_shrunk: Whether the answer to one case shows it, so that a smaller case can show it
            too.
        is_replayable: Whether it is independent of clock, load and machine.
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

    # A default family, because a type checker takes the look-up ``Verdict("WA")`` for this call.
    def __new__(cls, code: str, family: Family = Family.FAULT, *traits: str) -> "Verdict":
        """Create a member from its row."""
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
        """Return whether it decides a job, whatever the verdicts of the cases are."""
        return self.precedence <= Verdict.FORBIDDEN_OP.precedence

    @property
    def is_try(self) -> bool:
        """Return whether a submission with it is a try: whether the program could be judged."""
        return self not in (Verdict.IE, Verdict.CE)

    @property
    def exit_code(self) -> "ExitCode":
        """Return the exit code of a command with this verdict."""
        if self is Verdict.AC:
            return ExitCode.ACCEPTED
        # A script must not mistake a fault of the judge for a wrong answer.
        return ExitCode.OUR_FAULT if self is Verdict.IE else ExitCode.NOT_ACCEPTED


class Aspect(StrEnum):
    """The wrong side of an answer; it accompanies ``WA``.

    The order of the members *is* the precedence: of several aspects the earliest is reported.
    """

    PROPERTY = "property"
    SHAPE = "shape"
    DTYPE = "dtype"
    VALUE = "value"
    GRAD = "grad"
    DETERMINISM = "determinism"

    @property
    def precedence(self) -> int:
        """Return the rank of the aspect; 0 is reported first."""
        return list(Aspect).index(self)


class State(StrEnum):
    """The states of a job; a state is not a verdict."""

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
    """Return the verdict of highest precedence.

    Raises:
        ValueError: There are no verdicts. A job without verdicts is not accepted.

    >>> worst([Verdict.AC, Verdict.WA, Verdict.TLE])
    <Verdict.TLE: 'TLE'>
    """
    ranked = sorted(verdicts, key=list(Verdict).index)
    if not ranked:
        raise ValueError("worst: no verdicts; expected at least one.")
    return ranked[0]
