"""The encoder with its decoder beside ``torch.nn.Transformer``."""

import pytest
import torch
from torch import nn

from torchstone.models import EncoderDecoder, Layer, Mask, Stack
from torchstone.models.states import encoder_decoder_from_torch

pytestmark = pytest.mark.torch

WIDTH, HEADS, HIDDEN = 24, 4, 40


def pair() -> tuple[EncoderDecoder, nn.Transformer]:
    theirs = nn.Transformer(WIDTH, HEADS, 2, 3, HIDDEN, dropout=0.0, batch_first=True)
    arguments = {"is_pre_norm": False, "activation": "relu"}
    encoder = [Layer(WIDTH, HEADS, HIDDEN, **arguments) for _ in range(2)]  # type: ignore[arg-type]
    decoder = [
        Layer(WIDTH, HEADS, HIDDEN, memory_width=WIDTH, **arguments)  # type: ignore[arg-type]
        for _ in range(3)
    ]
    ours = EncoderDecoder(Stack(encoder, nn.LayerNorm(WIDTH)), Stack(decoder, nn.LayerNorm(WIDTH)))
    ours.load_state_dict(encoder_decoder_from_torch(theirs.state_dict()))
    return ours, theirs


def test_it_is_torch_s_transformer() -> None:
    ours, theirs = pair()
    source, target = (torch.randn(2, n, WIDTH).requires_grad_() for n in (9, 6))
    padding = torch.zeros(2, 9, dtype=torch.bool)
    padding[1, 6:] = True
    got = ours(
        source,
        target,
        source_mask=Mask(padding=padding),
        target_mask=Mask(is_causal=True),
        memory_mask=Mask(padding=padding),
    )
    want = theirs(
        source,
        target,
        tgt_mask=torch.ones(6, 6, dtype=torch.bool).triu(1),
        src_key_padding_mask=padding,
        memory_key_padding_mask=padding,
    )
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)
    grad = torch.randn(got.shape)
    gradients = [torch.autograd.grad(out, (source, target), grad) for out in (got, want)]
    torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-5)


def test_it_goes_on_a_place_at_a_time() -> None:
    ours, _ = pair()
    source, target = torch.randn(2, 9, WIDTH), torch.randn(2, 5, WIDTH)
    whole = ours(source, target, target_mask=Mask(is_causal=True))
    caches, mask = ours.decoder.caches(), Mask(is_causal=True)
    parts = [ours.decoder(target[:, :1], ours.encoder(source), mask=mask, caches=caches)]
    for place in range(1, 5):
        parts.append(ours.decoder(target[:, place : place + 1], mask=mask, caches=caches))
    torch.testing.assert_close(torch.cat(parts, 1), whole, rtol=1e-4, atol=1e-5)
