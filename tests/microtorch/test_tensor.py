"""A tensor is in memory, in shape and in copies what PyTorch's is."""

import copy
import operator
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


def images(t: Any) -> Any:
    """Return what a convolution makes, whose channels may lie last."""
    return t.nn.functional.conv2d(t.ones(2, 3, 5, 5), t.ones(4, 3, 3, 3))


LOOKS: dict[str, Callable[[Any], Any]] = {
    "part": lambda x: x[0],
    "permuted": lambda x: x.permute(0, 2, 3, 1),
    "transposed": lambda x: x.transpose(0, 1),
    "expanded": lambda x: x[:, None].expand(2, 2, 4, 3, 3),
    "split": lambda x: x.split(1)[1],
    "unbound": lambda x: x.unbind(1)[2],
    "diagonal": lambda x: x.diagonal(0, 2, 3),
    "windows": lambda x: x.unfold(3, 2, 1),
    "real": lambda x: x.real,
    "detached": lambda x: x.detach(),
    "data": lambda x: x.data,
    "looked at twice": lambda x: x.detach().transpose(1, 3),
}


def looked_at(t: Any, look: Callable[[Any], Any]) -> Any:
    """Look at images, ask where all lies, and write."""
    x = images(t)
    view = look(x)
    strides = x.stride(), view.stride(), view.storage_offset()
    x.zero_()
    seen = view.abs().sum().item()
    # An expanded one can't be written.
    view.storage_offset() and view.fill_(1)
    return strides, seen, x.sum().item()


@pytest.mark.parametrize("name", LOOKS)
def test_what_looks_at_the_result_of_a_convolution_shares_its_memory(name: str) -> None:
    assert looked_at(micro, LOOKS[name]) == looked_at(torch, LOOKS[name])


def test_what_is_written_through_the_data_of_a_gradient_is_written_to_it() -> None:
    x, weight = (micro.ones(*shape, requires_grad=True) for shape in ((2, 3, 5, 5), (4, 3, 3, 3)))
    micro.nn.functional.conv2d(x, weight).sum().backward()
    for each in (x, weight):
        each.grad.data.view(-1).zero_()
        assert not each.grad.any()
        each.grad.detach().numpy()[...] = 1
        assert each.grad.all()


def marked(t: Any) -> Any:
    """Copy a tensor that has an attribute of the user's."""
    x = t.ones(2, requires_grad=True)
    x.sum().backward()
    x.mark, x.slope = [1], x.grad
    deep, shallow = copy.deepcopy(x), copy.copy(x)
    return (
        deep.mark, deep.mark is x.mark, deep.slope is deep.grad, shallow.mark is x.mark,
        shallow.grad, pickle.loads(pickle.dumps(x)).mark,
    )  # fmt: skip


PROGRAMS: list[Callable[[Any], Any]] = [
    marked,
    lambda t: [pickle.loads(pickle.dumps(each)) for each in (t.bool, t.int64, t.bfloat16)],
    lambda t: (t.bfloat16.itemsize, t.bfloat16.is_signed, t.bfloat16.is_floating_point),
    lambda t: (t.ones(2).layout is t.strided, t.ones(2).layout),
    lambda t: t.ones(2, 3).stride(-1),
    lambda t: t.ones(2, 3).stride(5),
    lambda t: t.ones(2, 3).size(5),
    lambda t: t.tensor(1.0).stride(0),
    lambda t: t.tensor(1.0).size(0),
    lambda t: t.promote_types(t.uint64, t.int64),
    lambda t: t.promote_types(t.uint16, t.float16),
]


def outcome(t: Any, program: Callable[[Any], Any]) -> str:
    try:
        return repr(program(t))
    except (IndexError, RuntimeError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_a_program_does_what_it_does_in_pytorch(number: int) -> None:
    assert outcome(micro, PROGRAMS[number]) == outcome(torch, PROGRAMS[number])


@pytest.mark.parametrize(
    "wrong",
    [
        lambda t: t.LongTensor(t.ones(2)),
        lambda t: t.Tensor("abc"),
        lambda t: operator.add(t.Size([1]), [2]),
        lambda t: t.set_default_dtype("float32"),
    ],
)
def test_a_type_that_does_not_fit_is_refused(wrong: Callable[[Any], Any]) -> None:
    for lib in (micro, torch):
        with pytest.raises(TypeError):
            wrong(lib)


def test_the_old_constructor_refuses_a_gpu() -> None:
    for lib in (micro, torch):
        with pytest.raises((AssertionError, RuntimeError)):
            lib.Tensor(2, device="cuda")  # type: ignore[attr-defined]
