"""Replies of the reference process; the host reads them into the types of ``judge.replies``.

The types are duplicated because the sandbox has no msgspec. ``child.protocol.records.as_dict``
converts them to the dictionary that is sent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from torchstone.judge.child.protocol.records import Params, RaisedRecord
from torchstone.judge.kit.expect import EarnedStar, Note
from torchstone.judge.kit.grade import Finding
from torchstone.judge.kit.preview import Preview
from torchstone.judge.mutation.mutants import Sight


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The plan of a problem: group and index of every case."""

    plan: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseHead:
    """Number of requests of a case, and the mode of the process for each."""

    num_steps: int
    modes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """The cases that were made; their requests follow as frames."""

    cases: tuple[CaseHead, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NativeFound:
    """The simulator's report of a launch in one build."""

    build: str
    findings: str
    counters: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedFound:
    """Bytes that a program saved for backward, and bytes of its arguments."""

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
    """The grades of the answered cases."""

    grades: tuple[Graded, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unexplained:
    """The number of cases with a fault that no variant explains, and their groups."""

    cases: int
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedVariant:
    """The variant with the submission's answers, and the number of such cases.

    Attributes:
        alternatives: Other variants whose answers are the same on these cases.
        also: A variant that explains other cases.
        unexplained: The cases with other faults.
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
    """The misconception, if any, a case that shows it, its file, and the symptoms."""

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
    """Reply when no smaller case is left: the smallest one that fails."""

    num_steps: int = 0
    modes: tuple[str, ...] = ()
    smallest: SmallestFailure


@dataclass(frozen=True, slots=True, kw_only=True)
class ParityError:
    """An output of a case on which the oracle and torch's own operator differ.

    Attributes:
        output: Key of the output: ``out``, ``grad.0``.
        place: The index of the element that differs most; None if the shapes differ.
        oracle: The oracle's element.
        operator: The element of torch's own operator.
        error: Absolute difference of the two.
        allowed: Maximum allowed difference.
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
        null_accepted: Names of synthetic answers that were accepted.
        lowprec_accepted: Lower precisions in which the exact result was accepted.
        parity_errors: Differences between the oracle and torch's own operator.
        good_ratio: Largest error over tolerance of the model solution, except half precision.
        lowprec_ratio: Smallest such ratio of the exact result in lower precision.
    """

    null_accepted: tuple[str, ...]
    lowprec_accepted: tuple[str, ...]
    parity_errors: tuple[ParityError, ...]
    good_ratio: float
    lowprec_ratio: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """The error in the cells of an editorial, or an empty string."""

    wrong: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Facts about the values of a correct program's statements, by their numbers."""

    sights: tuple[tuple[int, Sight], ...]


Reply: TypeAlias = (
    Opened | CaseHead | Made | Grades | Named | NoCandidate | Battery | Executed | Seen
)
