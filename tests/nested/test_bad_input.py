"""Each error names the argument, what came and what is wanted, in both languages."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from torchstone import nested
from torchstone.nested import BlockQuantTensor, Refusal

pytestmark = [pytest.mark.torch]

X = torch.randn(6, 64)
with warnings.catch_warnings():
    # Torch wants this layout no longer used.
    warnings.simplefilter("ignore", UserWarning)
    STRIDED = torch.nested.nested_tensor([X, X], layout=torch.strided)
CODES, SCALES = torch.zeros(6, 64, dtype=torch.int8), torch.ones(6, 2, dtype=torch.bfloat16)


def jagged(*offsets: int, x: Tensor = X) -> Tensor:
    return torch.nested.nested_tensor_from_jagged(x, torch.tensor(offsets))


def tensor(*lengths: int, width: int = 64, **how: object) -> Tensor:
    return nested.tensor([torch.randn(n, width) for n in lengths], **how)


def with_holes() -> Tensor:
    return torch.nested.nested_tensor_from_jagged(X, torch.tensor([0, 3, 6]), torch.tensor([2, 2]))


def heads(*lengths: int) -> Tensor:
    return tensor(*lengths).unflatten(-1, (2, 32))


# What is called, the type of the error, and words that its message has.
CALLS: dict[str, tuple[Callable[[], object], type[Exception], tuple[str, ...]]] = {
    "no tensor": (lambda: nested.quantize([1.0]), TypeError, ("t is", "list", "Tensor")),
    "integers": (lambda: nested.quantize(CODES), TypeError, ("t has", "int8", "float32")),
    "complex": (lambda: nested.quantize(X + 0j), TypeError, ("complex64", "float32")),
    "format": (lambda: nested.quantize(X, "int2"), ValueError, ("'int2'", "int8, int4, fp8")),
    "block": (lambda: nested.quantize(X, block=48), ValueError, ("block is 48", "64")),
    "block 0": (lambda: nested.quantize(X, block=0), ValueError, ("block is 0",)),
    "block 1 of int4": (
        lambda: nested.quantize(X, "int4", 1),
        ValueError,
        ("block is 1", "multiple of 2"),
    ),
    "block of floats": (lambda: nested.quantize(X, block=2.0), TypeError, ("block", "float")),
    "no dims": (lambda: nested.quantize(torch.tensor(1.0)), ValueError, ("no dimension",)),
    "no width": (lambda: nested.quantize(torch.zeros(3, 0)), ValueError, ("dimension, 0",)),
    "falling": (
        lambda: nested.quantize(jagged(0, 4, 2, 6)),
        ValueError,
        ("fall from 4 to 2", "sequence 1"),
    ),
    "not from 0": (lambda: nested.quantize(jagged(1, 6)), ValueError, ("begin with 1", "0")),
    "beyond": (lambda: nested.quantize(jagged(0, 9)), ValueError, ("end at 9", "6 rows")),
    "no features": (
        lambda: nested.quantize(jagged(0, 6, x=torch.randn(6))),
        ValueError,
        ("2 dimensions", "3"),
    ),
    "ragged dim": (
        lambda: nested.quantize(jagged(0, 6, x=torch.randn(6, 2, 64)).transpose(1, 2)),
        ValueError,
        ("ragged in dimension 2", "expected 1"),
    ),
    "holes": (lambda: nested.quantize(with_holes()), ValueError, ("holes",)),
    "strided": (
        lambda: nested.quantize(STRIDED),
        TypeError,
        ("strided", "jagged"),
    ),
    "no list": (lambda: nested.tensor(X), TypeError, ("list is of type Tensor",)),
    "empty": (lambda: nested.tensor([]), ValueError, ("list is empty",)),
    "dtype of one": (
        lambda: nested.tensor([X, X.double()]),
        TypeError,
        ("dtype of list[1]", "float64", "float32"),
    ),
    "device of one": (
        lambda: nested.tensor([X, X.to("meta")]),
        ValueError,
        ("device of list[1]", "meta", "cpu"),
    ),
    "shape of one": (lambda: nested.tensor([X, X[:, :32]]), ValueError, ("shape of list[1]", "32")),
    "row": (lambda: nested.tensor([X[0]]), ValueError, ("list[0]", "(64,)")),
    "lengths": (
        lambda: nested.from_padded(X.view(2, 3, 64), [1, 4]),
        ValueError,
        ("lengths[1] is 4", "3"),
    ),
    "few lengths": (lambda: nested.from_padded(X.view(2, 3, 64), [1]), ValueError, ("1", "2")),
    "length": (lambda: nested.from_padded(X.view(2, 3, 64), [1.0, 2]), TypeError, ("1.0",)),
    "padded": (lambda: nested.from_padded(X, [1]), ValueError, ("(6, 64)",)),
    "cut": (lambda: nested.to_padded(tensor(2, 5), length=4), ValueError, ("length is 4", "5")),
    "dense": (lambda: nested.to_padded(X), TypeError, ("t is a dense tensor", "jagged")),
    "plain": (
        lambda: nested.cat([nested.dequantize(tensor(2))]),
        TypeError,
        ("list[0]", "plain values"),
    ),
    "other format": (
        lambda: nested.cat([tensor(2), tensor(3, format="fp8")]),
        ValueError,
        ("format of list[1] is fp8", "int8"),
    ),
    "other block": (
        lambda: nested.cat([tensor(2), tensor(3, block=64)]),
        ValueError,
        ("block of list[1] is 64", "32"),
    ),
    "index": (lambda: nested.index_sequences(tensor(2), [1]), ValueError, ("indices[0] is 1",)),
    "indices": (
        lambda: nested.index_sequences(tensor(2), torch.tensor([0.0])),
        TypeError,
        ("float32",),
    ),
    "info": (lambda: nested.info(X), TypeError, ("plain values",)),
    "heads": (lambda: nested.attention(*[tensor(2)] * 3), ValueError, ("q has 3 dimensions", "4")),
    "batch": (
        lambda: nested.attention(heads(2), heads(2, 1), heads(2, 1)),
        ValueError,
        ("batch of k is 2", "1"),
    ),
    "keys": (
        lambda: nested.attention(heads(2), heads(2), heads(3)),
        ValueError,
        ("k and v",),
    ),
    "codes": (
        lambda: BlockQuantTensor(CODES.float(), SCALES, "int8", 32, torch.float32),
        TypeError,
        ("codes has dtype float32", "int8"),
    ),
    "scales": (
        lambda: BlockQuantTensor(CODES, SCALES.float(), "int8", 32, torch.float32),
        TypeError,
        ("scales has dtype float32", "bfloat16"),
    ),
    "scales of another": (
        lambda: BlockQuantTensor(CODES, SCALES[:3], "int8", 32, torch.float32),
        ValueError,
        ("(3, 2)", "(6, 2)"),
    ),
    "dtype": (
        lambda: BlockQuantTensor(CODES, SCALES, "int8", 32, torch.int8),
        TypeError,
        ("dtype has dtype int8", "float32"),
    ),
    "gradient": (
        lambda: nested.quantize(X).requires_grad_(),
        TypeError,
        ("no gradient", "quantize()"),
    ),
    "gradient of scales": (
        lambda: BlockQuantTensor(CODES, SCALES.requires_grad_(), "int8", 32, torch.float32),
        TypeError,
        ("scales takes no gradient",),
    ),
    "parameter": (
        lambda: torch.nn.Parameter(nested.quantize(X)),
        TypeError,
        ("no gradient",),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_error_says_what_came_and_what_is_wanted(name: str) -> None:
    call, kind, words = CALLS[name]
    with pytest.raises(kind) as caught:
        call()
    SCALES.requires_grad_(False)
    error = caught.value
    assert isinstance(error, Refusal)
    for word in words:
        assert word in str(error)
    assert error.message("zh") != error.message("en")
    assert error.hint("zh")


def test_an_optimizer_does_not_move_codes() -> None:
    weight = torch.nn.Parameter(tensor(2, 3))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    torch.nn.functional.linear(weight, torch.ones(1, 64)).values().sum().backward()
    with pytest.raises(TypeError, match=r"writes into a quantized tensor"):
        optimizer.step()
    assert type(torch.nn.Parameter(nested.quantize(X), requires_grad=False)) is BlockQuantTensor
