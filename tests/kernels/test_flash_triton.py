"""Attention in Triton's interpreter, compared with plain torch: small, as the programs are slow."""

from typing import Any

import pytest
import torch
from torch import Tensor

from torchstone.kernels import attention_reference
from torchstone.kernels.attention_reference import Mask
from torchstone.kernels.triton import attention as in_triton

pytestmark = [pytest.mark.torch, pytest.mark.full]

# The interpreter cuts bfloat16 off where a GPU rounds: one more unit in the last place.
TOLERANCE = {torch.float32: 2e-5, torch.float64: 1e-11, torch.float16: 2e-3, torch.bfloat16: 2e-2}
SLOPES = torch.tensor([0.5, 0.0625])
SEED = torch.tensor(2**62 + 2**40 + 12345)
PADDING = torch.rand(2, 50, generator=torch.Generator().manual_seed(0)) < 0.3
# A row of the batch that is padding altogether.
PADDING[1] = True
FEATURES: dict[str, dict[str, Any]] = {
    "all keys": {},
    "causal": {"right": 0},
    "left": {"left": 7},
    "window": {"left": 20, "right": 3},
    "place alone": {"left": 0, "right": 0},
    "slopes": {"slopes": SLOPES},
    "padding": {"key_padding_mask": PADDING},
    "dropout": {"seed": SEED, "dropout": 0.3},
    "negative scale": {"scale": -0.3, "right": 0},
    "no scale": {"scale": 0.0, "left": 18},
    "everything": {
        "slopes": SLOPES, "key_padding_mask": PADDING, "seed": SEED, "dropout": 0.2,
        "left": 21, "right": 2, "scale": 0.4,
    },
}  # fmt: skip


