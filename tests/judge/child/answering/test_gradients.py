"""Gradients are taken once and twice, and what autograd would hide is told."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.autograd.function import once_differentiable

from torchstone.judge.child.answering.fault import Fault
from torchstone.judge.child.answering.gradients import gradients, require_grad, vjp

pytestmark = pytest.mark.torch


def differentiate(
    function: Callable[[torch.Tensor], torch.Tensor], *, second: bool = False, **data: Any
) -> dict[str, Any]:
    """Differentiate a function of one argument at 1, 2, 3 along a direction of ones."""
    x = torch.tensor([1.0, 2.0, 3.0])
    wrt = require_grad([x], {}, {}, [0])
    request = {
        "cotangents": [torch.ones(3)],
        "second": [torch.tensor([1.0, 0.0, 2.0])] if second else [],
    }
    return gradients([function(x)], wrt, request | data)


class Once(torch.autograd.Function):
    """Square, with a backward pass that refuses to be differentiated."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        return 2 * x * grad


def test_the_vjp_is_returned_by_name() -> None:
    assert differentiate(lambda x: x**3)["grad.0"].tolist() == [3, 12, 27]


def test_the_second_derivative_comes_for_input_and_cotangent() -> None:
    found = differentiate(lambda x: x**3, second=True)
    assert found["grad.0"].tolist() == [3, 12, 27]
    assert found["second.0"].tolist() == [6, 0, 36]
    assert found["second.cotangent.0"].tolist() == [3, 0, 54]


def test_a_refusal_to_be_differentiated_twice_is_not_silent() -> None:
    found = differentiate(Once.apply, second=True)
    assert found["grad.0"].tolist() == [2, 4, 6]
    assert found["second.raised"]["type"] == "RuntimeError"


def test_a_result_that_does_not_depend_on_the_input_has_no_gradient() -> None:
    assert differentiate(lambda x: x.detach() * 2) == {"grad.0": None}
    assert differentiate(lambda _: torch.ones(3, requires_grad=True) * 2) == {"grad.0": None}


@pytest.mark.parametrize("cotangent", [torch.ones(2), torch.ones(3).double()])
def test_where_the_result_has_another_form_nothing_is_differentiated(
    cotangent: torch.Tensor,
) -> None:
    assert differentiate(lambda x: x * 2, cotangents=[cotangent]) == {}


def test_a_gradient_that_is_no_plain_tensor_is_a_fault() -> None:
    def as_parameter(x: torch.Tensor) -> torch.Tensor:
        x.register_hook(lambda grad: torch.nn.Parameter(grad.detach()))
        return x * 2

    with pytest.raises(Fault, match="gradient_type"):
        differentiate(as_parameter)


def test_leaves_are_named_by_position_keyword_or_parameter() -> None:
    a, b, c = torch.ones(1), torch.ones(1), torch.ones(1, requires_grad=True)
    leaves = require_grad([a], {"b": b}, {"weight": c}, [0, "b", "state.weight"])
    assert {name: id(leaf) for name, leaf in leaves.items()} == {
        "0": id(a),
        "b": id(b),
        "state.weight": id(c),
    }
    assert all(leaf.requires_grad for leaf in leaves.values())


def test_an_input_without_use_gives_none() -> None:
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    assert vjp([x * 2], [x, y], [torch.ones(2)])[1] is None
