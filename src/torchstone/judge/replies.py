"""Define the replies of the sandboxed processes to the host, which reads them into these types.

The reference process and the compiler process run without msgspec: they send dictionaries over
``child.wire``. The docstrings name the fields that a submission can influence; the host cleans
these fields before they reach a report.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from torchstone.core.verdict import Aspect, Verdict
from torchstone.judge.child.records import Params
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
    """Define a reply of a process of the judge."""


class FoundWrong(Reply, frozen=True, kw_only=True):
    """Hold one fault of an answer.

    Attributes:
        detail: The sentence in both languages, if there is one; it may quote the submission.
        raised: The exception that the submission reports, unchecked.
    """

    code: Verdict
    aspect: Aspect | None
    key: str
    ratio: float | None
    detail: dict[str, str]
    raised: Any


class NativeFound(Reply, frozen=True, kw_only=True):
    """Hold what the simulator wrote about a case, with addresses instead of lines.

    Attributes:
        build: The build that the addresses belong to.
        findings: The findings of the detectors; empty if there are none.
        counters: The counters; empty if there are none.
    """

    build: str
    findings: str
    counters: str


class SavedFound(Reply, frozen=True, kw_only=True):
    """Hold the bytes that the submission reports as saved, and those of its arguments."""

    num_bytes: int
    argument_bytes: int


class Graded(Reply, frozen=True, kw_only=True):
    """Carry the grade of a case."""

    code: Verdict
    aspect: Aspect | None
    ratio: float | None
    findings: tuple[FoundWrong, ...]
    native: NativeFound | None
    stars: tuple[Star, ...]
    saved: SavedFound | None


class Opened(Reply, frozen=True, kw_only=True):
    """Carry the plan of a problem: the group and the number of every case."""

    plan: tuple[tuple[str, int], ...]


class CaseHead(Reply, frozen=True, kw_only=True):
    """Carry the number of requests of a case, and the process for each request."""

    num_steps: int
    modes: tuple[str, ...]


class Made(Reply, frozen=True, kw_only=True):
    """Carry the new cases; their requests follow as frames."""

    cases: tuple[CaseHead, ...]


class Grades(Reply, frozen=True, kw_only=True):
    """Carry the grades of the cases whose answers the host sent."""

    grades: tuple[Graded, ...]


class SeenSymptom(Reply, frozen=True, kw_only=True):
    """Carry a statement about the error in both languages, and the number of its cases."""

    name: str
    words: dict[str, str]
    cases: int


class Named(Reply, frozen=True, kw_only=True):
    """Carry the misconception, if there is one, a case that shows it, and the symptoms.

    Attributes:
        program: The file of the misconception, without its suffix.
    """

    misconception: Misconception | None
    case: int | None = None
    program: str = ""
    symptoms: tuple[SeenSymptom, ...] = ()


class FarthestOff(Reply, frozen=True, kw_only=True):
    """Hold the element with the largest error; its distances can be infinite."""

    index: tuple[int, ...]
    ulp: float
    relative: float


class WrongRow(FoundWrong, frozen=True, kw_only=True):
    """Hold one fault of the smallest failing case."""

    name: str
    expected: Preview | None
    actual: Preview | None
    worst: FarthestOff | None


class ShownInput(Reply, frozen=True, kw_only=True):
    """Hold an argument of the smallest failing case."""

    name: str
    preview: Preview


class SmallestFailure(Reply, frozen=True, kw_only=True):
    """Hold the smallest failing case; the submission's text in it is not cleaned yet."""

    group: str
    index: int
    # The parameters that the problem drew for the case; every problem has others.
    regime: Params
    inputs: tuple[ShownInput, ...]
    rows: tuple[WrongRow, ...]


class Candidate(CaseHead, frozen=True, kw_only=True):
    """Carry the next smaller case to try, or the smallest case if no candidate is left."""

    smallest: SmallestFailure | None = None


class ParityError(Reply, frozen=True, kw_only=True):
    """Hold an output on which the oracle and torch's own operator differ."""

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
    """Carry the grades of answers that no submission computed; see ``reference.battery``."""

    null_accepted: tuple[str, ...]
    lowprec_accepted: tuple[str, ...]
    parity_errors: tuple[ParityError, ...]
    good_ratio: float
    lowprec_ratio: float | None


class Executed(Reply, frozen=True, kw_only=True):
    """Carry the error of the cells of an editorial; empty if they ran."""

    wrong: str


class Seen(Reply, frozen=True, kw_only=True):
    """Carry the values of the statements of a right program, by statement number."""

    sights: tuple[tuple[int, Sight], ...]


class CompilerMessage(Reply, frozen=True, kw_only=True):
    """One message of the compiler, as ``cudasim.diagnostics.Diagnostic`` describes it."""

    file: str
    line: int
    column: int
    severity: str
    message: str


class Refused(Reply, frozen=True, kw_only=True):
    """Carry the reason why a submission is not built.

    Attributes:
        refused: The verdict.
        key: The sentence, in ``judge.native``.
        word: The word in the sentence; it may come from the submission.
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
    """Carry a fault of the machine that prevented the build; it is no fault of the submission."""

    fault: str


class BuiltProducts(Reply, frozen=True, kw_only=True):
    """Carry the products of a build: a module for each build of CUDA, a library, or a wheel."""

    built: dict[str, bytes]


class Explained(Reply, frozen=True, kw_only=True):
    """Carry the findings and the counters of native code that the host asked for, with lines."""

    found: tuple[Detected, ...] = ()
    hazards: tuple[Hazard, ...] = ()
    drawn: Words | None = None
    counters: tuple[CountedKernel, ...] = ()
    profile: Words | None = None


class OnCard(Reply, frozen=True, kw_only=True):
    """Carry the report of NVIDIA's compiler, if it is installed."""

    nvcc: Card | None


S = TypeVar("S", bound=Reply)


def read_reply(kind: type[S], reply: object) -> S:
    """Read a reply that came over the wire.

    Raises:
        ValueError: The reply is not valid, which is a fault of the judge.
    """
    return msgspec.convert(reply, kind)


def read_built(reply: Any) -> BuiltProducts | BuildFault | Refused:
    """Read the reply to a build.

    Raises:
        ValueError: The reply is not valid.
    """
    if isinstance(reply, dict) and "built" in reply:
        return read_reply(BuiltProducts, reply)
    if isinstance(reply, dict) and "fault" in reply:
        return read_reply(BuildFault, reply)
    return read_reply(Refused, reply)
