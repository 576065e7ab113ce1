"""The old names of tensors of one type make, know and name what PyTorch's do."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch

QUESTIONS: list[Callable[[Any], Any]] = [
    lambda t: t.LongTensor([1, 2**60]).tolist(),
    lambda t: t.FloatTensor([[1, 2.5]]).tolist(),
    lambda t: (t.DoubleTensor(2, 3).shape, str(t.DoubleTensor(2, 3).dtype)),
    lambda t: t.LongTensor().shape,
    lambda t: [isinstance(t.ones(1), each) for each in (t.FloatTensor, t.LongTensor, t.Tensor)],
    lambda t: isinstance(t.nn.Parameter(t.ones(1)), t.FloatTensor),
    lambda t: [str(each) for each in (t.channels_last, t.preserve_format, t.strided)],
    lambda t: t.zeros(1, 2, 2, 2).to(memory_format=t.channels_last).shape,
    lambda t: t.pi,
    lambda t: t.autograd.Variable(t.ones(2), requires_grad=True).requires_grad,
    lambda t: isinstance(t.ones(2), t.autograd.Variable),
    lambda t: list(t.nn.DataParallel(t.nn.Linear(2, 1)).state_dict()),
    lambda t: t.ones(2, 3).cumsum(axis=1).tolist(),
    lambda t: t.ones(2, 3).std(axis=0, keepdims=True).tolist(),
    lambda t: [each.grad_fn.name() for each in (
        t.nn.Linear(2, 1)(t.ones(3, 2)),
        t.nn.functional.cross_entropy(t.ones(2, 3, requires_grad=True), t.tensor([0, 1])),
        t.ones(2, requires_grad=True).norm(),
    )],
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(QUESTIONS)))
def test_the_answer_is_pytorchs(number: int) -> None:
    assert QUESTIONS[number](micro) == QUESTIONS[number](torch)
