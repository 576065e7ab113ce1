"""Triangular systems: laws, and what is refused."""

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


def triangle(*shape, upper, seed=0):
    """Make well-conditioned triangular matrices, with something in the half that is not read."""
    full = np.random.default_rng(seed).uniform(0.5, 1.5, shape)
    full += 4 * np.eye(shape[-1])
    return full, np.triu(full) if upper else np.tril(full)


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("size", [1, 2, 33])
def test_the_solution_solves_and_the_other_half_is_not_read(size, left, upper):
    full, half = triangle(3, size, size, upper=upper)
    right = np.random.default_rng(1).standard_normal((size, 5) if left else (5, size))
    found = micro.linalg.solve_triangular(
        micro.tensor(full), micro.tensor(right), upper=upper, left=left
    ).numpy()
    product = half @ found if left else found @ half
    np.testing.assert_allclose(product, np.broadcast_to(right, product.shape), atol=1e-12)


def test_a_zero_on_the_diagonal_gives_infinity_and_no_error():
    matrix = [[1.0, 2.0], [0.0, 0.0]]
    for framework in (torch, micro):
        found = framework.linalg.solve_triangular(
            framework.tensor(matrix), framework.ones(2, 1), upper=True
        )
        assert found.tolist() == [[-np.inf], [np.inf]]


def test_neither_operand_is_written():
    full, _ = triangle(4, 4, upper=True)
    matrix, right = micro.tensor(full), micro.ones(4, 2, dtype=micro.float64)
    micro.linalg.solve_triangular(matrix, right, upper=True)
    assert np.array_equal(matrix.numpy(), full)
    assert np.array_equal(right.numpy(), np.ones((4, 2)))


@pytest.mark.parametrize(
    "call",
    [
        lambda t: t.linalg.solve_triangular(t.eye(3), t.ones(4, 2), upper=True),
        lambda t: t.linalg.solve_triangular(t.ones(3, 2), t.ones(3, 2), upper=True),
        lambda t: t.cholesky_inverse(t.ones(3, 2)),
    ],
)
def test_what_does_not_fit_is_refused(call):
    for framework in (torch, micro):
        with pytest.raises(RuntimeError):
            call(framework)
