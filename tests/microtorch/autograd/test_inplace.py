"""Writing in place: what PyTorch allows and refuses, and what the gradients are then."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


def leaf(t: Any, *shape: int) -> Any:
    count = int(np.prod(shape))
    return (t.arange(1, count + 1, dtype=t.float64) / 4).reshape(shape).detach().requires_grad_()


def outcome(t: Any, program: Callable[[Any], Any]) -> Any:
    """Return what a program makes of each tensor it returns, or the class of its error."""
    try:
        made = program(t)
    except Exception as error:  # noqa: BLE001 - its class is what is compared
        return type(error).__name__
    return [
        # How a gradient was summed up is nobody's concern.
        (np.array(each.detach().numpy()).tolist(), each.requires_grad and each._version)
        for each in made
    ]


def view_of_a_written_base(t: Any) -> Any:
    x = leaf(t, 2, 3)
    base = x * 1
    row = base[0]
    base.mul_(2)
    (row * t.arange(3, dtype=t.float64)).sum().backward()
    return base, row, x.grad


def base_of_a_written_view(t: Any) -> Any:
    x, y = leaf(t, 2, 3), leaf(t, 3)
    base = x * 1
    base[0].mul_(y)
    base.sum().backward()
    return base, x.grad, y.grad


def views_of_one_another(t: Any) -> Any:
    x = leaf(t, 2, 2, 2)
    base = x.sin()
    view = base.transpose(0, 1)[1].view(-1)
    other = base[..., 0]
    view.add_(other[0, 0])
    other.mul_(view[1])
    base.sum().backward()
    return base, view, other, x.grad


def leaf_assigned_into_zeros(t: Any) -> Any:
    x, zeros = leaf(t, 3), t.zeros(2, 3, dtype=t.float64)
    seen_before = zeros[1]
    zeros[1] = x
    (seen_before * seen_before).sum().backward()
    return zeros, seen_before, x.grad


def column_added_to(t: Any) -> Any:
    x, y = leaf(t, 2, 3), leaf(t, 2)
    base = x * 1
    base[:, 0] += y
    base[:, 0] *= y
    base.sum().backward()
    return base, x.grad, y.grad


def mask_assigned(t: Any) -> Any:
    x, y = leaf(t, 2, 3), leaf(t, 1)
    base = x * 2
    base[base > 1] = y
    base.sum().backward()
    return base, x.grad, y.grad


def the_operand_itself_is_multiplied(t: Any) -> Any:
    x, y = leaf(t, 3), leaf(t, 3)
    base = x * 1
    base.mul_(y)
    base.sum().backward()
    return base, x.grad, y.grad


def overwritten(t: Any) -> Any:
    x, y = leaf(t, 3), leaf(t, 3)
    base = x * 1
    base.copy_(y)
    other = x * 1
    other.zero_()
    (base + other).sum().backward()
    return base, other, x.grad, y.grad


def written_unrecorded(t: Any) -> Any:
    x = leaf(t, 3)
    base = x * 1
    with t.no_grad():
        base.mul_(3)
    (base * base).sum().backward()
    return base, x.grad


def saved_result_written_again(t: Any) -> Any:
    base = leaf(t, 3) * 1
    base.exp_()
    base.add_(1)
    base.sum().backward()
    return (base,)


def saved_operand_written(t: Any) -> Any:
    base = leaf(t, 3) * 1
    product = base * base
    base.add_(1)
    product.sum().backward()
    return (base,)


def saved_operand_written_through_a_detached_one(t: Any) -> Any:
    base = leaf(t, 3) * 1
    product = base * base
    base.detach().add_(1)
    product.sum().backward()
    return (base,)


def quotient_written(t: Any) -> Any:
    x, y = leaf(t, 3), leaf(t, 3)
    quotient = x / y
    quotient += 1
    quotient.sum().backward()
    return quotient, x.grad, y.grad


def shape_changed(t: Any) -> Any:
    x = leaf(t, 2, 3)
    base = x * 2
    base.t_().unsqueeze_(0)
    (base * t.arange(6, dtype=t.float64).reshape(1, 3, 2)).sum().backward()
    return base, x.grad


def second_gradient(t: Any) -> Any:
    x = leaf(t, 3)
    base = x * x
    base[1:].mul_(x[1:])
    (grad,) = t.autograd.grad(base.sum(), x, create_graph=True)
    grad.sum().backward()
    return base, grad, x.grad


def _refused(make: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def program(t: Any) -> Any:
        make(t).add_(1)
        return ()

    return program


def _no_grad_view(t: Any) -> Any:
    base = leaf(t, 4) * 1
    with t.no_grad():
        return base[:2]


def _after_the_base(t: Any) -> Any:
    base = leaf(t, 4) * 1
    part = base.split(2)[0]
    base.mul_(2)
    return part.exp()


PROGRAMS = {
    each.__name__: each
    for each in (
        view_of_a_written_base, base_of_a_written_view, views_of_one_another,
        leaf_assigned_into_zeros, column_added_to, mask_assigned, the_operand_itself_is_multiplied,
        overwritten, written_unrecorded, saved_result_written_again, saved_operand_written,
        saved_operand_written_through_a_detached_one, quotient_written, shape_changed,
        second_gradient,
    )
} | {
    "a leaf": _refused(lambda t: leaf(t, 3)),
    "a view of a leaf": _refused(lambda t: leaf(t, 3)[:2]),
    "an expanded tensor": _refused(lambda t: t.ones(3).expand(2, 3)),
    "one of several views": _refused(lambda t: (leaf(t, 4) * 1).split(2)[0]),
    "a view of one of several": _refused(lambda t: (leaf(t, 2, 4) * 1).unbind()[0][1:]),
    "a part by tensor_split": _refused(lambda t: (leaf(t, 4) * 1).tensor_split(2)[0]),
    "several views that need no gradient": _refused(lambda t: t.ones(4).split(2)[0]),
    "a view made unrecorded": _refused(_no_grad_view),
    "one of several whose base was written": _refused(_after_the_base),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_writing_in_place_does_what_it_does_in_pytorch(name: str) -> None:
    assert outcome(micro, PROGRAMS[name]) == outcome(torch, PROGRAMS[name])


def test_a_graph_with_a_written_part_runs_once() -> None:
    base = leaf(micro, 3) * 1
    base[0].add_(1)
    base.sum().backward()
    with pytest.raises(RuntimeError, match="a second time"):
        base.sum().backward()


def test_a_partial_overlap_is_refused() -> None:
    x = micro.arange(6.0)
    with pytest.raises(RuntimeError, match="single memory location"):
        x[1:].add_(x[:-1])
    with pytest.raises(RuntimeError, match="single memory location"):
        x[micro.tensor([0, 1, 2, 3, 4, 5])] = x
    assert x.add_(x).tolist() == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]


def test_a_tensor_of_inference_mode_is_written_there_alone() -> None:
    with micro.inference_mode():
        made = micro.ones(2)
        made.add_(1)
    with pytest.raises(RuntimeError, match="inference tensor"):
        made.add_(1)


def test_a_view_and_its_base_share_memory_version_and_base() -> None:
    base = micro.zeros(2, 3)
    view = base.t()[1:]
    view.fill_(5.0)
    assert base.tolist() == [[0.0, 5.0, 5.0]] * 2
    assert base._version == view._version == base[0]._version == 1
    assert view._base is base
    assert base.detach()._version == 1
    assert base.clone()._version == 0


def test_a_part_of_complex_numbers_is_not_written_with_a_history() -> None:
    z = micro.ones(2, dtype=micro.complex128, requires_grad=True)
    y = z * (2 + 1j)
    with pytest.raises(NotImplementedError, match="has no gradient here"):
        y.real.mul_(3.0)
    assert y.tolist() == [2 + 1j, 2 + 1j]
    w = micro.ones(2, 2, dtype=micro.float64, requires_grad=True) * 2
    seen = micro.view_as_complex(w)
    w.mul_(5.0)
    with pytest.raises(NotImplementedError, match="has no gradient here"):
        (seen * 2).abs().sum().backward()
    # Without a history there is nothing to forbid.
    plain = micro.zeros(2, dtype=micro.complex128)
    plain.imag.fill_(3.0)
    assert plain.tolist() == [3j, 3j]
