"""LU factors, solutions, inverses: laws, gradients, singular matrices."""

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("shape", [(40, 40), (7, 3), (2, 3, 7), (2, 0, 3, 3), (0, 3)])
def test_the_factors_multiply_to_the_matrix_and_the_pivots_are_lapacks(shape):
    array = np.random.default_rng(0).standard_normal(shape)
    p, lower, upper = micro.linalg.lu(micro.tensor(array))
    np.testing.assert_allclose((p @ lower @ upper).numpy(), array, atol=1e-12)
    pivots = micro.linalg.lu_factor_ex(micro.tensor(array)).pivots
    wanted = torch.linalg.lu_factor_ex(torch.tensor(array)).pivots
    assert pivots.tolist() == wanted.tolist()
    assert str(pivots.dtype) == str(wanted.dtype)


def singular():
    """Make a batch of a matrix that can be inverted, and one that can't."""
    return [[[2.0, 0.0], [0.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t, a: t.linalg.inv(a), r"\(Batch element 1\): The diagonal element 2 is zero"),
        (lambda t, a: t.linalg.inv(a[1]), "inv: The diagonal element 2 is zero"),
        (lambda t, a: t.linalg.solve(a, t.ones(2, 2)), r"\(Batch element 1\): The solver failed"),
    ],
)
def test_a_singular_matrix_is_refused_by_name(call, message):
    for framework in (torch, micro):
        with pytest.raises(framework.linalg.LinAlgError, match=message):
            call(framework, framework.tensor(singular()))


def test_lu_factor_names_the_zero_pivot():
    for framework in (torch, micro):
        with pytest.raises(RuntimeError, match=r"U\[2,2\] is zero"):
            framework.linalg.lu_factor(framework.tensor(singular()))


def test_the_variants_that_do_not_raise_say_where():
    matrix = micro.tensor(singular())
    found = micro.linalg.inv_ex(matrix)
    assert found.info.tolist() == [0, 2]
    assert found.inverse[0].tolist() == [[0.5, 0.0], [0.0, 1.0]]
    assert not np.isfinite(found.inverse[1].numpy()).any()
    assert micro.linalg.solve_ex(matrix, micro.ones(2)).info.tolist() == [0, 2]
    assert micro.linalg.lu_factor_ex(matrix).info.tolist() == [0, 2]


def test_not_a_number_is_handed_on_and_is_not_singular():
    matrix = micro.tensor([[float("nan"), 1.0], [1.0, 1.0]])
    assert np.isnan(micro.linalg.inv(matrix).numpy()).any()


@pytest.mark.parametrize("shape", [(3,), (3, 2), (4, 3, 2), (4, 3)])
def test_solve_tells_vectors_from_matrices_as_pytorch_does(shape):
    rng = np.random.default_rng(0)
    matrix, right = rng.standard_normal((4, 3, 3)), rng.standard_normal(shape)
    wanted = torch.linalg.solve(torch.tensor(matrix), torch.tensor(right)).numpy()
    found = micro.linalg.solve(micro.tensor(matrix), micro.tensor(right)).numpy()
    np.testing.assert_allclose(found, wanted, atol=1e-12)


@pytest.mark.parametrize(
    "call",
    [
        lambda t: t.linalg.inv(t.ones(2, 3)),
        lambda t: t.linalg.inv(t.ones(3)),
        lambda t: t.linalg.inv(t.eye(3).half()),
        lambda t: t.linalg.inv(t.eye(3).long()),
        lambda t: t.linalg.solve(t.eye(3), t.ones(4)),
        lambda t: t.linalg.lu_factor(t.eye(3), pivot=False),
    ],
)
def test_what_is_no_square_matrix_is_refused_with_pytorchs_words(call):
    with pytest.raises(RuntimeError) as wanted:
        call(torch)
    with pytest.raises(RuntimeError) as found:
        call(micro)
    assert str(found.value)[:45] == str(wanted.value)[:45]


def test_factors_that_do_not_fit_are_refused_as_in_pytorch():
    for lib in (torch, micro):
        packed, pivots = lib.linalg.lu_factor(lib.eye(3))
        with pytest.raises(RuntimeError, match="between 1 and LU"):
            lib.lu_unpack(packed, pivots + 3)
        with pytest.raises(RuntimeError, match="Incompatible shapes"):
            lib.linalg.solve(lib.eye(3).expand(2, 3, 3), lib.ones(2, 3), left=False)
