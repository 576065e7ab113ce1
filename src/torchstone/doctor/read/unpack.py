"""Yield the bytes of a file, decompressed if necessary, up to a size limit."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from torchstone.doctor.read import limits
from torchstone.doctor.refusal import Refusal

# gzip format, with header and checksum.
_GZIP = 31
# Chunk size; a damaged chunk is decompressed in smaller pieces.
_PACKED, _PIECE, _SALVAGED = 1 << 16, 1 << 18, 1 << 6


@dataclass(slots=True, kw_only=True)
class Unpacked:
    """State of a decompression.

    Attributes:
        num_bytes: Decompressed size.
        is_cut: Whether the compressed file is truncated or damaged.
    """

    num_bytes: int = 0
    is_cut: bool = False


def unpack(path: Path, noticed: Unpacked) -> Iterator[bytes]:
    """Yield the bytes of a file in chunks.

    Raises:
        Refusal: The file is missing, unreadable, or too large.
    """
    try:
        with path.open("rb") as file:
            is_packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            plain = iter(partial(file.read, limits.PIECE_BYTES), b"")
            for piece in _gunzip(file, path, noticed) if is_packed else plain:
                noticed.num_bytes += len(piece)
                # Compressed bytes so far: a file that is still being written has no known size.
                _require_size(path, noticed.num_bytes, file.tell(), is_packed=is_packed)
                yield piece
    except OSError as error:
        raise _refusal_of(path, error) from error
    except ValueError as error:
        if isinstance(error, Refusal):
            raise
        # A path that contains a NUL character.
        raise Refusal("unreadable", file=str(path), reason=str(error)) from error


def _gunzip(file: IO[bytes], path: Path, noticed: Unpacked) -> Iterator[bytes]:
    """Yield the contents of a compressed file, up to a truncation or damage.

    ``gzip`` discards all data decompressed in the call that reaches the end of a truncated file.
    """
    packed, member = b"", zlib.decompressobj(_GZIP)
    while packed := packed or file.read(_PACKED):
        before = member.copy()
        try:
            piece = member.decompress(packed, _PIECE)
        except zlib.error as error:
            yield from (left := _salvaged(before, packed))
            if not left and not noticed.num_bytes:
                raise Refusal("no_gzip", file=str(path)) from error
            noticed.is_cut = True
            return
        if piece:
            yield piece
        packed = member.unconsumed_tail
        if member.eof:
            # Compressed members may follow each other, and tape blocks are padded with zeros.
            packed = member.unused_data.lstrip(b"\0") or file.read(_PACKED).lstrip(b"\0")
            if not packed.startswith(b"\x1f\x8b"):
                return
            member = zlib.decompressobj(_GZIP)
    if piece := member.flush():
        yield piece
    noticed.is_cut = not member.eof


def _salvaged(member: zlib._Decompress, packed: bytes) -> list[bytes]:
    """Return the data before the damage, in small pieces."""
    found = []
    while packed:
        try:
            found.append(member.decompress(packed, _SALVAGED))
        except zlib.error:
            break
        packed = member.unconsumed_tail
    return [piece for piece in found if piece]


def _require_size(path: Path, size: int, packed_size: int, *, is_packed: bool) -> None:
    if size > limits.MAX_BYTES:
        raise Refusal("too_large", file=str(path), most=limits.MAX_BYTES >> 30)
    is_deep = is_packed and size > limits.MAX_UNPACKED_RATIO * packed_size
    if is_deep and size > limits.PIECE_BYTES:
        raise Refusal("bomb", file=str(path), ratio=limits.MAX_UNPACKED_RATIO)


def _refusal_of(path: Path, error: OSError) -> Refusal:
    if isinstance(error, FileNotFoundError):
        return Refusal("no_file", file=str(path))
    if isinstance(error, IsADirectoryError):
        return Refusal("folder", file=str(path))
    return Refusal("unreadable", file=str(path), reason=error.strerror or str(error))
