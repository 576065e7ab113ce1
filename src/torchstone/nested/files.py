"""Files of quantized tensors: safetensors, with a versioned header.

A file contains ``codes``, ``scales`` and, for a jagged tensor, ``offsets``. Under the metadata key
``torchstone.nested`` is a JSON object with version, format, block and dtype. Reading executes no
code from the file.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any, TypeAlias

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as packed
from torch import Tensor
from torch.nested._internal.nested_tensor import NestedTensor, _rebuild_njt

from torchstone.nested.arguments import require_jagged, require_offsets, require_tensor
from torchstone.nested.block_quant import LOGICAL, BlockQuantTensor
from torchstone.nested.jagged import from_lengths
from torchstone.nested.refusal import BadType, BadValue, Refusal, listed, name_of

VERSION = 1
HEADER = "torchstone.nested"
_DTYPES = {name_of(dtype): dtype for dtype in LOGICAL}
_KEYS = {"version", "format", "block", "dtype"}
# These types make ``torch.load(weights_only=True)`` accept files of ``torch.save``.
torch.serialization.add_safe_globals([BlockQuantTensor, NestedTensor, _rebuild_njt])
StrPath: TypeAlias = str | os.PathLike[str]


def save(t: Tensor, path: StrPath) -> None:
    """Write a quantized tensor to a new file; an interrupted write leaves none.

    Args:
        t: A dense or jagged tensor.
        path: The file, which must not exist.

    Raises:
        TypeError: ``t`` is not quantized.
        ValueError: The file exists, or its folder cannot be written.
    """
    require_tensor("save", "t", t)
    values, offsets = t, None
    if t.is_nested:
        require_jagged("save", "t", t)
        jagged: Any = t
        values, offsets = jagged._values, jagged.offsets()
    if not isinstance(values, BlockQuantTensor):
        raise BadType("not_quantized", function="save", name="t", came=name_of(values.dtype))
    tensors = {"codes": values.codes, "scales": values.scales}
    if offsets is not None:
        tensors["offsets"] = offsets.to(torch.int64)
    header = {
        "version": VERSION,
        "format": values.format,
        "block": values.block,
        "dtype": name_of(values.dtype),
    }
    dense = {name: each.detach().cpu().contiguous() for name, each in tensors.items()}
    _write(Path(path), packed(dense, {HEADER: json.dumps(header)}))


def _write(path: Path, content: bytes) -> None:
    """Write a temporary file, and link it to its final name, which fails if that exists."""
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            os.link(file.name, path)
    except FileExistsError:
        raise BadValue("file_exists", path=str(path)) from None
    except OSError as error:
        raise BadValue("file_unwritable", path=str(path), reason=_words(error)) from None


def load(path: StrPath) -> Tensor:
    """Read a quantized tensor from a file that ``save`` has written.

    Args:
        path: The file.

    Raises:
        ValueError: There is no such file, or it is damaged, of another kind, or of a newer version.
    """
    path = Path(path)
    if not path.is_file():
        raise BadValue("file_missing", path=str(path))
    try:
        with safe_open(path, framework="pt") as file:
            header = _header(path, file.metadata() or {})
            _require_names(path, set(file.keys()))
            # Clone, because memory-mapped tensors would change with the file.
            tensors = {name: file.get_tensor(name).clone() for name in file.keys()}
    except SafetensorError as error:
        raise BadValue("file_foreign", path=str(path), reason=str(error)) from None
    except OSError as error:
        raise BadValue("file_foreign", path=str(path), reason=_words(error)) from None
    try:
        return _assemble(tensors, header)
    except Refusal as refusal:
        raise BadValue("file_damaged", path=str(path), reason=refusal) from None


def _header(path: Path, metadata: dict[str, str]) -> dict[str, Any]:
    if HEADER not in metadata:
        raise BadValue("file_unmarked", path=str(path), name=HEADER)
    try:
        header = json.loads(metadata[HEADER])
    except ValueError as error:
        raise BadValue("file_damaged", path=str(path), reason=str(error)) from None
    version = header.get("version") if isinstance(header, dict) else None
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise BadValue("file_version", path=str(path), came=repr(version), wanted=VERSION)
    if version > VERSION:
        raise BadValue("file_newer", path=str(path), came=version, wanted=VERSION)
    if set(header) != _KEYS or header["dtype"] not in [*_DTYPES]:
        came, wanted = json.dumps(header)[:200], listed(sorted(_KEYS))
        raise BadValue("file_header", path=str(path), came=came, wanted=wanted)
    return dict(header)


def _require_names(path: Path, names: set[str]) -> None:
    if names not in ({"codes", "scales"}, {"codes", "scales", "offsets"}):
        raise BadValue("file_tensors", path=str(path), came=listed(sorted(names)) or "-")


def _assemble(tensors: dict[str, Tensor], header: dict[str, Any]) -> Tensor:
    dtype = _DTYPES[header["dtype"]]
    values = BlockQuantTensor(
        tensors["codes"], tensors["scales"], header["format"], header["block"], dtype
    )
    if "offsets" not in tensors:
        return values
    offsets = tensors["offsets"]
    if offsets.dtype != torch.int64:
        came = name_of(offsets.dtype)
        raise BadType("dtype", function="load", name="offsets", came=came, wanted="int64")
    if values.dim() < 2:
        raise BadValue("no_features", function="load", name="codes", came=values.dim() + 1)
    require_offsets("load", "codes", offsets, values.shape[0])
    return from_lengths(values, offsets.diff().tolist())


def _words(error: OSError) -> str:
    return error.strerror or str(error)
