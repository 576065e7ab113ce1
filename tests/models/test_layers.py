"""Layers beside torch's own, and what torch's have not."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from torchstone.models import Layer, Learned, Mask, Rotary, Sinusoidal, Stack
from torchstone.models.states import arguments_of, layer_from_torch, layer_to_torch

pytestmark = pytest.mark.torch


Torchs = nn.TransformerEncoderLayer | nn.TransformerDecoderLayer


def torch_s(kind: type[Torchs], **named: Any) -> Torchs:
    layer = kind(24, 4, 40, dropout=0.0, batch_first=True, layer_norm_eps=1e-6, **named)
    for parameter in layer.parameters():
        nn.init.normal_(parameter, std=0.2)
    return layer


def ours_of(theirs: Torchs) -> Layer:
    layer = Layer(**arguments_of(theirs))
    state = layer_from_torch(theirs.state_dict())
    # Without biases torch leaves those of its norms out as well.
    missing = {n: torch.zeros_like(e) for n, e in layer.state_dict().items() if n not in state}
    assert all("norm.bias" in name for name in missing)
    layer.load_state_dict(state | missing)
    return layer


def assert_same(ours: Layer, theirs: Torchs, results: list[tuple[Tensor, list[Tensor]]]) -> None:
    """Compare outputs, gradients of inputs, and those of parameters by torch's names."""
    grad = torch.randn(results[0][0].shape)
    told = []
    for module, (out, leaves) in zip((ours, theirs), results, strict=True):
        names = [name for name, _ in module.named_parameters()]
        gradients = torch.autograd.grad(out, [*leaves, *module.parameters()], grad)
        of_inputs, of_parameters = gradients[: len(leaves)], gradients[len(leaves) :]
        told.append((out.detach(), of_inputs, dict(zip(names, of_parameters, strict=True))))
    torch.testing.assert_close(told[0][:2], told[1][:2], rtol=1e-4, atol=1e-5)
    renamed = layer_to_torch(told[0][2])
    for name, each in told[1][2].items():
        torch.testing.assert_close(renamed[name], each, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("is_causal", [False, True])
def test_without_a_memory_it_is_torch_s_encoder_layer(
    is_causal: bool, bias: bool, norm_first: bool, activation: str
) -> None:
    named = {"activation": activation, "norm_first": norm_first, "bias": bias}
    theirs = torch_s(nn.TransformerEncoderLayer, **named)
    ours = ours_of(theirs)
    padding = torch.zeros(3, 6, dtype=torch.bool)
    padding[1, 4:] = True
    ahead = torch.ones(6, 6, dtype=torch.bool).triu(1) if is_causal else None
    leaves = [torch.randn(3, 6, 24).requires_grad_()]
    mask = Mask(is_causal=is_causal, padding=padding)
    of_theirs = theirs(leaves[0], src_mask=ahead, src_key_padding_mask=padding)
    assert_same(ours, theirs, [(ours(leaves[0], mask=mask), leaves), (of_theirs, leaves)])


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("bias", [False, True])
def test_with_a_memory_it_is_torch_s_decoder_layer(bias: bool, norm_first: bool) -> None:
    theirs = torch_s(nn.TransformerDecoderLayer, norm_first=norm_first, bias=bias)
    ours = ours_of(theirs)
    padding = torch.zeros(3, 9, dtype=torch.bool)
    padding[2, 5:] = True
    ahead = torch.ones(6, 6, dtype=torch.bool).triu(1)
    leaves = [torch.randn(3, places, 24).requires_grad_() for places in (6, 9)]
    of_ours = ours(*leaves, mask=Mask(is_causal=True), memory_mask=Mask(padding=padding))
    of_theirs = theirs(*leaves, tgt_mask=ahead, memory_key_padding_mask=padding)
    assert_same(ours, theirs, [(of_ours, leaves), (of_theirs, leaves)])


@pytest.mark.parametrize("kind", [nn.TransformerEncoderLayer, nn.TransformerDecoderLayer])
def test_states_go_there_and_back(kind: type[Torchs]) -> None:
    state = torch_s(kind, norm_first=True).state_dict()
    again = layer_to_torch(layer_from_torch(state))
    assert again.keys() == state.keys()
    assert all(torch.equal(again[name], each) for name, each in state.items())


def test_a_decoder_goes_on_where_its_caches_end() -> None:
    layers = [Layer(24, 4, memory_width=16, norm=norm) for norm in ("layer", "rms")]
    stack = Stack(layers, nn.LayerNorm(24)).eval()
    x, memory, mask = torch.randn(2, 7, 24), torch.randn(2, 5, 16), Mask(is_causal=True)
    whole = stack(x, memory, mask=mask)
    caches = stack.caches()
    first = stack(x[:, :4], memory, mask=mask, caches=caches)
    # The memory is in the caches.
    second = stack(x[:, 4:], mask=mask, caches=caches)
    torch.testing.assert_close(torch.cat([first, second], 1), whole, rtol=1e-4, atol=1e-5)
    assert [len(cache.own) for cache in caches] == [7, 7]


def test_each_layer_may_be_of_its_own_kind() -> None:
    width = 24
    encoder = Stack(
        [
            Layer(width, 4, norm="rms", activation="swiglu", num_key_heads=1, bias=False),
            Layer(width, 2, is_pre_norm=False, activation="gelu_tanh", backend="math"),
            Layer(width, 4, position=Rotary(6), activation="relu", backend="sdpa"),
        ],
        nn.LayerNorm(width),
    )
    x = torch.randn(2, 5, width, requires_grad=True)
    out = encoder(Sinusoidal(width)(x), mask=Mask(is_causal=True))
    out.square().sum().backward()
    assert out.shape == x.shape
    assert all(p.grad is not None and bool(p.grad.isfinite().all()) for p in encoder.parameters())
    # What comes later changes nothing of what came before.
    changed = x.detach().clone()
    changed[:, 3:] += 1
    again = encoder(Sinusoidal(width)(changed), mask=Mask(is_causal=True))
    torch.testing.assert_close(again[:, :3], out[:, :3].detach(), rtol=1e-4, atol=1e-5)
    assert not torch.allclose(again[:, 3:], out[:, 3:])


def test_dropout_is_for_training_alone() -> None:
    layer = Layer(16, 2, dropout=0.5)
    x = torch.randn(2, 4, 16)
    assert not torch.equal(layer(x), layer(x))
    layer.eval()
    assert torch.equal(layer(x), layer(x))


def test_sinusoids_are_those_of_the_paper() -> None:
    table = Sinusoidal(6, limit=50).table
    for place, pair in ((0, 0), (7, 1), (49, 2)):
        angle = torch.tensor(place / 10_000 ** (2 * pair / 6))
        torch.testing.assert_close(table[place, 2 * pair], angle.sin())
        torch.testing.assert_close(table[place, 2 * pair + 1], angle.cos())


@pytest.mark.parametrize("make", [Sinusoidal, Learned])
def test_places_begin_where_one_says(make: type[Sinusoidal | Learned]) -> None:
    module = make(8, 10)
    x = torch.zeros(1, 4, 8)
    whole = module(torch.zeros(1, 10, 8))
    assert torch.equal(module(x, first=6), whole[:, 6:])
    with pytest.raises(ValueError, match="the sequence ends at place 11; the limit is 10"):
        module(x, first=7)


def test_bad_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="norm is 'batch'; expected layer, rms"):
        Layer(8, 2, norm="batch")
    with pytest.raises(ValueError, match="activation is 'tanh'; expected relu, gelu, gelu_tanh"):
        Layer(8, 2, activation="tanh")
    with pytest.raises(ValueError, match="width is 7; expected an even number"):
        Sinusoidal(7)
    x = torch.randn(1, 2, 8)
    with pytest.raises(ValueError, match="this layer has no memory"):
        Layer(8, 2)(x, x)
    with pytest.raises(ValueError, match="this layer wants a memory"):
        Layer(8, 2, memory_width=8)(x)
    with pytest.raises(ValueError, match=r"activation is .*; expected relu or gelu"):
        arguments_of(nn.TransformerEncoderLayer(8, 2, activation=torch.tanh))


@pytest.mark.full
def test_the_whole_compiles(tmp_path: Any) -> None:
    layer = Layer(16, 2, position=Rotary(8), activation="gelu_tanh")
    compiled = torch.compile(layer, fullgraph=True, backend="aot_eager")
    x = torch.randn(2, 5, 16)
    mask = Mask(is_causal=True)
    got: Tensor = compiled(x, mask=mask)
    torch.testing.assert_close(got, layer(x, mask=mask))
