import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


def test_a_tensor_is_equal_to_nothing_that_is_no_number():
    x = micro.ones(2)
    assert (x == None) is False  # noqa: E711 - the operator is what is tested
    assert (x != "a") is True
    with pytest.raises(TypeError):
        _ = x < "a"


def test_comparisons_of_whole_numbers_with_fractions_are_not_rounded():
    assert (micro.tensor([1, 2]) < 1.5).tolist() == [True, False]


def test_a_comparison_in_place_keeps_the_type():
    x = micro.tensor([1.0, 3.0])
    assert x.gt_(2) is x
    assert x.dtype is micro.float32
    assert x.tolist() == [0.0, 1.0]


@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
def test_the_greater_gets_the_gradient_and_equals_share_it_as_in_pytorch(name):
    a = np.array([1.0, 2.0, 3.0, np.nan, np.nan, -np.inf])
    b = np.array([2.0, 2.0, 1.0, 1.0, np.nan, np.inf])
    found = []
    for space in (micro, torch):
        x, y = space.tensor(a, requires_grad=True), space.tensor(b, requires_grad=True)
        result = getattr(space, name)(x, y)
        grads = space.autograd.grad(result, [x, y], space.ones_like(result))
        found.append([each.detach().numpy() for each in (result, *grads)])
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize(
    ("low", "high"), [(-1.0, 1.0), (None, 0.0), (0.0, None), (1.0, -1.0), (np.nan, 1.0)]
)
@pytest.mark.parametrize("as_tensors", [False, True])
def test_clamp_and_its_gradients_agree_at_the_limits(low, high, as_tensors):
    values = np.array([-2.0, -1.0, 0.0, 1.0, 2.0, np.nan])
    found = []
    for space in (micro, torch):
        x = space.tensor(values, requires_grad=True)
        limits = [low, high]
        if as_tensors:
            limits = [
                each and space.full((6,), each, dtype=space.float64, requires_grad=True)
                for each in limits
            ]
        y = x.clamp(*limits)
        inputs = [x, *(each for each in limits if isinstance(each, space.Tensor))]
        grads = space.autograd.grad(y, inputs, space.ones_like(y))
        found.append([each.detach().numpy() for each in (y, *grads)])
    np.testing.assert_array_equal(*found)


def test_clamp_needs_a_limit():
    with pytest.raises(RuntimeError, match="At least one of 'min' or 'max' must not be None"):
        micro.ones(2).clamp()


def test_where_takes_numbers_and_promotes():
    condition = micro.tensor([True, False])
    assert micro.where(condition, 1, 2.5).dtype is micro.float32
    assert micro.where(condition, micro.tensor([1, 2]), 0).tolist() == [1, 0]
    assert micro.ones(2).where(condition, 0.0).tolist() == [1.0, 0.0]
    with pytest.raises(RuntimeError, match="expected condition to be a boolean"):
        micro.where(micro.ones(2), 1, 2)
    with pytest.raises(RuntimeError, match="must match the size of tensor b"):
        micro.where(condition, micro.ones(3), 0.0)


def test_a_gradient_through_where_is_zero_where_the_other_was_taken():
    x = micro.tensor([0.0, 4.0], requires_grad=True)
    micro.where(x > 0, x * 3, 0.0).sum().backward()
    assert x.grad.tolist() == [0.0, 3.0]


def test_isclose_refuses_what_pytorch_refuses():
    x = micro.ones(2)
    with pytest.raises(RuntimeError, match="atol must be greater than or equal to zero"):
        micro.isclose(x, x, atol=-1.0)
    with pytest.raises(RuntimeError, match="did not match"):
        micro.allclose(x, x.double())
    nan = micro.tensor([np.nan])
    assert micro.allclose(nan, nan, equal_nan=True)
    assert not micro.allclose(nan, nan)


def test_equal_compares_shapes_first():
    assert micro.equal(micro.ones(2), micro.ones(2))
    assert not micro.equal(micro.ones(2), micro.ones(2, 1))


def test_bits_are_refused_to_floats():
    with pytest.raises(NotImplementedError, match="bitwise_and"):
        micro.ones(2) & micro.ones(2)
    assert (~micro.tensor([True, False])).tolist() == [False, True]
    assert (1 << micro.tensor([1, 3])).tolist() == [2, 8]
