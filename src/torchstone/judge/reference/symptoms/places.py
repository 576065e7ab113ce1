"""Symptoms of places: which elements of a result are wrong, and their values."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch

from torchstone.judge.reference.symptoms.evidence import Label, WrongResult, label

BLOCKS = (4, 8, 16, 32, 64, 128, 256, 512, 1024)
BEGINNINGS = (*BLOCKS, *(1 << power for power in range(11, 25)))
# Integers up to this one are exact in float32.
EXACT = float(1 << 24)

# Probability that random elements have a property, by the property.
Shares = dict[Label, float]


def place_shares(result: WrongResult) -> Shares:
    """Return the properties that all wrong elements have, with their probability by chance."""
    wrong, num_wrong = result.wrong, int(result.wrong.sum())
    if num_wrong == wrong.numel():
        return {}
    found: Shares = {}
    for said, region in _regions(result):
        share = float(region.double().mean())
        if 0 < share < 1 and not bool((wrong & ~region).any()):
            # Neighbouring elements are wrong together, so at most four count as independent.
            found[said] = share ** min(num_wrong, 4)
    return found


def content_labels(result: WrongResult) -> set[Label]:
    """Return statements about the values of all wrong elements."""
    wrong, truth, value = result.wrong, result.truth, result.value
    came, right = value[wrong], truth[wrong]
    found: set[Label] = set()
    if came.isnan().all() and right.isfinite().all():
        found.add(label("nan"))
    elif came.isinf().all() and right.isfinite().all():
        found.add(label("infinite"))
    elif (came == 0).all():
        found.add(label("zero"))
    elif right.isnan().all() and not came.isnan().any():
        found.add(label("not_nan"))
    elif (right == 0).all() and came.isfinite().all():
        found.add(label("not_zero"))
    elif came.isfinite().all() and right.isfinite().all():
        if result.agrees(-truth, wrong):
            found.add(label("sign"))
        elif (came.abs() < right.abs()).all() and (came * right >= 0).all():
            found.add(label("too_small"))
        elif (came.abs() > right.abs()).all() and (came * right >= 0).all():
            found.add(label("too_large"))
    found |= _precision(came, right)
    return found


def _precision(came: torch.Tensor, right: torch.Tensor) -> set[Label]:
    """Return bounds on the errors relative to the largest right value among them."""
    if not (came.isfinite().all() and right.isfinite().all()) or not len(came):
        return set()
    largest = float(right.abs().amax())
    error = float((came - right).abs().amax())
    if not largest:
        return set()
    levels = {"0.01": 1e-2, "0.001": 1e-3, "0.0001": 1e-4, "0.00001": 1e-5}
    return {
        label("small_error", share=name)
        for name, level in levels.items()
        if error <= level * largest
    }


def _regions(result: WrongResult) -> Iterator[tuple[Label, torch.Tensor]]:
    yield from _edges(result.truth)
    yield from _blocks(result.truth)
    yield from _by_value("truth", result.truth)
    for name, item in result.inputs.items():
        if item.shape == result.truth.shape and item.numel() > 1:
            yield from _by_value(name, item)


def _by_value(name: str, item: torch.Tensor) -> Iterator[tuple[Label, torch.Tensor]]:
    where = "truth_is" if name == "truth" else "input_is"
    named = {} if name == "truth" else {"input": name}
    yield label(where, value="0", **named), item == 0
    yield label(where, value="< 0", **named), item < 0
    yield label(where, value="> 0", **named), item > 0
    yield label(where, value="NaN", **named), item.isnan()
    yield label(where, value="inf", **named), item.isinf()
    yield label(where, value="> 2**24", **named), item.abs() > EXACT
    for limit in (1, 10, 80):
        yield label(where, value=f"> {limit}", **named), item > limit
        yield label(where, value=f"< -{limit}", **named), item < -limit


def _edges(truth: torch.Tensor) -> Iterator[tuple[Label, torch.Tensor]]:
    for dim in range(-1, -truth.ndim - 1, -1):
        size = truth.shape[dim]
        if size < 2:
            continue
        index = torch.arange(size).view(size, *([1] * (-dim - 1)))
        yield label("first", dim=dim), (index == 0).expand(truth.shape)
        yield label("last", dim=dim), (index == size - 1).expand(truth.shape)
        if size > 2:
            yield label("not_first", dim=dim), (index > 0).expand(truth.shape)
            edge = (index == 0) | (index == size - 1)
            yield label("border", dim=dim), edge.expand(truth.shape)
        for block in BLOCKS:
            if size > block and size % block:
                tail = index >= size - size % block
                yield label("tail", dim=dim, block=block), tail.expand(truth.shape)
            if size > block:
                yield label("beyond", dim=dim, index=block), (index >= block).expand(truth.shape)
    if truth.ndim >= 2 and truth.shape[-1] == truth.shape[-2] > 1:
        ones = torch.ones(truth.shape[-2:], dtype=torch.bool)
        square = {"diagonal": torch.eye(len(ones), dtype=torch.bool)}
        square |= {"above_diagonal": ones.triu(1), "below_diagonal": ones.tril(-1)}
        for name, region in square.items():
            yield label(name), region.expand(truth.shape)


def _blocks(truth: torch.Tensor) -> Iterator[tuple[Label, torch.Tensor]]:
    """Yield regions of the flat index; for one dimension they would repeat those of `_edges`."""
    if truth.ndim == 1:
        return
    size = truth.numel()
    index = torch.arange(size).reshape(truth.shape)
    for block in BEGINNINGS:
        if size > block:
            yield label("flat_beyond", index=block), index >= block
            if size % block and block in BLOCKS:
                yield label("flat_tail", block=block), index >= size - size % block


def is_unlikely(shares: list[float]) -> bool:
    """Return whether chance does not explain that all these results have a property."""
    return math.prod(shares) <= 0.02
