"""Types and shapes as PyTorch shows them."""

import operator
from typing import Any

import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch
FLOATS, INTEGERS = (
    ("float16", "float32", "float64", "complex64"),
    ("uint8", "int8", "int32", "int64"),
)


@pytest.mark.parametrize("name", FLOATS)
def test_the_limits_of_a_floating_point_type_are_shown_as_in_pytorch(name: str) -> None:
    assert repr(micro.finfo(getattr(micro, name))) == repr(torch.finfo(getattr(torch, name)))


@pytest.mark.parametrize("name", INTEGERS)
def test_the_limits_of_an_integer_type_are_shown_as_in_pytorch(name: str) -> None:
    assert repr(micro.iinfo(getattr(micro, name))) == repr(torch.iinfo(getattr(torch, name)))


def made(lib: Any) -> list[str]:
    tensors = [
        *(lib.tensor([1], dtype=kind) for kind in (bool, int, float, complex)),
        lib.zeros(2, dtype=int),
        lib.full((1,), 2, dtype=float),
        lib.tensor(-1, dtype=lib.uint8),
        lib.Tensor(),
        lib.Tensor(lib.Size([1, 0])),
        lib.LongTensor([1.5]),
        lib.ones(1).new([1, 2]),
        lib.ones(1).type(lib.LongTensor),
    ]
    return [repr(each) for each in tensors] + [each.type() for each in tensors]


def test_types_of_python_and_of_old_make_tensors() -> None:
    assert made(micro) == made(torch)


def shapes(lib: Any) -> list[str]:
    size = lib.Size([1, 2])
    joined = operator.add((3,), size), operator.add(size, (3,))
    return [repr(each) for each in (*joined, size * 2, 2 * size, size[1:])]


def test_what_is_made_of_shapes_is_a_shape() -> None:
    assert shapes(micro) == shapes(torch)


def devices(lib: Any) -> list[str]:
    named = (lib.device("cpu"), lib.device("cuda:1"), lib.device("cuda", 0), lib.device("meta"))
    return [*map(repr, named), *map(str, named), str(lib.device("cpu", 0) == lib.device("cpu"))]


def test_a_device_that_is_not_there_can_be_named() -> None:
    assert devices(micro) == devices(torch)


def test_a_tensor_reversed_is_a_tensor() -> None:
    assert repr(reversed(micro.arange(3))) == repr(reversed(torch.arange(3)))  # type: ignore[call-overload]
