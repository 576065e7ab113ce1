"""``info``: the contents and the size of a quantized tensor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from torchstone.nested.arguments import require_jagged, require_tensor
from torchstone.nested.block_quant import BlockQuantTensor
from torchstone.nested.jagged import lengths_of
from torchstone.nested.refusal import BadType, name_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Info:
    """Properties of a quantized tensor.

    Attributes:
        format: ``int8``, ``int4`` or ``fp8``.
        block: The number of values that share a scale.
        dtype: The dtype of the values.
        num_sequences: The number of sequences of a jagged tensor; None for a dense one, as are
            ``lengths`` and ``fill``.
        lengths: The lengths of the sequences.
        fill: The fraction of a padded tensor that is not padding.
        num_values: The number of values of all sequences.
        nbytes: The number of bytes of codes, scales and offsets.
        bits_per_value: The number of bits of codes, scales and offsets per value.
    """

    format: str
    block: int
    dtype: torch.dtype
    num_sequences: int | None
    lengths: tuple[int, ...] | None
    fill: float | None
    num_values: int
    nbytes: int
    bits_per_value: float

    def as_json(self) -> dict[str, Any]:
        """Return the properties in JSON format."""
        names = self.__slots__
        return {name: getattr(self, name) for name in names} | {"dtype": name_of(self.dtype)}


def info(t: Tensor) -> Info:
    """Return the properties of a quantized tensor.

    Args:
        t: A dense or jagged tensor.

    Raises:
        TypeError: ``t`` is not quantized.
    """
    require_tensor("info", "t", t)
    if not t.is_nested:
        return _info(t, None, 0)
    require_jagged("info", "t", t)
    jagged: Any = t
    return _info(jagged._values, tuple(lengths_of(jagged)), jagged.offsets().nbytes)


def _info(values: Tensor, lengths: tuple[int, ...] | None, offsets_bytes: int) -> Info:
    if not isinstance(values, BlockQuantTensor):
        raise BadType("not_quantized", function="info", name="t", came=name_of(values.dtype))
    nbytes = values.codes.nbytes + values.scales.nbytes + offsets_bytes
    padded = len(lengths) * max(lengths, default=0) if lengths is not None else 0
    return Info(
        format=values.format,
        block=values.block,
        dtype=values.dtype,
        num_sequences=None if lengths is None else len(lengths),
        lengths=lengths,
        fill=None if lengths is None else sum(lengths) / padded if padded else 1.0,
        num_values=values.numel(),
        nbytes=nbytes,
        bits_per_value=8 * nbytes / values.numel() if values.numel() else 0.0,
    )
