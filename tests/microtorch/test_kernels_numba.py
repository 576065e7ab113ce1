"""The compiled kernels give what NumPy's give, to the last bit, and what PyTorch gives."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import torchstone.microtorch as micro
from torchstone.microtorch import kernels
from torchstone.microtorch.ops.activations import relu_gradient
from torchstone.microtorch.ops.correlation import spell_out
from torchstone.microtorch.ops.pooling_max import max_gradient, max_values
from torchstone.microtorch.optim.adam import average

pytestmark = [pytest.mark.torch, pytest.mark.full]

FLOATS = [np.float32, np.float64]
NAN, INF = np.nan, np.inf


@pytest.fixture(autouse=True, scope="module")
def _compiled():
    kernels.numba.enabled = True
    yield
    kernels.numba.enabled = False


def in_both(function):
    """Run it with NumPy's kernels, and with the compiled ones."""
    kernels.numba.enabled = False
    try:
        plain = function()
    finally:
        kernels.numba.enabled = True
    return plain, function()


def assert_same(function):
    plain, compiled = in_both(function)
    for wanted, got in zip(plain, compiled, strict=True):
        assert got.dtype == wanted.dtype
        np.testing.assert_array_equal(got, wanted)


def network(framework, dtype, **options):
    nn = framework.nn
    framework.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1, dtype=dtype), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, dtype=dtype), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(64, 5, dtype=dtype),
    )  # fmt: skip
    optimizer = framework.optim.AdamW(model.parameters(), lr=0.01, **options)
    x, labels = framework.randn(4, 3, 12, 12, dtype=dtype), framework.tensor([0, 4, 1, 2])
    losses = []
    for _ in range(4):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("options", [{}, {"amsgrad": True}, {"maximize": True}])
def test_a_network_learns_as_with_numpy_and_as_in_pytorch(dtype, options):
    plain, compiled = in_both(lambda: network(micro, getattr(micro, dtype), **options))
    rel = 1e-4 if dtype == "float32" else 1e-9
    # Not to the last bit: BLAS may round otherwise at another address.
    assert compiled == pytest.approx(plain, rel=rel / 10)
    assert compiled == pytest.approx(network(torch, getattr(torch, dtype), **options), rel=rel)


def test_training_leaves_nothing_to_numpy(monkeypatch):
    def refuse(*args):
        raise AssertionError("the compiled form did not take it")

    for each in kernels.kernels:
        monkeypatch.setattr(each, "plain", refuse)
    network(micro, micro.float32)
    network(micro, micro.float64)
    with pytest.raises(AssertionError, match="did not take it"):
        network(micro, micro.float32, amsgrad=True)


@pytest.mark.parametrize("dtype", [*FLOATS, np.float16])
def test_relu_lets_nan_and_infinities_through_where_it_should(dtype):
    values = np.array([-1, 0, -0.0, 2, NAN, INF, -INF], dtype)
    output, grad = np.meshgrid(np.maximum(values, 0), values)
    assert_same(lambda: [relu_gradient(grad, output)])
    theirs = torch.tensor(np.meshgrid(values, values)[0], requires_grad=True)
    theirs.relu().backward(torch.tensor(grad))
    np.testing.assert_array_equal(relu_gradient(grad, output), theirs.grad.numpy())


@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (0, 3, 2, 2), (7,), ()])
def test_relu_takes_every_layout(shape):
    rng = np.random.default_rng(0)
    output, grad = np.maximum(rng.normal(size=(2, *shape)), 0)[0], rng.normal(size=shape)
    assert_same(lambda: [relu_gradient(np.asarray(grad), np.asarray(output))])
    turned = np.ascontiguousarray(np.asarray(output).T).T
    assert_same(lambda: [relu_gradient(np.asarray(grad), turned), relu_gradient(turned, turned)])
    wide = np.repeat(turned, 2).reshape(*shape, 2)[..., 0]
    assert_same(lambda: [relu_gradient(wide, wide)])


