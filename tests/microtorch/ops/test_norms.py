"""Lengths and distances, against PyTorch's."""

import math

import pytest
import torch

import torchstone.microtorch as micro
from tests.microtorch.conformance.convert import difference, to_micro

pytestmark = pytest.mark.torch

GRID = torch.tensor([[3.0, -4.0, 0.0], [0.0, 0.0, 0.0], [1.0, 1.0, -1.0]], dtype=torch.float64)
ORDERS = [0, 0.5, 1, 1.5, 2, 3, math.inf, -math.inf, -1]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dim", [None, 0, 1])
def test_a_norm_and_its_gradient_agree_with_pytorch_at_zeros_and_ties(order, dim):
    def measured(lib, x):
        x.requires_grad_()
        length = lib.linalg.vector_norm(x, order, dim)
        length.sum().backward()
        # The number of elements that are not zero has no slope anywhere.
        return [length, x.grad if order else 0]

    wanted = measured(torch, GRID.clone())
    assert difference(measured(micro, to_micro(GRID)), wanted) is None


def test_half_precision_is_squared_in_single():
    assert micro.full((2,), 300.0, dtype=micro.float16).norm().item() == 424.25


@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, 3.0, math.inf])
@pytest.mark.parametrize("num_rows", [3, 40])
def test_all_distances_agree_with_pytorch(p, num_rows):
    one = torch.linspace(-1, 2, num_rows * 4, dtype=torch.float64).reshape(1, num_rows, 4)
    other = torch.linspace(0, 5, 24, dtype=torch.float64).reshape(2, 3, 4)
    wanted = torch.cdist(one, other, p)
    assert difference(micro.cdist(to_micro(one), to_micro(other), p), wanted) is None
    assert difference(micro.pdist(to_micro(one[0]), p), torch.pdist(one[0], p)) is None


def test_a_distance_of_zero_has_no_slope():
    for mode in ("use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"):
        x = micro.ones(2, 3, requires_grad=True)
        micro.cdist(x, x, compute_mode=mode).sum().backward()
        assert x.grad.tolist() == [[0.0] * 3] * 2


@pytest.mark.parametrize("name", ["cosine_similarity", "pairwise_distance"])
def test_vectors_that_broadcast_are_compared(name):
    wanted = getattr(torch.nn.functional, name)(GRID, GRID[2])
    got = getattr(micro.nn.functional, name)(to_micro(GRID), to_micro(GRID[2]))
    assert difference(got, wanted) is None


def test_long_slices_alone_are_shrunk():
    wanted = torch.renorm(GRID, 2, 0, 2.0)
    x = to_micro(GRID)
    assert x.renorm_(2, 0, 2.0) is x
    assert difference(x, wanted) is None
    lengths = micro.nn.functional.normalize(x, dim=1).norm(dim=1).tolist()
    assert lengths == pytest.approx([1, 0, 1])


def test_what_has_no_norm_is_refused():
    with pytest.raises(RuntimeError, match="Expected a floating point or complex tensor"):
        micro.tensor([1, 2]).norm()
    with pytest.raises(RuntimeError, match="does not have an identity"):
        micro.linalg.vector_norm(micro.empty(0), math.inf)
    with pytest.raises(RuntimeError, match=r"same number of columns\. X1: 3 X2: 4"):
        micro.cdist(micro.ones(2, 3), micro.ones(2, 4))
