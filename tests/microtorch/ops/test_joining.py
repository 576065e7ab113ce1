"""Joining: types meet, empty vectors fit, and gradients are taken apart again."""

import pytest

import torchstone.microtorch as micro


def test_types_meet_as_in_arithmetic() -> None:
    whole, half = micro.tensor([1]), micro.tensor([0.5], dtype=micro.float16)
    assert micro.cat([whole, half]).dtype is micro.float16
    assert micro.stack([micro.tensor([True]), whole]).dtype is micro.int64


def test_an_empty_vector_fits_everything_and_keeps_its_gradient() -> None:
    empty = micro.zeros(0, requires_grad=True)
    joined = micro.cat([empty, micro.ones(2, 3)], 1)
    assert tuple(joined.shape) == (2, 3)
    joined.sum().backward()
    assert tuple(empty.grad.shape) == (0,)


def test_each_tensor_gets_its_part_of_the_gradient_once_for_each_time() -> None:
    x, y = micro.ones(2, requires_grad=True), micro.ones(1, requires_grad=True)
    (micro.cat([x, y, x]) * micro.arange(5.0)).sum().backward()
    assert x.grad.tolist() == [3.0, 5.0]
    assert y.grad.tolist() == [2.0]


def test_what_is_joined_lies_in_order() -> None:
    x = micro.zeros(2, 3).t()
    assert micro.cat([x, x]).is_contiguous()
    assert micro.stack([x, x], -1).is_contiguous()


@pytest.mark.parametrize(
    ("tensors", "kind"),
    [([], ValueError), (3, TypeError), ([1.0], TypeError), ([(1, 2)], TypeError)],
)
def test_what_is_no_list_of_tensors_is_refused(tensors: object, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        micro.cat(tensors)


def test_sizes_must_match_but_along_the_dimension() -> None:
    with pytest.raises(RuntimeError, match="must match except in dimension 1"):
        micro.cat([micro.zeros(2, 3), micro.zeros(3, 3)], 1)
    with pytest.raises(RuntimeError, match="equal size"):
        micro.stack([micro.zeros(2), micro.zeros(3)])
    with pytest.raises(RuntimeError, match="zero-dimensional"):
        micro.cat([micro.tensor(1.0)])


def test_the_result_may_not_be_written_over_its_source() -> None:
    x = micro.zeros(2, 2)
    with pytest.raises(RuntimeError, match="single memory location"):
        micro.cat([x[:1], x[:1]], out=x)
