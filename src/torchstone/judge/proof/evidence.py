"""Evidence for an objection of a proof: the case, the result and the tolerance.

A refused program is judged again under the same seed, and its smallest failing case shows the
actual result and the tolerance. An accepted program has no such case; there the case with the
largest ratio of error to tolerance shows how close the cases are to finding the mistake.
"""

from __future__ import annotations

import json
import math
from typing import TypeGuard

import msgspec
from msgspec.structs import replace

from torchstone.core.i18n import both
from torchstone.judge.child.protocol.records import Params
from torchstone.judge.messages import (
    Preview,
    Report,
    Smallest,
    TensorPreview,
    Words,
    words_of,
)
from torchstone.judge.replies import ParityError

Number = float | int | bool | str


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """The case behind an objection; unknown values are ``None``.

    Attributes:
        group: The group of the case.
        case: The index of the case in the plan, as in a report.
        params: Its parameters, as ``build`` of ``cases.py`` takes them.
        output: Key of the wrong output: ``out``, ``grad.0``.
        place: The index of the worst element.
        came: The actual element; ``"nan"`` and ``"inf"`` are strings.
        expected: The right element, rounded to the dtype of the answer.
        error: Absolute difference of the two.
        allowed: Maximum allowed difference.
        ratio: The error divided by the allowed one; ``"inf"`` is a string.
    """

    group: str
    case: int
    params: Params | None = None
    output: str | None = None
    place: tuple[int, ...] | None = None
    came: Number | None = None
    expected: Number | None = None
    error: float | None = None
    allowed: float | None = None
    ratio: Number | None = None

    @property
    def words(self) -> Words:
        """Return the evidence as a sentence in both languages."""
        values = {"group": self.group, "case": self.case, "ratio": _short(self.ratio)}
        if self.params is None:
            return words_of(both("judge.evidence.nearest", **values))
        values["params"] = json.dumps(self.params, ensure_ascii=False, default=str)
        where = f"{self.output}{list(self.place) or ''}" if self.place is not None else ""
        values |= {"where": where, "came": _short(self.came), "expected": _short(self.expected)}
        if self.error is not None:
            values |= {"error": _short(self.error), "allowed": _short(self.allowed)}
            return words_of(both("judge.evidence.distance", **values))
        return words_of(both(f"judge.evidence.{'element' if where else 'case'}", **values))


def failing_case(smallest: Smallest) -> Evidence:
    """Return the evidence in the smallest failing case of a report."""
    regime = smallest.regime
    found = Evidence(group=smallest.group, case=smallest.index, params=regime)
    row = next((row for row in smallest.rows if row.worst is not None), None)
    if row is None or row.worst is None:
        return found
    place = row.worst.index
    came, expected = (_element(side, place) for side in (row.actual, row.expected))
    relative, ratio = row.worst.relative, row.ratio
    error = allowed = None
    if _is_number(came) and _is_number(expected):
        # Relative to the truth, of which `expected` is the rounded value; for 0 the value is the
        # error.
        error = relative * abs(expected) if _is_number(relative) and expected else abs(came)
        # With a tolerance of 0 the ratio is infinite.
        allowed = error / ratio if _is_number(ratio) else 0.0
    return Evidence(
        group=found.group,
        case=found.case,
        params=regime,
        output=row.name,
        place=place,
        came=came,
        expected=expected,
        error=error,
        allowed=allowed,
        ratio=ratio,
    )


def disagreement(found: ParityError) -> Evidence:
    """Return where the oracle (``expected``) and torch's operator (``came``) differ."""
    at = Evidence(group=found.group, case=found.index, params=found.regime, output=found.output)
    if found.place is None:
        return at
    return replace(
        at,
        place=found.place,
        came=_spelt(found.operator),
        expected=_spelt(found.oracle),
        error=found.error if math.isfinite(found.error) else None,
        allowed=found.allowed,
    )


def words_of_disagreement(found: ParityError, seed: int) -> Words:
    """Return the disagreement as a sentence in both languages, with all digits of both numbers."""
    index = list(found.place) if found.place else ""
    values = {
        "group": found.group,
        "case": found.index,
        "params": json.dumps(found.regime, ensure_ascii=False, default=str),
        "where": f"{found.output}{index}",
        "seed": seed,
    }
    if found.shapes is not None:
        oracle, operator = map(list, found.shapes)
        shapes = {"oracle": oracle, "operator": operator}
        return words_of(both("judge.objection.parity_shapes", **values, **shapes))
    values |= {"oracle": found.oracle, "operator": found.operator}
    values |= {"error": _short(found.error), "allowed": _short(found.allowed)}
    return words_of(both("judge.objection.parity_errors", **values))


def outcome_of(report: Report) -> str:
    """Return verdict, aspect and group of a report as one line."""
    aspect = f" {report.aspect}" if report.aspect else ""
    return f"{report.verdict}{aspect} in {report.group or 'load'}"


def nearest_case(report: Report, group: str | None) -> Evidence | None:
    """Return the accepted case with the largest ratio of error to tolerance.

    Args:
        report: The report of an accepted program.
        group: The only group to consider; ``None`` for all.
    """
    cases = [each for each in report.cases if group in (None, each.group)]
    measured = [(float(each.ratio), each) for each in cases if each.ratio is not None]
    if not measured:
        return None
    _, nearest = max(measured, key=lambda each: each[0])
    return Evidence(group=nearest.group, case=nearest.index, ratio=nearest.ratio)


def _element(shown: Preview | None, place: tuple[int, ...]) -> Number | None:
    """Return one element of a preview, which may be cut to a window."""
    if not isinstance(shown, TensorPreview):
        return None
    window = shown.window or tuple((0, size) for size in shown.shape)
    flat = 0
    for at, (start, stop) in zip(place, window, strict=True):
        flat = flat * (stop - start) + at - start
    return shown.values[flat]


def _spelt(number: float) -> Number:
    return number if math.isfinite(number) else str(number)


def _is_number(item: object) -> TypeGuard[float]:
    return isinstance(item, float | int) and not isinstance(item, bool) and math.isfinite(item)


def _short(number: Number | None) -> str:
    return f"{number:.6g}" if isinstance(number, float) else str(number)
