"""Battery of synthetic answers: constants, the input, NaN, the previous answer, rounded truth.

Each starts from an answer of the model solution and replaces tensors; all else stays right.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import torch

from torchstone.judge.child import driver
from torchstone.judge.child.loaders.submission import load, load_probe
from torchstone.judge.child.protocol.records import Answer, Scope
from torchstone.judge.kit import (
    EPS,
    Case,
    Expected,
    OneOf,
    ProblemCode,
    Want,
    error_ratios,
    grade,
    merge_answers,
)
from torchstone.judge.kit.problem import Planned
from torchstone.judge.reference.misconception import copy_tree
from torchstone.judge.replies import Battery, ParityError

NARROWER: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "float16": lambda t: t.to(torch.float16),
    "bfloat16": lambda t: t.to(torch.bfloat16),
    "tf32": lambda t: _round_mantissa(t.to(torch.float32), 13),
    "float32": lambda t: t.to(torch.float32),
}

LOWER = {torch.float32: ("float16", "bfloat16", "tf32"), torch.float64: ("float32",)}


Solved = tuple[Planned, Case, Expected, Answer]


def run_battery(
    code: ProblemCode, names: list[str], seed: int, solved: Iterable[Solved] | None = None
) -> Battery:
    """Judge synthetic answers on every case of one plan.

    Args:
        code: The problem.
        names: Names that its model solution defines.
        seed: Seed of the plan.
        solved: Answers of the model solution, if it cannot run in this process.
    """
    if solved is None:
        source = (code.folder / "solution.py").read_text(encoding="utf-8")
        solved = list(_solve(code, source, names, seed))
    worst: dict[str, float] = dict.fromkeys(NARROWER, 0.0)
    touched: set[str] = set()
    refused: set[str] = set()
    previous: dict[tuple[Any, ...], torch.Tensor] = {}
    errors: list[ParityError] = []
    good = 0.0
    for planned, case, expected, answer in solved:
        wants = dict(_wants(expected))
        good = max([good, *(_ratio(w, answer.get(k)) for k, w in wants.items() if not _is_half(w))])
        errors += _parity(code, planned, case, wants)
        for name, forged in _null_answers(case, wants, answer, previous):
            touched.add(name)
            if grade(expected, forged).findings:
                refused.add(name)
        for name, ratio in _narrow_ratios(wants):
            worst[name] = max(worst[name], ratio)
            touched.add(name)
    lowprec = {name: ratio for name, ratio in worst.items() if name in touched}
    accepted = touched - refused
    return Battery(
        null_accepted=tuple(sorted(name for name in accepted if name not in NARROWER)),
        lowprec_accepted=tuple(sorted(name for name, ratio in lowprec.items() if ratio <= 1)),
        parity_errors=tuple(errors),
        good_ratio=good,
        lowprec_ratio=min(lowprec.values(), default=None),
    )


def run_cells(cells: Sequence[str]) -> str:
    """Execute the cells of an editorial in order; return the error, or an empty string."""
    scope: Scope = {"__name__": "__main__"}
    for position, cell in enumerate(cells):
        found = driver.attempt(partial(_execute, cell, scope))
        if "raised" in found:
            raised = found["raised"]
            return f"cell {position + 1}: {raised['type']}: {raised['message']}"
    return ""


def _execute(cell: str, scope: Scope) -> None:
    exec(compile(cell, "<cell>", "exec"), scope)


def _solve(code: ProblemCode, source: str, names: list[str], seed: int) -> Iterator[Solved]:
    solution = load(source, names)
    probe_path: Path = code.folder / "probe.py"
    probe = load_probe(probe_path.read_text(encoding="utf-8") if probe_path.exists() else "")
    session = driver.Session()
    for planned in code.plan(seed):
        case = code.build(planned)
        answers = [
            driver.answer(solution, s.op, copy_tree(s.data), session, probe) for s in case.steps
        ]
        yield planned, case, code.expect(case), merge_answers(answers)


def _wants(expected: Expected) -> Iterator[tuple[str, Want]]:
    for key, item in expected.items():
        if isinstance(item, Want):
            yield key, item
        elif isinstance(item, OneOf):
            for option in item.options:
                yield from _wants(option)


def _is_half(want: Want) -> bool:
    return want.dtype in (torch.float16, torch.bfloat16)


def _ratio(want: Want, got: Any) -> float:
    same = (
        isinstance(got, torch.Tensor) and got.shape == want.value.shape and got.dtype == want.dtype
    )
    return float(error_ratios(want, got).max()) if same and got.numel() else 0.0


def _null_answers(
    case: Case,
    wants: dict[str, Want],
    answer: Answer,
    previous: dict[tuple[Any, ...], torch.Tensor],
) -> Iterator[tuple[str, Answer]]:
    keys = [key for key, want in wants.items() if isinstance(answer.get(key), torch.Tensor)]
    keys = [key for key in keys if answer[key].is_floating_point()]
    if not keys:
        return
    yield "zeros", answer | {key: torch.zeros_like(answer[key]) for key in keys}
    yield "ones", answer | {key: torch.ones_like(answer[key]) for key in keys}
    yield "nan", answer | {key: torch.full_like(answer[key], math.nan) for key in keys}
    inputs = [item for item in case.inputs.values() if isinstance(item, torch.Tensor)]
    echoes = {
        key: item.to(answer[key].dtype)
        for key in keys
        for item in inputs
        if item.shape == answer[key].shape
    }
    yield "the input", answer | {key: torch.zeros_like(answer[key]) for key in keys} | echoes
    before = {key: previous.get((key, answer[key].shape, answer[key].dtype)) for key in keys}
    stale = {
        key: item if item is not None else torch.zeros_like(answer[key])
        for key, item in before.items()
    }
    yield "the answer before", answer | stale
    previous.update({(key, answer[key].shape, answer[key].dtype): answer[key] for key in keys})


def _narrow_ratios(wants: dict[str, Want]) -> Iterator[tuple[str, float]]:
    for want in wants.values():
        if not want.value.is_floating_point() or not want.value.numel():
            continue
        for name in LOWER.get(want.dtype, ()):
            rounded = NARROWER[name](want.value).to(want.dtype)
            yield name, float(error_ratios(want, rounded).max())


def _parity(
    code: ProblemCode, planned: Planned, case: Case, wants: dict[str, Want]
) -> Iterator[ParityError]:
    of_case = partial(ParityError, group=planned.group, index=planned.index, regime=planned.params)
    for key, value in code.builtin(case).items():
        want = wants.get(key)
        if want is None or value is None or not want.value.is_floating_point():
            continue
        # The tolerance, scaled from the precision of the answer to float64.
        exactness = EPS[torch.float64] / EPS.get(want.dtype, EPS[torch.float64])
        limit = torch.as_tensor(want.bound, dtype=torch.float64) * exactness * 4 + 1e-300
        check = Want(want.value, limit, torch.float64)
        if value.shape != want.value.shape:
            yield of_case(output=key, shapes=(tuple(want.value.shape), tuple(value.shape)))
        elif value.numel() and float((ratios := error_ratios(check, value.double())).max()) > 1:
            yield _with_worst(of_case(output=key), check, value.double(), ratios)


def _with_worst(
    found: ParityError, check: Want, value: torch.Tensor, ratios: torch.Tensor
) -> ParityError:
    """Add the element with the largest ratio of error to tolerance."""
    flat = int(ratios.argmax())
    limit = torch.as_tensor(check.bound, dtype=torch.float64).expand(value.shape)
    sides = (check.value.double(), value, limit)
    oracle, operator, allowed = (float(each.reshape(-1)[flat]) for each in sides)
    place = torch.unravel_index(torch.tensor(flat), value.shape)
    return msgspec.structs.replace(
        found,
        place=tuple(int(each) for each in place),
        oracle=oracle,
        operator=operator,
        error=abs(operator - oracle),
        allowed=allowed,
    )


def _round_mantissa(value: torch.Tensor, num_bits: int) -> torch.Tensor:
    bits = value.view(torch.int32)
    half = 1 << (num_bits - 1)
    return ((bits + half) & ~((1 << num_bits) - 1)).view(torch.float32)
