"""Attention beside its definition: every feature, each instruction set, forward and backward."""

import math
import subprocess
import sys
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.autograd import gradcheck

from tests.kernels.accuracy import FORWARD, GRADIENT, assert_exact
from tests.kernels.attention_cases import heads, mask_of, tensors_of
from torchstone import kernels
from torchstone.kernels.attention_reference import Mask, kept, philox, reference, reference_backward

pytestmark = pytest.mark.torch

DTYPES = (torch.float32, torch.bfloat16, torch.float16, torch.float64)
operators = torch.ops.torchstone


def plain(query: Tensor, key: Tensor, value: Tensor, mask: Mask) -> Tensor:
    """Write attention as one does in plain torch, in the dtype of its arguments."""
    groups = query.shape[1] // key.shape[1]
    k, v = (each.repeat_interleave(groups, 1) for each in (key, value))
    places = torch.arange(query.shape[2]) + key.shape[2] - query.shape[2]
    distance = torch.arange(key.shape[2]) - places[:, None]
    hidden = torch.zeros_like(distance, dtype=torch.bool)
    if mask.left >= 0:
        hidden |= distance < -mask.left
    if mask.right >= 0:
        hidden |= distance > mask.right
    if mask.key_padding_mask is not None:
        hidden = hidden | mask.key_padding_mask[:, None, None]
    bias = torch.zeros(distance.shape)
    if mask.slopes is not None:
        bias = -mask.slopes[:, None, None] * distance.abs()
    scores = query @ k.transpose(-1, -2) * mask.scale + bias.to(query.dtype)
    weights = scores.masked_fill(hidden, -math.inf).softmax(-1).masked_fill(hidden, 0.0)
    if mask.seed is not None:
        shape = (*query.shape[:3], key.shape[2])
        weights = weights * kept(mask.seed, mask.dropout, 0, shape) / (1 - mask.dropout)
    return weights @ v


# Shapes (batch, heads, key heads, queries, keys, head_dim), and what is asked for.
CASES: list[tuple[tuple[int, ...], dict[str, Any]]] = [
    ((2, 2, 2, 7, 7, 8), {}),
    ((1, 2, 2, 200, 200, 64), {"right": 0}),
    ((1, 1, 1, 97, 401, 33), {"right": 0}),
    ((1, 1, 1, 450, 193, 16), {}),
    ((2, 4, 2, 50, 60, 64), {"right": 0, "slopes": True}),
    ((1, 2, 1, 600, 600, 40), {"left": 50, "right": 0}),
    ((1, 1, 1, 300, 300, 128), {"left": 20, "right": 31}),
    ((3, 2, 1, 20, 220, 1), {"padding": True}),
    ((2, 3, 3, 130, 130, 20), {"dropout": 0.3}),
    ((2, 4, 1, 110, 210, 256), {"padding": True, "right": 0, "slopes": True, "dropout": 0.1}),
]  # fmt: skip


def doubled(mask: Mask) -> Mask:
    return mask._replace(slopes=None if mask.slopes is None else mask.slopes.double())


@pytest.mark.gate("*-dtype0", "*-{}-dtype3")
@pytest.mark.usefixtures("each_set")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "wanted"), CASES, ids=lambda each: str(each).replace(" ", ""))
def test_it_is_as_exact_as_plain_torch(
    shape: tuple[int, ...], wanted: dict[str, Any], dtype: torch.dtype
) -> None:
    mask = mask_of(shape, wanted, dtype)
    *inputs, grad = tensors_of(shape, dtype)
    assert kernels.load()
    out, lse = operators.flash_attention(*inputs, *mask)
    ours = operators.flash_attention_backward(grad, *inputs, out, lse, *mask)

    doubles = [each.double() for each in inputs]
    truth, true_lse = reference(*doubles, *doubled(mask))
    truths = reference_backward(grad.double(), *doubles, truth, true_lse, *doubled(mask))
    leaves = [each.clone().requires_grad_() for each in inputs]
    peer = plain(*leaves, mask)  # type: ignore[call-arg]  # a list has no fixed length
    peers = torch.autograd.grad(peer, leaves, grad)
    assert_exact([out], [peer.detach()], [truth], FORWARD, scale=float(inputs[2].abs().max()))
    # Sums over all queries, or keys, of numbers that are as large as this.
    assert_exact(ours, peers, truths, GRADIENT, scale=16.0 * math.sqrt(shape[-1]))
    tolerance = 2e-2 if dtype in (torch.bfloat16, torch.float16) else 2e-5
    torch.testing.assert_close(lse.double(), true_lse, rtol=1e-5, atol=tolerance)


