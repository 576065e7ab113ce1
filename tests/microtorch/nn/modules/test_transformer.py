"""The Transformer: with its dropout, with its masks, and as a whole."""

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

# PyTorch says why it will not go a faster way.
pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore:enable_nested_tensor")]


def draw(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("norm_first", [False, True])
def test_a_whole_model_trains_as_pytorchs_with_the_same_dropout(norm_first):
    found = []
    for t in (micro, torch):
        t.manual_seed(0)
        model = t.nn.Transformer(
            8, 2, 2, 2, 16, 0.2, "gelu", batch_first=True, norm_first=norm_first
        )
        source, target = t.tensor(draw(3, 5, 8)), t.tensor(draw(3, 4, 8))
        mask = model.generate_square_subsequent_mask(4)
        hidden = t.tensor([[False] * 4 + [True]] * 3)
        t.manual_seed(1)
        result = model(source, target, tgt_mask=mask, src_key_padding_mask=hidden)
        (result * result * result).sum().backward()
        found.append([result, *(each.grad for each in model.parameters())])
    for mine, other in zip(*found, strict=True):
        np.testing.assert_allclose(
            np.asarray(mine.detach()), np.asarray(other.detach()), rtol=2e-3, atol=2e-4
        )


def test_a_causal_mask_hides_what_comes_later():
    layer = micro.nn.TransformerEncoder(micro.nn.TransformerEncoderLayer(4, 2, 8), 2).eval()
    mask = micro.nn.Transformer.generate_square_subsequent_mask(5)
    x = micro.tensor(draw(5, 1, 4), requires_grad=True)
    (layer(x, mask)[2] ** 3).sum().backward()
    seen = np.abs(x.grad.array).sum((1, 2)) > 0
    assert seen.tolist() == [True, True, True, False, False]
    told = layer(x, mask, is_causal=True)
    np.testing.assert_allclose(told.detach().array, layer(x, mask).detach().array, rtol=1e-6)


def test_layers_of_a_stack_begin_alike_and_go_their_own_ways():
    stack = micro.nn.TransformerDecoder(micro.nn.TransformerDecoderLayer(4, 2, 8), 3)
    first, second = stack.layers[0].linear1.weight, stack.layers[1].linear1.weight
    np.testing.assert_array_equal(first.array, second.array)
    assert not np.shares_memory(first.array, second.array)


@pytest.mark.parametrize(
    "call",
    [
        lambda t: t.nn.TransformerEncoderLayer(4, 2, activation="tanh"),
        lambda t: t.nn.Transformer(4, 2, 1, 1, 8)(t.ones(3, 2, 4), t.ones(3, 1, 4)),
        lambda t: t.nn.Transformer(4, 2, 1, 1, 8)(t.ones(3, 2, 5), t.ones(3, 2, 5)),
    ],
)
def test_what_pytorch_refuses_is_refused_in_its_words(call):
    messages = []
    for t in (torch, micro):
        with pytest.raises(RuntimeError) as caught:
            call(t)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_attention_gives_the_weights_of_each_head_when_asked():
    found = []
    for t in (micro, torch):
        t.manual_seed(0)
        layer = t.nn.MultiheadAttention(6, 3, kdim=2, vdim=4, batch_first=True)
        args = t.tensor(draw(2, 3, 6)), t.tensor(draw(2, 5, 2)), t.tensor(draw(2, 5, 4))
        found.append(layer(*args, average_attn_weights=False))
    for mine, other in zip(*found, strict=True):
        np.testing.assert_allclose(
            mine.detach().array, other.detach().numpy(), rtol=1e-4, atol=1e-5
        )
