"""Saving and loading: safetensors files, and reading of PyTorch checkpoints.

Loading never runs code: safetensors contain only numbers, and only the classes that make up a
tensor are accepted in a checkpoint's pickle.

Source:
    The safetensors format: 8 bytes of length, a JSON header, the bytes of the tensors.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import numpy as np

from torchstone.microtorch.nn.parameter import Parameter
from torchstone.microtorch.tensor import Array, Size, Tensor, wrap

File = str | os.PathLike[str] | BinaryIO
# Dtype names in the header -> NumPy dtypes; NumPy has none for BF16.
_TYPES: dict[str, Any] = {
    "BOOL": np.bool_, "U8": np.uint8, "I8": np.int8, "U16": np.uint16, "I16": np.int16,
    "U32": np.uint32, "I32": np.int32, "U64": np.uint64, "I64": np.int64, "F16": np.float16,
    "F32": np.float32, "F64": np.float64, "C64": np.complex64, "C128": np.complex128,
    "BF16": "bfloat16",
}  # fmt: skip
_NAMES = {np.dtype(kind): name for name, kind in _TYPES.items() if name != "BF16"}
STRUCTURE, METADATA = "torchstone.structure", "__metadata__"
MAX_HEADER_BYTES = 100_000_000


class LoadError(RuntimeError):
    """Raised when a file is invalid."""


def save(obj: Any, f: File, **options: Any) -> None:
    """Save tensors, or nested dictionaries, lists and plain values with tensors, as safetensors.

    A flat dictionary of tensors becomes a file that every safetensors reader can read. A nested
    structure is described as JSON in the header's metadata.

    Raises:
        TypeError: A value is neither a tensor nor a supported plain value.
    """
    tensors: dict[str, Array] = {}
    if _is_flat(obj):
        tensors = {name: tensor.detach().array for name, tensor in obj.items()}
        metadata = None
    else:
        metadata = {STRUCTURE: json.dumps(_describe(obj, "", tensors))}
    blob = _pack(tensors, metadata)
    if isinstance(f, str | os.PathLike):
        # Write a temporary file first, so that an existing file stays intact until the new one is
        # complete.
        path = Path(f)
        beside = path.with_name(f"{path.name}.{os.getpid()}.part")
        try:
            beside.write_bytes(blob)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    else:
        f.write(blob)


def _is_flat(obj: Any) -> bool:
    return (
        isinstance(obj, dict)
        and bool(obj)
        and all(isinstance(k, str) and isinstance(v, Tensor) for k, v in obj.items())
        and METADATA not in obj
    )


def _describe(value: Any, path: str, tensors: dict[str, Array]) -> Any:
    """Describe a structure as JSON; its tensors are collected in ``tensors`` by path."""
    if isinstance(value, Tensor):
        # Keys may contain dots, so another tensor may already have this path.
        while path in tensors or path == METADATA:
            path += "'"
        tensors[path] = value.detach().array
        return {"tensor": path}
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return {"value": value}
    if isinstance(value, dict):
        return {
            "dict": [
                [_describe(key, "", {}), _describe(each, f"{path}.{key}".lstrip("."), tensors)]
                for key, each in value.items()
            ]
        }
    if isinstance(value, list | tuple):
        kind = "list" if isinstance(value, list) else "tuple"
        parts = enumerate(value)
        return {kind: [_describe(each, f"{path}.{n}".lstrip("."), tensors) for n, each in parts]}
    raise TypeError(
        f"save: {path or 'the object'} is a {type(value).__name__}; tensors, numbers, strings, "
        "None, and dictionaries, lists and tuples of these can be saved"
    )


def _pack(tensors: dict[str, Array], metadata: dict[str, str] | None) -> bytes:
    header: dict[str, Any] = {} if metadata is None else {METADATA: metadata}
    bodies, offset = [], 0
    for name, array in tensors.items():
        body = np.ascontiguousarray(array).tobytes()
        header[name] = {
            "dtype": _NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [offset, offset + len(body)],
        }
        bodies.append(body)
        offset += len(body)
    text = json.dumps(header, separators=(",", ":")).encode()
    # Padding aligns the tensors to 8 bytes.
    text += b" " * (-len(text) % 8)
    return b"".join([len(text).to_bytes(8, "little"), text, *bodies])


def load(f: File, map_location: Any = None, *, weights_only: bool = True, **options: Any) -> Any:
    """Load a file written by ``save``, other safetensors, or a PyTorch checkpoint.

    Raises:
        LoadError: The file is invalid, or its pickle refers to anything but tensors.
    """
    if isinstance(f, str | os.PathLike):
        blob = Path(f).read_bytes()
    else:
        blob = f.read()
    if blob[:4] == b"PK\x03\x04":
        return _load_checkpoint(blob)
    tensors, metadata = _unpack(blob)
    try:
        if STRUCTURE not in metadata:
            return tensors
        return _restore(json.loads(metadata[STRUCTURE]), tensors)
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise LoadError(f"load: the structure noted in the header is broken: {error}") from error


def _restore(described: Any, tensors: dict[str, Tensor]) -> Any:
    ((kind, value),) = described.items()
    if kind == "tensor":
        return tensors[value]
    if kind == "value":
        return value
    if kind == "dict":
        return {_restore(key, {}): _restore(each, tensors) for key, each in value}
    if kind in ("list", "tuple"):
        parts = [_restore(each, tensors) for each in value]
        return parts if kind == "list" else tuple(parts)
    raise ValueError(f"there is no kind {kind!r}")


def _unpack(blob: bytes) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Parse untrusted safetensors."""
    length = int.from_bytes(blob[:8], "little")
    if len(blob) < 8 or length > min(len(blob) - 8, MAX_HEADER_BYTES):
        raise LoadError(
            "load: this is neither safetensors nor a checkpoint that torch.save has written: "
            f"{len(blob)} bytes, with a header of {length}"
        )
    try:
        header = json.loads(blob[8 : 8 + length])
        metadata = header.pop(METADATA, {})
        tensors = {name: _read(entry, blob, 8 + length) for name, entry in header.items()}
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise LoadError(f"load: the header of the safetensors is broken: {error}") from error
    return tensors, metadata