@pytest.mark.usefixtures("each_set")
def test_a_query_without_keys_gets_zeros() -> None:
    q, k, v = (heads(1, 2, size, 16).requires_grad_() for size in (300, 100, 100))
    # Queries before the first key see none, and a batch of padding has none for anybody.
    for wanted in ({"is_causal": True}, {"key_padding_mask": torch.ones(1, 100, dtype=torch.bool)}):
        out = kernels.flash_attention(q, k, v, **wanted)  # type: ignore[arg-type]
        last = 200 if "is_causal" in wanted else 300
        assert torch.equal(out[:, :, :last], torch.zeros(1, 2, last, 16))
        gradients = torch.autograd.grad(out.sum(), (q, k, v))
        assert torch.equal(gradients[0][:, :, :last], torch.zeros(1, 2, last, 16))
        assert all(bool(each.isfinite().all()) for each in gradients)


def test_it_is_what_torch_computes() -> None:
    for is_causal in (False, True):
        q, k, v = (heads(2, 8, 70, 64).requires_grad_() for _ in range(3))
        grad = heads(2, 8, 70, 64)
        got = kernels.flash_attention(q, k, v, is_causal=is_causal)
        want = F.scaled_dot_product_attention(q, k, v, is_causal=is_causal)
        torch.testing.assert_close(got, want)
        torch.testing.assert_close(
            torch.autograd.grad(got, (q, k, v), grad), torch.autograd.grad(want, (q, k, v), grad)
        )


def test_gradients() -> None:
    q, k, v = (torch.randn(1, h, 5, 3, dtype=torch.float64).requires_grad_() for h in (4, 2, 2))
    slopes = torch.tensor([0.5, 0.25, 0.1, 0.0], dtype=torch.float64)

    def function(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        generator = torch.Generator().manual_seed(1)
        return kernels.flash_attention(
            q, k, v, is_causal=True, alibi_slopes=slopes, dropout_p=0.2, generator=generator
        )

    assert gradcheck(function, (q, k, v))
    out = kernels.flash_attention(q, k, v)
    (first,) = torch.autograd.grad(out.sum(), q, create_graph=True)
    with pytest.raises(RuntimeError, match="gradients of its gradients are not computed"):
        first.sum().backward()


# ---- Packed sequences


def starts(*lengths: int, dtype: torch.dtype = torch.int32) -> Tensor:
    return torch.tensor([0, *lengths]).cumsum(0).to(dtype)


@pytest.mark.usefixtures("each_set")
@pytest.mark.parametrize("dtype", DTYPES)
def test_packed_sequences_are_each_one_of_its_own(dtype: torch.dtype) -> None:
    q_lengths, k_lengths = (5, 0, 130, 1, 7), (9, 4, 250, 1, 0)
    leaves = [
        heads(sum(lengths), num_heads, 24, dtype=dtype).requires_grad_()
        for lengths, num_heads in ((q_lengths, 4), (k_lengths, 2), (k_lengths, 2))
    ]
    slopes = torch.rand(4, dtype=torch.float64 if dtype == torch.float64 else torch.float32)
    begin_q, begin_k = starts(*q_lengths), starts(*k_lengths, dtype=torch.int64)
    out = kernels.flash_attention_varlen(
        *leaves, begin_q, begin_k, 130, 250, is_causal=True, alibi_slopes=slopes
    )
    each: list[Tensor] = []
    for place in range(len(q_lengths)):
        parts = [
            leaf[begin[place] : begin[place + 1]].transpose(0, 1)[None]
            for leaf, begin in zip(leaves, (begin_q, begin_k, begin_k), strict=True)
        ]
        alone = kernels.flash_attention(*parts, is_causal=True, alibi_slopes=slopes)
        each.append(alone[0].transpose(0, 1))
    want = torch.cat(each)
    assert torch.equal(out, want)
    grad = torch.randn_like(out)
    got_gradients = torch.autograd.grad(out, leaves, grad)
    torch.testing.assert_close(got_gradients, torch.autograd.grad(want, leaves, grad))


def test_packed_sequences_need_right_beginnings() -> None:
    x = heads(9, 2, 4)
    for wrong in ((0, 5, 8), (1, 5, 9), (0, 10, 9)):
        with pytest.raises(RuntimeError, match=f"cu_seq_q goes from {wrong[0]} to {wrong[-1]}"):
            kernels.flash_attention_varlen(x, x, x, torch.tensor(wrong), starts(4, 5), 9, 9)
        mask = mask_of((1, 2, 2, 9, 9, 4), {})
        mask = mask._replace(cu_seq_q=torch.tensor(wrong), cu_seq_k=starts(4, 5))
        packed = [x.transpose(0, 1)[None]] * 3
        with pytest.raises(ValueError, match=f"cu_seq_q goes from {wrong[0]} to {wrong[-1]}"):
            reference(*packed, *mask)


# ---- Dropout


def test_philox_gives_the_published_numbers() -> None:
    # Of Random123's table of known answers.
    for low, high, key, word in (
        (0, 0, 0, 0xFF1DAE59),
        (0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0x2C3F628B),
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0xDD7CE038),
    ):
        assert philox(*(torch.tensor(each) for each in (low, high, key))) == word


