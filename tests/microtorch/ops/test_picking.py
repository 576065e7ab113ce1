"""Masks and numbers of elements: broadcasting, strided and empty input, refusals."""

import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


def test_masks_broadcast_against_the_input() -> None:
    x = micro.arange(6.0).reshape(2, 3)
    mask = micro.tensor([[True], [False]])
    assert x.masked_select(mask).tolist() == [0.0, 1.0, 2.0]
    assert x.masked_fill(mask, -1).tolist() == [[-1.0] * 3, [3.0, 4.0, 5.0]]
    assert x.masked_scatter(mask, micro.tensor([7.0, 8.0, 9.0, 10.0]))[0].tolist() == [7, 8, 9]


def test_a_value_that_is_filled_in_gets_the_gradient_of_its_places() -> None:
    x, value = micro.ones(3, requires_grad=True), micro.tensor(2.0, requires_grad=True)
    mask = micro.tensor([True, True, False])
    (x.masked_fill(mask, value) * micro.tensor([1.0, 2.0, 4.0])).sum().backward()
    assert value.grad.item() == 3.0
    assert x.grad.tolist() == [0.0, 0.0, 4.0]


def test_filling_may_hide_nan_from_the_gradient() -> None:
    x = micro.tensor([float("nan"), 1.0], requires_grad=True)
    x.masked_fill(micro.tensor([True, False]), 0.0).sum().backward()
    assert x.grad.tolist() == [0.0, 1.0]


def test_what_is_no_mask_is_refused() -> None:
    x = micro.ones(2)
    with pytest.raises(RuntimeError, match="boolean masks"):
        x.masked_fill(micro.ones(2, dtype=micro.int64), 0)
    with pytest.raises(RuntimeError, match="0-dimensional value"):
        x.masked_fill(x > 0, micro.ones(2))
    with pytest.raises(RuntimeError, match="at least the number"):
        x.masked_scatter(x > 0, micro.ones(1))


def test_elements_are_taken_and_put_by_their_number_in_order() -> None:
    x = micro.arange(6.0).reshape(2, 3).t()
    assert x.take(micro.tensor([[1, -1]])).tolist() == [[3.0, 5.0]]
    theirs = torch.arange(6.0).reshape(2, 3).t()
    found = x.clone().put_(micro.tensor([0, 0]), micro.tensor([1.0, 2.0]), accumulate=True)
    wanted = theirs.clone().put_(torch.tensor([0, 0]), torch.tensor([1.0, 2.0]), accumulate=True)
    assert found.tolist() == wanted.tolist()
    with pytest.raises(IndexError):
        x.take(micro.tensor([6]))


@pytest.mark.parametrize("values", [3, 0, [0, 2, 0], [[1, 0], [0, 1]], []])
def test_places_that_are_not_zero(values: object) -> None:
    found, wanted = micro.tensor(values), torch.tensor(values)
    assert found.nonzero().tolist() == wanted.nonzero().tolist()
    assert tuple(found.argwhere().shape) == tuple(wanted.argwhere().shape)
    ours, theirs = found.nonzero(as_tuple=True), wanted.nonzero(as_tuple=True)
    assert [each.tolist() for each in ours] == [each.tolist() for each in theirs]


def test_places_are_written_into_the_tensor_that_is_given() -> None:
    out = micro.empty(0, dtype=micro.int64)
    assert micro.nonzero(micro.tensor([0, 3, 0, 4]), out=out) is out
    assert out.tolist() == [[1], [3]]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda lib, x, m: x.masked_fill(m, float("nan")), RuntimeError),
        (lambda lib, x, m: x.index_fill(0, lib.tensor([0]), float("nan")), RuntimeError),
        (lambda lib, x, m: lib.nn.functional.pad(x, (1, 1), value=float("nan")), RuntimeError),
        (lambda lib, x, m: lib.masked_select(x, m[:2]), RuntimeError),
        (lambda lib, x, m: lib.masked_scatter(x, m[:2], x), RuntimeError),
        (lambda lib, x, m: lib.cosine_similarity(x.float(), x[:2].float(), 0), RuntimeError),
        (lambda lib, x, m: x.put(lib.tensor([0, 1]), x), IndexError),
    ],
)
def test_what_does_not_fit_is_refused_as_in_pytorch(call, error) -> None:
    for lib in (micro, torch):
        with pytest.raises(error):
            call(lib, lib.ones(3).long(), lib.tensor([True, False, True]))
