import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch

HOLOMORPHIC = (
    "exp", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "square", "reciprocal",
    "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh", "acosh", "atanh",
    "sigmoid", "neg", "sgn", "abs", "angle",
)  # fmt: skip
REAL = (
    *HOLOMORPHIC, "exp2", "sinc", "sign", "floor", "ceil", "trunc", "round", "frac", "deg2rad",
    "rad2deg", "logit", "nan_to_num", "isnan", "isfinite", "signbit", "positive",
)  # fmt: skip
SPECIAL_VALUES = np.array([[np.nan, np.inf, -np.inf, 0.0], [-0.0, 1.0, -1.0, 0.5], [2.5, -7, 9, 3]])


def both(array, **options):
    return micro.tensor(array, **options), torch.tensor(array, **options)


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_function_agrees_on_strided_empty_and_extreme_input(name, dtype):
    values = SPECIAL_VALUES.astype(dtype)
    for view in (values.T[1:, ::2], values[:0], values[1, 1], values):
        ours = getattr(micro, name)(micro.from_numpy(np.array(view)))
        strided = getattr(micro, name)(micro.from_numpy(view) if view.ndim else micro.tensor(view))
        theirs = getattr(torch, name)(torch.tensor(np.array(view)))
        assert str(ours.dtype) == str(theirs.dtype)
        tolerance = 2e-3 if dtype == np.float16 else 1e-5
        for each in (ours, strided):
            np.testing.assert_allclose(
                each.numpy(), theirs.numpy(), rtol=tolerance, atol=tolerance, equal_nan=True
            )


@pytest.mark.parametrize("name", HOLOMORPHIC)
def test_complex_gradients_are_pytorchs_conjugates(name):
    array = np.array([0.3 + 0.4j, -0.7 + 0.2j, 1.5 - 2j])
    weight = np.array([1 - 1j, 0.5 + 2j, -1j])
    found = []
    for space, (x, w) in zip(
        (micro, torch), zip(both(array), both(weight), strict=True), strict=True
    ):
        x.requires_grad_()
        y = getattr(space, name)(x)
        w = w if y.is_complex() else w.real
        (first,) = space.autograd.grad(y, x, w, create_graph=True)
        second = [space.zeros(3)]
        if first.requires_grad:
            second = space.autograd.grad(first, x, first.detach())
        found.append([each.detach().resolve_conj().numpy() for each in (first, second[0])])
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=1e-10)
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-9, atol=1e-12)


def test_a_function_in_place_writes_into_the_tensor_and_counts_it():
    x = micro.tensor([1.0, 4.0])
    row = x[1:]
    assert x.sqrt_() is x
    assert x._version == 1
    assert row.tolist() == [2.0]


def test_a_float_result_is_not_written_into_whole_numbers():
    with pytest.raises(RuntimeError, match="can't be cast"):
        micro.tensor([1, 2]).exp_()


def test_whole_numbers_become_the_default_type_where_values_are_not_whole():
    assert micro.tensor([1, 2]).sin().dtype is micro.float32
    assert micro.tensor([1, 2]).floor().dtype is micro.int64


def test_sigmoid_neither_overflows_nor_loses_small_values():
    x = np.array([-1000.0, -700.0, -40.0, 40.0, 1000.0])
    ours, theirs = (each.sigmoid().numpy() for each in both(x))
    np.testing.assert_allclose(ours, theirs, rtol=1e-14)


@pytest.mark.parametrize("decimals", [0, 2, -1])
def test_round_takes_halves_to_the_even_neighbour(decimals):
    x = np.array([0.5, 1.5, 2.5, -0.5, 15.0, 25.0, 0.125, 0.375])
    ours, theirs = (
        space.round(each, decimals=decimals).numpy()
        for space, each in zip((micro, torch), both(x), strict=True)
    )
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: -t.tensor([True]), "on a bool tensor is not supported"),
        (lambda t: t.tensor([1j]).sign(), "not intended to support complex"),
        (lambda t: t.tensor([1j]).floor(), "not "),
        (lambda t: t.sin(2.0), "must be Tensor"),
    ],
)
def test_what_pytorch_refuses_is_refused(call, message):
    caught = []
    for space in (micro, torch):
        with pytest.raises((RuntimeError, TypeError), match=message) as info:
            call(space)
        caught.append(info.type)
    assert issubclass(*caught)


def test_a_result_with_a_history_is_not_written_elsewhere():
    for lib in (torch, micro):
        x, out = lib.ones(2, requires_grad=True), lib.empty(2)
        with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
            lib.exp(x, out=out)
        with lib.no_grad():
            assert lib.exp(x, out=out) is out