@pytest.mark.usefixtures("each_set")
def test_dropout_drops_what_its_seed_says() -> None:
    # With keys that all weigh the same, and values that are a unit matrix, results are weights.
    keys = 220
    zeros, unit = torch.zeros(2, 2, 5, keys), torch.eye(keys).expand(2, 2, keys, keys)
    mask = mask_of((2, 2, 2, 5, keys, keys), {"dropout": 0.25})
    assert kernels.load()
    out, _ = operators.flash_attention(zeros, torch.zeros(2, 2, keys, keys), unit, *mask)
    assert mask.seed is not None
    keeps = kept(mask.seed, 0.25, 0, (2, 2, 5, keys))
    torch.testing.assert_close(out, keeps / keys / 0.75)
    assert abs(float(keeps.double().mean()) - 0.75) < 0.03


def test_dropout_follows_its_generator() -> None:
    q, k, v = (heads(1, 2, 40, 8) for _ in range(3))

    def run(seed: int | None) -> Tensor:
        generator = None if seed is None else torch.Generator().manual_seed(seed)
        return kernels.flash_attention(q, k, v, dropout_p=0.5, generator=generator)

    assert torch.equal(run(1), run(1))
    assert not torch.equal(run(1), run(2))
    torch.manual_seed(3)
    first = run(None)
    assert not torch.equal(run(None), first)
    torch.manual_seed(3)
    assert torch.equal(run(None), first)


# ---- What holds however it is called


@pytest.mark.usefixtures("each_set")
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_number_of_threads_changes_no_bit(dtype: torch.dtype) -> None:
    leaves = [heads(3, 2, 500, 32, dtype=dtype).requires_grad_() for _ in range(3)]
    grad, before, seen = heads(3, 2, 500, 32, dtype=dtype), torch.get_num_threads(), []
    try:
        for num_threads in (1, 2, 3):
            torch.set_num_threads(num_threads)
            out = kernels.flash_attention(*leaves, is_causal=True)
            seen.append([out.detach(), *torch.autograd.grad(out, leaves, grad)])
    finally:
        torch.set_num_threads(before)
    for other in seen[1:]:
        assert all(torch.equal(a, b) for a, b in zip(seen[0], other, strict=True))


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_any_layout_is_read_as_it_lies(data: st.DataObject) -> None:
    batch, key_heads, groups = (data.draw(st.integers(0 if i == 0 else 1, 3)) for i in range(3))
    queries, keys = data.draw(st.integers(0, 12)), data.draw(st.integers(0, 12))
    head_dim = data.draw(st.integers(1, 20))

    def draw(places: int, num_heads: int) -> Tensor:
        kind = data.draw(st.sampled_from(["dense", "heads last", "part", "columns"]))
        if kind == "heads last":
            return torch.randn(batch, places, num_heads, head_dim).transpose(1, 2)
        if kind == "part":
            return torch.randn(batch, places, 3, num_heads, head_dim)[:, :, 1].transpose(1, 2)
        if kind == "columns":
            return torch.randn(batch, num_heads, head_dim, places).transpose(2, 3)
        return torch.randn(batch, num_heads, places, head_dim)

    q, grad = draw(queries, key_heads * groups), draw(queries, key_heads * groups)
    k, v = draw(keys, key_heads), draw(keys, key_heads)
    shape = (batch, key_heads * groups, key_heads, queries, keys, head_dim)
    mask = mask_of(
        shape, {"left": data.draw(st.integers(-1, 5)), "right": data.draw(st.integers(-1, 5))}
    )
    assert kernels.load()
    out, lse = operators.flash_attention(q, k, v, *mask)
    torch.testing.assert_close((out, lse), reference(q, k, v, *mask))
    assert out.transpose(1, 2).is_contiguous()
    gradients = operators.flash_attention_backward(grad, q, k, v, out, lse, *mask)
    torch.testing.assert_close(gradients, reference_backward(grad, q, k, v, out, lse, *mask))


@pytest.mark.full
def test_memory_grows_with_the_length_alone() -> None:
    """Run 16,384 places, whose scores alone would take a gibibyte, in far less."""
    program = """
import resource, torch
from torchstone import kernels
q, k, v = (torch.randn(1, 1, 16384, 16).requires_grad_() for _ in range(3))
kernels.flash_attention(q[:, :, :64], k[:, :, :64], v[:, :, :64]).sum().backward()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
kernels.flash_attention(q, k, v, is_causal=True).sum().backward()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=300
    )
    assert int(done.stdout) < 100 * 1024  # KiB
