"""Texts of several lengths, repeated characters, and what cannot be aligned."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import torchstone.microtorch as micro
import torchstone.microtorch.nn.functional as ours

pytestmark = pytest.mark.torch
TEXTS = np.array([[1, 1, 2], [3, 2, 1], [1, 0, 0]])


def both():
    scores = np.random.default_rng(0).standard_normal((6, 3, 4))
    scores -= np.log(np.exp(scores).sum(2, keepdims=True))
    return micro.tensor(scores, requires_grad=True), torch.tensor(scores, requires_grad=True)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("sizes", [[3, 3, 1], [2, 0, 0]])
@pytest.mark.parametrize("times", [[6, 5, 4], [3, 6, 2]])
def test_values_and_gradients_agree(reduction, sizes, times):
    x, y = both()
    options = {"reduction": reduction, "zero_infinity": True}
    a = ours.ctc_loss(x, micro.tensor(TEXTS), times, sizes, **options)
    b = F.ctc_loss(y, torch.tensor(TEXTS), torch.tensor(times), torch.tensor(sizes), **options)
    np.testing.assert_allclose(a.numpy(force=True), b.detach().numpy(), atol=1e-12)
    a.sum().backward()
    b.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy(), atol=1e-12)


def test_a_text_that_is_too_long_for_its_time_costs_infinitely_much():
    x, _ = both()
    loss = ours.ctc_loss(x, micro.tensor(TEXTS), [3, 6, 2], [3, 3, 1], reduction="none")
    assert np.isinf(loss.numpy(force=True)).tolist() == [True, False, False]


def test_texts_may_come_one_after_the_other_and_without_a_batch():
    x, y = both()
    joined = np.concatenate([TEXTS[0], TEXTS[1, :2], TEXTS[2, :1]])
    a = ours.ctc_loss(x, micro.tensor(joined), [6, 6, 6], [3, 2, 1])
    b = F.ctc_loss(y, torch.tensor(joined), torch.tensor([6, 6, 6]), torch.tensor([3, 2, 1]))
    assert a.item() == pytest.approx(b.item())
    one = ours.ctc_loss(x[:, 0], micro.tensor(TEXTS[0]), [6], [3], reduction="none")
    assert one.shape == ()
    with pytest.raises(RuntimeError, match="blank must be in label range"):
        ours.ctc_loss(x, micro.tensor(TEXTS), [6, 6, 6], [3, 2, 1], blank=4)
