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
    lambda t: t.zeros(1, 2, 3, 3).is_contiguous(memory_format=t.channels_last),
    lambda t: t.zeros(1, 1, 3, 3).is_contiguous(memory_format=t.channels_last),
    lambda t: t.zeros(2, 3).is_contiguous(memory_format=t.channels_last),
    lambda t: t.zeros(2, 3).to(memory_format=t.preserve_format).shape,
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


ORDERED: dict[str, Callable[..., Any]] = {
    "to": lambda x, **options: x.to(**options),
    "to double": lambda x, **options: x.to(micro.float64, **options),
    "double": lambda x, **options: x.double(**options),
    "contiguous": lambda x, **options: x.contiguous(**options),
    "clone": lambda x, **options: x.clone(**options),
    "zeros_like": lambda x, **options: micro.zeros_like(x, **options),
    "empty": lambda x, **options: micro.empty(x.shape, **options),
    "Module.to": lambda x, **options: micro.nn.Conv2d(3, 2, 3).to(**options),
}


@pytest.mark.parametrize("name", ORDERED)
def test_a_format_that_would_be_ignored_is_refused(name: str) -> None:
    x = micro.ones(2, 3, 4, 5)
    for memory_format in (micro.channels_last, micro.channels_last_3d):
        with pytest.raises(RuntimeError, match="keeps elements in the order of the dimensions"):
            ORDERED[name](x, memory_format=memory_format)
    ORDERED[name](x, memory_format=micro.contiguous_format)
