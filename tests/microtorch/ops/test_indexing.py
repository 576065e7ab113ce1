"""Square brackets: what is a view, what is a copy, and what is refused."""

from typing import Any

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = [
    pytest.mark.torch,
    # PyTorch warns, as NumPy did, of lists that stand for tuples.
    pytest.mark.filterwarnings("ignore:Using a non-tuple sequence"),
]

KEYS: list[Any] = [
    0, -1, (0, 1), ..., None, (..., None), (..., 0), (0, ...), (..., ...), slice(None, None, 2),
    (slice(1, None), slice(None, -1)), (None, 0, None), (), [0, 1], [[0, 1]], [[0, 1], [1, 2]],
    ([0, 1], [2, 0]), ([[0], [1]], [0, 2]), (slice(None), [2, 0, 0]), (0, [1, 1]), ([1], None, 0),
    ([0, 1], slice(None), [0, 1]), True, False, (None, True), [True, False], (slice(None), [True,
    False, True]), [], np.int64(1), np.array([1, 0]), slice(5, 9), slice(2, 0), range(2),
    [np.array([0, 1]), np.array([2, 0])],
]  # fmt: skip
WRONG: list[Any] = [
    5, -3, (0, 0, 0, 0), slice(None, None, -1), slice(None, None, 0), 1.0, "a", [5], [-3],
    [True, True, True], slice(0.5, 1), ([0, 1], [0, 1, 2]), ([0, 1], [0, 1], [0, 1], [0]),
]  # fmt: skip


def cube(t: Any) -> Any:
    return t.arange(18, dtype=t.float64).reshape(2, 3, 3)


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_reading_gives_values_and_views_as_in_pytorch(key: Any) -> None:
    base, theirs = cube(micro), cube(torch)
    found, wanted = base[key], theirs[key]
    np.testing.assert_array_equal(found.array, wanted.numpy())
    assert (found._base is not None) == (wanted._base is not None)
    assert found.is_contiguous() == wanted.is_contiguous()


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_writing_changes_what_it_changes_in_pytorch(key: Any) -> None:
    base, theirs = cube(micro), cube(torch)
    base[key], theirs[key] = -1, -1
    np.testing.assert_array_equal(base.array, theirs.numpy())
    assert base._version == theirs._version


@pytest.mark.parametrize("key", WRONG, ids=repr)
def test_a_wrong_index_is_refused_as_in_pytorch(key: Any) -> None:
    with pytest.raises(Exception) as wanted:  # noqa: PT011 - PyTorch says which
        cube(torch)[key]
    with pytest.raises(wanted.type):
        cube(micro)[key]


def test_messages_name_index_dimension_and_size() -> None:
    x = cube(micro)
    with pytest.raises(IndexError, match="index 5 is out of bounds for dimension 1 with size 3"):
        x[0, 5]
    with pytest.raises(IndexError, match="too many indices for tensor of dimension 3"):
        x[0, 0, 0, 0]
    with pytest.raises(IndexError, match=r"shape of the mask \[3\] at index 0"):
        x[micro.tensor([True, False, True])]
    with pytest.raises(IndexError, match="must be long, int, byte or bool"):
        x[micro.tensor([0.0])]
    with pytest.raises(TypeError, match=r"can't assign a list to a torch.DoubleTensor"):
        x[0] = [1.0]
    with pytest.raises(RuntimeError, match="cannot be broadcast to indexing result"):
        x[micro.tensor([0])] = micro.ones(5, dtype=micro.float64)
    with pytest.raises(RuntimeError, match="source and destination dtypes match"):
        x[micro.tensor([0])] = micro.ones(3)


def test_numbers_are_cast_and_values_are_broadcast() -> None:
    x = micro.zeros(2, 3, dtype=micro.int64)
    x[0] = 1.7
    x[micro.tensor([1])] = 2.7
    x[:, 2] = micro.tensor([[[5.9, 6.9]]])
    assert x.tolist() == [[1, 1, 5], [2, 2, 6]]
    for t in (micro, torch):
        x = t.zeros(3)
        x[t.tensor([True, False, True])] = t.tensor(7)
        assert x.tolist() == [7, 0, 7]


def test_an_index_may_change_after_it_was_used() -> None:
    x = micro.arange(3.0).requires_grad_()
    index = micro.tensor([0, 1])
    picked = x[index]
    index.fill_(2)
    picked.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0, 0.0]


def test_a_place_named_twice_gets_both_gradients() -> None:
    x = micro.arange(6.0).reshape(2, 3).requires_grad_()
    x[[0, 1, 0], [1, 1, 1]].backward(micro.tensor([1.0, 2.0, 4.0]))
    assert x.grad.tolist() == [[0.0, 5.0, 0.0], [0.0, 2.0, 0.0]]


def test_index_put_accumulates_where_it_is_told_to() -> None:
    x = micro.zeros(3)
    x.index_put_((micro.tensor([0, 0, 2]),), micro.ones(3), accumulate=True)
    assert x.tolist() == [2.0, 0.0, 1.0]


def test_reading_in_a_loop_gives_rows_that_share_memory() -> None:
    x = micro.zeros(2, 2)
    for row in x:
        row.add_(1)
    assert x.tolist() == [[1.0, 1.0], [1.0, 1.0]]
