"""Gradients made smaller."""

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


def parameters(t, scale=1.0):
    """Make some with gradients, one without."""
    made = []
    for place, shape in enumerate([(3, 4), (5,), ()]):
        parameter = t.nn.Parameter(t.ones(shape))
        parameter.grad = t.ones(shape) * (place + 1.5) * scale
        made.append(parameter)
    return [*made, t.nn.Parameter(t.ones(2))]


@pytest.mark.parametrize("order", [2.0, 1, 3, float("inf")])
@pytest.mark.parametrize("bound", [0.1, 100.0])
def test_the_norm_is_clipped_as_in_pytorch(order, bound):
    found = []
    for t in (micro, torch):
        given = parameters(t)
        norm = t.nn.utils.clip_grad_norm_(given, bound, order)
        found.append([norm.item(), *(np.asarray(each.grad) for each in given[:3])])
        assert given[3].grad is None
    for mine, other in zip(*found, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-6)


def test_values_are_clipped_as_in_pytorch():
    mine, other = parameters(micro), parameters(torch)
    micro.nn.utils.clip_grad_value_(mine, 2.0)
    torch.nn.utils.clip_grad_value_(other, 2.0)
    for one, two in zip(mine[:3], other[:3], strict=True):
        np.testing.assert_array_equal(one.grad.array, two.grad.numpy())


def test_a_norm_that_is_not_finite_spreads_or_is_refused():
    given = parameters(micro, float("nan"))
    assert np.isnan(micro.nn.utils.clip_grad_norm_(given, 1.0).item())
    assert np.isnan(given[0].grad.array).all()
    with pytest.raises(RuntimeError, match=r"total norm of order 2\.0 for gradients"):
        micro.nn.utils.clip_grad_norm_(given, 1.0, error_if_nonfinite=True)
    infinite = parameters(micro, float("inf"))
    micro.nn.utils.clip_grad_norm_(infinite, 1.0)
    assert np.isnan(infinite[0].grad.array).all()


def test_no_gradients_have_the_norm_zero():
    assert micro.nn.utils.clip_grad_norm_([micro.nn.Parameter(micro.ones(2))], 1.0).item() == 0


def test_parameters_become_a_vector_and_come_back():
    given = parameters(micro)
    vector = micro.nn.utils.parameters_to_vector(given)
    assert vector.shape == (20,)
    micro.nn.utils.vector_to_parameters(micro.arange(20.0), given)
    np.testing.assert_array_equal(given[1].array, np.arange(12.0, 17))
    assert given[0].requires_grad


@pytest.mark.parametrize(
    ("values", "dtype"),
    [([300.0, 300.0], "float16"), ([3 + 4j, 1j], "complex64"), ([1e-3, 7.0, 0.1], "float64")],
)
def test_the_type_of_the_gradients_is_that_of_the_norm(values, dtype):
    found = []
    for t in (micro, torch):
        parameter = t.nn.Parameter(t.tensor(values, dtype=getattr(t, dtype)))
        parameter.grad = parameter.detach().clone()
        norm = t.nn.utils.clip_grad_norm_([parameter], 1.0)
        found.append([np.asarray(each) for each in (norm, parameter.grad)])
    for mine, other in zip(*found, strict=True):
        assert mine.dtype == other.dtype
        np.testing.assert_allclose(mine, other, rtol=1e-3 if dtype == "float16" else 1e-6)