def _read(entry: dict[str, Any], blob: bytes, start: int) -> Tensor:
    first, last = entry["data_offsets"]
    shape = tuple(entry["shape"])
    if not 0 <= first <= last <= len(blob) - start or min(shape, default=0) < 0:
        raise ValueError(f"the bytes {first} to {last} of {shape} are not in the file")
    body = blob[start + first : start + last]
    return wrap(_storage_of(body, _TYPES[entry["dtype"]]).reshape(shape))


# PyTorch checkpoints: a zip archive of a pickle and of the raw bytes of the storages.

_STORAGES = {
    "FloatStorage": np.float32, "DoubleStorage": np.float64, "HalfStorage": np.float16,
    "LongStorage": np.int64, "IntStorage": np.int32, "ShortStorage": np.int16,
    "CharStorage": np.int8, "ByteStorage": np.uint8, "BoolStorage": np.bool_,
    "ComplexFloatStorage": np.complex64, "ComplexDoubleStorage": np.complex128,
    "BFloat16Storage": "bfloat16",
}  # fmt: skip


def _rebuild_tensor(
    storage: Array, offset: int, size: Any, stride: Any, requires_grad: bool, *rest: Any
) -> Tensor:
    array = _strided(storage, int(offset), tuple(size), tuple(stride))
    tensor = wrap(array)
    if requires_grad:
        tensor.requires_grad = True
    return tensor


def _strided(storage: Array, offset: int, size: tuple[int, ...], stride: tuple[int, ...]) -> Array:
    """Return a strided view of a storage, checked to be within its bounds."""
    last = offset + sum((n - 1) * step for n, step in zip(size, stride, strict=True))
    empty = 0 in size
    if min((offset, *size, *stride), default=0) < 0 or (not empty and last >= storage.size):
        raise LoadError(f"load: a tensor of {size} would lie outside of its storage")
    if empty:
        return np.empty(size, storage.dtype)
    steps = [step * storage.itemsize for step in stride]
    return np.lib.stride_tricks.as_strided(storage[offset:], size, steps)


def _rebuild_parameter(data: Tensor, requires_grad: bool, hooks: Any, *rest: Any) -> Parameter:
    return Parameter(data, requires_grad=requires_grad)


class _Unpickler(pickle.Unpickler):
    """Unpickler restricted to the classes that make up a tensor."""

    _known: ClassVar[dict[tuple[str, str], Any]] = {
        ("collections", "OrderedDict"): OrderedDict,
        ("torch", "Size"): Size,
        ("torch._utils", "_rebuild_tensor_v2"): _rebuild_tensor,
        ("torch._utils", "_rebuild_tensor"): lambda s, o, n, t: _rebuild_tensor(s, o, n, t, False),
        ("torch._utils", "_rebuild_parameter"): _rebuild_parameter,
    }

    def __init__(self, file: BinaryIO, storage: Callable[[str, Any], Array]) -> None:
        super().__init__(file)
        self._storage = storage

    def find_class(self, module: str, name: str) -> Any:
        """Return an allowed global; raise an error for any other."""
        if module == "torch" and name in _STORAGES:
            return name
        try:
            return self._known[module, name]
        except KeyError:
            raise LoadError(
                f"load: the checkpoint asks for {module}.{name}; only tensors, dictionaries, "
                "lists and plain values are read, for anything else could run code"
            ) from None

    def persistent_load(self, pid: Any) -> Array:
        """Return the storage of a persistent id."""
        kind, storage_type, key, _, _ = pid
        if kind != "storage" or storage_type not in _STORAGES:
            raise LoadError(f"load: the checkpoint holds a {kind!r} of {storage_type!r}")
        return self._storage(str(key), _STORAGES[storage_type])


def _load_checkpoint(blob: bytes) -> Any:
    try:
        with zipfile.ZipFile(io.BytesIO(blob)) as archive:
            pickled = next(each for each in archive.namelist() if each.endswith("data.pkl"))
            root = pickled.removesuffix("data.pkl")
            known: dict[str, Array] = {}

            def storage(key: str, dtype: Any) -> Array:
                if key not in known:
                    known[key] = _storage_of(archive.read(f"{root}data/{key}"), dtype)
                return known[key]

            return _Unpickler(io.BytesIO(archive.read(pickled)), storage).load()
    except _SIGNS_OF_BREAKAGE as error:
        raise LoadError(f"load: the checkpoint is broken: {error}") from error


# Exceptions that a malformed pickle may raise.
_SIGNS_OF_BREAKAGE = (
    AttributeError, EOFError, ImportError, LookupError, MemoryError, OverflowError, RecursionError,
    StopIteration, TypeError, ValueError, pickle.UnpicklingError, zipfile.BadZipFile,
)  # fmt: skip


def _storage_of(body: bytes, dtype: Any) -> Array:
    if dtype == "bfloat16":
        # NumPy has no bfloat16; it is the upper half of a float32.
        bits = np.frombuffer(body, np.uint16).astype(np.uint32)
        return (bits << 16).view(np.float32)
    return np.frombuffer(body, dtype).copy()
