"""Yield the bytes of a file, unpacked if it is packed, and never more than is read of a trace."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from torchstone.doctor.read import limits
from torchstone.doctor.refusal import Refusal

# The form of gzip, with its header and checksum.
_GZIP = 31
# So much is packed and unpacked at a time; what a damaged piece holds is unpacked in smaller ones.
_PACKED, _PIECE, _SALVAGED = 1 << 16, 1 << 18, 1 << 6


@dataclass(slots=True, kw_only=True)
class Unpacked:
    """Hold what was noticed while a file was unpacked.

    Attributes:
        num_bytes: The unpacked size.
        is_cut: The packed file ends in the middle, or is damaged there.
    """

    num_bytes: int = 0
    is_cut: bool = False


def unpack(path: Path, noticed: Unpacked) -> Iterator[bytes]:
    """Yield the bytes of a file in pieces.

    Raises:
        Refusal: There is no such file, it cannot be read, or it is too large.
    """
    try:
        with path.open("rb") as file:
            is_packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            plain = iter(partial(file.read, limits.PIECE_BYTES), b"")
            for piece in _gunzip(file, path, noticed) if is_packed else plain:
                noticed.num_bytes += len(piece)
                # The packed bytes so far: of a file that is being written no size is known.
                _require_size(path, noticed.num_bytes, file.tell(), is_packed=is_packed)
                yield piece
    except OSError as error:
        raise _refusal_of(path, error) from error
    except ValueError as error:
        if isinstance(error, Refusal):
            raise
        # A path with a NUL in it.
        raise Refusal("unreadable", file=str(path), reason=str(error)) from error


def _gunzip(file: IO[bytes], path: Path, noticed: Unpacked) -> Iterator[bytes]:
    """Yield what a packed file holds, up to where it is cut or damaged.

    ``gzip`` drops all that it has unpacked in a call that meets the end of a file that is cut.
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
            # Several packed files may follow each other, and zeros fill the blocks of a tape.
            packed = member.unused_data.lstrip(b"\0") or file.read(_PACKED).lstrip(b"\0")
            if not packed.startswith(b"\x1f\x8b"):
                return
            member = zlib.decompressobj(_GZIP)
    if piece := member.flush():
        yield piece
    noticed.is_cut = not member.eof


def _salvaged(member: zlib._Decompress, packed: bytes) -> list[bytes]:
    """Return what is before the damage, in small pieces."""
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
