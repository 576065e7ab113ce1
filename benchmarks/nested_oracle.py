"""Torch's own samples of jagged tensors: an operator of a quantized one equals that of its values.

``njt_op_db`` is what PyTorch tests its jagged tensors with. Of each sample whose input is floating,
ragged in dimension 1 and has a last dimension to quantize, the operator runs on the quantized input
and on the dequantized one. Values are compared bit for bit, and gradients of all floating
arguments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.testing._internal.opinfo.definitions.nested import njt_op_db
from torch.utils._pytree import tree_leaves, tree_map

from torchstone import nested
from torchstone.nested.dispatch import Way

# A kernel of ours sums in another order than torch's.
FUSED_TOLERANCE = {"rtol": 1e-5, "atol": 1e-5}
FORMAT = "int8"
# The backward of these ends the process, also with plain jagged tensors of torch 2.13.
CRASHING_BACKWARD = ("split_with_sizes",)


@dataclass(slots=True, kw_only=True)
class Outcome:
    """How the samples of an operator came out.

    Attributes:
        name: The operator.
        right: Samples with equal values and gradients.
        wrong: What differs, or is raised, of each other sample that torch itself can do.
        with_gradients: How many of the right ones have gradients that were compared.
        ways: In how many samples something was kept, fused or dequantized.
        left_out: Samples of another layout.
        failing: Samples that torch itself cannot do.
    """

    name: str
    right: int = 0
    wrong: list[str] = field(default_factory=list)
    with_gradients: int = 0
    ways: Counter[Way] = field(default_factory=Counter)
    left_out: int = 0
    failing: int = 0


def outcomes(share: slice = slice(None)) -> Iterator[Outcome]:
    """Compare all samples of some of the operators, and yield how each came out."""
    for operator in njt_op_db[share]:
        yield outcome_of(operator)


def outcome_of(operator: Any) -> Outcome:
    """Compare all samples of an operator."""
    out = Outcome(name=operator.full_name)
    for sample in samples_of(operator):
        if not _fits(sample.input):
            out.left_out += 1
            continue
        values = _values(sample)
        wanted = _attempt(operator, sample, values)
        if wanted is None:
            out.failing += 1
            continue
        _compare(out, operator, sample, wanted)
    return out


def samples_of(operator: Any) -> Sequence[Any]:
    """Return the samples of an operator; none where torch cannot make them."""
    try:
        return list(operator.sample_inputs("cpu", torch.float32, requires_grad=False))
    except (NotImplementedError, RuntimeError):
        return []


def _fits(given: Any) -> bool:
    if not isinstance(given, Tensor) or not given.is_nested or given.layout != torch.jagged:
        return False
    # What jagged tensors have beside others, no stub of torch says.
    t: Any = given
    is_plain = t.lengths() is None and t._ragged_idx == 1 and t.values().is_contiguous()
    return is_plain and t.dim() >= 3 and t.is_floating_point() and t.shape[-1] > 0


def _values(sample: Any) -> Tensor:
    t = sample.input.detach()
    return nested.dequantize(nested.quantize(t, FORMAT, t.shape[-1])).detach()


Answer = tuple[list[Any], list[Tensor | None] | None]


def _attempt(operator: Any, sample: Any, values: Tensor) -> Answer | None:
    """Run an operator on plain values; None where torch cannot do it, in either direction."""
    for has_gradients in (True, False):
        leaf = values.clone().requires_grad_()
        try:
            return _answer(operator, sample, leaf, lambda leaf: leaf, has_gradients=has_gradients)
        except Exception:  # noqa: BLE001
            continue
    return None


def _compare(out: Outcome, operator: Any, sample: Any, wanted: Answer) -> None:
    """Run an operator on quantized values, and note how the answer differs."""
    leaf = sample.input.detach().clone().requires_grad_()
    width = leaf.shape[-1]
    try:
        with nested.counting() as counted:
            got = _answer(
                operator,
                sample,
                leaf,
                lambda t: nested.quantize(t, FORMAT, width),
                has_gradients=wanted[1] is not None,
            )
    except Exception as error:  # noqa: BLE001
        out.wrong.append(f"{type(error).__name__}: {error}"[:200])
        return
    ways = {way for _, way in counted}
    try:
        _require_equal(wanted[0], got[0], is_fused=Way.FUSED in ways)
        if wanted[1] is not None:
            assert got[1] is not None, "the quantized one has no gradients"
            _require_equal(wanted[1], got[1], is_fused=Way.FUSED in ways)
    except AssertionError as error:
        out.wrong.append(str(error)[:200])
        return
    out.right += 1
    out.with_gradients += wanted[1] is not None
    out.ways.update(ways)


def _answer(
    operator: Any, sample: Any, leaf: Tensor, prepare: Any, *, has_gradients: bool = True
) -> Answer:
    """Return the results of an operator, and gradients where it has any."""
    others: list[Tensor] = []

    def differentiable(each: Any) -> Any:
        if not isinstance(each, Tensor) or not each.is_floating_point():
            return each
        others.append(each.detach().clone().requires_grad_())
        return others[-1]

    args, kwargs = tree_map(differentiable, (sample.args, sample.kwargs))
    torch.manual_seed(0)
    results = tree_leaves(operator.op(prepare(leaf), *args, **kwargs))
    sums = [plain(each).float().square().sum() for each in results if _has_gradient(each)]
    gradients = None
    if sums and has_gradients and _is_differentiable(operator):
        total = torch.stack(sums).sum()
        gradients = [*torch.autograd.grad(total, [leaf, *others], allow_unused=True)]
    return results, gradients


def _is_differentiable(operator: Any) -> bool:
    return operator.supports_autograd and operator.name not in CRASHING_BACKWARD


def _has_gradient(each: Any) -> bool:
    return isinstance(each, Tensor) and each.is_floating_point() and each.requires_grad


def plain(t: Tensor) -> Tensor:
    """Return the values of a jagged or quantized tensor as a dense one."""
    t = nested.dequantize(t)
    return t.values() if t.is_nested else t  # type: ignore[no-untyped-call]


def _require_equal(wanted: Sequence[Any], got: Sequence[Any], *, is_fused: bool) -> None:
    tolerance = FUSED_TOLERANCE if is_fused else {"rtol": 0.0, "atol": 0.0}
    assert len(wanted) == len(got), f"{len(got)} results; expected {len(wanted)}"
    for one, other in zip(wanted, got, strict=True):
        if not isinstance(one, Tensor):
            assert one == other or one is other, f"{other!r}; expected {one!r}"
            continue
        one, other = plain(one.detach()), plain(other.detach())
        torch.testing.assert_close(other, one, equal_nan=True, **tolerance)
