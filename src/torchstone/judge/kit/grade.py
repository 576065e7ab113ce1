"""Grading: compare results with expectations, and describe the differences."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import torch

from torchstone.core.i18n import LANGS, both, text
from torchstone.core.verdict import Aspect, Verdict
from torchstone.judge import messages
from torchstone.judge.child.protocol.records import Answer, RaisedRecord
from torchstone.judge.kit.expect import (
    Exact,
    Expectation,
    Expected,
    Gate,
    Holds,
    Maybe,
    Note,
    OneOf,
    Raises,
    Star,
    Want,
)
from torchstone.judge.kit.faults import FAULTS, is_raised, say_fault
from torchstone.judge.kit.forms import Form, brief, equal, name_of
from torchstone.judge.kit.native import ORDERS, code_of, kinds_found

# Elements per piece: three float64 buffers of this length fit the second-level cache.
PIECE = 1 << 14
RAISED = Form(is_raised, "raised")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One fault of an answer."""

    code: str
    aspect: str | None
    key: str
    ratio: float = math.inf
    detail: Note = field(default_factory=dict)
    raised: RaisedRecord | None = None

    @property
    def rank(self) -> tuple[int, int]:
        """Return a sort key of findings: the lowest rank is the verdict."""
        aspect = Aspect(self.aspect).precedence if self.aspect else 0
        return Verdict(self.code).precedence, aspect


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """Result of grading a case.

    Attributes:
        findings: The faults; empty if the answer is right.
        ratio: The largest error divided by its tolerance.
        stars: The stars that the case determines.
    """

    findings: tuple[Finding, ...]
    ratio: float | None
    stars: tuple[messages.Star, ...] = ()

    @property
    def worst(self) -> Finding | None:
        """Return the finding that determines the verdict."""
        return min(self.findings, key=lambda finding: finding.rank, default=None)


def grade(expected: Expected, answer: Answer) -> Grade:
    """Compare one answer (all steps merged) with its expectations."""
    ratios: list[float] = []
    findings = list(_check(expected, answer, ratios))
    stars = [_star(item, answer) for item in expected.values() if isinstance(item, Star)]
    return Grade(findings=tuple(findings), ratio=max(ratios, default=None), stars=tuple(stars))


def _star(star: Star, answer: Answer) -> messages.Star:
    came = star.measure(answer)
    earned = came is not None and came <= star.most
    words = messages.Words(**star.words)
    return messages.Star(name=star.name, words=words, came=came, most=star.most, earned=earned)


def merge_answers(answers: list[Answer]) -> Answer:
    """Merge the answers of the steps; keys of step k > 0 get the prefix ``k:``."""
    return {
        (f"{step}:{key}" if step else key): item
        for step, each in enumerate(answers)
        for key, item in each.items()
    }


def _check(expected: Expected, answer: Answer, ratios: list[float]) -> Iterator[Finding]:
    ended = False
    for key, item in answer.items():
        name = key.rpartition(":")[2]
        if name == "fault":
            code, aspect = FAULTS[item["key"]]
            # Findings contain plain text only.
            yield Finding(
                code=code.value,
                aspect=aspect.value if aspect else None,
                key=key,
                detail=say_fault(item),
            )
            ended = True
        elif name in ("raised", "second.raised") and key not in _keys(expected):
            yield _unexpected(key, item)
            ended = True
        elif name in _OF_SIMULATOR and _is_of_launch(key):
            for finding in _OF_SIMULATOR[name](key, item):
                yield finding
                ended = True
    if ended:
        return
    for key, expectation in expected.items():
        yield from _one(key, expectation, answer, ratios)


def _found(key: str, text: Any) -> Iterator[Finding]:
    """Convert the detectors' findings to verdicts; source lines are looked up later."""
    for kind, code in code_of(kinds_found(text)).items():
        yield Finding(code=code, aspect=None, key=key, detail=both(f"judge.found.{kind}"))


def _failed(key: str, name: Any) -> Iterator[Finding]:
    name = name if isinstance(name, str) and name.isidentifier() else "cudaErrorUnknown"
    yield Finding(code="RTE", aspect=None, key=key, detail=both("judge.native.error", name=name))


def _broke(key: str, what: Any) -> Iterator[Finding]:
    is_input = what == "input_changed"
    code, entry = ("INPUT_MUTATED", what) if is_input else ("OOB", "before_buffer")
    yield Finding(code=code, aspect=None, key=key, detail=both(f"judge.native.{entry}"))


def _is_of_launch(key: str) -> bool:
    """Return whether a key belongs to a launch, like ``random:findings``."""
    return key.rpartition(":")[0].rpartition(":")[2] in ORDERS


def _worked_elsewhere(key: str, count: Any) -> Iterator[Finding]:
    yield Finding(code="WA", aspect="property", key=key, detail=both("judge.native.elsewhere"))


def _copied_to_host(key: str, count: Any) -> Iterator[Finding]:
    yield Finding(code="FORBIDDEN_OP", aspect=None, key=key, detail=both("judge.native.to_host"))