def pooled(x, grad, window):
    x = micro.from_numpy(x).requires_grad_()
    result = micro.nn.functional.max_pool2d(x, window)
    result.backward(micro.from_numpy(grad))
    return result.detach().array, x.grad.array


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("special", [(), (NAN,), (INF, -INF), (NAN, INF, -INF)])
@pytest.mark.parametrize("shape", [(2, 8, 6, 16), (2, 6, 8, 3), (1, 2, 2, 40), (2, 5, 7, 3)])
def test_pools_treat_ties_and_nan_as_pytorch_does(dtype, special, shape):
    rng = np.random.default_rng(1)
    # Few values, so that many are equal; channels last, as a convolution leaves them.
    values = np.array([0.0, 1.0, 2.0, *special], dtype)
    x = np.moveaxis(rng.choice(values, size=shape), -1, 1)
    grad = rng.normal(size=(shape[0], shape[3], shape[1] // 2, shape[2] // 2)).astype(dtype)
    assert_same(lambda: pooled(x, grad, 2))
    theirs = torch.tensor(np.ascontiguousarray(x), requires_grad=True)
    wanted = torch.nn.functional.max_pool2d(theirs, 2)
    wanted.backward(torch.tensor(grad))
    got = pooled(x, grad, 2)
    np.testing.assert_array_equal(got[0], wanted.detach().numpy())
    np.testing.assert_array_equal(got[1], theirs.grad.numpy())


def test_a_gradient_of_another_shape_is_refused_and_nothing_behind_it_is_read():
    x = np.moveaxis(np.ones((2, 4, 4, 3)), -1, 1)
    taps = ((slice(0, 3, 2), slice(1, 4, 2)),) * 2
    result = max_values(x, taps, True)
    with pytest.raises(ValueError, match="could not broadcast"):
        max_gradient(np.ones((5, 3, 2, 2)), x, result, taps, True)


@pytest.mark.parametrize("window", [1, 3, (2, 1), (2, 3)])
def test_other_windows_are_as_before(window):
    x = np.moveaxis(np.random.default_rng(2).normal(size=(2, 6, 6, 4)), -1, 1)
    size = micro.nn.functional.max_pool2d(micro.from_numpy(x), window).shape
    assert_same(lambda: pooled(x, np.ones(size), window))


@given(st.data())
def test_patches_of_any_geometry_are_the_same_to_the_last_bit(data):
    draw = data.draw
    ndim = draw(st.integers(1, 3), "ndim")
    each = lambda low, high: tuple(draw(st.integers(low, high)) for _ in range(ndim))  # noqa: E731
    kernel, stride, dilation, padding = each(1, 3), each(1, 3), each(1, 2), each(0, 2)
    groups = draw(st.integers(1, 2), "groups")
    channels, out_channels = groups * draw(st.integers(1, 9)), groups * draw(st.integers(1, 3))
    spatial = tuple(d * (k - 1) + n for d, k, n in zip(dilation, kernel, each(1, 4), strict=True))
    dtype = draw(st.sampled_from([np.float32, np.float64, np.complex64]), "dtype")
    rng = np.random.default_rng(0)
    values = rng.normal(size=(draw(st.integers(0, 3), "batch"), *spatial, channels)).astype(dtype)
    if draw(st.booleans(), "channels last"):
        values = np.moveaxis(values, -1, 1)
    else:
        values = values.reshape(len(values), channels, *spatial)
    weights = rng.normal(size=(out_channels, channels // groups, *kernel)).astype(dtype)
    convolve = getattr(micro.nn.functional, f"conv{ndim}d")

    x = micro.from_numpy(values).requires_grad_()
    weight = micro.from_numpy(weights).requires_grad_()

    def check(*args):
        patches = spell_out.compiled(*args)
        np.testing.assert_array_equal(patches, spell_out.plain(*args), strict=True)
        return patches

    spell_out.run = check
    try:
        result = convolve(x, weight, None, stride, padding, dilation, groups)
        result.backward(micro.ones_like(result))
    finally:
        spell_out.run = spell_out.compiled


@pytest.mark.parametrize("dtype", FLOATS)
def test_adam_meets_infinities_and_nan_as_numpy_does(dtype):
    def run():
        grad = np.array([0, 1, -2, 1e-30, 1e30, INF, -INF, NAN], dtype)
        means = {name: np.full(len(grad), 0.5, dtype) for name in ("exp_avg", "exp_avg_sq")}
        update = np.empty_like(grad)
        average(grad, means, update, (0.1, 0.999, 0.001, 1.3, 1e-8, 0.01))
        return update, *means.values()

    assert_same(run)


def test_second_derivatives_and_batches_go_through_the_compiled_kernels():
    weight = micro.randn(4, 2, 3, 3, dtype=micro.float64)

    def loss(x):
        hidden = micro.nn.functional.conv2d(x, weight, padding=1).relu()
        return (micro.nn.functional.max_pool2d(hidden, 2) ** 2).sum()

    x = micro.randn(3, 2, 4, 4, dtype=micro.float64)
    grads = micro.func.vmap(micro.func.grad(lambda each: loss(each.unsqueeze(0))))
    for function in (lambda: micro.func.hessian(loss)(x[:1]).array, lambda: grads(x).array):
        np.testing.assert_allclose(*in_both(function), rtol=1e-12, atol=1e-12)
