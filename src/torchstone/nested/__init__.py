"""Ragged batches of quantized values: a jagged tensor over a ``BlockQuantTensor``.

The jagged tensor defines the shape, the ``BlockQuantTensor`` the storage. Neither wrapper depends
on the other, and all operators of jagged tensors work: ``DISPATCH`` lists which operators keep the
tensor quantized, which read codes, and which dequantize.
"""

# The first two modules register their operators in the table.
from torchstone.nested import fused, kept  # noqa: F401
from torchstone.nested.batches import collate
from torchstone.nested.block_quant import BlockQuantTensor
from torchstone.nested.dispatch import DISPATCH, counting
from torchstone.nested.files import load, save
from torchstone.nested.jagged import (
    cat,
    dequantize,
    from_padded,
    index_sequences,
    quantize,
    tensor,
    to_padded,
)
from torchstone.nested.refusal import BadType, BadValue, Refusal
from torchstone.nested.summary import Info, info
from torchstone.nested.varlen import attention

__all__ = [
    "DISPATCH",
    "BadType",
    "BadValue",
    "BlockQuantTensor",
    "Info",
    "Refusal",
    "attention",
    "cat",
    "collate",
    "counting",
    "dequantize",
    "from_padded",
    "index_sequences",
    "info",
    "load",
    "quantize",
    "save",
    "tensor",
    "to_padded",
]
