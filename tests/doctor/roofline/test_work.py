"""Work: bytes are what is read and written."""

from __future__ import annotations

import pytest

from torchstone.doctor.roofline.tensors import Tensor
from torchstone.doctor.roofline.work import Family, work

pytestmark = pytest.mark.pure


def test_all_tensors_are_read_unless_less_is_said() -> None:
    x = Tensor(shape=(4, 2), dtype="c10::Half")
    made = work(Family.COPY, [x, x], (4, 2), dtype=x.dtype, flops=0, written=16)
    less = work(Family.COPY, [x, x], (4, 2), dtype=x.dtype, flops=0, read=1, written=16)
    assert (made.num_bytes, less.num_bytes) == (48, 17)
    assert made.dtype == "float16"
