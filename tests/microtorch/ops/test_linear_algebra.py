"""Determinants and functions of matrices, where they are at their limits."""

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("rank", [0, 1, 2, 3])
def test_the_gradient_of_a_singular_determinant_is_its_cofactors(rank):
    rng = np.random.default_rng(0)
    array = rng.standard_normal((3, rank)) @ rng.standard_normal((rank, 3))
    a = micro.tensor(array, requires_grad=True)
    micro.linalg.det(a).backward()
    # Row by row: the determinant is linear in each element.
    wanted = np.zeros((3, 3))
    for i, j in np.ndindex(3, 3):
        minor = np.delete(np.delete(array, i, 0), j, 1)
        wanted[i, j] = (-1) ** (i + j) * np.linalg.det(minor)
    np.testing.assert_allclose(a.grad.numpy(), wanted, atol=1e-10)


def test_the_logarithm_of_a_determinant_knows_its_sign():
    for framework in (torch, micro):
        assert np.isnan(framework.logdet(framework.diag(framework.tensor([1.0, -1.0]))).item())
        assert framework.logdet(framework.zeros(2, 2)).item() == -np.inf
        assert framework.linalg.slogdet(framework.zeros(2, 2)).sign.item() == 0


@pytest.mark.parametrize("is_complex", [False, True])
def test_complex_determinants_have_pytorchs_gradients(is_complex):
    rng = np.random.default_rng(0)
    array = rng.standard_normal((3, 3)) + 1j * is_complex * rng.standard_normal((3, 3))
    array = array if is_complex else array.real
    grads = []
    for framework in (micro, torch):
        a = framework.tensor(array, requires_grad=True)
        sign, logarithm = framework.linalg.slogdet(a)
        total = logarithm + (sign * (2 + 1j * is_complex)).real + framework.linalg.det(a).abs()
        total.backward()
        grads.append(a.grad.numpy())
    np.testing.assert_allclose(grads[0], grads[1], atol=1e-10)


@pytest.mark.parametrize("scale", [0.0, 1e-3, 1.0, 50.0])
def test_the_exponential_agrees_at_every_scale(scale):
    array = scale * np.random.default_rng(0).standard_normal((2, 4, 4))
    found = micro.linalg.matrix_exp(micro.tensor(array)).numpy()
    wanted = torch.linalg.matrix_exp(torch.tensor(array)).numpy()
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())


def test_each_matrix_of_a_batch_is_scaled_by_itself():
    small = micro.full((1, 1), 1e-3, dtype=micro.float64)
    batch = micro.stack([small, small * 1e5])
    found = micro.matrix_exp(batch)
    assert found[0].item() == micro.matrix_exp(small).item()
    np.testing.assert_allclose(found.numpy()[:, 0, 0], np.exp([1e-3, 1e2]), rtol=1e-13)


@pytest.mark.parametrize("n", [-3, -1, 0, 1, 2, 7])
def test_powers_are_repeated_products(n):
    array = np.random.default_rng(0).standard_normal((2, 3, 3))
    found = micro.linalg.matrix_power(micro.tensor(array), n).numpy()
    np.testing.assert_allclose(found, np.linalg.matrix_power(array, n), rtol=1e-9)
    assert micro.linalg.matrix_power(micro.eye(2).long(), 3).dtype is micro.int64


@pytest.mark.parametrize(
    "call",
    [
        lambda t: t.linalg.det(t.ones(2, 3)),
        lambda t: t.linalg.det(t.eye(2).long()),
        lambda t: t.linalg.matrix_power(t.ones(2, 3), 2),
        lambda t: t.linalg.matrix_exp(t.ones(2)),
        lambda t: t.linalg.vander(t.ones(2), N=1),
    ],
)
def test_what_does_not_fit_is_refused(call):
    for framework in (torch, micro):
        with pytest.raises(RuntimeError):
            call(framework)
