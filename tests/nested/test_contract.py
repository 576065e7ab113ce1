"""What quantizing promises: bounds of each element, blocks of their own, nothing changed twice."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from torchstone import nested
from torchstone.kernels.block_reference import FORMATS, SMALLEST_SCALE

pytestmark = [pytest.mark.torch]

DTYPES = (torch.float32, torch.float64, torch.bfloat16, torch.float16)
FORMAT_NAMES = st.sampled_from(sorted(FORMATS))
# Within a half type, also where a scale is rounded up.
POWERS = {torch.float16: (-20, 15), torch.bfloat16: (-120, 120)}


@st.composite
def values(draw: st.DrawFn) -> tuple[Tensor, str, int]:
    """Draw rows of a width, a format and a block that divides it."""
    format, block = draw(FORMAT_NAMES), draw(st.sampled_from((2, 4, 16, 32, 64)))
    rows, width = draw(st.sampled_from((0, 1, 2, 7, 33))), block * draw(st.integers(1, 3))
    dtype = draw(st.sampled_from(DTYPES))
    lowest, highest = POWERS.get(dtype, (-120, 120))
    power = draw(st.integers(lowest, highest))
    torch.manual_seed(draw(st.integers(0, 2**16)))
    return (
        (torch.randn(rows, width, dtype=torch.float64).clamp(-2, 2) * 2.0**power / 2).to(dtype),
        format,
        block,
    )


def scales_of(q: Any) -> Tensor:
    return q.scales.double().repeat_interleave(q.block, -1)


@given(values())
def test_the_error_of_each_element_is_bounded_by_its_scale(drawn: tuple[Tensor, str, int]) -> None:
    x, format, block = drawn
    q: Any = nested.quantize(x, format, block)
    back = nested.dequantize(q)
    assert back.dtype == x.dtype
    error, scales = (back.double() - x.double()).abs(), scales_of(q)
    if format == "fp8":
        allowed = torch.minimum(scales * 16, x.double().abs() / 16 + scales * 2.0**-10)
    else:
        allowed = scales / 2
    # What is added: the rounding of the value to its dtype, and what is below every scale.
    allowed = allowed * (1 + 1e-6) + back.double().abs() * rounding_of(x.dtype) + SMALLEST_SCALE / 2
    assert (error <= allowed).all()


def rounding_of(dtype: torch.dtype) -> float:
    return torch.finfo(dtype).eps / 2 if dtype in POWERS else 0.0


@given(values())
def test_quantizing_again_changes_nothing(drawn: tuple[Tensor, str, int]) -> None:
    x, format, block = drawn
    once: Any = nested.quantize(x, format, block)
    twice: Any = nested.quantize(nested.dequantize(once), format, block)
    assert torch.equal(once.scales, twice.scales)
    assert torch.equal(once.codes.view(torch.uint8), twice.codes.view(torch.uint8))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_largest_and_the_smallest_numbers_stay_finite(format: str, dtype: torch.dtype) -> None:
    top = min(torch.finfo(dtype).max, torch.finfo(torch.float32).max)
    x = torch.tensor([[top, -top], [torch.finfo(dtype).smallest_normal, 0.0]], dtype=dtype)
    q: Any = nested.quantize(x, format, 2)
    back = nested.dequantize(q)
    assert back.isfinite().all()
    assert math.isclose(float(back[0, 0]), top, rel_tol=0.01)
    again: Any = nested.quantize(back, format, 2)
    assert torch.equal(q.scales, again.scales)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("hole", [math.nan, math.inf, -math.inf])
def test_a_value_that_is_not_finite_spoils_its_block_alone(format: str, hole: float) -> None:
    x = torch.randn(3, 64)
    clean = nested.dequantize(nested.quantize(x, format, 16))
    x[1, 20] = hole
    back = nested.dequantize(nested.quantize(x, format, 16))
    assert back[1, 16:32].isnan().all()
    back[1, 16:32] = clean[1, 16:32]
    assert torch.equal(back, clean)


@pytest.mark.parametrize("format", FORMATS)
def test_zeros_are_exact_and_signs_stay(format: str) -> None:
    assert torch.equal(
        nested.dequantize(nested.quantize(torch.zeros(2, 32), format)), torch.zeros(2, 32)
    )
    # With the signs of nibbles lost, or nibbles swapped, these come back as others.
    x = (torch.arange(-7.0, 9.0).clamp(-7, 7).reshape(1, 16) * FORMATS[format].largest / 7).round()
    assert torch.equal(nested.dequantize(nested.quantize(x, format, 16)), x)


def test_codes_are_computed_with_the_rounded_scale() -> None:
    # 1 / 127 is no bfloat16: with the scale before it is rounded, 0.5 would have another code.
    x = torch.tensor([[1.0, 0.5019, -0.25, 0.0]])
    q: Any = nested.quantize(x, "int8", 4)
    assert torch.equal(q.codes, (x / q.scales.float()).round().to(torch.int8))


def test_halves_are_rounded_to_even() -> None:
    x = torch.tensor([[127.0, 0.5, 1.5, 2.5, -0.5, -1.5, 3.5, 0.0]])
    q: Any = nested.quantize(x, "int8", 8)
    assert q.codes.tolist() == [[127, 0, 2, 2, 0, -2, 4, 0]]


@settings(max_examples=20)
@given(values())
def test_the_number_of_threads_changes_no_bit(drawn: tuple[Tensor, str, int]) -> None:
    x, format, block = drawn
    before = torch.get_num_threads()
    one: Any = nested.quantize(x, format, block)
    try:
        torch.set_num_threads(2)
        two: Any = nested.quantize(x, format, block)
    finally:
        torch.set_num_threads(before)
    assert torch.equal(one.codes.view(torch.uint8), two.codes.view(torch.uint8))
    assert torch.equal(one.scales, two.scales)