_OF_SIMULATOR = {
    "findings": _found,
    "error": _failed,
    "broken": _broke,
    "elsewhere": _worked_elsewhere,
    "to_host": _copied_to_host,
}


def _keys(expected: Expected) -> set[str]:
    nested = [
        option for item in expected.values() if isinstance(item, OneOf) for option in item.options
    ]
    return set(expected).union(*nested)


def _unexpected(key: str, raised: RaisedRecord) -> Finding:
    kind, message = raised["type"], raised["message"]
    if raised.get("memory") is True:
        detail = both("judge.graded.no_memory", message=message)
        return Finding(code="MLE", aspect=None, key=key, detail=detail, raised=raised)
    detail = both("judge.graded.raised", type=kind, message=message)
    return Finding(code="RTE", aspect=None, key=key, detail=detail, raised=raised)


def _one(
    key: str, expectation: Expectation, answer: Answer, ratios: list[float]
) -> Iterator[Finding]:
    if isinstance(expectation, Star):
        return
    if isinstance(expectation, OneOf):
        yield from _one_of(expectation, answer, ratios)
    elif isinstance(expectation, Gate):
        yield from _gate(key, expectation, answer)
    elif isinstance(expectation, Raises):
        yield from _raises(key, expectation, answer)
    elif key not in answer:
        if not isinstance(expectation, Maybe):
            yield _missing(key, expectation)
    else:
        inner = expectation.expectation if isinstance(expectation, Maybe) else expectation
        if isinstance(inner, Want):
            found = list(_want(key, inner, answer[key], ratios))
            yield from map(partial(_explained, answer), found or _differs(key, inner, answer))
        elif isinstance(inner, Exact):
            yield from _exact(key, inner, answer[key])
        elif isinstance(inner, Holds):
            yield from _holds(key, inner, answer[key])
        else:
            raise TypeError(
                f"expectation {key!r}: a {type(inner).__name__} cannot stand inside Maybe"
            )


def _explained(answer: Answer, finding: Finding) -> Finding:
    """Add a message if the second call on the same tensors repeated the first answer."""
    first = finding.key.replace("again:", "", 1)
    if finding.detail or first == finding.key or first not in answer:
        return finding
    if not equal(answer[first], answer[finding.key]):
        return finding
    return replace(finding, detail=both("judge.fault.former_answer"))


def _one_of(expectation: OneOf, answer: Answer, ratios: list[float]) -> Iterator[Finding]:
    best: list[Finding] | None = None
    for option in expectation.options:
        tried: list[float] = []
        findings = [
            finding for key, item in option.items() for finding in _one(key, item, answer, tried)
        ]
        refused = any(
            key.endswith("raised") and key in answer and key not in option
            for key in _related(option, answer)
        )
        if refused:
            continue
        if not findings:
            ratios.extend(tried)
            return
        # Faults of an actual answer are more informative than a missing exception.
        unmet = any(isinstance(item, Raises) and key not in answer for key, item in option.items())
        if best is None or (not unmet and len(findings) <= len(best)):
            best = findings
    if best is None:
        key = next(key for key in answer if key.endswith("raised"))
        best = [_unexpected(key, answer[key])]
    yield from best


def _related(option: Expected, answer: Answer) -> set[str]:
    # An option that does not mention an exception does not explain one.
    prefixes = {key.split(".")[0] for key in option}
    return {
        key
        for key in answer
        if key.endswith("raised") and (key == "raised" or key.split(".")[0] in prefixes)
    }


def _raises(key: str, expectation: Raises, answer: Answer) -> Iterator[Finding]:
    wanted = " | ".join(expectation.names)
    if key not in answer:
        detail = both("judge.graded.not_raised", wanted=wanted)
        yield Finding(code="WA", aspect="property", key=key, detail=detail)
    elif not is_raised(answer[key]):
        yield _other_form(key, answer[key], RAISED)
    elif not expectation.matches(answer[key]):
        detail = both("judge.graded.raised_other", came=answer[key]["type"], wanted=wanted)
        yield Finding(code="WA", aspect="property", key=key, detail=detail, raised=answer[key])


def _gate(key: str, gate: Gate, answer: Answer) -> Iterator[Finding]:
    came = gate.measure(answer)
    if came is not None and not came <= gate.most:
        values = {"came": f"{came:g}", "most": f"{gate.most:g}", **gate.references}
        detail = {lang: words.format_map(values) for lang, words in gate.words.items()}
        yield Finding(code="SLOW", aspect=None, key=key, detail=detail)


def _missing(key: str, expectation: Expectation) -> Finding:
    aspect = expectation.aspect if isinstance(expectation, Want | Exact | Holds) else "property"
    return Finding(code="WA", aspect=aspect, key=key, detail=both("judge.graded.missing", name=key))


