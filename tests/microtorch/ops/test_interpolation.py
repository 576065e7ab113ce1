"""Interpolation: every mode between many sizes, and arguments that contradict each other."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import torchstone.microtorch as micro
import torchstone.microtorch.nn.functional as ours

pytestmark = pytest.mark.torch

MODES = ["nearest", "nearest-exact", "bilinear", "bicubic", "area"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("factor", [0.4, 1.0, 1.05, 1.7, 2.0, 3.0])
@pytest.mark.parametrize("recompute", [None, True])
def test_factors_agree(mode, factor, recompute):
    torch.manual_seed(0)
    x = torch.randn(2, 3, 7, 10)
    keywords = {"scale_factor": factor, "mode": mode, "recompute_scale_factor": recompute}
    wanted = F.interpolate(x, **keywords)
    got = ours.interpolate(micro.from_numpy(x.numpy()), **keywords)
    np.testing.assert_allclose(got.array, wanted.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("size", [(3, 4), (20, 5), (1, 1)])
def test_smoothing_where_the_image_shrinks_agrees(mode, align, size):
    torch.manual_seed(1)
    x = torch.randn(2, 3, 9, 10, dtype=torch.float64).requires_grad_()
    mine = micro.from_numpy(x.detach().numpy()).requires_grad_()
    keywords = {"size": size, "mode": mode, "align_corners": align, "antialias": True}
    wanted, got = F.interpolate(x, **keywords), ours.interpolate(mine, **keywords)
    np.testing.assert_allclose(got.array, wanted.detach().numpy(), rtol=1e-6, atol=1e-9)
    (wanted**2).sum().backward()
    (got**2).sum().backward()
    np.testing.assert_allclose(mine.grad.array, x.grad.numpy(), rtol=1e-6, atol=1e-9)


def test_the_nearest_of_infinities_is_no_nan():
    x = micro.tensor([[[1.0, float("inf"), 2.0]]])
    assert ours.interpolate(x, 6).tolist() == [[[1, 1, float("inf"), float("inf"), 2, 2]]]


def test_whole_numbers_have_nearest_neighbours():
    x = micro.tensor([[[1, 2]]], dtype=micro.uint8)
    got = ours.interpolate(x, scale_factor=2)
    assert got.dtype is micro.uint8
    assert got.tolist() == [[[1, 1, 2, 2]]]


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("antialias", [False, True])
def test_bytes_are_rounded_as_pytorch_rounds_them(mode, antialias):
    x = np.random.default_rng(0).integers(0, 256, (2, 3, 9, 8), np.uint8)
    for size in ((18, 4), (5, 13)):
        got, wanted = (
            space.interpolate(t.tensor(x), size, mode=mode, antialias=antialias).numpy()
            for space, t in ((ours, micro), (F, torch))
        )
        # PyTorch's weights are whole numbers there, of 16 bits.
        difference = np.abs(got.astype(int) - wanted)
        assert got.dtype == np.uint8
        assert difference.max() <= 1
        assert difference.mean() < 0.02


def test_types_that_pytorch_does_not_interpolate_are_refused():
    for mode, shape, dtype in (
        ("nearest", (1, 1, 4), "int64"), ("nearest", (1, 1, 4, 4), "complex64"),
        ("linear", (1, 1, 4), "uint8"), ("area", (1, 1, 4, 4), "int64"),
    ):  # fmt: skip
        for space, t in ((ours, micro), (F, torch)):
            with pytest.raises(NotImplementedError, match="not implemented for"):
                space.interpolate(t.ones(shape, dtype=getattr(t, dtype)), 2, mode=mode)


def test_the_same_size_gives_a_copy():
    x = micro.ones(1, 1, 3)
    y = ours.interpolate(x, 3)
    y.array[...] = 7
    assert x.array.max() == 1


@pytest.mark.parametrize(
    ("keywords", "error"),
    [
        ({}, ValueError),
        ({"size": 2, "scale_factor": 2}, ValueError),
        ({"size": (2, 2, 2)}, ValueError),
        ({"size": (2.5, 2)}, TypeError),
        ({"size": 2, "mode": "nearest", "align_corners": True}, ValueError),
        ({"size": 2, "mode": "trilinear"}, NotImplementedError),
        ({"size": 2, "mode": "nearest", "antialias": True}, ValueError),
        ({"size": 2, "recompute_scale_factor": True}, ValueError),
        ({"size": 0}, RuntimeError),
    ],
)
def test_contradictions_are_refused_as_torch_does(keywords, error):
    for run, ones in ((F.interpolate, torch.ones), (ours.interpolate, micro.ones)):
        with pytest.raises(error):
            run(ones(1, 1, 4, 4), **keywords)


def test_old_names_warn():
    with pytest.warns(UserWarning, match="deprecated"):
        got = ours.upsample(micro.tensor([[[1.0, 2.0]]]), scale_factor=2)
    assert got.tolist() == [[[1, 1, 2, 2]]]
