"""Factorizations: laws of the factors, gradients beyond them, failures."""

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


def matrix(*shape, seed=0, is_complex=False):
    """Make random numbers."""
    rng = np.random.default_rng(seed)
    found = rng.standard_normal(shape)
    return found + 1j * rng.standard_normal(shape) if is_complex else found


def positive(*shape, is_complex=False):
    """Make positive-definite matrices."""
    factor = matrix(*shape, is_complex=is_complex)
    return factor @ factor.swapaxes(-2, -1).conj() + np.eye(shape[-1])


@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize("shape", [(4, 4), (2, 5, 3), (2, 3, 5), (0, 3, 3), (0, 3)])
def test_the_factors_multiply_to_the_matrix(shape, is_complex):
    array = matrix(*shape, is_complex=is_complex)
    u, s, vh = micro.linalg.svd(micro.tensor(array), full_matrices=False)
    np.testing.assert_allclose(((u * s.unsqueeze(-2)) @ vh).numpy(), array, atol=1e-12)
    q, r = micro.linalg.qr(micro.tensor(array))
    np.testing.assert_allclose((q @ r).numpy(), array, atol=1e-12)
    if shape[-1] == shape[-2]:
        values, vectors = micro.linalg.eig(micro.tensor(array))
        wanted = (vectors * values.unsqueeze(-2)).numpy()
        np.testing.assert_allclose(array @ vectors.numpy(), wanted, atol=1e-12)


# Functions of the factors that no choice of signs or phases changes.
INVARIANT = {
    "svd": lambda t, a: (lambda f: (f[0] @ f[2]).abs().sum() + f[1].sin().sum())(
        t.linalg.svd(a, full_matrices=False)
    ),
    "eigh": lambda t, a: (lambda f: (f[1].abs() ** 3).sum() + f[0].sin().sum())(
        t.linalg.eigh(a + a.transpose(-2, -1).conj())
    ),
    "eig": lambda t, a: (lambda f: (f[1].abs() ** 3).sum() + f[0].abs().sum())(t.linalg.eig(a)),
    "cholesky": lambda t, a: (
        t.linalg.cholesky(a @ a.transpose(-2, -1).conj() + t.eye(3, dtype=a.dtype)).abs().sum()
    ),
    "qr": lambda t, a: (lambda f: (f[0].abs() ** 3).sum() + f[1].abs().sum())(t.linalg.qr(a)),
    "lu": lambda t, a: (lambda f: f[1].abs().sum() + f[2].abs().sum())(t.linalg.lu(a)),
}


@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize("name", INVARIANT)
def test_gradients_agree_for_real_and_complex_matrices(name, is_complex):
    array = matrix(2, 3, 3, is_complex=is_complex)
    ours, theirs = micro.tensor(array, requires_grad=True), torch.tensor(array, requires_grad=True)
    INVARIANT[name](micro, ours).backward()
    INVARIANT[name](torch, theirs).backward()
    np.testing.assert_allclose(ours.grad.numpy(), theirs.grad.numpy(), atol=1e-9)


def test_a_saved_factor_and_a_used_one_both_count_in_the_second_derivative():
    array = matrix(3, 3)
    grads = []
    for framework in (micro, torch):
        a = framework.tensor(array, requires_grad=True)
        vh = framework.linalg.svd(a).Vh
        (first,) = framework.autograd.grad((vh.abs() ** 3).sum(), a, create_graph=True)
        (second,) = framework.autograd.grad((first * first).sum(), a)
        grads.append(second.numpy())
    np.testing.assert_allclose(grads[0], grads[1], atol=1e-9)


def test_results_have_pytorchs_field_names():
    a = micro.eye(2)
    assert micro.linalg.svd(a)._fields == ("U", "S", "Vh")
    assert micro.svd(a)._fields == ("U", "S", "V")
    assert micro.linalg.eigh(a)._fields == ("eigenvalues", "eigenvectors")
    assert micro.linalg.qr(a)._fields == ("Q", "R")
    assert micro.linalg.cholesky_ex(a)._fields == ("L", "info")


def test_the_leading_minor_that_is_not_positive_is_named():
    bad = np.stack([np.eye(4), np.diag([1.0, 2.0, -3.0, 1.0])])
    for framework in (torch, micro):
        found = framework.linalg.cholesky_ex(framework.tensor(bad))
        assert found.info.tolist() == [0, 3]
        np.testing.assert_allclose(np.diagonal(found.L[1].numpy())[:2], [1, np.sqrt(2)])
        with pytest.raises(framework.linalg.LinAlgError, match="leading minor of order 3"):
            framework.linalg.cholesky(framework.tensor(bad))


@pytest.mark.parametrize("upper", [True, False])
def test_cholesky_reads_one_half_alone(upper):
    good = positive(3, 3)
    spoilt = np.triu(good) if upper else np.tril(good)
    found = micro.linalg.cholesky(micro.tensor(spoilt), upper=upper).numpy()
    product = found.T @ found if upper else found @ found.T
    np.testing.assert_allclose(product, good, atol=1e-12)


@pytest.mark.parametrize("name", ["svd", "eigh", "svdvals", "cholesky"])
def test_not_a_number_is_a_linear_algebra_error(name):
    for framework in (torch, micro):
        with pytest.raises(framework.linalg.LinAlgError):
            getattr(framework.linalg, name)(framework.full((3, 3), float("nan")))


@pytest.mark.parametrize(
    "call",
    [
        lambda t: t.linalg.qr(t.eye(2), "x"),
        lambda t: t.linalg.eigh(t.eye(2), UPLO="x"),
        lambda t: t.linalg.eig(t.full((2, 2), float("inf"))),
        lambda t: t.linalg.qr(t.eye(2, requires_grad=True), "r").R.sum().backward(),
        lambda t: t.linalg.qr(t.ones(3, 2, requires_grad=True), "complete").R.sum().backward(),
    ],
)
def test_what_can_not_be_is_refused(call):
    for framework in (torch, micro):
        with pytest.raises(RuntimeError):
            call(framework)
