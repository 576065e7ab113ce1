"""How attention is called: what its registration promises, and what it refuses."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from tests.kernels.attention_cases import heads, mask_of, tensors_of
from torchstone import kernels
from torchstone.kernels.attention_reference import reference
from torchstone.kernels.library import instruction_set

pytestmark = pytest.mark.torch

operators = torch.ops.torchstone


@pytest.mark.parametrize(
    "wanted", [{}, {"padding": True, "right": 0, "slopes": True}, {"dropout": 0.1}]
)
def test_the_operators_keep_what_their_registration_promises(wanted: dict[str, Any]) -> None:
    assert kernels.load()
    shape = (2, 4, 2, 6, 9, 8)
    mask = mask_of(shape, wanted)
    *inputs, grad = tensors_of(shape, torch.float32)
    leaves = [each.requires_grad_() for each in inputs]
    torch.library.opcheck(operators.flash_attention.default, (*leaves, *mask))
    plain_inputs = [each.detach() for each in inputs]
    out, lse = operators.flash_attention(*plain_inputs, *mask)
    arguments = (grad, *plain_inputs, out, lse, *mask)
    torch.library.opcheck(operators.flash_attention_backward.default, arguments)


@pytest.mark.full
def test_torch_compile_takes_it_whole() -> None:
    def function(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return kernels.flash_attention(q * 2, k, v, is_causal=True, window_size=(4, -1)).tanh()

    compiled = torch.compile(function, fullgraph=True, dynamic=True)
    for places in (7, 12):
        leaves = [heads(2, 2, places, 8).requires_grad_() for _ in range(3)]
        grad = heads(2, 2, places, 8)
        got, want = compiled(*leaves), function(*leaves)
        torch.testing.assert_close(got, want)
        torch.testing.assert_close(
            torch.autograd.grad(got, leaves, grad), torch.autograd.grad(want, leaves, grad)
        )


@pytest.mark.full
def test_torch_compile_drops_anew_each_time() -> None:
    compiled = torch.compile(kernels.flash_attention, fullgraph=True)
    q, k, v = (heads(1, 1, 30, 8) for _ in range(3))
    results = [compiled(q, k, v, dropout_p=0.5) for _ in range(2)]
    assert not torch.equal(*results)


def test_autocast_brings_it_to_the_lower_dtype() -> None:
    q, k, v = (heads(1, 2, 6, 8).requires_grad_() for _ in range(3))
    slopes = torch.rand(2)
    with torch.autocast("cpu", torch.bfloat16):
        out = kernels.flash_attention(q, k.bfloat16(), v, alibi_slopes=slopes)
        assert out.dtype == F.scaled_dot_product_attention(q, k, v).dtype == torch.bfloat16
    (gradient,) = torch.autograd.grad(out.sum(), q)
    assert gradient.dtype == torch.float32
    want = kernels.flash_attention(*(each.bfloat16() for each in (q, k, v)), alibi_slopes=slopes)
    assert torch.equal(out, want)


def test_the_reference_serves_where_there_is_no_kernel() -> None:
    assert instruction_set() != "reference"
    shape = (2, 4, 2, 6, 9, 8)
    mask = mask_of(shape, {"padding": True, "dropout": 0.2})
    *inputs, _ = tensors_of(shape, torch.float32)
    got, want = operators.flash_attention(*inputs, *mask), reference(*inputs, *mask)
    torch.testing.assert_close(got, want)


_X, _LONG = torch.zeros(2, 4, 6, 8), torch.zeros(1, 1, 2, 257)
WRONG: list[tuple[tuple[Any, ...], dict[str, Any], type[Exception], str]] = [
    (([1.0], _X, _X), {}, TypeError, "query must be a Tensor, not list"),
    ((_X[0], _X, _X), {}, ValueError, r"query has shape \(4, 6, 8\); expected \(batch, heads, pl"),
    ((_X, _X.double(), _X), {}, TypeError, "key is torch.float64, but query torch.float32"),
    ((_X, _X.to("meta"), _X), {}, ValueError, "key is on meta, but query on cpu"),
    ((_LONG, _LONG, _LONG), {}, ValueError, "query has head_dim 257; expected 1 to 256"),
    ((_X, _X[:, :3], _X[:, :3]), {}, ValueError, "key has 3 heads, which do not divide the 4 of"),
    ((_X, _X[:1], _X[:1]), {}, ValueError, r"key has shape \(1, 4, 6, 8\); expected \(2, 4, 6, 8"),
    ((_X, _X, _X[:, :2]), {}, ValueError, r"value has shape \(2, 2, 6, 8\); expected \(2, 4, 6"),
    (
        (_X, _X, _X), {"dropout_p": 1.0},
        ValueError, "dropout_p is 1.0; expected at least 0, below 1",
    ),
    (
        (_X, _X, _X), {"key_padding_mask": torch.zeros(2, 5, dtype=torch.bool)},
        ValueError, r"key_padding_mask has shape \(2, 5\); expected \(2, 6\)",
    ),
    (
        (_X, _X, _X), {"key_padding_mask": torch.zeros(2, 6)},
        TypeError, "key_padding_mask is torch.float32; expected torch.bool, true where",
    ),
    (
        (_X, _X, _X), {"alibi_slopes": torch.zeros(3)},
        ValueError, r"alibi_slopes has shape \(3,\); expected \(4,\)",
    ),
    (
        (_X, _X, _X), {"alibi_slopes": torch.zeros(4, dtype=torch.float64)},
        TypeError, "alibi_slopes is torch.float64; expected torch.float32",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("inputs", "named", "error", "message"), WRONG)
def test_bad_arguments_are_named(
    inputs: tuple[Any, ...], named: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        kernels.flash_attention(*inputs, **named)


def test_the_operator_reads_no_memory_that_is_not_its_own() -> None:
    mask = mask_of((2, 4, 4, 6, 6, 8), {})
    assert kernels.load()
    with pytest.raises(RuntimeError, match="key does not go with query"):
        operators.flash_attention(_X, _X[:, :3], _X[:, :3], *mask)
    with pytest.raises(RuntimeError, match="slopes has not 4 numbers"):
        operators.flash_attention(_X, _X, _X, *mask._replace(slopes=torch.zeros(2)))
