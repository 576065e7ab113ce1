"""Einstein's notation and its kin, against PyTorch's."""

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


def both(*shapes):
    """Make the same tensors twice: ours and PyTorch's."""
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(shape) for shape in shapes]
    return [micro.tensor(each) for each in arrays], [torch.tensor(each) for each in arrays]


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk", [(2, 3), (3, 4)]),
        ("ba", [(2, 3)]),
        ("ii->i", [(3, 3)]),
        ("iij->j", [(3, 3, 2)]),
        ("i,j,k->kji", [(2,), (3,), (4,)]),
        ("...ij,...jk->...ik", [(2, 1, 3, 4), (5, 4, 2)]),
        ("b...,b...->...", [(4, 2, 3), (4, 2, 3)]),
        ("ij,kl->il", [(2, 3), (4, 5)]),
        ("ij,ij,jk->k", [(2, 3), (2, 3), (3, 4)]),
        ("ij,jk->ik", [(2, 1), (3, 4)]),
        ("ij,jk->", [(0, 3), (3, 4)]),
        (" i j -> j i ", [(2, 3)]),
        ("Aa,aB", [(2, 3), (3, 4)]),
    ],
)
def test_an_equation_means_what_it_means_in_pytorch(equation, shapes):
    ours, theirs = both(*shapes)
    wanted = torch.einsum(equation, *theirs)
    got = micro.einsum(equation, *ours)
    assert got.shape == tuple(wanted.shape)
    np.testing.assert_allclose(got.numpy(), wanted.numpy(), atol=1e-12)


def test_dimensions_may_be_numbers():
    (a, b), (a_torch, b_torch) = both((2, 3, 4), (2, 4, 5))
    got = micro.einsum(a, [..., 27, 0], b, [..., 0, 3], [..., 3, 27])
    wanted = torch.einsum(a_torch, [..., 27, 0], b_torch, [..., 0, 3], [..., 3, 27])
    np.testing.assert_allclose(got.numpy(), wanted.numpy())


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (4, 5)]),
        ("ij->ik", [(2, 3)]),
        ("ij->ii", [(2, 3)]),
        ("ij,jk", [(2, 3)]),
        ("ijk", [(2, 3)]),
        ("i1", [(2, 3)]),
        ("ii", [(2, 3)]),
    ],
)
def test_a_wrong_equation_is_refused(equation, shapes):
    ours, theirs = both(*shapes)
    with pytest.raises(RuntimeError, match=r"einsum\(\)"):
        micro.einsum(equation, *ours)
    with pytest.raises(RuntimeError, match=r"einsum\(\)"):
        torch.einsum(equation, *theirs)


def test_a_chain_is_multiplied_in_the_cheapest_order(monkeypatch):
    from torchstone.microtorch.ops import contraction

    products = []
    multiply = contraction.mm

    def counting(a, b):
        products.append((a.shape[0], a.shape[1], b.shape[1]))
        return multiply(a, b)

    monkeypatch.setattr(contraction, "mm", counting)
    shapes = [(10, 100), (100, 5), (5, 50)]
    ours, theirs = both(*shapes)
    got = micro.linalg.multi_dot(ours)
    assert products == [(10, 100, 5), (10, 5, 50)]
    np.testing.assert_allclose(got.numpy(), torch.linalg.multi_dot(theirs).numpy())


def test_a_chain_may_begin_and_end_with_vectors():
    ours, theirs = both((3,), (3, 4), (4,))
    got = micro.linalg.multi_dot(ours)
    np.testing.assert_allclose(got.item(), torch.linalg.multi_dot(theirs).item())


def test_kronecker_products_of_unlike_ranks_agree():
    ours, theirs = both((2, 3), (4,))
    np.testing.assert_allclose(micro.kron(*ours).numpy(), torch.kron(*theirs).numpy())
    np.testing.assert_allclose(micro.kron(*ours[::-1]).numpy(), torch.kron(*theirs[::-1]).numpy())


def test_a_cross_product_lies_in_order():
    assert micro.linalg.cross(micro.ones(3, 4), micro.ones(3, 4), dim=0).is_contiguous()


def test_the_cross_product_takes_the_first_dimension_of_three():
    (a, b), _ = both((3, 2, 3), (3, 2, 3))
    assert micro.cross(a, b).tolist() == micro.linalg.cross(a, b, dim=0).tolist()
    with pytest.raises(RuntimeError, match="no dimension of size 3"):
        micro.cross(a[:2, :, :2], b[:2, :, :2])
