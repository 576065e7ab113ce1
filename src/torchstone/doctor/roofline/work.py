"""The work of an operator: what it computes, and the bytes that it cannot avoid to move."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from torchstone.doctor.roofline.tensors import DTYPES, Tensor


class Family(IntEnum):
    """What operators have in common: how they use the card, and what can be done about them."""

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


# What tensor cores can do.
ON_TENSOR_CORES = (Family.PRODUCT, Family.CONVOLUTION, Family.ATTENTION, Family.RECURRENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Hold the work of one call of an operator.

    Attributes:
        family: What it is.
        flops: Operations, two for a multiplication and its addition; of attention for all pairs.
        read: Compulsory bytes that are read: each input once, what is expanded as it is stored.
        written: Compulsory bytes that are written.
        dtype: The type of what is computed, as in ``torch``.
        shape: The sizes that make the work, the first tensor's first.
        output: The sizes of the result; of several the first.
        dense: The share of ``flops`` that a mask leaves to be done, 1 without one.
        touched: Of an embedding's gradient, the bytes of the rows that are touched at most.
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
        """Return the bytes that are moved at least."""
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
    """Make the work of an operator that reads all of some tensors, unless ``read`` says less."""
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