@pytest.fixture
def small_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a few places many blocks, of unlike sizes for queries and keys."""
    tables = {"FORWARD": (32, 16, 4, 1), "OF_QUERY": (16, 32, 4, 1), "OF_KEY": (32, 16, 4, 1)}
    for name, tile in tables.items():
        kinds = getattr(in_triton, name)
        table = {kind: dict.fromkeys((64, 128, 256), tile) for kind in kinds}
        monkeypatch.setattr(in_triton, name, table)


def mask_of(query: Tensor, key: Tensor, **options: Any) -> Mask:
    plain: dict[str, Any] = {
        **dict.fromkeys(("key_padding_mask", "slopes", "seed", "cu_seq_q", "cu_seq_k")),
        "max_q": query.shape[2], "max_k": key.shape[2], "left": -1, "right": -1,
        "scale": query.shape[-1] ** -0.5, "dropout": 0.0,
    }  # fmt: skip
    if query.dtype == torch.float64 and "slopes" in options:
        options = options | {"slopes": options["slopes"].double()}
    return Mask(**(plain | options))


def assert_close(got: object, want: object, dtype: torch.dtype) -> None:
    torch.testing.assert_close(got, want, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


def assert_right(
    query: Tensor, key: Tensor, value: Tensor, grad: Tensor | None = None, **options: Any
) -> None:
    mask = mask_of(query, key, **options)
    out, lse = in_triton.flash_attention(query, key, value, *mask)
    want = attention_reference.reference(query, key, value, *mask)
    assert_close(out, want[0], query.dtype)
    # Logarithms are never rounded to a half type.
    assert_close(lse, want[1], torch.float64 if lse.dtype == torch.float64 else torch.float32)
    assert out.transpose(1, 2).is_contiguous()
    grad = torch.randn(query.shape).to(query.dtype) if grad is None else grad
    tensors = (grad, query, key, value, *want)
    got = in_triton.flash_attention_backward(*tensors, *mask)
    assert_close(got, attention_reference.reference_backward(*tensors, *mask), query.dtype)
    assert all(each.transpose(1, 2).is_contiguous() for each in got)


def draw(
    queries: int, keys: int, head_dim: int, dtype: torch.dtype = torch.float32, **options: Any
) -> tuple[Tensor, Tensor, Tensor]:
    """Draw two heads of queries that share one of keys, of as many sequences as are padded."""
    batch = 2 if "key_padding_mask" in options else 1
    sizes = ((2, queries), (1, keys), (1, keys))
    q, k, v = (torch.randn(batch, *size, head_dim).to(dtype) for size in sizes)
    return q, k, v


@pytest.mark.full
@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("queries", [37, 61])
@pytest.mark.parametrize("name", FEATURES)
def test_each_feature_and_all_of_them(name: str, queries: int) -> None:
    assert_right(*draw(queries, 50, 16, **FEATURES[name]), **FEATURES[name])


@pytest.mark.gate("dtype0-*")
@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("name", ["causal", "everything"])
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_each_dtype(dtype: torch.dtype, name: str) -> None:
    assert_right(*draw(37, 50, 33, dtype, **FEATURES[name]), **FEATURES[name])


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("head_dim", [1, 33, 64])
def test_widths_that_are_none_of_a_tile(head_dim: int) -> None:
    assert_right(*draw(20, 23, head_dim), right=0)


@pytest.mark.full
@pytest.mark.parametrize(
    ("kind", "head_dim", "dtype"),
    [
        ("half", 64, torch.float16),
        ("half", 128, torch.float16),
        ("half", 256, torch.float16),
        ("small half", 128, torch.float16),
        ("float32", 64, torch.float32),
        ("float64", 64, torch.float64),
    ],
)
def test_tiles_as_a_gpu_has_them(
    kind: str, head_dim: int, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(in_triton, "_kind_of", lambda _: kind)
    places = 140 if kind == "half" else 70
    assert_right(*draw(places, places + 10, head_dim, dtype), right=0)


@pytest.mark.full
@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
@pytest.mark.parametrize("name", ["all keys", "causal", "window", "slopes", "dropout"])
def test_packed_sequences_some_of_them_empty(name: str, dtype: torch.dtype) -> None:
    cu_seq_q = torch.tensor([0, 20, 20, 57, 60, 60], dtype=dtype)
    cu_seq_k = torch.tensor([0, 33, 40, 59, 59, 59], dtype=dtype)
    packed = {"cu_seq_q": cu_seq_q, "cu_seq_k": cu_seq_k, "max_q": 40, "max_k": 33}
    assert_right(*draw(60, 59, 16, **FEATURES[name]), **packed, **FEATURES[name])


@pytest.mark.full
@pytest.mark.usefixtures("small_tiles")
def test_strides_of_every_kind() -> None:
    q, k, v = (torch.randn(2, 21, heads, 16).transpose(1, 2) for heads in (4, 2, 2))
    gaps, wide = torch.randn(2, 4, 21, 32)[..., ::2], torch.randn(2, 2, 63, 16)[:, :, ::3]
    assert_right(q, k, wide, torch.ones(()).expand(q.shape))
    assert_right(gaps, k[:1].expand(k.shape), v, torch.randn(2, 16, 21, 4).transpose(1, 3))


@pytest.mark.parametrize(("batch", "queries", "keys"), [(0, 5, 5), (2, 0, 5), (2, 5, 0), (1, 0, 0)])
def test_nothing(batch: int, queries: int, keys: int) -> None:
    sizes = ((2, queries), (1, keys), (1, keys))
    q, k, v = (torch.randn(batch, *size, 8) for size in sizes)
    assert_right(q, k, v, right=0)


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("seed", [SEED, torch.tensor(2**32 - 1)])
def test_dropout_keeps_what_the_reference_keeps(seed: Tensor) -> None:
    # All probabilities are alike, and the values tell them apart.
    query, key = torch.zeros(2, 2, 40, 24), torch.zeros(2, 1, 24, 24)
    value = torch.eye(24).expand(2, 1, 24, 24)
    mask = mask_of(query, key, seed=seed, dropout=0.4)
    out, _ = in_triton.flash_attention(query, key, value, *mask)
    want = attention_reference.kept(seed, 0.4, 0, (2, 2, 40, 24))
    assert torch.equal(out != 0, want)
    torch.testing.assert_close(out, want / (24 * 0.6))


# What sees the NaN is NaN, and the interpreter warns of it.
@pytest.mark.filterwarnings("ignore:All-NaN slice:RuntimeWarning")
@pytest.mark.usefixtures("small_tiles")
def test_what_is_hidden_is_not_even_read() -> None:
    q, k, v = draw(16, 96, 16)
    # Before place 72 nobody sees a key.
    options: dict[str, Any] = {"left": 8, "right": 0}
    want = run(q, k, v, **options)
    k[:, :, :64] = v[:, :, :64] = torch.nan
    assert_all_equal(run(q, k, v, **options), want)
    q, k, v = draw(96, 16, 16)
    # Until place 80 no query sees a key.
    want = run(q, k, v, **options)
    q[:, :, :64] = torch.nan
    assert_all_equal(run(q, k, v, **options), want)
    # Keys of the future, in blocks behind the diagonal.
    q, k, v = draw(64, 64, 16)
    want = run(q, k, v, right=0)
    k[:, :, 32:] = v[:, :, 32:] = torch.nan
    got = run(q, k, v, right=0)
    assert_all_equal([each[:, :, :32] for each in got[:3]], [each[:, :, :32] for each in want[:3]])


def run(query: Tensor, key: Tensor, value: Tensor, **options: Any) -> list[Tensor]:
    mask = mask_of(query, key, **options)
    out, lse = in_triton.flash_attention(query, key, value, *mask)
    grad = torch.ones(query.shape)
    gradients = in_triton.flash_attention_backward(grad, query, key, value, out, lse, *mask)
    return [out, lse, *gradients]


def assert_all_equal(got: list[Tensor], want: list[Tensor]) -> None:
    for result, peer in zip(got, want, strict=True):
        assert torch.equal(result, peer)
