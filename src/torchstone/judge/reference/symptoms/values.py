"""Symptoms of values: relations of a wrong result to the truth and the inputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import torch

from torchstone.judge.reference.symptoms.evidence import Label, WrongResult, label
from torchstone.judge.reference.trials import wants_of

# Functions that may have been applied to the truth.
FUNCTIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "-y": torch.neg,
    "|y|": torch.abs,
    "y ** 2": torch.square,
    "sqrt(y)": torch.sqrt,
    "exp(y)": torch.exp,
    "log(y)": torch.log,
    "1 / y": torch.reciprocal,
    "1 / sqrt(y)": torch.rsqrt,
    "1 - y": lambda y: 1 - y,
    "sigmoid(y)": torch.sigmoid,
    "tanh(y)": torch.tanh,
    "relu(y)": torch.relu,
}
# Larger results are not tested for a permutation.
SORT_CAP = 1 << 16


def value_labels(result: WrongResult, earlier: list[WrongResult]) -> set[Label]:
    """Return every statement that is true of one wrong result.

    Args:
        result: The result.
        earlier: Earlier wrong results of the same name.
    """
    found = set(_constants(result)) | set(_functions(result)) | set(_factors(result))
    found |= set(_offsets(result)) | set(_equals(result, earlier))
    if result.truth.numel() >= 3 and float(result.truth.nan_to_num().std()) > 0:
        found |= set(_rearranged(result))
    return found


def _constants(result: WrongResult) -> Iterator[Label]:
    value = result.value
    if bool((value == value.reshape(-1)[0]).all()):
        # Adding 0 turns -0 into 0.
        yield label("constant", value=f"{float(value.reshape(-1)[0]) + 0.0:.6g}")
    elif value.isnan().all():
        yield label("constant", value="nan")


def _functions(result: WrongResult) -> Iterator[Label]:
    for name, function in FUNCTIONS.items():
        if result.equals(function(result.truth)):
            yield label("function", function=name)


def _factors(result: WrongResult) -> Iterator[Label]:
    truth, value = result.truth, result.value
    usable = truth.isfinite() & value.isfinite() & (truth != 0)
    if not usable.any():
        return
    t, v = truth[usable], value[usable]
    scale = float(t.abs().amax())
    factor = float(((v / scale) * (t / scale)).sum() / ((t / scale) ** 2).sum())
    if factor and math.isfinite(factor) and result.equals(factor * truth, gain=abs(factor)):
        yield label("factor", factor=_nice(factor, result))
        if int(usable.sum()) >= 3:
            yield label("proportional")
        for name, number in sizes_of(result).items():
            if number not in (0.0, 1.0) and abs(number / factor - 1) < _slack(result):
                yield label("factor_of", factor=name)
    yield from _factors_of_slices(result)
    for name, item in result.inputs.items():
        if _fits(item, truth):
            aligned = _align(item, truth)
            if result.equals(truth * aligned):
                yield label("times_input", input=name)
            if result.equals(truth / aligned):
                yield label("over_input", input=name)


def _slack(result: WrongResult) -> float:
    """Return the relative precision with which a factor is known."""
    return 2e-2 if result.want.dtype in (torch.float16, torch.bfloat16) else 2e-3


def _nice(factor: float, result: WrongResult) -> str:
    """Format a factor as an integer or its reciprocal, if it is close to one."""
    whole, part = round(factor), round(1 / factor)
    if whole and abs(factor / whole - 1) < _slack(result):
        return str(whole)
    if part and abs(factor * part - 1) < _slack(result):
        return f"1 / {part}" if part > 0 else f"-1 / {-part}"
    return f"{factor:.3g}"


def _factors_of_slices(result: WrongResult) -> Iterator[Label]:
    truth, value = result.truth, result.value
    if not (truth.isfinite().all() and value.isfinite().all()):
        return
    for dim in range(-1, -truth.ndim - 1, -1):
        if truth.ndim < 2 or truth.shape[dim] < 3 or truth.numel() == truth.shape[dim]:
            continue
        size = (truth**2).sum(dim, keepdim=True)
        factors = (truth * value).sum(dim, keepdim=True) / size
        gain = float(factors.abs().amax())
        if math.isfinite(gain) and result.equals(factors * truth, gain=gain):
            yield label("proportional_along", dim=dim)


def sizes_of(result: WrongResult) -> dict[str, float]:
    """Return numbers of a case that may be a factor: sizes, and scalar arguments."""
    found: dict[str, float] = {}
    for name, item in result.inputs.items():
        if item.numel() > 1 and not name.startswith("cotangent"):
            found[f"{name}.numel()"] = float(item.numel())
        for dim, size in enumerate(item.shape):
            if size > 1:
                found[f"{name}.shape[{dim}]"] = float(size)
    data = result.trial.case.steps[0].data
    for place in (result.trial.case.inputs, data.get("values"), data.get("kwargs")):
        for name, item in place.items() if isinstance(place, dict) else ():
            if type(item) in (int, float) and math.isfinite(item) and item > 0:
                found[str(name)] = float(item)
    found |= _reduced(result)
    return {said: number for name in found for said, number in _related(name, found[name]).items()}


def _related(name: str, number: float) -> dict[str, float]:
    """Return a number and common functions of it, by their formulas."""
    more = {name: number, f"1 / {name}": 1 / number}
    more |= {f"sqrt({name})": math.sqrt(number), f"1 / sqrt({name})": number**-0.5}
    if number > 1:
        less = number - 1
        more |= {f"{name} / ({name} - 1)": number / less, f"({name} - 1) / {name}": less / number}
        more |= {
            f"sqrt({name} / ({name} - 1))": math.sqrt(number / less),
            f"sqrt(({name} - 1) / {name})": math.sqrt(less / number),
        }
    elif number < 1:
        more |= {f"1 - {name}": 1 - number, f"1 / (1 - {name})": 1 / (1 - number)}
    return more


def _reduced(result: WrongResult) -> dict[str, float]:
    """Return the sizes along the dimension given by an argument."""
    dim = result.trial.case.inputs.get("dim", result.trial.case.secret.get("dim"))
    if type(dim) is not int:
        return {}
    return {
        f"{name}.shape[dim]": float(item.shape[dim])
        for name, item in result.inputs.items()
        if -item.ndim <= dim < item.ndim and item.shape[dim] > 1 and name != "cotangent"
    }


def _offsets(result: WrongResult) -> Iterator[Label]:
    truth, value = result.truth, result.value
    usable = truth.isfinite() & value.isfinite()
    if usable.any():
        shift = float((value - truth)[usable].mean())
        if shift and math.isfinite(shift) and result.equals(truth + shift):
            yield label("offset", offset=f"{shift:.3g}")
    for name, item in result.inputs.items():
        if _fits(item, truth):
            aligned = _align(item, truth)
            if result.equals(truth + aligned):
                yield label("plus_input", input=name)
            if result.equals(truth - aligned):
                yield label("minus_input", input=name)


def _fits(item: torch.Tensor, truth: torch.Tensor) -> bool:
    """Return whether an input broadcasts to the result and has more than one element."""
    if item.numel() < 2 or item.ndim > truth.ndim:
        return False
    return all(a in (1, b) for a, b in zip(item.shape[::-1], truth.shape[::-1], strict=False))


def _align(item: torch.Tensor, truth: torch.Tensor) -> torch.Tensor:
    return item.expand(truth.shape)


def _equals(result: WrongResult, earlier: list[WrongResult]) -> Iterator[Label]:
    for name, item in result.inputs.items():
        if item.shape == result.truth.shape and result.equals(item):
            yield label("input", input=name)
        elif item.ndim == 2 and item.T.shape == result.truth.shape and result.equals(item.T):
            yield label("input_transposed", input=name)
    for key, want in _other_wants(result):
        if result.equals(want):
            yield label("other_result", other=key)
    if any(
        each.truth.shape == result.truth.shape and result.equals(other)
        for each in earlier[-8:]
        for other in (each.truth, each.value)
    ) and not _is_constant(result.value):
        yield label("previous")


def _is_constant(value: torch.Tensor) -> bool:
    return bool((value == value.reshape(-1)[0]).all() | value.isnan().all())


def _other_wants(result: WrongResult) -> Iterator[tuple[str, torch.Tensor]]:
    for key, want in wants_of(result.trial.expected):
        name = key.rpartition(":")[2]
        if name != result.name and want.value.shape == result.truth.shape:
            yield name, want.value


def _rearranged(result: WrongResult) -> Iterator[Label]:
    truth = result.truth
    for dim in range(-1, -truth.ndim - 1, -1):
        if truth.shape[dim] >= 2:
            yield from _moved(result, dim)
    if truth.ndim >= 2 and truth.shape[-1] == truth.shape[-2] > 1:
        if result.equals(truth.transpose(-1, -2)):
            yield label("transposed")
    if truth.numel() <= SORT_CAP:
        yield from _permuted(result)
    if truth.ndim >= 2 and truth.shape[-1] > 1 and truth.shape[-2] > 1:
        if result.equals(truth.transpose(-1, -2).reshape(truth.shape)):
            yield label("viewed")


def _moved(result: WrongResult, dim: int) -> Iterator[Label]:
    truth = result.truth
    if result.equals(truth.flip(dim)):
        yield label("reversed", dim=dim)
    for shift in (1, -1) if truth.shape[dim] > 2 else ():
        if result.equals(truth.roll(shift, dim)) or _is_shifted(result, dim, shift):
            yield label("shifted", dim=dim, by=shift)


def _is_shifted(result: WrongResult, dim: int, shift: int) -> bool:
    """Return whether all slices but the first or last equal the neighbouring slice of the truth."""
    truth, size = result.truth, result.truth.shape[dim]
    start = 1 if shift > 0 else 0
    where = torch.zeros_like(truth, dtype=torch.bool)
    where.narrow(dim, start, size - 1).fill_(True)
    moved = truth.roll(shift, dim)
    if int(where.sum()) < 3 or not result.agrees(moved, where):
        return False
    return not result.agrees(truth, where)


def _permuted(result: WrongResult) -> Iterator[Label]:
    truth, value = result.truth, result.value
    if truth.ndim >= 2 and truth.shape[0] > 1 and truth.numel() // truth.shape[0] > 1:
        order = torch.cdist(
            value.reshape(len(value), -1)[:256].nan_to_num(),
            truth.reshape(len(truth), -1)[:256].nan_to_num(),
        ).argmin(1)
        if len(truth) <= 256 and len(set(order.tolist())) == len(order):
            if result.equals(truth[order]):
                yield label("rows_exchanged")
                return
    left, right = value.reshape(-1), truth.reshape(-1)
    if not left.isfinite().all() or len(right.unique()) < 3:
        return
    # The sorted truth, in the order of the answer.
    moved = torch.empty_like(right)
    moved[left.argsort()] = right.sort().values
    if result.equals(moved.reshape(truth.shape)):
        yield label("reordered")
