"""Making, padding, joining and taking apart; what torch's jagged tensors do with quantized ones."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from torchstone import nested
from torchstone.kernels.block_reference import FORMATS

pytestmark = [pytest.mark.torch]

LENGTHS = st.lists(st.integers(0, 9), min_size=1, max_size=6)


def sequences(lengths: list[int], width: int = 64) -> list[Tensor]:
    torch.manual_seed(1)
    return [torch.randn(n, width) for n in lengths]


def values_of(t: Tensor) -> Tensor:
    return nested.dequantize(t).values()


def test_the_shape_is_that_of_a_jagged_tensor_and_the_values_are_quantized() -> None:
    t: Any = nested.tensor(sequences([3, 7, 0, 5]), format="int4")
    assert t.is_nested
    assert (t.size(0), t.size(2), t.dtype) == (4, 64, torch.float32)
    assert type(t._values) is nested.BlockQuantTensor
    assert "int4" in repr(t._values)
    assert t.offsets().tolist() == [0, 3, 10, 10, 15]


@settings(max_examples=20)
@given(LENGTHS, st.sampled_from(sorted(FORMATS)), st.integers(1, 6))
def test_cat_of_the_parts_is_the_whole(lengths: list[int], format: str, count: int) -> None:
    t: Any = nested.tensor(sequences(lengths), format=format)
    for parts in (t.chunk(count, 0), [nested.index_sequences(t, [i]) for i in range(len(lengths))]):
        whole: Any = nested.cat([*parts])
        assert whole.offsets().tolist() == t.offsets().tolist()
        assert torch.equal(whole._values.scales, t._values.scales)
        assert torch.equal(whole._values.codes.view(torch.uint8), t._values.codes.view(torch.uint8))


@settings(max_examples=20)
@given(LENGTHS, st.floats(-2, 2), st.integers(0, 3))
def test_padding_goes_there_and_back(lengths: list[int], padding: float, more: int) -> None:
    t: Any = nested.tensor(sequences(lengths))
    longest = max(lengths)
    padded = nested.to_padded(t, padding, longest + more)
    assert padded.shape == (len(lengths), longest + more, 64)
    for row, sequence in zip(padded, nested.dequantize(t).unbind(), strict=True):
        assert torch.equal(row[: len(sequence)], sequence)
        assert (row[len(sequence) :] == torch.tensor(padding)).all()
    again = nested.from_padded(padded, torch.tensor(lengths))
    assert torch.equal(values_of(again), values_of(t))


def test_padding_is_as_long_as_the_longest_sequence_and_not_as_all_of_them() -> None:
    # Without the longest length in the tensor, torch pads to the sum of lengths.
    t: Any = nested.tensor(sequences([3, 7, 2, 5]))
    assert t.to_padded_tensor(0.0).shape == (4, 7, 64)
    wrong = torch.nested.nested_tensor_from_jagged(t.values(), t.offsets())
    assert wrong.to_padded_tensor(0.0).shape == (4, 17, 64)


def test_sequences_are_chosen_in_any_order() -> None:
    xs = sequences([3, 0, 5])
    t = nested.index_sequences(nested.tensor(xs), torch.tensor([2, -3, 2, 1]))
    assert [len(each) for each in t.unbind()] == [5, 3, 5, 0]
    assert type(t._values) is nested.BlockQuantTensor
    back = nested.dequantize(nested.quantize(xs[2]))
    assert torch.equal(nested.dequantize(t[0]), back)
    assert nested.index_sequences(t, []).size(0) == 0


def test_results_have_the_nested_int_of_their_argument() -> None:
    t: Any = nested.tensor(sequences([3, 7]))
    plain = nested.dequantize(t)
    assert t.shape == plain.shape
    assert torch.equal((t + plain).values(), 2 * plain.values())
    # Offsets that are equal, and another object, are another nested int.
    other = torch.nested.nested_tensor_from_jagged(plain.values(), t.offsets().clone())
    with pytest.raises(RuntimeError):
        t + other


def test_a_sequence_of_any_length() -> None:
    x = torch.randn(100_000, 2)
    t: Any = nested.tensor([x[:1], x, x[:0]], block=2)
    assert nested.info(t).lengths == (1, 100_000, 0)
    empty = nested.tensor([x[:0]], block=2)
    assert nested.to_padded(empty).shape == (1, 0, 2)
    assert nested.cat([empty, t]).size(0) == 4


def test_info_tells_what_a_tensor_weighs() -> None:
    told = nested.info(nested.tensor(sequences([3, 7, 2]), format="int4"))
    assert (told.format, told.block, told.dtype) == ("int4", 32, torch.float32)
    assert (told.num_sequences, told.lengths, told.fill) == (3, (3, 7, 2), 12 / 21)
    # Two codes in a byte, a scale of two bytes for 32 values, offsets of eight bytes.
    assert told.nbytes == 12 * 64 // 2 + 12 * 2 * 2 + 4 * 8
    assert told.bits_per_value == 8 * told.nbytes / (12 * 64)
    dense = nested.info(nested.quantize(torch.randn(2, 64)))
    assert (dense.num_sequences, dense.lengths, dense.nbytes) == (None, None, 128 + 8)


def test_copies_are_quantized_and_of_their_own() -> None:
    t: Any = nested.tensor(sequences([3, 7]))
    for each in (copy.deepcopy(t), t.clone()):
        assert type(each._values) is nested.BlockQuantTensor
        assert torch.equal(values_of(each), values_of(t))
        assert each._values.codes.data_ptr() != t._values.codes.data_ptr()


@pytest.mark.parametrize("is_causal", [False, True])
def test_attention_is_that_of_each_sequence(is_causal: bool) -> None:
    lengths = [3, 1, 0, 9]
    q, k, v = (nested.tensor(sequences(lengths, 64)).unflatten(-1, (2, 32)) for _ in range(3))
    out = nested.attention(q, k, v, is_causal, 0.3)
    assert out.shape == q.shape
    for row, *given_ in zip(*(nested.dequantize(t).unbind() for t in (out, q, k, v)), strict=True):
        heads = (each.transpose(0, 1) for each in given_)
        wanted = torch.nn.functional.scaled_dot_product_attention(
            *heads, is_causal=is_causal, scale=0.3
        )
        torch.testing.assert_close(row, wanted.transpose(0, 1))


class Dequantizations(TorchDispatchMode):
    """Count what is dequantized inside of it."""

    def __init__(self) -> None:
        super().__init__()
        self.num = 0

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        self.num += "block_dequantize" in str(func)
        return func(*args, **(kwargs or {}))


def test_what_is_query_key_and_value_is_dequantized_once() -> None:
    t = nested.tensor(sequences([3, 0, 9])).unflatten(-1, (2, 32))
    with Dequantizations() as apart:
        wanted = nested.attention(t, t.clone(), t.clone())
    with Dequantizations() as together:
        out = nested.attention(t, t, t)
    assert torch.equal(values_of(out), values_of(wanted))
    assert (apart.num, together.num) == (3, 1)
