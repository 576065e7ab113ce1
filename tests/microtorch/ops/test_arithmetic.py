import operator

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("name", ["iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow"])
def test_an_operator_in_place_writes_through_a_view_into_its_base(name):
    found = []
    for space in (micro, torch):
        base = space.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=space.float64)
        column = base[:, 1]
        result = getattr(operator, name)(column, 3)
        assert result is column
        assert base._version == column._version == 1
        found.append(base.numpy())
    np.testing.assert_allclose(*found)


def test_an_operator_in_place_takes_over_the_history():
    x = micro.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    same = y
    y *= x
    assert y is same
    y.sum().backward()
    assert x.grad.tolist() == [4.0, 8.0]


def test_a_leaf_that_requires_a_gradient_is_not_written():
    x = micro.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        x += 1
    assert x.tolist() == [1.0, 1.0]


def test_a_result_that_broadcasts_is_not_written_into_a_smaller_tensor():
    x = micro.ones(2)
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        x += micro.ones(3, 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: t.ones(2) + t.ones(3), "The size of tensor a (2) must match"),
        (lambda t: t.tensor([1]) // t.tensor([0]), "ZeroDivisionError"),
        (lambda t: t.tensor([1]) % 0, "ZeroDivisionError"),
        (lambda t: t.tensor([2]) ** -1, "negative integer powers are not allowed"),
        (lambda t: t.ones(2) - t.tensor(True), "with a bool tensor is not supported"),
        (lambda t: t.tensor([1]).add(t.tensor([1]), alpha=0.5), "must not be a floating point"),
        (lambda t: t.tensor([True]).add(t.tensor([1]), alpha=1.0), "must not be a floating point"),
        (lambda t: t.ones(2).sub(t.ones(2), alpha=1j), "must not be a complex number"),
        (lambda t: t.ones(2).add_(t.ones(2), alpha=1j), "must not be a complex number"),
        (lambda t: t.rsub(t.ones(2), t.ones(2), alpha=True), "only supported for Boolean results"),
        (lambda t: t.ones(2).mul_(2, alpha=3), "unexpected keyword argument 'alpha'"),
        (lambda t: t.tensor([True]).div(t.tensor([True]), rounding_mode="trunc"), "for 'Bool'"),
        (lambda t: t.ones(2).div(2, rounding_mode="up"), "expected rounding_mode to be one of"),
        (lambda t: t.addcdiv(t.tensor([1]), t.tensor([1]), t.tensor([1])), "Integer division"),
        (lambda t: t.lerp(t.ones(2), t.ones(2).double(), 0.5), "for `end` but got dtype"),
        (lambda t: t.ones(2) + "a", "must be Tensor|unsupported|can't"),
        (lambda t: t.fmod(2, t.ones(2)), "must be Tensor|invalid combination"),
    ],
)
def test_what_pytorch_refuses_is_refused_in_its_words(call, message):
    caught = []
    for space in (micro, torch):
        with pytest.raises((RuntimeError, TypeError)) as info:
            call(space)
        caught.append(info)
    assert issubclass(caught[0].type, caught[1].type)
    words = message.split("|")
    assert all(any(word in str(each.value) for word in words) for each in caught)


@pytest.mark.parametrize("mode", [None, "floor", "trunc"])
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32, np.float64])
def test_division_rounds_as_pytorch_does_for_all_signs(mode, dtype):
    a = np.array([7, -7, 7, -7, 6, 0, 127], dtype)
    b = np.array([2, 2, -2, -2, 3, -5, -1], dtype)
    ours = micro.from_numpy(a).div(micro.from_numpy(b), rounding_mode=mode)
    theirs = torch.from_numpy(a).div(torch.from_numpy(b), rounding_mode=mode)
    assert str(ours.dtype) == str(theirs.dtype)
    np.testing.assert_array_equal(ours.numpy(), theirs.numpy())


@pytest.mark.parametrize("name", ["remainder", "fmod", "floor_divide", "pow", "atan2", "hypot"])
def test_infinities_and_nan_behave_as_in_pytorch(name):
    values = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1.5, -2.0])
    a, b = (each.copy() for each in np.broadcast_arrays(values[:, None], values))
    ours = getattr(micro, name)(micro.from_numpy(a), micro.from_numpy(b)).numpy()
    theirs = getattr(torch, name)(torch.from_numpy(a), torch.from_numpy(b)).numpy()
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@pytest.mark.parametrize("name", ["mul", "truediv", "pow", "add", "sub"])
def test_complex_gradients_are_pytorchs_conjugates(name):
    found = []
    for space in (micro, torch):
        a = space.tensor([1 + 2j, -0.5j], requires_grad=True)
        b = space.tensor([0.5 - 1j, 2 + 1j], requires_grad=True)
        c = space.tensor([2.0, 3.0], requires_grad=True)
        y = getattr(operator, name)(getattr(operator, name)(a, b), c)
        grads = space.autograd.grad(y, [a, b, c], space.tensor([1 - 1j, 2j]))
        found.append([each.numpy() for each in grads])
    for ours, theirs in zip(*found, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=1e-5)


def test_a_number_out_of_the_types_range_wraps_around():
    assert (micro.tensor([1], dtype=micro.int8) + 300).tolist() == [45]


def test_comparing_a_reflected_operator_with_no_tensor_is_a_type_error():
    with pytest.raises(TypeError):
        micro.Tensor.__radd__(2, micro.ones(2))


def test_out_takes_the_result_and_counts_it():
    out = micro.empty(0)
    result = micro.add(micro.ones(2), 1, out=out)
    assert result is out
    assert out.tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match="can't be cast"):
        micro.add(micro.ones(2), 1, out=micro.empty(2, dtype=micro.int64))


@pytest.mark.parametrize("name", ["add_", "sub_", "mul_", "div_"])
@pytest.mark.parametrize("other", [3, 0.5, [1.0, 2.0], [[1], [2]]])
def test_a_write_without_history_gives_what_pytorch_gives(name, other):
    found = []
    for space in (micro, torch):
        x = space.tensor([[1.0, 2.0], [3.0, 4.0]]).T
        y = space.tensor(other) if isinstance(other, list) else other
        options = {"alpha": 2} if name in ("add_", "sub_") else {}
        assert getattr(x, name)(y, **options) is x
        assert x._version == 1
        found.append(x.numpy())
    np.testing.assert_allclose(*found)


def test_a_write_that_a_recorded_operation_needs_is_found_out():
    x = micro.ones(2, requires_grad=True)
    y = x * 1
    z = y * y
    with micro.no_grad():
        y += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_factors_of_booleans_are_booleans():
    for t in (micro, torch):
        x = t.tensor([True, False])
        assert str(x.add(x, alpha=2).dtype) == "torch.bool"
        assert x.add(~x, alpha=0).tolist() == [True, False]


def test_the_angle_of_the_origin_has_the_gradient_zero():
    values = [0.0, -0.0, 0.0, -0.0, 3.0], [0.0, 0.0, -0.0, -0.0, 4.0]
    grads = []
    for t in (micro, torch):
        y, x = (t.tensor(each, dtype=t.float64, requires_grad=True) for each in values)
        t.atan2(y, x).sum().backward()
        grads.append(np.array([y.grad.tolist(), x.grad.tolist()]))
    np.testing.assert_array_equal(*grads)
    # The signs of zeros, too.
    np.testing.assert_array_equal(*np.signbit(grads))
