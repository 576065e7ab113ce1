"""Reflections: what LAPACK's factorization means."""

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize("shape", [(5, 3), (2, 4, 4)])
def test_reflections_and_triangle_are_the_factors(shape, is_complex):
    rng = np.random.default_rng(0)
    array = rng.standard_normal(shape) + 1j * is_complex * rng.standard_normal(shape)
    array = array if is_complex else array.real
    packed, tau = micro.geqrf(micro.tensor(array))
    q = micro.linalg.householder_product(packed, tau)
    r = packed[..., : shape[-1], :].triu()
    np.testing.assert_allclose((q @ r).numpy(), array, atol=1e-12)
    np.testing.assert_allclose(q.numpy(), micro.linalg.qr(micro.tensor(array)).Q.numpy())


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("transpose", [True, False])
def test_the_whole_q_multiplies_from_either_side(left, transpose):
    rng = np.random.default_rng(0)
    packed, tau = np.tril(rng.standard_normal((5, 3))), rng.standard_normal(3)
    other = rng.standard_normal((5, 2) if left else (2, 5))
    first, second, third = (torch.tensor(each) for each in (packed, tau, other))
    expected = torch.ormqr(first, second, third, left, transpose)
    first, second, third = (micro.tensor(each) for each in (packed, tau, other))
    found = micro.ormqr(first, second, third, left, transpose)
    np.testing.assert_allclose(found.numpy(), expected.numpy(), atol=1e-12)


def test_too_many_reflections_are_refused():
    for framework in (torch, micro):
        with pytest.raises(RuntimeError, match="greater than or equal to tau"):
            framework.linalg.householder_product(framework.eye(2), framework.ones(3))
        with pytest.raises(RuntimeError, match=r"input.shape\[-2\] must be greater"):
            framework.linalg.householder_product(framework.ones(2, 3), framework.ones(2))
