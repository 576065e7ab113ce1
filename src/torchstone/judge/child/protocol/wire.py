"""Wire format: values between supervisor, submission and reference as plain bytes.

Reading a frame executes nothing: it is a fixed head, a JSON tree and raw blobs, so a hostile peer
can at worst send a tree that is refused. The module is standard library only, because the
supervisor, which relays frames, must never import torch; only the functions that convert tensors to
blobs and back use torch.

A frame on the stream::

    b"TS" | kind: 1 byte | version: 1 byte | tree length: u32 | blob table length: u32 | blobs
    length: u64     (little endian) tree (JSON, UTF-8) | blob table (u64 each) | blobs, back to back

Nodes of the tree: null, booleans, integers, finite floats, strings and lists represent themselves;
everything else is an object with one key: ``t`` tuple, ``d`` dict with string keys, ``f``
non-finite float, ``y`` dtype, ``b`` bytes (blob number), ``x`` tensor ``[dtype, shape, stride,
offset, blob number]``, ``p`` the two factors of a tensor that the receiver computes. Tensors over
one storage share one blob. ``Encrypted`` bytes are encrypted when they are packed.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .encryption import Encrypted, encrypt

HEAD = struct.Struct("<2scBIIQ")
MAGIC = b"TS"
VERSION = 1
TREE_CAP = 4 << 20
TABLE_CAP = 8 * 4096
MAX_DEPTH = 64

Value = Any
# One encoder for all frames: `json.dumps` would create one for each.
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False).encode


class WireError(Exception):
    """Raised when bytes on the wire are not a frame or not a value."""


@dataclass(frozen=True, slots=True)
class Product:
    """Product of two broadcastable tensors: a large input, small on the wire.

    The receiver computes it, bit-identical to the sender. Only requests may contain one: an answer
    is what the submission computed.
    """

    left: Value
    right: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One received frame: a kind, an undecoded tree and the blobs."""

    kind: bytes
    tree: bytes
    blobs: Sequence[Any]

    def decode(
        self, *, tensor: Callable[..., Value] | None = None, products: bool = False
    ) -> Value:
        """Decode the tree. Call it once per frame, because tensors may take over its blobs.

        Args:
            tensor: Builds a tensor from dtype, shape, stride, offset and blob; by default a
                ``RawTensor`` describes it.
            products: Whether the sender is trusted to request products.
        """
        try:
            tree = json.loads(self.tree)
        except (ValueError, RecursionError) as error:
            raise WireError(f"frame {self.kind!r}: the tree is not JSON: {error}") from None
        views = [memoryview(blob) for blob in self.blobs]
        return _Reader(views, tensor or RawTensor, products=products).read(tree, 0)


@dataclass(frozen=True, slots=True)
class RawTensor:
    """Description of a tensor without torch."""

    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    blob: memoryview


def pack(kind: bytes, value: Value, *, key: bytes | None = None) -> list[Any]:
    """Convert a value to the buffers of one frame (head first), ready for ``writev``.

    Args:
        kind: The kind of the frame.
        value: The value to send.
        key: The key of the job; without it ``Encrypted`` values are refused.
    """
    writer = _Writer(key)
    tree = _encode(writer.node(value, 0)).encode()
    return _buffers(kind, tree, writer.blobs)


def repack(frame: Frame) -> list[Any]:
    """Return the buffers of a frame that is relayed unchanged."""
    return _buffers(frame.kind, frame.tree, frame.blobs)


def _buffers(kind: bytes, tree: bytes, blobs: Sequence[Any]) -> list[Any]:
    lengths = [len(blob) for blob in blobs]
    table = struct.pack(f"<{len(lengths)}Q", *lengths)
    head = HEAD.pack(MAGIC, kind, VERSION, len(tree), len(table), sum(lengths))
    return [head, tree, table, *blobs]


class _Writer:
    def __init__(self, key: bytes | None) -> None:
        self.blobs: list[Any] = []
        self._key = key
        self._storages: dict[int, int] = {}
        self._keep: list[Any] = []

    def node(self, value: Value, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise WireError(f"a value nests deeper than {MAX_DEPTH}")
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"f": repr(value)}
        if isinstance(value, dict):
            if not all(type(key) is str for key in value):
                raise WireError("a dict on the wire has string keys only")
            return {"d": {key: self.node(item, depth + 1) for key, item in value.items()}}
        if isinstance(value, tuple):
            return {"t": [self.node(item, depth + 1) for item in value]}
        if isinstance(value, list):
            return [self.node(item, depth + 1) for item in value]
        if isinstance(value, (bytes, bytearray, memoryview, Encrypted)):
            return {"b": self._blob(self._encrypted(value) if type(value) is Encrypted else value)}
        if type(value) is Product:
            return {"p": [self.node(value.left, depth + 1), self.node(value.right, depth + 1)]}
        return self._torch_node(value)

    def _encrypted(self, value: Encrypted) -> bytes:
        if self._key is None:
            raise WireError("encrypted bytes travel in a request to a job only")
        return encrypt(self._key, value.plain)

    def _blob(self, data: Any) -> int:
        self.blobs.append(data)
        return len(self.blobs) - 1

    def _torch_node(self, value: Value) -> Any:
        import torch

        if type(value) is torch.dtype:
            return {"y": str(value).removeprefix("torch.")}
        if isinstance(value, torch.Tensor):
            storage = value.untyped_storage()
            key = storage.data_ptr() if storage.nbytes() else id(storage)
            if key not in self._storages or not storage.nbytes():
                self._keep.append(storage)
                self._storages[key] = self._blob(storage_bytes(value))
            dtype = str(value.dtype).removeprefix("torch.")
            return {
                "x": [
                    dtype,
                    list(value.shape),
                    list(value.stride()),
                    value.storage_offset(),
                    self._storages[key],
                ]
            }
        raise WireError(f"a {type(value).__name__} cannot travel; send plain values and tensors")


