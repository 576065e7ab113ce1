"""Packed and plain files, cut, damaged, too large, or not there."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from torchstone.doctor.read import limits
from torchstone.doctor.read.unpack import Unpacked, unpack
from torchstone.doctor.refusal import Refusal

pytestmark = pytest.mark.pure

TEXT = bytes(range(256)) * 400


def unpacked(path: Path) -> tuple[bytes, Unpacked]:
    noticed = Unpacked()
    return b"".join(unpack(path, noticed)), noticed


def refused(path: Path) -> str:
    with pytest.raises(Refusal) as caught:
        unpacked(path)
    assert str(path) in caught.value.message("en") or "\0" in str(path)
    return caught.value.code


@pytest.mark.parametrize("size", [1, 7, 4096, 1 << 24])
def test_plain_and_packed_files_have_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(limits, "PIECE_BYTES", size)
    plain, packed = tmp_path / "a", tmp_path / "b"
    plain.write_bytes(TEXT[:2000])
    # Two members, as `cat a.gz b.gz` makes them.
    packed.write_bytes(gzip.compress(TEXT[:900]) + gzip.compress(TEXT[900:2000]))
    for path in (plain, packed):
        found, noticed = unpacked(path)
        assert found == TEXT[:2000]
        assert (noticed.num_bytes, noticed.is_cut) == (2000, False)


def test_a_packed_file_that_is_cut_gives_what_comes_before(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    whole = gzip.compress(os.urandom(50_000))
    for size in (3, 15, 30_000, len(whole) - 1):
        path.write_bytes(whole[:size])
        found, noticed = unpacked(path)
        assert noticed.is_cut
        assert len(found) <= 50_000


def test_a_packed_file_that_is_damaged_gives_what_comes_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "PIECE_BYTES", 4096)
    path = tmp_path / "a.gz"
    packed = bytearray(gzip.compress(os.urandom(50_000)))
    packed[-5] ^= 0xFF
    path.write_bytes(packed)
    found, noticed = unpacked(path)
    assert noticed.is_cut
    assert found


def test_what_only_begins_like_gzip_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(b"\x1f\x8b" + b"no gzip at all, though it is long enough to be one")
    assert refused(path) == "no_gzip"


def test_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PIECE_BYTES", 1 << 16)
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(bytes(1 << 22)))
    assert refused(path) == "bomb"


def test_a_file_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_BYTES", 99)
    path = tmp_path / "a"
    path.write_bytes(bytes(100))
    assert refused(path) == "too_large"


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path / "none") == "no_file"
    assert refused(tmp_path) == "folder"
    assert refused(Path("a\0b")) == "unreadable"
    assert refused(tmp_path / ("x" * 300)) == "unreadable"
