"""Sampling at points: borders, far points, and points that are no numbers."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import torchstone.microtorch as micro
import torchstone.microtorch.nn.functional as ours

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("align", [True, False])
def test_gradients_agree_exactly_on_the_borders_as_well(mode, padding, align):
    torch.manual_seed(0)
    x = torch.randn(1, 2, 4, 5, dtype=torch.float64).requires_grad_()
    steps = torch.linspace(-2, 2, 9, dtype=torch.float64)
    points = torch.stack(torch.meshgrid(steps, steps, indexing="ij"), -1)[None].requires_grad_()
    mine = [micro.from_numpy(each.detach().numpy()).requires_grad_() for each in (x, points)]
    wanted = F.grid_sample(x, points, mode, padding, align)
    got = ours.grid_sample(*mine, mode, padding, align)
    np.testing.assert_allclose(got.array, wanted.detach().numpy(), rtol=1e-9, atol=1e-9)
    (wanted**2).sum().backward()
    (got**2).sum().backward()
    np.testing.assert_allclose(mine[0].grad.array, x.grad.numpy(), rtol=1e-9, atol=1e-9)
    if mode != "nearest":
        np.testing.assert_allclose(mine[1].grad.array, points.grad.numpy(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("far", [float("nan"), float("inf"), 1e30])
@pytest.mark.parametrize("padding", ["zeros", "border"])
def test_points_that_are_nowhere_agree(far, padding):
    x, grid = torch.rand(1, 1, 3, 3) + 1, torch.full((1, 1, 1, 2), far)
    wanted = F.grid_sample(x, grid, "nearest", padding, align_corners=False)
    got = ours.grid_sample(
        micro.from_numpy(x.numpy()), micro.from_numpy(grid.numpy()), "nearest", padding, False
    )
    assert got.item() == wanted.item()


def test_an_infinity_outside_is_not_looked_at():
    x = micro.full((1, 1, 2, 2), float("inf"))
    got = ours.grid_sample(x, micro.full((1, 1, 1, 2), 5.0), align_corners=False)
    assert got.item() == 0


@pytest.mark.parametrize("size", [(2, 1, 3, 4), (2, 1, 1, 4), (2, 1, 2, 3, 4)])
@pytest.mark.parametrize("align", [True, False])
@pytest.mark.filterwarnings("ignore:Since version 1.3.0, affine_grid")
def test_affine_grids_agree(size, align):
    ndim = len(size) - 2
    theta = torch.randn(2, ndim, ndim + 1)
    wanted = F.affine_grid(theta, size, align)
    got = ours.affine_grid(micro.from_numpy(theta.numpy()), size, align)
    np.testing.assert_allclose(got.array, wanted.numpy(), rtol=1e-5, atol=1e-6)


def test_grids_that_do_not_fit_are_refused():
    with pytest.raises(RuntimeError, match="same batch size"):
        ours.grid_sample(micro.ones(2, 1, 3, 3), micro.ones(1, 2, 2, 2), align_corners=False)
    with pytest.raises(RuntimeError, match="size 2 in last dimension"):
        ours.grid_sample(micro.ones(2, 1, 3, 3), micro.ones(2, 2, 2, 3), align_corners=False)
    with pytest.raises(ValueError, match="expected mode"):
        ours.grid_sample(micro.ones(1, 1, 3, 3), micro.ones(1, 2, 2, 2), "linear")
    with pytest.warns(UserWarning, match="align_corners=False since 1.3.0"):
        ours.grid_sample(micro.ones(1, 1, 3, 3), micro.ones(1, 2, 2, 2))
