"""Replies of the sandboxed processes.

The reference process makes these objects and sends them as dictionaries over
``child.protocol.wire``; the compiler process, which has no msgspec, sends such dictionaries. The
host reads both into these types. The docstrings name the fields that a submission can influence;
the host cleans these fields before they reach a report.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from torchstone.core.verdict import Aspect, Verdict
from torchstone.judge.child.protocol.records import Params
from torchstone.judge.hazard import Hazard
from torchstone.judge.messages import (
    Card,
    CountedKernel,
    Detected,
    Misconception,
    Preview,
    Star,
    Words,
)
from torchstone.judge.mutation.mutants import Sight


class Reply(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Reply of a process of the judge."""


class FoundWrong(Reply, frozen=True, kw_only=True):
    """One fault of an answer.

    Attributes:
        detail: The message in both languages, if there is one; it may quote the submission.
        raised: The exception that the submission reports, unchecked.
    """

    code: Verdict
    aspect: Aspect | None
    key: str
    ratio: float | None
    detail: dict[str, str]
    raised: Any


class NativeFound(Reply, frozen=True, kw_only=True):
    """The simulator's report about a case, with addresses instead of lines.

    Attributes:
        build: The build that the addresses belong to.
        findings: The findings of the detectors; empty if there are none.
        counters: The counters; empty if there are none.
    """

    build: str
    findings: str
    counters: str


class SavedFound(Reply, frozen=True, kw_only=True):
    """Bytes that the submission reports as saved for backward, and bytes of its arguments."""

    num_bytes: int
    argument_bytes: int


class Graded(Reply, frozen=True, kw_only=True):
    """The grade of a case."""

    code: Verdict
    aspect: Aspect | None
    ratio: float | None
    findings: tuple[FoundWrong, ...]
    native: NativeFound | None
    stars: tuple[Star, ...]
    saved: SavedFound | None


class Opened(Reply, frozen=True, kw_only=True):
    """The plan of a problem: the group and the index of every case."""

    plan: tuple[tuple[str, int], ...]


class CaseHead(Reply, frozen=True, kw_only=True):
    """The number of requests of a case, and the process mode for each."""

    num_steps: int
    modes: tuple[str, ...]


class Made(Reply, frozen=True, kw_only=True):
    """The cases that were made; their requests follow as frames."""

    cases: tuple[CaseHead, ...]


class Grades(Reply, frozen=True, kw_only=True):
    """The grades of the cases whose answers the host sent."""

    grades: tuple[Graded, ...]


class SeenSymptom(Reply, frozen=True, kw_only=True):
    """A statement about the error in both languages, and the number of its cases."""

    name: str
    words: dict[str, str]
    cases: int


class Named(Reply, frozen=True, kw_only=True):
    """The misconception, if any, a case that shows it, and the symptoms.

    Attributes:
        program: The file of the misconception, without its suffix.
    """

    misconception: Misconception | None
    case: int | None = None
    program: str = ""
    symptoms: tuple[SeenSymptom, ...] = ()


class FarthestOff(Reply, frozen=True, kw_only=True):
    """The element with the largest error; its distances can be infinite."""

    index: tuple[int, ...]
    ulp: float
    relative: float


class WrongRow(FoundWrong, frozen=True, kw_only=True):
    """One fault of the smallest failing case."""

    name: str
    expected: Preview | None
    actual: Preview | None
    worst: FarthestOff | None


class ShownInput(Reply, frozen=True, kw_only=True):
    """An argument of the smallest failing case."""

    name: str
    preview: Preview


class SmallestFailure(Reply, frozen=True, kw_only=True):
    """The smallest failing case; text of the submission in it is not yet cleaned."""

    group: str
    index: int
    # The parameters that the problem drew for the case; every problem has its own.
    regime: Params
    inputs: tuple[ShownInput, ...]
    rows: tuple[WrongRow, ...]


class Candidate(CaseHead, frozen=True, kw_only=True):
    """The next smaller case to try, or the smallest case if no candidate is left."""

    smallest: SmallestFailure | None = None


class ParityError(Reply, frozen=True, kw_only=True):
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


class Battery(Reply, frozen=True, kw_only=True):
    """The grades of synthetic answers; see ``reference.battery``.

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


class Executed(Reply, frozen=True, kw_only=True):
    """The error of an editorial's cells; empty if they ran."""

    wrong: str


class Seen(Reply, frozen=True, kw_only=True):
    """Facts about the values of a correct program's statements, by statement number."""

    sights: tuple[tuple[int, Sight], ...]


class CompilerMessage(Reply, frozen=True, kw_only=True):
    """One message of the compiler, as ``cudasim.diagnostics.Diagnostic`` describes it."""

    file: str
    line: int
    column: int
    severity: str
    message: str


class Refused(Reply, frozen=True, kw_only=True):
    """The reason why a submission is not built.

    Attributes:
        refused: The verdict.
        key: The key of the message, in ``judge.native``.
        word: The word in the message; it may come from the submission.
        file: The file of a package; the line is within it.
        messages: The messages of the compiler.
    """

    refused: Verdict
    key: str
    word: str
    line: int
    column: int = 0
    file: str = ""
    messages: tuple[CompilerMessage, ...] = ()


class BuildFault(Reply, frozen=True, kw_only=True):
    """A fault of the machine that prevented the build; it is no fault of the submission."""

    fault: str


class BuiltProducts(Reply, frozen=True, kw_only=True):
    """The products of a build: a module for each CUDA build, a library, or a wheel."""

    built: dict[str, bytes]


class Explained(Reply, frozen=True, kw_only=True):
    """The requested findings and counters of native code, with source lines."""

    found: tuple[Detected, ...] = ()
    hazards: tuple[Hazard, ...] = ()
    drawn: Words | None = None
    counters: tuple[CountedKernel, ...] = ()
    profile: Words | None = None


class OnCard(Reply, frozen=True, kw_only=True):
    """The report of NVIDIA's compiler, if it is installed."""

    nvcc: Card | None


S = TypeVar("S", bound=Reply)


def read_reply(kind: type[S], reply: object) -> S:
    """Parse a reply from the wire.

    Raises:
        ValueError: The reply is not valid, which is a fault of the judge.
    """
    return msgspec.convert(reply, kind)


def read_built(reply: Any) -> BuiltProducts | BuildFault | Refused:
    """Parse the reply to a build.

    Raises:
        ValueError: The reply is not valid.
    """
    if isinstance(reply, dict) and "built" in reply:
        return read_reply(BuiltProducts, reply)
    if isinstance(reply, dict) and "fault" in reply:
        return read_reply(BuildFault, reply)
    return read_reply(Refused, reply)
