"""Work of an operator: its operations, and the compulsory bytes that it moves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from torchstone.doctor.roofline.tensors import DTYPES, Tensor


class Family(IntEnum):
    """Family of operators with the same use of the device and the same remedies."""

    VIEW = 0
    PRODUCT = 1
    CONVOLUTION = 2
    ATTENTION = 3
    RECURRENT = 4
    NORM = 5
    SOFTMAX = 6
    POINTWISE = 7
    REDUCTION = 8
    COPY = 9
    JOIN = 10
    INDEX = 11
    EMBEDDING = 12
    TABLE_GRADIENT = 13
    POOL = 14
    LOSS = 15
    RANDOM = 16
    FILL = 17
    OPTIMIZER = 18
    COMPILED = 19


# Families that may use tensor cores.
ON_TENSOR_CORES = (Family.PRODUCT, Family.CONVOLUTION, Family.ATTENTION, Family.RECURRENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Work of one call of an operator.

    Attributes:
        family: Family of the operator.
        flops: Operations; a multiply-add counts as two. Attention counts all pairs.
        read: Compulsory bytes read: each input once, expanded inputs as stored.
        written: Compulsory bytes written.
        dtype: Dtype of the computation, as in ``torch``.
        shape: Sizes that determine the work, those of the first tensor first.
        output: Sizes of the result, or of the first result.
        dense: Share of ``flops`` that a mask leaves; 1 without a mask.
        touched: For an embedding's gradient, the upper bound of the bytes of touched rows.
    """

    family: Family
    flops: int
    read: int
    written: int
    dtype: str
    shape: tuple[tuple[int, ...], ...]
    output: tuple[int, ...]
    dense: float = 1.0
    touched: int = 0

    @property
    def num_bytes(self) -> int:
        """Return the compulsory bytes."""
        return self.read + self.written


def work(
    family: Family,
    tensors: Iterable[Tensor],
    output: tuple[int, ...],
    *,
    dtype: str,
    flops: int,
    read: int | None = None,
    written: int,
    dense: float = 1.0,
    touched: int = 0,
) -> Work:
    """Create the work of an operator that reads the given tensors, or ``read`` bytes if given."""
    listed = list(tensors)
    return Work(
        family=family,
        flops=flops,
        read=sum(each.num_bytes for each in listed) if read is None else read,
        written=written,
        dtype=DTYPES.get(dtype, dtype),
        shape=tuple(each.shape for each in listed),
        output=output,
        dense=dense,
        touched=touched,
    )
