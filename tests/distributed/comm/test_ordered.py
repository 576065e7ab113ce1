import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from torchstone.distributed.comm.effects import flat_of
from torchstone.distributed.comm.ordered import OPS, ORDERS, combine, divide

pytestmark = [pytest.mark.torch]

DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int8, torch.uint16,
          torch.uint32, torch.int64, torch.complex64, torch.complex128)  # fmt: skip


def _parts(num_parts, length, dtype):
    random = torch.Generator().manual_seed(num_parts)
    values = torch.randn(num_parts, length, 2, generator=random, dtype=torch.float64) * 5
    if dtype.is_complex:
        return list(torch.view_as_complex(values).to(dtype))
    return list(values[..., 0].abs().to(dtype))


@given(
    st.integers(1, 9),
    st.integers(2, 70),
    st.integers(0, 69),
    st.sampled_from(DTYPES),
    st.sampled_from(OPS),
    st.sampled_from(ORDERS),
)
def test_the_bits_of_an_element_do_not_depend_on_the_tensor_that_it_lies_in(
    num_parts, length, cut, dtype, op, order
):
    if dtype.is_complex and op in ("min", "max"):
        return
    cut = cut % (length - 1) + 1
    parts = _parts(num_parts, length, dtype)
    whole = torch.empty(length, dtype=dtype)
    combine(parts, op=op, order=order, out=whole)
    for piece in (slice(0, cut), slice(cut, length)):
        out = torch.empty_like(whole[piece])
        combine([each[piece] for each in parts], op=op, order=order, out=out)
        assert torch.equal(flat_of(out).view(torch.uint8), flat_of(whole[piece]).view(torch.uint8))


def test_a_product_of_complex_numbers_is_that_of_torch_within_rounding():
    parts = _parts(4, 30, torch.complex128)
    out = torch.empty_like(parts[0])
    combine(parts, op="product", order="rank", out=out)
    torch.testing.assert_close(out, parts[0] * parts[1] * parts[2] * parts[3])


def test_a_sum_in_float64_is_rounded_once():
    parts = [torch.tensor([2.0**12]), torch.tensor([2.0**-12]), torch.tensor([-(2.0**12)])]
    out = torch.empty(1)
    for dtype, order, wanted in ((torch.float16, "float64", 2.0**-12), (torch.float16, "rank", 0)):
        small = [each.to(dtype) for each in parts]
        total = out.to(dtype)
        combine(small, op="sum", order=order, out=total)
        assert total.item() == wanted


def test_integers_wrap_as_their_dtype_does_and_their_mean_is_rounded_down():
    out = torch.empty(2, dtype=torch.uint64)
    largest = torch.tensor([2**64 - 1, 2**63], dtype=torch.uint64)
    combine([largest, largest], op="sum", order="rank", out=out)
    assert out.tolist() == [2**64 - 2, 0]
    total = torch.tensor([-3, 5])
    divide(total, 2)
    assert total.tolist() == [-2, 2]


def test_nan_wins_a_maximum_and_the_parts_are_left_as_they_were():
    parts = [torch.tensor([1.0, float("nan")]), torch.tensor([3.0, 2.0])]
    before = [each.clone() for each in parts]
    out = torch.empty(2)
    combine(parts, op="max", order="rank", out=out)
    assert out[0] == 3
    assert out[1].isnan()
    assert all(a.equal(b) or a.isnan().any() for a, b in zip(parts, before, strict=True))
