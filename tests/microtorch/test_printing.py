"""Tensors print as PyTorch's do."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

import torchstone.microtorch as micro
from torchstone.microtorch.printing import set_printoptions

pytestmark = pytest.mark.torch


@pytest.fixture(autouse=True)
def default_options() -> Iterator[None]:
    yield
    set_printoptions(profile="default")
    torch.set_printoptions(profile="default")


CASES: dict[str, Callable[[Any], Any]] = {
    "whole": lambda t: t.tensor([1.0, 2.0]),
    "fractions": lambda t: t.tensor([1.5, -22.25]),
    "powers": lambda t: t.tensor([1e-5, 12345.678]),
    "large whole": lambda t: t.tensor([1e9, 1.0]),
    "not finite": lambda t: t.tensor([float("nan"), float("inf"), -1.0]),
    "not finite among fractions": lambda t: t.tensor([float("nan"), -float("inf"), 0.5]),
    "only nan": lambda t: t.tensor([float("nan"), 0.0]),
    "zeros": lambda t: t.zeros(2, 3),
    "scalar": lambda t: t.tensor(3.25),
    "double": lambda t: t.tensor([0.1], dtype=t.float64),
    "half": lambda t: t.tensor([0.1, 3.0], dtype=t.float16),
    "integers": lambda t: t.tensor([[1, -200], [3, 4]]),
    "small integers": lambda t: t.tensor([1, 2], dtype=t.int8),
    "booleans": lambda t: t.tensor([True, False]),
    "complex": lambda t: t.tensor([1 + 2j, -0.5 - 1j]),
    "empty": lambda t: t.tensor([]),
    "empty of a shape": lambda t: t.zeros(0, 3),
    "empty integers": lambda t: t.zeros(0, dtype=t.int64),
    "three dimensions": lambda t: t.arange(24).reshape(2, 3, 4),
    "long lines": lambda t: t.arange(60) / 7,
    "many": lambda t: t.arange(5000),
    "many rows": lambda t: t.arange(5000.0).reshape(1000, 5) / 3,
    "many blocks": lambda t: t.zeros(11, 11, 11),
    "leaf": lambda t: t.ones(2, requires_grad=True),
    "result": lambda t: t.ones(2, requires_grad=True) + 1,
    "suffixes on a line of their own": lambda t: (
        (t.arange(7, dtype=t.float64) / 3 + 100000).requires_grad_() + 1
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_tensor_prints_as_in_pytorch(name: str) -> None:
    assert repr(CASES[name](micro)) == repr(CASES[name](torch))


@pytest.mark.parametrize(
    "changes",
    [{"precision": 2}, {"sci_mode": True}, {"edgeitems": 1, "threshold": 5}, {"linewidth": 40},
     {"profile": "short"}, {"profile": "full"}, {"profile": "none"}],
)  # fmt: skip
def test_options_change_the_text_as_in_pytorch(changes: dict[str, Any]) -> None:
    values = [[1.0 / (place + 1) for place in range(11)]] * 9
    torch.set_printoptions(**changes)
    set_printoptions(**changes)
    assert repr(micro.tensor(values)) == repr(torch.tensor(values))


def test_a_view_without_a_history_says_so() -> None:
    base = micro.ones(4, requires_grad=True) * 1
    first, _ = base.split(2)
    base.mul_(2)
    assert repr(first) == "tensor([2., 2.], grad_fn=<Invalid>)"
