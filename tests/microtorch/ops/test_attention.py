"""Attention: masks, and rows that see nothing."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import torchstone.microtorch as micro
import torchstone.microtorch.nn.functional as ours

pytestmark = pytest.mark.torch


def both(*shape, seed=0):
    array = np.random.default_rng(seed).standard_normal(shape)
    return micro.tensor(array, requires_grad=True), torch.tensor(array, requires_grad=True)


def inputs(keys=4):
    return [both(2, 3, 5, 8), both(2, 3, keys, 8, seed=1), both(2, 3, keys, 6, seed=2)]


def test_a_row_that_sees_nothing_gives_zeros_and_finite_gradients():
    pairs = inputs()
    mask = np.ones((5, 4), bool)
    mask[2] = False
    a = ours.scaled_dot_product_attention(*[p[0] for p in pairs], attn_mask=micro.tensor(mask))
    b = F.scaled_dot_product_attention(*[p[1] for p in pairs], attn_mask=torch.tensor(mask))
    assert not a.numpy(force=True)[:, :, 2].any()
    np.testing.assert_allclose(a.numpy(force=True), b.detach().numpy(), atol=1e-12)
    a.sin().sum().backward()
    for mine, _ in pairs:
        assert np.isfinite(mine.grad.numpy()).all()


def test_the_causal_mask_begins_at_the_first_key():
    pairs = inputs(keys=7)
    a = ours.scaled_dot_product_attention(*[p[0] for p in pairs], is_causal=True)
    b = F.scaled_dot_product_attention(*[p[1] for p in pairs], is_causal=True)
    np.testing.assert_allclose(a.numpy(force=True), b.detach().numpy(), atol=1e-12)


def test_a_mask_besides_the_causal_one_is_refused():
    q, k, v = (p[0] for p in inputs())
    with pytest.raises(RuntimeError, match="should not be set when is_causal=True"):
        ours.scaled_dot_product_attention(q, k, v, micro.ones(5, 4).bool(), is_causal=True)


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("is_bool", [True, False])
@pytest.mark.parametrize("adds", [True, False])
def test_masks_and_added_keys_agree_in_many_heads(need_weights, is_bool, adds):
    (q, q_torch), (k, k_torch) = both(5, 2, 8), both(4, 2, 8, seed=1)
    (w, w_torch), (o, o_torch) = both(24, 8, seed=2), both(8, 8, seed=3)
    (b, b_torch), (extra, extra_torch) = both(24, seed=4), both(1, 1, 8, seed=5)
    mask = np.triu(np.ones((5, 4), bool), 1)
    padding = np.array([[False] * 4, [False, False, True, True]])
    if not is_bool:
        mask, padding = (np.where(each, -np.inf, 0.0) for each in (mask, padding))

    def run(space, q, k, w, b, extra, o, mask, padding):
        extra = extra if adds else None
        return space.multi_head_attention_forward(
            q, k, k, 8, 2, w, b, extra, extra, adds, 0.0, o, None,
            key_padding_mask=padding, attn_mask=mask, need_weights=need_weights,
        )  # fmt: skip

    mine = run(ours, q, k, w, b, extra, o, micro.tensor(mask), micro.tensor(padding))
    theirs = run(
        F, q_torch, k_torch, w_torch, b_torch, extra_torch, o_torch,
        torch.tensor(mask), torch.tensor(padding),
    )  # fmt: skip
    np.testing.assert_allclose(mine[0].numpy(force=True), theirs[0].detach().numpy(), atol=1e-12)
    if need_weights:
        np.testing.assert_allclose(
            mine[1].numpy(force=True), theirs[1].detach().numpy(), atol=1e-12
        )
    else:
        assert mine[1] is None
    mine[0].sin().sum().backward()
    theirs[0].sin().sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), w_torch.grad.numpy(), atol=1e-12)
    np.testing.assert_allclose(b.grad.numpy(), b_torch.grad.numpy(), atol=1e-12)


def test_dropout_of_weights_is_that_of_torch():
    pairs = inputs()
    micro.manual_seed(3)
    torch.manual_seed(3)
    a = ours.scaled_dot_product_attention(*[p[0] for p in pairs], dropout_p=0.3)
    b = F.scaled_dot_product_attention(*[p[1] for p in pairs], dropout_p=0.3)
    np.testing.assert_allclose(a.numpy(force=True), b.detach().numpy(), atol=1e-12)
