"""Protocol buffers encoder for ONNX files: varints, fields and messages.

Source:
    The protocol buffers encoding; field numbers from ``onnx.proto3``.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from torchstone.microtorch.tensor import Array

MAX_BYTES = 2**31 - 1
# NumPy dtype -> ``TensorProto.DataType``.
DATA_TYPES = {
    np.dtype(kind): number
    for kind, number in (
        (np.float32, 1), (np.uint8, 2), (np.int8, 3), (np.uint16, 4), (np.int16, 5), (np.int32, 6),
        (np.int64, 7), (np.bool_, 9), (np.float16, 10), (np.float64, 11), (np.uint32, 12),
        (np.uint64, 13), (np.complex64, 14), (np.complex128, 15),
    )
}  # fmt: skip
Shape = Sequence[int | str | None]


def varint(number: int) -> bytes:
    """Encode an integer as a varint: groups of seven bits, lowest first.

    >>> varint(300).hex()
    'ac02'
    """
    # Negative numbers are encoded as 64 bits.
    number &= 2**64 - 1
    groups = bytearray()
    while number > 127:
        groups.append(number & 127 | 128)
        number >>= 7
    return bytes((*groups, number))


def field(number: int, value: Any) -> bytes:
    """Encode a field: an integer, a float, a string, bytes or a message, or a list of these."""
    if isinstance(value, list | tuple):
        return b"".join(field(number, each) for each in value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    body = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(body)) + body


def message(fields: Mapping[int, Any]) -> bytes:
    """Encode a message; fields that are None are omitted."""
    return b"".join(field(number, each) for number, each in fields.items() if each is not None)


def tensor(name: str, array: Array) -> bytes:
    """Encode a ``TensorProto``."""
    array = np.asarray(array, array.dtype.newbyteorder("<"), order="C")
    kind = DATA_TYPES[array.dtype.newbyteorder("=")]
    return message({1: array.shape, 2: kind, 8: name, 9: array.tobytes()})


def attribute(name: str, value: Any) -> bytes:
    """Encode an ``AttributeProto``: an integer, a float, a string, or a list of integers."""
    if isinstance(value, str):
        return message({1: name, 4: value, 20: 3})
    if isinstance(value, float):
        return message({1: name, 2: value, 20: 1})
    if isinstance(value, int):
        return message({1: name, 3: value, 20: 2})
    return message({1: name, 8: tuple(value), 20: 7})


def node(
    op_type: str, inputs: Sequence[str], outputs: Sequence[str], attributes: Mapping[str, Any]
) -> bytes:
    """Encode a ``NodeProto``, named after its first output."""
    found = [attribute(name, value) for name, value in attributes.items()]
    return message({1: list(inputs), 2: list(outputs), 3: f"n_{outputs[0]}", 4: op_type, 5: found})


def value_info(name: str, dtype: Any, shape: Shape) -> bytes:
    """Encode a ``ValueInfoProto``; a size may be a number, a name or unknown."""
    sizes = [message({2: size} if isinstance(size, str) else {1: size}) for size in shape]
    kind = {1: message({1: DATA_TYPES[np.dtype(dtype)], 2: message({1: sizes})})}
    return message({1: name, 2: message(kind)})


def model(
    name: str,
    nodes: Sequence[bytes],
    initializers: Sequence[bytes],
    inputs: Sequence[bytes],
    outputs: Sequence[bytes],
    opset: int,
) -> bytes:
    """Encode a ``ModelProto``.

    Raises:
        ValueError: It exceeds the size limit of protocol buffers.
    """
    graph = message(
        {1: list(nodes), 2: name, 5: list(initializers), 11: list(inputs), 12: list(outputs)}
    )
    if len(graph) > MAX_BYTES:
        raise ValueError(f"onnx.export: a file can have 2 GiB; this would have {len(graph)} bytes")
    versions = message({1: "", 2: opset})
    return message({1: 8, 2: "torchstone.microtorch", 7: graph, 8: versions})
