"""Replies of the reference process; the host reads them into the types of ``judge.replies``.

The two differ in their library alone: the sandbox has no msgspec. ``child.records.as_dict`` makes
the dictionary that travels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from torchstone.judge.child.records import Params, RaisedRecord
from torchstone.judge.kit.expect import EarnedStar, Note
from torchstone.judge.kit.grade import Finding
from torchstone.judge.kit.preview import Preview
from torchstone.judge.mutation.mutants import Sight


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The plan of a problem: group and number of every case."""

    plan: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseHead:
    """How many requests a case has, and which process each of them goes to."""

    num_steps: int
    modes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """The cases that were made; their requests follow as frames."""

    cases: tuple[CaseHead, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NativeFound:
    """What the simulator wrote of a launch in one build."""

    build: str
    findings: str
    counters: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedFound:
    """How many bytes a program saved for backward, and how many its arguments have."""

    num_bytes: int
    argument_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """The grade of a case."""

    code: str
    aspect: str | None
    ratio: float | None
    findings: tuple[Finding, ...]
    native: NativeFound | None
    stars: tuple[EarnedStar, ...]
    saved: SavedFound | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Grades:
    """The grades of the cases whose answers were read."""

    grades: tuple[Graded, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unexplained:
    """How many cases have a fault that no variant explains, and their groups."""

    cases: int
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedVariant:
    """The variant whose answers the submission gives, and on how many cases.

    Attributes:
        alternatives: Other variants whose answers are the same on these cases.
        also: A variant that explains other cases.
        unexplained: The cases in which something else is wrong.
    """

    name: str
    cases: int
    alternatives: tuple[str, ...] = ()
    also: str | None = None
    unexplained: Unexplained | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenSymptom:
    """A statement that is true of all wrong cases it was tested on, and their number."""

    name: str
    words: Note
    cases: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The misconception, if there is one, a case that shows it, its file, and the symptoms."""

    misconception: NamedVariant | None
    case: int | None = None
    program: str = ""
    symptoms: tuple[SeenSymptom, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FarthestOff:
    """The element with the largest error."""

    index: tuple[int, ...]
    ulp: float
    relative: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongRow:
    """One finding of the smallest failing case, with the expected and the actual value."""

    code: str
    aspect: str | None
    key: str
    ratio: float
    detail: Note
    raised: RaisedRecord | None
    name: str
    expected: Preview | None
    actual: Preview | None
    worst: FarthestOff | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownInput:
    """An argument of the smallest failing case."""

    name: str
    preview: Preview


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallestFailure:
    """The smallest failing case."""

    group: str
    index: int
    regime: Params
    inputs: tuple[ShownInput, ...]
    rows: tuple[WrongRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoCandidate:
    """There is no smaller case to try: the smallest one that fails."""

    num_steps: int = 0
    modes: tuple[str, ...] = ()
    smallest: SmallestFailure


@dataclass(frozen=True, slots=True, kw_only=True)
class ParityError:
    """An output of a case on which the oracle and torch's own operator differ.

    Attributes:
        output: Which part of the answer it is: ``out``, ``grad.0``.
        place: The index of the element that differs most; None where the shapes differ.
        oracle: That element of the oracle.
        operator: That element of torch's own operator.
        error: How far apart they are.
        allowed: How far apart they may be.
        shapes: The shapes of both, if they differ.
    """

    group: str
    index: int
    regime: Params
    output: str
    place: tuple[int, ...] | None = None
    oracle: float = 0.0
    operator: float = 0.0
    error: float = 0.0
    allowed: float = 0.0
    shapes: tuple[tuple[int, ...], tuple[int, ...]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Battery:
    """The result of ``reference.battery``.

    Attributes:
        null_accepted: Names of constructed answers that were accepted.
        lowprec_accepted: Lower precisions in which the exact result was accepted.
        parity_errors: Where the oracle and torch's own operator differ.
        good_ratio: Worst error over tolerance of the model solution, outside half precision.
        lowprec_ratio: The smallest such ratio of the exact result in lower precision.
    """

    null_accepted: tuple[str, ...]
    lowprec_accepted: tuple[str, ...]
    parity_errors: tuple[ParityError, ...]
    good_ratio: float
    lowprec_ratio: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """What failed in the cells of an editorial, or nothing."""

    wrong: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the statements of a right program compute, by their numbers."""

    sights: tuple[tuple[int, Sight], ...]


Reply: TypeAlias = (
    Opened | CaseHead | Made | Grades | Named | NoCandidate | Battery | Executed | Seen
)
