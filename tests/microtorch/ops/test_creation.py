"""Making tensors: the types of Python's numbers, shared memory, and refusals."""

from typing import Any

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


@pytest.mark.parametrize(
    "data",
    [1, 1.5, True, 1j, [], [1, 2.5], [True, 2], [1, 2j], [[1], [2]], np.float64(2), np.int32(3),
     [np.float64(1.0)], (1, 2), range(3), np.zeros(2, np.float16), [np.float32(1), 2.5],
     [1, np.float64(2)], [np.uint8(1), np.float16(2)], [range(2), [1.5, 2]]],
    ids=repr,
)  # fmt: skip
def test_data_has_the_type_and_shape_it_has_in_pytorch(data: Any) -> None:
    found, wanted = micro.tensor(data), torch.tensor(data)
    assert str(found.dtype) == str(wanted.dtype)
    assert tuple(found.shape) == tuple(wanted.shape)


@pytest.mark.parametrize(
    "data", [[[1], [1, 2]], "a", ["a"], [None], pytest.param(object(), id="object")], ids=str
)
def test_what_is_no_number_is_refused(data: Any) -> None:
    with pytest.raises((ValueError, TypeError, RuntimeError)) as wanted:
        torch.tensor(data)
    with pytest.raises(wanted.type):
        micro.tensor(data)


def test_arrays_are_copied_or_shared() -> None:
    array = np.zeros(2)
    copied, shared, other = micro.tensor(array), micro.from_numpy(array), micro.as_tensor(array)
    array[0] = 1
    assert copied[0] == 0
    assert shared[0] == other[0] == 1
    assert micro.as_tensor(shared) is shared
    with pytest.raises(ValueError, match="negative"):
        micro.from_numpy(array[::-1])
    with pytest.raises(TypeError):
        micro.from_numpy([1.0])  # type: ignore[arg-type]


def test_tensors_like_another_keep_its_layout_and_type() -> None:
    x = micro.zeros(2, 3, dtype=micro.float64).t()
    assert micro.ones_like(x).stride() == (1, 3)
    assert micro.zeros_like(x, dtype=micro.int64).dtype is micro.int64
    assert x.new_full((2,), 7).tolist() == [7.0, 7.0]
    assert x.new_tensor([1, 2]).dtype is micro.float64


@pytest.mark.parametrize("name", ["zeros_like", "full_like"])
def test_a_layout_is_that_of_pytorch(name: str) -> None:
    def strides(t: Any) -> Any:
        x, rest = t.zeros(2, 3), (5,) if name == "full_like" else ()
        make = getattr(t, name)
        for like in (x.t(), x[0].expand(4, 3), x[:, :1].expand(2, 4), t.zeros(4, 6)[::2, ::3]):
            yield make(like, *rest).stride()
        yield make(x.t(), *rest, memory_format=t.contiguous_format).stride()

    assert list(strides(micro)) == list(strides(torch))


def test_memory_that_can_not_be_shared_is_refused() -> None:
    for t in (micro, torch):
        with pytest.raises(ValueError, match="negative"):
            t.as_tensor(np.arange(3)[::-1])
        with pytest.raises(ValueError, match="can't alias"):
            t.asarray([1.0], copy=False)
    array = np.arange(3.0)
    assert micro.asarray(array, copy=False).array is array


def test_the_default_type_is_followed() -> None:
    micro.set_default_dtype(micro.float64)
    try:
        assert micro.zeros(1).dtype is micro.tensor(1.0).dtype is micro.float64
        assert micro.tensor([1j]).dtype is micro.complex128
    finally:
        micro.set_default_dtype(micro.float32)


def test_sizes_are_numbers_or_one_sequence() -> None:
    for made in (micro.zeros(2, 3), micro.zeros((2, 3)), micro.zeros(size=micro.Size((2, 3)))):
        assert tuple(made.shape) == (2, 3)
    with pytest.raises(RuntimeError, match="negative dimension"):
        micro.zeros(-1)
    with pytest.raises(TypeError):
        micro.zeros(1.5)


@pytest.mark.parametrize(
    "make",
    [
        lambda lib, **options: lib.zeros(2, **options),
        lambda lib, **options: lib.tensor([1.0], **options),
        lambda lib, **options: lib.rand(2, **options),
        lambda lib, **options: lib.randint(3, (2,), **options),
        lambda lib, **options: lib.randperm(2, **options),
        lambda lib, **options: lib.normal(0.0, 1.0, (2,), **options),
        lambda lib, **options: lib.arange(2, **options),
        lambda lib, **options: lib.linspace(0, 1, 2, **options),
        lambda lib, **options: lib.tril_indices(2, 2, **options),
    ],
    ids=["zeros", "tensor", "rand", "randint", "randperm", "normal", "arange", "linspace",
         "tril_indices"],
)  # fmt: skip
def test_options_and_places_that_there_are_not_are_refused(make: Any) -> None:
    for lib in (torch, micro):
        with pytest.raises(TypeError):
            make(lib, colour="red")
        with pytest.raises((RuntimeError, AssertionError)):
            make(lib, device="cuda")


@pytest.mark.parametrize("name", ["zeros", "ones", "rand", "randn"])
def test_a_part_that_is_given_as_out_is_written(name: str) -> None:
    found = []
    for lib in (torch, micro):
        lib.manual_seed(0)
        whole = lib.full((4,), 7.0, dtype=lib.float64)
        getattr(lib, name)(2, out=whole[1:3])
        found.append(whole.tolist())
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["view", "reshape", "expand", "repeat"])
def test_a_size_that_is_no_whole_number_is_refused(name: str) -> None:
    for lib in (torch, micro):
        with pytest.raises(TypeError):
            getattr(lib.zeros(2), name)(2.0)


def test_gradients_are_wanted_of_floats_alone() -> None:
    assert micro.full((2,), 1.0, requires_grad=True).is_leaf
    with pytest.raises(RuntimeError, match="floating point"):
        micro.ones(2, dtype=micro.int64, requires_grad=True)
