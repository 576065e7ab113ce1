"""Norms of matrices: every order, empty matrices, refusals."""

import math

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch

ORDERS = ["fro", "nuc", 2, -2, 1, -1, math.inf, -math.inf]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dim", [(0, 1), (2, 0), (-1, 1)])
def test_every_order_agrees_along_any_two_dimensions(order, dim):
    array = np.random.default_rng(0).standard_normal((3, 4, 5))
    found = micro.linalg.matrix_norm(micro.tensor(array), order, dim, keepdim=True)
    wanted = torch.linalg.matrix_norm(torch.tensor(array), order, dim, keepdim=True)
    assert found.shape == tuple(wanted.shape)
    np.testing.assert_allclose(found.numpy(), wanted.numpy(), atol=1e-12)


@pytest.mark.parametrize("order", ["fro", "nuc", 2, 1, math.inf])
@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_the_norm_of_nothing_is_zero(order, shape):
    for framework in (torch, micro):
        assert framework.linalg.matrix_norm(framework.zeros(shape), order).item() == 0


@pytest.mark.parametrize("order", [None, *ORDERS])
def test_the_condition_of_a_singular_matrix_is_infinite(order):
    if order in (None, 2, -2, "nuc"):
        array = np.diag([1.0, 0.0])
    else:
        array = np.ones((2, 2))
    wanted = torch.linalg.cond(torch.tensor(array), order).item()
    assert micro.linalg.cond(micro.tensor(array), order).item() == wanted


@pytest.mark.parametrize(
    "call",
    [
        lambda t: t.linalg.matrix_norm(t.eye(2), ord=3),
        lambda t: t.linalg.matrix_norm(t.eye(2), dim=(0, 0)),
        lambda t: t.linalg.matrix_norm(t.ones(2)),
        lambda t: t.linalg.matrix_norm(t.eye(2).long()),
        lambda t: t.linalg.norm(t.ones(2, 2, 2), ord=3),
        lambda t: t.linalg.norm(t.eye(2), ord="nuc", dim=1),
        lambda t: t.linalg.cond(t.eye(2), "x"),
        lambda t: t.linalg.cond(t.ones(2, 3), 1),
    ],
)
def test_what_does_not_fit_is_refused(call):
    for framework in (torch, micro):
        with pytest.raises(RuntimeError):
            call(framework)
