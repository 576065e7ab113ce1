"""Define what the sandboxed processes reply to the host, which reads it into these at once.

The reference and the builder run without msgspec: they send dictionaries over ``child.wire``. What
a submission had a hand in is marked; it is cleaned before it reaches a report.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from torchstone.core.verdict import Aspect, Verdict
from torchstone.judge.messages import (
    Card,
    CountedKernel,
    Detected,
    Misconception,
    Preview,
    Star,
    Words,
)
from torchstone.judge.proof.mutants import Sight


class Reply(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one of our own processes replies."""


class FoundWrong(Reply, frozen=True, kw_only=True):
    """One thing that is wrong with an answer.

    Attributes:
        detail: The sentence in both languages, or nothing; it may quote the submission.
        raised: What the submission says that it raised, unchecked.
    """

    code: Verdict
    aspect: Aspect | None
    key: str
    ratio: float | None
    detail: dict[str, str]
    raised: Any


class NativeFound(Reply, frozen=True, kw_only=True):
    """What the simulator wrote of a case, its addresses not yet turned into lines.

    Attributes:
        build: Whose addresses they are.
        findings: What the detectors found, or nothing.
        counters: What was counted, or nothing.
    """

    build: str
    findings: str
    counters: str


class Graded(Reply, frozen=True, kw_only=True):
    """The grade of a case."""

    code: Verdict
    aspect: Aspect | None
    ratio: float | None
    findings: tuple[FoundWrong, ...]
    native: NativeFound | None
    stars: tuple[Star, ...]


class Opened(Reply, frozen=True, kw_only=True):
    """The plan of a problem: group and number of every case."""

    plan: tuple[tuple[str, int], ...]


class CaseHead(Reply, frozen=True, kw_only=True):
    """How many requests a case has, and which process each of them goes to."""

    num_steps: int
    modes: tuple[str, ...]


class Made(Reply, frozen=True, kw_only=True):
    """The cases that were made; their requests follow as frames."""

    cases: tuple[CaseHead, ...]


class Grades(Reply, frozen=True, kw_only=True):
    """The grades of the cases whose answers were handed over."""

    grades: tuple[Graded, ...]


class Named(Reply, frozen=True, kw_only=True):
    """The misconception, if there is one."""

    misconception: Misconception | None


class FarthestOff(Reply, frozen=True, kw_only=True):
    """The element that is farthest off, its distances possibly infinite."""

    index: tuple[int, ...]
    ulp: float
    relative: float


class WrongRow(FoundWrong, frozen=True, kw_only=True):
    """One thing that is wrong in the smallest failing case."""

    name: str
    expected: Preview | None
    actual: Preview | None
    worst: FarthestOff | None


class ShownInput(Reply, frozen=True, kw_only=True):
    """An argument of the smallest failing case."""

    name: str
    preview: Preview


class SmallestFailure(Reply, frozen=True, kw_only=True):
    """The smallest failing case; what the submission wrote in it is not cleaned yet."""

    group: str
    index: int
    # The parameters that the problem drew for the case; every problem has others.
    regime: dict[str, Any]
    inputs: tuple[ShownInput, ...]
    rows: tuple[WrongRow, ...]


class Candidate(CaseHead, frozen=True, kw_only=True):
    """The next smaller case to try, or the smallest one when there is none."""

    smallest: SmallestFailure | None = None


class Battery(Reply, frozen=True, kw_only=True):
    """What came of answers that nobody computed; see ``reference.battery``."""

    null_accepted: tuple[str, ...]
    lowprec_accepted: tuple[str, ...]
    parity_errors: tuple[str, ...]
    good_ratio: float
    lowprec_ratio: float | None


class Executed(Reply, frozen=True, kw_only=True):
    """What went wrong in the cells of an editorial, or nothing."""

    wrong: str


class Seen(Reply, frozen=True, kw_only=True):
    """What the statements of a right program gave, by their numbers."""

    sights: tuple[tuple[int, Sight], ...]


class Refused(Reply, frozen=True, kw_only=True):
    """Why a submission is not built.

    Attributes:
        refused: The verdict.
        key: The sentence, in ``judge.native``.
        word: What it is about; the submission may have chosen it.
        messages: What the compiler says.
    """

    refused: Verdict
    key: str
    word: str
    line: int
    column: int = 0
    messages: tuple[dict[str, Any], ...] = ()


class BuildFault(Reply, frozen=True, kw_only=True):
    """Why the machine could not build; the submission is not to blame."""

    fault: str


class BuiltProducts(Reply, frozen=True, kw_only=True):
    """What was built: a module for each build of CUDA, a library, or a wheel."""

    built: dict[str, bytes]


class Explained(Reply, frozen=True, kw_only=True):
    """What was found and counted in native code, with lines; only what was asked for."""

    found: tuple[Detected, ...] = ()
    drawn: Words | None = None
    counters: tuple[CountedKernel, ...] = ()
    profile: Words | None = None


class OnCard(Reply, frozen=True, kw_only=True):
    """What NVIDIA's compiler says, where it is present."""

    nvcc: Card | None


S = TypeVar("S", bound=Reply)


def read_reply(kind: type[S], reply: object) -> S:
    """Read a reply that came over the wire.

    Raises:
        ValueError: It is of another form, which is a fault of the judge.
    """
    return msgspec.convert(reply, kind)


def read_built(reply: Any) -> BuiltProducts | BuildFault | Refused:
    """Read what came of a build.

    Raises:
        ValueError: It is of another form.
    """
    if isinstance(reply, dict) and "built" in reply:
        return read_reply(BuiltProducts, reply)
    if isinstance(reply, dict) and "fault" in reply:
        return read_reply(BuildFault, reply)
    return read_reply(Refused, reply)
