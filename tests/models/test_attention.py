"""Attention beside torch's own, and every backend beside the definition."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from torchstone.models import BACKENDS, Alibi, Attention, Mask, Rotary
from torchstone.models.attention import Cache
from torchstone.models.positions import alibi_slopes
from torchstone.models.states import attention_from_torch, attention_to_torch

pytestmark = pytest.mark.torch

BATCH, QUERIES, KEYS, WIDTH, HEADS = 3, 7, 9, 24, 4


def padding(keys: int = KEYS) -> Tensor:
    mask = torch.zeros(BATCH, keys, dtype=torch.bool)
    mask[1, keys // 2 :] = True
    mask[2, :2] = True
    return mask


def look_ahead(queries: int, keys: int) -> Tensor:
    return torch.ones(queries, keys, dtype=torch.bool).triu(1 + keys - queries)


def with_gradients(
    function: Callable[..., Tensor], module: nn.Module, *inputs: Tensor
) -> list[Tensor]:
    leaves = [each.clone().requires_grad_() for each in inputs]
    out = function(*leaves)
    torch.manual_seed(5)
    parameters = [*leaves, *module.parameters()]
    return [out.detach(), *torch.autograd.grad(out, parameters, torch.randn(out.shape))]


@pytest.mark.parametrize("backend", ["math", "flash", "sdpa"])
@pytest.mark.parametrize("is_cross", [False, True])
@pytest.mark.parametrize("masked", ["nothing", "padding", "look-ahead", "both"])
def test_it_is_torch_s_multi_head_attention(masked: str, is_cross: bool, backend: str) -> None:
    memory_width = 16 if is_cross else WIDTH
    theirs = nn.MultiheadAttention(
        WIDTH, HEADS, kdim=memory_width, vdim=memory_width, batch_first=True
    )
    nn.init.normal_(theirs.out_proj.bias)
    ours = Attention(WIDTH, HEADS, memory_width=memory_width, backend=backend)
    ours.load_state_dict(attention_from_torch(theirs.state_dict()))
    x = torch.randn(BATCH, QUERIES, WIDTH)
    memory = torch.randn(BATCH, KEYS, memory_width) if is_cross else x
    keys = memory.shape[1]
    # The padding of a batch hides no key of a query that it alone would see.
    pad = padding(keys) if masked in ("padding", "both") else None
    if pad is not None and masked == "both":
        pad[2, :2] = False
    ahead = look_ahead(QUERIES, keys) if masked in ("look-ahead", "both") else None
    mask = Mask(is_causal=ahead is not None, padding=pad)

    def of_theirs(x: Tensor, memory: Tensor) -> Tensor:
        out: Tensor = theirs(
            x, memory, memory, key_padding_mask=pad, attn_mask=ahead, need_weights=False
        )[0]
        return out

    inputs = (x, memory)
    got = with_gradients(lambda x, m: ours(x, m, mask=mask), ours, *inputs)
    want = with_gradients(of_theirs, theirs, *inputs)
    tolerance = {"rtol": 1e-4, "atol": 1e-5}
    torch.testing.assert_close(got[:3], want[:3], **tolerance)
    # The gradients of parameters in torch's names and order.
    names = [name for name, _ in ours.named_parameters()]
    renamed = attention_to_torch(dict(zip(names, got[3:], strict=True)))
    for name, each in zip((n for n, _ in theirs.named_parameters()), want[3:], strict=True):
        torch.testing.assert_close(renamed[name], each, **tolerance)


def test_states_go_there_and_back() -> None:
    for theirs in (
        nn.MultiheadAttention(WIDTH, HEADS),
        nn.MultiheadAttention(WIDTH, HEADS, bias=False),
        nn.MultiheadAttention(WIDTH, HEADS, kdim=5, vdim=5),
    ):
        state = theirs.state_dict()
        again = attention_to_torch(attention_from_torch(state))
        assert again.keys() == state.keys()
        assert all(torch.equal(again[name], each) for name, each in state.items())
    with pytest.raises(ValueError, match="bias_k and bias_v are learned keys"):
        attention_from_torch(nn.MultiheadAttention(8, 2, add_bias_kv=True).state_dict())
    with pytest.raises(ValueError, match="keys have fewer heads than queries"):
        attention_to_torch(Attention(8, 4, num_key_heads=2).state_dict())


MASKS = {
    "nothing": Mask(),
    "causal": Mask(is_causal=True),
    "window": Mask(window=(2, 1)),
    "causal window": Mask(is_causal=True, window=(3, -1)),
    "padding": Mask(padding=padding()),
    "all hidden": Mask(padding=torch.ones(BATCH, KEYS, dtype=torch.bool)),
    "padding before": Mask(is_causal=True, padding=padding()),
}


@pytest.mark.gate("*-sdpa", "*-causal-flash", "True-causal-triton")
@pytest.mark.parametrize("backend", ["flash", "triton", "sdpa"])
@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("has_slopes", [False, True])
def test_backends_compute_what_the_definition_does(
    name: str, backend: str, has_slopes: bool
) -> None:
    slopes = alibi_slopes(4) if has_slopes else None
    leaves = [
        torch.randn(BATCH, heads, places, 8).requires_grad_()
        for heads, places in ((4, QUERIES), (2, KEYS), (2, KEYS))
    ]
    grad = torch.randn(BATCH, 4, QUERIES, 8)
    results = []
    query, key, value = leaves
    for function in (BACKENDS[backend], BACKENDS["math"]):
        out = function(query, key, value, MASKS[name], slopes, 0.0)
        results.append([out.detach(), *torch.autograd.grad(out, leaves, grad)])
    torch.testing.assert_close(*results, rtol=1e-4, atol=1e-5)


def test_any_mask_of_pairs_goes_where_scores_are_held() -> None:
    q = torch.randn(2, 4, 5, 8)
    hidden = torch.rand(2, 1, 5, 5) < 0.4
    hidden[0, 0, 2] = True
    mask = Mask(hidden=hidden)
    got, want = (BACKENDS[name](q, q, q, mask, None, 0.0) for name in ("sdpa", "math"))
    torch.testing.assert_close(got, want)
    assert not want[0, :, 2].any()
    with pytest.raises(ValueError, match="'flash' knows masks by places and padding alone"):
        BACKENDS["flash"](q, q, q, mask, None, 0.0)


@pytest.mark.parametrize("position", ["none", "rotary", "alibi"])
@pytest.mark.parametrize("num_key_heads", [1, 2, 4])
def test_a_cache_gives_what_the_whole_sequence_gives(num_key_heads: int, position: str) -> None:
    positions = {"none": None, "rotary": Rotary(6), "alibi": Alibi(HEADS)}
    module = Attention(
        WIDTH, HEADS, num_key_heads=num_key_heads, position=positions[position]
    ).eval()
    x, mask = torch.randn(2, 11, WIDTH), Mask(is_causal=True)
    whole = module(x, mask=mask)
    cache = Cache()
    parts = [module(part, mask=mask, cache=cache) for part in x.split([4, 1, 5, 1], 1)]
    torch.testing.assert_close(torch.cat(parts, 1), whole, rtol=1e-4, atol=1e-5)
    assert len(cache) == 11


def test_slopes_are_those_of_the_paper() -> None:
    assert alibi_slopes(8).tolist() == [2.0**-i for i in range(1, 9)]
    between = [2.0 ** (-i - 0.5) for i in range(4)]
    assert alibi_slopes(12)[8:].tolist() == pytest.approx(between)


def test_a_backend_of_one_s_own_is_called() -> None:
    calls = []

    def backend(
        query: Tensor, key: Tensor, value: Tensor, mask: Mask, slopes: Tensor | None, dropout: float
    ) -> Tensor:
        calls.append((tuple(query.shape), mask.is_causal, dropout))
        return BACKENDS["math"](query, key, value, mask, slopes, dropout)

    module = Attention(WIDTH, HEADS, dropout=0.25, backend=backend)
    module(torch.randn(1, 2, WIDTH), mask=Mask(is_causal=True))
    module.eval()(torch.randn(1, 2, WIDTH))
    assert calls == [((1, HEADS, 2, 6), True, 0.25), ((1, HEADS, 2, 6), False, 0.0)]


def test_bad_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="num_heads is 5, which does not divide 24"):
        Attention(24, 5)
    with pytest.raises(ValueError, match="num_key_heads is 3, which does not divide 4"):
        Attention(24, 4, num_key_heads=3)
    with pytest.raises(ValueError, match="backend is 'fast'; expected math, flash, triton, sdpa"):
        Attention(24, 4, backend="fast")
    with pytest.raises(ValueError, match="head_dim is 5; expected an even number"):
        Rotary(5)
    module = Attention(24, 4, position=Rotary(6, limit=3))
    with pytest.raises(ValueError, match="Rotary: the sequence ends at place 4; the limit is 3"):
        module(torch.randn(1, 4, 24))
    x = torch.randn(2, 3, 24)
    for mask, error, message in (
        (
            Mask(padding=torch.zeros(2, 4, dtype=torch.bool)),
            ValueError,
            r"padding has shape \(2, 4",
        ),
        (
            Mask(padding=torch.zeros(2, 3)),
            TypeError,
            "padding is torch.float32; expected torch.bool",
        ),
        (
            Mask(hidden=torch.zeros(2, 3, 3, dtype=torch.bool)),
            ValueError,
            r"expected broadcast to ",
        ),
    ):
        with pytest.raises(error, match=message):
            Attention(24, 4, backend="math")(x, mask=mask)