class _Reader:
    def __init__(
        self, blobs: list[memoryview], tensor: Callable[..., Value], *, products: bool
    ) -> None:
        self.blobs = blobs
        self.tensor = tensor
        self._taken: set[int] = set()
        self._readers: dict[str, Callable[[Any, int], Value]] = {
            "t": self._read_t,
            "d": self._read_d,
            "f": self._read_f,
            "y": self._read_y,
            "b": self._read_b,
            "x": self._read_x,
        }
        if products:
            self._readers["p"] = self._read_p

    def read(self, node: Any, depth: int) -> Value:
        if depth > MAX_DEPTH:
            raise WireError(f"a value nests deeper than {MAX_DEPTH}")
        if type(node) is list:
            return [self.read(item, depth + 1) for item in node]
        if type(node) is not dict:
            return node
        if len(node) != 1:
            raise WireError("an object of the tree has exactly one key")
        ((tag, body),) = node.items()
        reader = self._readers.get(tag)
        if reader is None:
            raise WireError(f"unknown node {tag!r}")
        return reader(body, depth)

    def _read_t(self, body: Any, depth: int) -> Value:
        if not isinstance(body, list):
            raise WireError("a tuple node holds a list")
        return tuple(self.read(item, depth + 1) for item in body)

    def _read_d(self, body: Any, depth: int) -> Value:
        if not isinstance(body, dict):
            raise WireError("a dict node holds an object")
        return {key: self.read(item, depth + 1) for key, item in body.items()}

    def _read_f(self, body: Any, depth: int) -> float:
        if body not in ("nan", "inf", "-inf"):
            raise WireError(f"{body!r} is not a non-finite float")
        return float(body)

    def _read_y(self, body: Any, depth: int) -> Value:
        if not isinstance(body, str):
            raise WireError("a dtype node holds a name")
        return self.tensor(body, None, None, None, None) if self.tensor is not RawTensor else body

    def _read_b(self, body: Any, depth: int) -> bytes:
        return bytes(self._number(body))

    def _read_x(self, body: Any, depth: int) -> Value:
        if not isinstance(body, list) or len(body) != 5:
            raise WireError("a tensor node holds five entries")
        dtype, shape, stride, offset, blob = body
        whole = (
            [*shape, *stride, offset]
            if isinstance(shape, list) and isinstance(stride, list)
            else [None]
        )
        if not isinstance(dtype, str) or not all(
            type(n) is int and 0 <= n < 1 << 62 for n in whole
        ):
            raise WireError(f"a tensor node is malformed: {str(body)[:80]}")
        if len(shape) != len(stride):
            raise WireError(f"shape {shape} and stride {stride} differ in length")
        view = self._number(blob)
        # Tensors never share memory: a second tensor over one blob copies it.
        view = view.toreadonly() if blob in self._taken else view
        self._taken.add(blob)
        return self.tensor(dtype, tuple(shape), tuple(stride), offset, view)

    def _read_p(self, body: Any, depth: int) -> Value:
        left, right = self.read(body, depth + 1)
        return left * right

    def _number(self, blob: Any) -> memoryview:
        if type(blob) is not int or not 0 <= blob < len(self.blobs):
            raise WireError(f"blob {blob!r} is not in the frame")
        return self.blobs[blob]


def storage_bytes(tensor: Any) -> memoryview:
    """Return the whole storage of a CPU tensor as bytes, without a copy."""
    import torch

    flat = torch.empty(0, dtype=torch.uint8).set_(tensor.detach().untyped_storage())
    return memoryview(flat.numpy().data)


def torch_buffer(num_bytes: int) -> Any:
    """Allocate a byte buffer from torch, so that a tensor can take it over."""
    import torch

    return memoryview(torch.empty(num_bytes, dtype=torch.uint8).numpy().data)


def torch_tensor(dtype: str, shape: Any, stride: Any, offset: Any, blob: Any) -> Any:
    """Build a tensor (or, without a shape, a dtype) from a wire node.

    Every tensor owns its memory: that of the blob, if it is a writable `torch_buffer`, otherwise a
    copy. Storages filled through a buffer cannot be resized.

    Raises:
        WireError: The dtype is unknown, or the view would leave its storage.
    """
    import torch

    # Not `getattr`, which would trigger lazy imports of torch.
    kind = vars(torch).get(dtype)
    if type(kind) is not torch.dtype:
        raise WireError(f"unknown dtype {dtype!r}")
    if shape is None:
        return kind
    reach = (
        0
        if 0 in shape
        else offset + 1 + sum((n - 1) * step for n, step in zip(shape, stride, strict=True))
    )
    if reach * kind.itemsize > len(blob):
        raise WireError(
            f"shape {shape}, stride {stride}, offset {offset} leave the {len(blob)} bytes"
        )
    flat = _behind(blob)
    if flat is None:
        flat = torch.empty(len(blob), dtype=torch.uint8)
        if len(blob):
            flat.numpy().data[:] = blob
    return torch.empty(0, dtype=kind).set_(flat.untyped_storage(), offset, shape, stride)


def _behind(blob: memoryview) -> Any:
    """Return the tensor whose whole memory is a writable blob, or None."""
    import torch

    tensor = getattr(blob.obj, "base", None)
    is_all_of_it = type(tensor) is torch.Tensor and tensor.numel() == len(blob)
    return tensor if is_all_of_it and not blob.readonly else None
