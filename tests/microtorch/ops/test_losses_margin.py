"""Losses with margins: ties, missing classes, and shapes that do not fit."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import torchstone.microtorch as micro
import torchstone.microtorch.nn.functional as ours

pytestmark = pytest.mark.torch


def both(array):
    return micro.tensor(array, requires_grad=True), torch.tensor(array, requires_grad=True)


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("multi_margin_loss", [2, 0]),
        ("multilabel_margin_loss", [[2, 0, -1, 1], [-1, 3, 3, 3]]),
    ],
)
@pytest.mark.parametrize("reduction", ["none", "mean"])
def test_ties_and_rows_without_classes_agree(name, target, reduction):
    x, y = both(np.array([[0.0, 1.0, 1.0, -2.0], [0.5, 0.5, 1.5, -0.5]]))
    a = getattr(ours, name)(x, micro.tensor(target), reduction=reduction)
    b = getattr(F, name)(y, torch.tensor(target), reduction=reduction)
    np.testing.assert_allclose(a.numpy(force=True), b.detach().numpy())
    a.sum().backward()
    b.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy())


def test_targets_of_the_cosine_loss_that_are_neither_count_nothing():
    array = np.random.default_rng(0).standard_normal((3, 4))
    target = np.array([1.0, -1.0, 0.0])
    (x, y), (v, w) = both(array), both(array[::-1].copy())
    a = ours.cosine_embedding_loss(x, v, micro.tensor(target), 0.1, reduction="none")
    b = F.cosine_embedding_loss(y, w, torch.tensor(target), 0.1, reduction="none")
    np.testing.assert_allclose(a.numpy(force=True), b.detach().numpy())
    assert a[2].item() == 0.0


@pytest.mark.parametrize("swap", [False, True])
def test_triplets_agree_with_a_distance_of_ones_own(swap):
    arrays = np.random.default_rng(0).standard_normal((3, 5, 4))
    loss = {"swap": swap, "margin": 0.5}
    a = ours.triplet_margin_with_distance_loss(
        *map(micro.tensor, arrays), distance_function=lambda p, q: (p - q).abs().sum(1), **loss
    )
    b = F.triplet_margin_with_distance_loss(
        *map(torch.tensor, arrays), distance_function=lambda p, q: (p - q).abs().sum(1), **loss
    )
    assert a.item() == pytest.approx(b.item())


def test_what_does_not_fit_is_refused():
    x = micro.zeros(2, 3)
    with pytest.raises(RuntimeError, match="inconsistent target size"):
        ours.multi_margin_loss(x, micro.tensor([0, 1, 2]))
    with pytest.raises(RuntimeError, match="out of range"):
        ours.multi_margin_loss(x, micro.tensor([0, 3]))
    with pytest.raises(ValueError, match="margin must be greater than 0, got 0"):
        ours.triplet_margin_loss(x, x, x, margin=0)
    with pytest.raises(RuntimeError, match="should have same dimension"):
        ours.margin_ranking_loss(x, x, micro.zeros(2))


@pytest.mark.parametrize("shape", [(3,), (1, 3), (2, 4, 3)])
def test_the_classes_of_many_labels_are_where_the_scores_have_them(shape):
    scores = np.linspace(-1, 2, math.prod(shape)).reshape(shape).tolist()

    def loss(lib):
        labels = lib.eye(3)[:2] if len(shape) < 3 else lib.ones(shape)
        given = lib.tensor(scores)
        return lib.nn.functional.multilabel_soft_margin_loss(given, labels, reduction="none")

    assert np.allclose(loss(micro).numpy(), loss(torch).numpy())


def test_an_infinite_distance_is_no_nan():
    x, y = [float("inf"), -float("inf"), 2.0], [1.0, -1.0, -1.0]
    got = ours.hinge_embedding_loss(micro.tensor(x), micro.tensor(y), reduction="none")
    assert (
        got.tolist()
        == F.hinge_embedding_loss(torch.tensor(x), torch.tensor(y), reduction="none").tolist()
    )


@pytest.mark.parametrize("target", [[4, -1, 0], [-2, 0, 0], [[0, 1, -1]], [0]])
def test_classes_that_are_not_there_are_refused_as_in_pytorch(target):
    for lib in (micro, torch):
        with pytest.raises(RuntimeError, match="target"):
            lib.nn.functional.multilabel_margin_loss(lib.ones(3), lib.tensor(target))
