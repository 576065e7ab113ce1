from typing import Any

import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


def test_tensors_among_numbers_bring_their_types() -> None:
    for dtypes in (["float64", "float64"], ["float16", "int64"], ["int8", "bool"]):
        ours, theirs = (
            t.tensor([t.ones(1, dtype=getattr(t, each)) for each in dtypes]) for t in (micro, torch)
        )
        assert str(ours.dtype) == str(theirs.dtype)
        assert ours.tolist() == theirs.tolist()
    with pytest.raises(ValueError, match="only one element tensors"):
        micro.tensor([micro.ones(2)])


@pytest.mark.parametrize(("data", "dtype"), [([300], "int8"), ([[1.5], [1e10]], "int32")])
def test_lists_of_numbers_that_the_type_does_not_hold_are_refused(data: Any, dtype: str) -> None:
    for t in (micro, torch):
        with pytest.raises(RuntimeError, match=f"to type {dtype} without overflow"):
            t.tensor(data, dtype=getattr(t, dtype))


def test_whole_numbers_over_63_bits_are_kept_by_uint64_alone() -> None:
    data = [[1, 2**63 + 1], [2**64 - 1, 5]]
    for t in (micro, torch):
        assert t.tensor(data, dtype=t.uint64).tolist() == data
        assert t.asarray(data, dtype=t.float32).tolist() == [[1, 2.0**63], [2.0**64, 5]]
        for dtype in (None, t.int64, t.int32):
            with pytest.raises(ValueError, match="Overflow when unpacking long long"):
                t.tensor(data, dtype=dtype)
        with pytest.raises(OverflowError):
            t.tensor([-1, 2**63], dtype=t.uint64)
