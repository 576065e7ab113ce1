"""Gradients pass straight through, with the bits of the dequantized computation."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional as F

from torchstone import nested
from torchstone.kernels.block_reference import FORMATS
from torchstone.nested import BlockQuantTensor

pytestmark = [pytest.mark.torch]

LENGTHS = st.lists(st.integers(0, 9), min_size=1, max_size=5)


def jagged(lengths: list[int], dtype: torch.dtype = torch.float32) -> Tensor:
    torch.manual_seed(3)
    rows = [torch.randn(n, 64, dtype=dtype) for n in lengths]
    return torch.nested.nested_tensor(rows, layout=torch.jagged, requires_grad=True)


def loss_of(t: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    hidden = F.gelu(F.layer_norm(F.linear(t, weight, bias), (10,)))
    return hidden.values().square().sum() + t.values().sum()


@settings(max_examples=15)
@given(LENGTHS, st.sampled_from(sorted(FORMATS)), st.sampled_from((torch.float32, torch.bfloat16)))
def test_gradients_have_the_bits_of_the_dequantized_computation(
    lengths: list[int], format: str, dtype: torch.dtype
) -> None:
    x = jagged(lengths, dtype)
    weight = torch.randn(10, 64, dtype=dtype, requires_grad=True)
    bias = torch.randn(10, dtype=dtype, requires_grad=True)
    values = nested.dequantize(nested.quantize(x.detach(), format)).detach().requires_grad_()
    got = torch.autograd.grad(loss_of(nested.quantize(x, format), weight, bias), (x, weight, bias))
    wanted = torch.autograd.grad(loss_of(values, weight, bias), (values, weight, bias))
    for one, other in zip(got, wanted, strict=True):
        one, other = (t.values() if t.is_nested else t for t in (one, other))
        assert torch.equal(one, other)


def test_the_gradient_is_neither_scaled_nor_cut() -> None:
    x = (torch.randn(4, 64) * 100).requires_grad_()
    q = nested.quantize(x, "int4")
    grad = torch.randn(4, 64)
    assert torch.equal(torch.autograd.grad(q, x, grad)[0], grad)
    assert torch.equal(torch.autograd.grad(nested.dequantize(nested.quantize(x)), x, grad)[0], grad)


def test_what_is_saved_for_backward_is_quantized() -> None:
    saved: list[Tensor] = []

    def note(t: Tensor) -> Tensor:
        saved.append(t)
        return t

    x, weight = torch.randn(4, 64, requires_grad=True), torch.randn(10, 64, requires_grad=True)
    q = nested.quantize(x)
    with torch.autograd.graph.saved_tensors_hooks(note, lambda t: t):
        out = F.linear(q, weight)
    assert any(type(t) is BlockQuantTensor for t in saved)
    assert not any(type(t) is Tensor and t.shape == x.shape for t in saved)
    out.sum().backward()
    assert torch.equal(weight.grad, nested.dequantize(q).detach().sum(0).expand(10, 64))


def test_padding_and_joining_are_differentiable() -> None:
    padded = torch.randn(2, 5, 64, requires_grad=True)
    t = nested.from_padded(padded, [5, 2])
    joined = nested.cat([nested.index_sequences(t, [1]), t])
    nested.to_padded(joined).sum().backward()
    wanted = torch.ones(2, 5, 64)
    wanted[1, :2], wanted[1, 2:] = 2, 0
    assert torch.equal(padded.grad, wanted)


def test_attention_has_the_gradients_of_plain_values() -> None:
    x = jagged([3, 0, 6])
    values = nested.dequantize(nested.quantize(x.detach())).detach().requires_grad_()
    grads = []
    for t, leaf in ((nested.quantize(x), x), (values, values)):
        heads = t.unflatten(-1, (2, 32))
        out = nested.attention(heads, heads, heads, is_causal=True)
        grads.append(torch.autograd.grad(out.values().square().sum(), leaf)[0].values())
    assert torch.equal(*grads)
    assert grads[0].abs().sum() > 0


def test_a_step_of_training_lowers_the_loss() -> None:
    x = jagged([4, 7]).detach()
    weight = torch.zeros(10, 64, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=1e-3)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = (F.linear(nested.quantize(x), weight).values() - 1).square().sum()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[2] < losses[1] < losses[0]
