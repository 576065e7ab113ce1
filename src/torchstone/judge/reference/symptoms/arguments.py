"""Symptoms of arguments: the answer is right for other arguments than the given ones.

The oracle is called again with one argument changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import torch

from torchstone.judge.child.protocol.records import Arguments
from torchstone.judge.kit import Case, ProblemCode
from torchstone.judge.reference.symptoms.evidence import Budget, Label, WrongResult, label
from torchstone.judge.reference.trials import wants_of

# The oracle is slow on larger cases: there only changes that fit smaller cases are tried.
CASE_CAP = 1 << 16
# Oracles do not support all arguments: these exceptions mean that a change does not fit.
UNFIT = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, NotImplementedError),
    *(RuntimeError, TypeError, ValueError),
)
Change = Callable[[Any], Any]
# Entries of a case that are no arguments of the function.
NOT_ARGUMENTS = frozenset(
    {"wrt", "group", "kind", "op", "raises", "facts", "seed", "style", "life"}
)


def argument_labels(
    code: ProblemCode, result: WrongResult, allowed: set[Label] | None, budget: Budget
) -> set[Label]:
    """Return the changes of one argument under which a wrong result is right.

    Args:
        code: The problem.
        result: The wrong result.
        allowed: The only changes to try; None for all.
        budget: The time limit.
    """
    case = result.trial.case
    if allowed is None and sum(item.numel() for item in result.inputs.values()) > CASE_CAP:
        return set()
    found = set()
    for said, name, change in _all_changes(case):
        if allowed is not None and said not in allowed:
            continue
        budget.check()
        truth = _truth(code, name, change, result)
        if truth is not None and truth.shape == result.truth.shape and result.equals(truth):
            found.add(said)
    return found


def _truth(
    code: ProblemCode, name: str, change: Change, result: WrongResult
) -> torch.Tensor | None:
    case = result.trial.case
    try:
        steps = tuple(replace(step, data=_change(step.data, name, change)) for step in case.steps)
        changed = replace(case, secret=_change(case.secret, name, change), steps=steps)
        wants = dict(wants_of(code.expect_case(changed)))
    except UNFIT:
        return None
    want = wants.get(result.key)
    return None if want is None or want.value.is_complex() else want.value.double()


def _all_changes(case: Case) -> Iterator[tuple[Label, str, Change]]:
    leaves: Arguments = {}
    collect_leaves(case.secret, leaves, 0)
    data = case.steps[0].data
    for place in ("values", "kwargs", "init_kwargs"):
        collect_leaves(data.get(place), leaves, 0)
    for name, item in leaves.items():
        for said, change in _changes(name, item, leaves):
            yield said, name, change


def collect_leaves(tree: Any, leaves: Arguments, depth: int) -> None:
    """Collect the scalar and tensor entries of nested dictionaries by name."""
    if depth > 3:
        return
    if isinstance(tree, dict):
        for name, item in tree.items():
            if isinstance(item, (dict, list, tuple)):
                collect_leaves(item, leaves, depth + 1)
            elif isinstance(name, str) and name not in NOT_ARGUMENTS:
                leaves.setdefault(name, item)
    elif isinstance(tree, (list, tuple)) and len(tree) <= 16:
        for item in tree:
            if isinstance(item, (dict, list, tuple)):
                collect_leaves(item, leaves, depth + 1)


def _change(tree: Any, name: str, change: Change) -> Any:
    if isinstance(tree, dict):
        return {
            key: change(item)
            if key == name and not isinstance(item, (dict, list, tuple))
            else _change(item, name, change)
            for key, item in tree.items()
        }
    if isinstance(tree, (list, tuple)) and not hasattr(tree, "_fields"):
        return type(tree)(_change(item, name, change) for item in tree)
    return tree


def _changes(name: str, item: Any, leaves: Arguments) -> Iterator[tuple[Label, Change]]:
    if type(item) is bool:
        yield label("flag", name=name), lambda old: not old if type(old) is bool else old
    elif type(item) is int:
        if item in (0, 1):
            # C passes flags as integers. A value of 2 or more is no flag and stays unchanged.
            yield label("switched", name=name), lambda old: 1 - old if old in (0, 1) else old
        for number in range(-4, 4):
            yield label("argument_is", name=name, value=number), _set_to(number)
        yield label("argument_plus", name=name, by=1), _shift(1)
        yield label("argument_plus", name=name, by=-1), _shift(-1)
    elif type(item) is float:
        for value in (0.0, 1.0, 0.5, 1e-5, 1e-8, 1e-6, 1e-12, 2.0, 0.1):
            yield label("argument_is", name=name, value=f"{value:g}"), _set_to(value)
        yield label("argument_squared", name=name), lambda old: old * old
        yield label("argument_root", name=name), lambda old: abs(old) ** 0.5
        yield label("argument_negated", name=name), lambda old: -old
        yield label("argument_complement", name=name), lambda old: 1 - old
    elif isinstance(item, torch.Tensor) and not item.is_complex():
        yield from _tensor_changes(name, item, leaves)


def _set_to(value: Any) -> Change:
    return lambda old: value


def _shift(by: int) -> Change:
    return lambda old: old + by if type(old) is int else old


def _plus(number: float) -> Change:
    return lambda old: old + number


def _times(factor: float) -> Change:
    return lambda old: old * factor


def _tensor_changes(
    name: str, item: torch.Tensor, leaves: Arguments
) -> Iterator[tuple[Label, Change]]:
    if item.dtype == torch.bool:
        yield label("mask_inverted", name=name), torch.logical_not
        yield label("mask_all", name=name, value="True"), torch.ones_like
        yield label("mask_all", name=name, value="False"), torch.zeros_like
        return
    yield label("tensor_is", name=name, value="0"), torch.zeros_like
    yield label("tensor_is", name=name, value="1"), torch.ones_like
    if item.is_floating_point():
        yield label("argument_negated", name=name), torch.neg
        for number in (1, -1):
            yield label("argument_plus", name=name, by=number), _plus(number)
        for name_of_factor, factor in (("2", 2.0), ("1 / 2", 0.5)):
            yield label("tensor_times", name=name, factor=name_of_factor), _times(factor)
        yield label("tensor_abs", name=name), torch.abs
        yield label("tensor_clean", name=name), torch.nan_to_num
    if item.ndim >= 2 and item.shape[-1] == item.shape[-2]:
        yield label("tensor_transposed", name=name), lambda old: old.transpose(-1, -2)
    if item.ndim >= 1 and item.numel() > 1:
        yield label("tensor_first", name=name), lambda old: old[:1].expand(old.shape)
    for other, value in leaves.items():
        if (
            other != name
            and isinstance(value, torch.Tensor)
            and (value.shape, value.dtype) == (item.shape, item.dtype)
        ):
            yield label("tensor_replaced", name=name, other=other), _set_to(value)
