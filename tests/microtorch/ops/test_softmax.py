"""Scores that become probabilities."""

import math

import pytest
import torch

import torchstone.microtorch as micro
from tests.microtorch.conformance.convert import difference, to_micro

pytestmark = pytest.mark.torch

SCORES = torch.linspace(-3, 3, 24, dtype=torch.float64).reshape(2, 3, 4)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize(
    "x",
    [
        SCORES.permute(2, 0, 1)[::2],
        SCORES * 1000,
        torch.empty(0, 3),
        torch.empty(3, 0),
        torch.tensor(2.0),
        torch.tensor([[1.0, -math.inf], [-math.inf, -math.inf], [math.nan, 0.0]]),
        SCORES.half(),
    ],
)
def test_probabilities_agree_with_pytorch(name, x):
    for dim in (0, -1):
        wanted = getattr(torch, name)(x, dim)
        assert difference(getattr(micro, name)(to_micro(x), dim), wanted) is None


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_it_is_differentiable_three_times(name):
    def derivative(lib, x):
        total = (getattr(lib, name)(x, 0) * lib.arange(3.0).to(x.dtype)).sum()
        for _ in range(3):
            (grad,) = lib.autograd.grad(total, x, create_graph=True)
            total = (grad**2).sum()
        return grad

    x = SCORES[0, 0, :3].clone().requires_grad_()
    ours = to_micro(x.detach()).requires_grad_()
    assert difference(derivative(micro, ours), derivative(torch, x)) is None


def test_rows_sum_to_one_in_any_type():
    x = to_micro(SCORES).to(micro.float32)
    assert abs(x.softmax(-1).sum(-1) - 1).max().item() < 1e-6
    assert x.softmax(-1, dtype=micro.float64).dtype is micro.float64


def test_whole_numbers_are_refused():
    with pytest.raises(NotImplementedError, match="softmax"):
        micro.tensor([1, 2]).softmax(0)


def test_an_implied_dimension_is_warned_of():
    with pytest.warns(UserWarning, match="Implicit dimension choice for softmax"):
        probs = micro.nn.functional.softmax(micro.zeros(2, 4))
    assert probs.tolist() == [[0.25] * 4] * 2


def test_its_input_stays_as_it_was():
    x = micro.tensor([1.0, 2.0])
    micro.log_softmax(x, 0)
    assert x.tolist() == [1.0, 2.0]