def _want(key: str, want: Want, got: Any, ratios: list[float]) -> Iterator[Finding]:
    if got is None and want.none_is_zero:
        got = torch.zeros(want.value.shape, dtype=want.dtype)
    if not isinstance(got, torch.Tensor):
        came = "None" if got is None else type(got).__name__
        detail = both("judge.graded.no_tensor", name=key, came=came)
        yield Finding(
            code="WA",
            aspect="grad" if want.aspect == "grad" else "property",
            key=key,
            detail=detail,
        )
        return
    if got.shape != want.value.shape:
        came_shape, wanted_shape = tuple(got.shape), tuple(want.value.shape)
        detail = both("judge.graded.shape", name=key, came=came_shape, wanted=wanted_shape)
        yield Finding(code="WA", aspect="shape", key=key, detail=detail)
        return
    if got.dtype != want.dtype:
        came_dtype, wanted_dtype = name_of(got.dtype), name_of(want.dtype)
        detail = both("judge.graded.dtype", name=key, came=came_dtype, wanted=wanted_dtype)
        yield Finding(code="WA", aspect="dtype", key=key, detail=detail)
        return
    ratio = error_ratio(want, got)
    ratios.append(ratio)
    # NaN <= 1 is False, so this refuses NaN.
    if not ratio <= 1:
        yield Finding(code="WA", aspect=want.aspect, key=key, ratio=ratio)


def _differs(key: str, want: Want, answer: Answer) -> Iterator[Finding]:
    """Compare bits with another part of the answer, which has its own expectation."""
    if want.same_as is None or want.same_as == key or want.same_as not in answer:
        return
    if not equal(answer[want.same_as], answer[key]):
        detail = both("judge.graded.differs", name=key, other=want.same_as)
        yield Finding(code="WA", aspect=want.aspect, key=key, detail=detail)


def error_ratio(want: Want, got: torch.Tensor) -> float:
    """Return the largest error divided by the tolerance; inf where NaN or infinities differ.

    Large tensors are processed in pieces that stay in the cache, which is several times faster than
    whole passes over memory.
    """
    if not got.numel():
        return 0.0
    if not want.value.is_floating_point():
        return float(error_ratios(want, got).max())
    if got.numel() <= PIECE:
        return _worst_ratio(want.value, want.bound, got)
    value, flat = want.value.reshape(-1), got.reshape(-1)
    limit = torch.as_tensor(want.bound, dtype=torch.float64).expand(want.value.shape).reshape(-1)
    pieces = (slice(at, at + PIECE) for at in range(0, flat.numel(), PIECE))
    return max(_worst_ratio(value[piece], limit[piece], flat[piece]) for piece in pieces)


def _worst_ratio(value: torch.Tensor, bound: torch.Tensor | float, got: torch.Tensor) -> float:
    error = got.to(torch.float64, copy=True).sub_(value).abs_()
    # Where exact values are expected, 0 / 0 would turn correct ones into NaN.
    if isinstance(bound, int | float) and bound == 0 and float(error.max()) == 0:
        return 0.0
    ratio = float(error.div_(bound).max())
    # A finite quotient is the result; other values take the slow path.
    if ratio < math.inf:
        return ratio
    return float(error_ratios(Want(value, bound, got.dtype), got).max())


def error_ratios(want: Want, got: torch.Tensor) -> torch.Tensor:
    """Return the error of every element divided by its tolerance, as float64."""
    if not want.value.is_floating_point():
        return torch.where(got == want.value, 0.0, torch.inf).double()
    value, wide = want.value.double(), got.double()
    limit = torch.as_tensor(want.bound, dtype=torch.float64).expand(value.shape)
    difference = (wide - value).abs_()
    ratios = torch.where(difference == 0, 0.0, difference / limit)
    same = (wide == value) | (wide.isnan() & value.isnan())
    special = ~(value.isfinite() & wide.isfinite())
    return torch.where(special, torch.where(same, 0.0, torch.inf), ratios).nan_to_num_(
        nan=math.inf, posinf=math.inf
    )


def _exact(key: str, exact: Exact, got: Any) -> Iterator[Finding]:
    if not equal(exact.value, got):
        note = exact.note or both(
            "judge.graded.exact", name=key, came=brief(got), wanted=brief(exact.value)
        )
        yield Finding(code="WA", aspect=exact.aspect, key=key, detail=note)


def _holds(key: str, holds: Holds, got: Any) -> Iterator[Finding]:
    if not holds.takes.fits(got):
        yield _other_form(key, got, holds.takes)
    elif not holds.predicate(got):
        yield Finding(code="WA", aspect=holds.aspect, key=key, detail=dict(holds.wanted))


def _other_form(key: str, got: Any, form: Form) -> Finding:
    """Report a value that the predicate of an expectation cannot accept."""
    came = brief(got)
    detail: Note = {
        lang: text("judge.graded.form", lang, name=key, came=came, wanted=form.words[lang])
        for lang in LANGS
    }
    return Finding(code="RTE", aspect=None, key=key, detail=detail)
