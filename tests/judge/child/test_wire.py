"""Values survive the wire bit by bit, and nothing that is no value gets through it."""

import json
import math
import socket
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.judge.child import wire

pytestmark = pytest.mark.pure

BLOB_CAP = 1 << 16
text = st.text(st.characters(codec="utf-8"), max_size=8)
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | text | st.binary(max_size=64),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(text, inner, max_size=4)
    ),
    max_leaves=20,
)
json_trees = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | text,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.sampled_from("tdfybxz") | text, inner, max_size=2)
    ),
    max_leaves=25,
)


def joined(buffers: list[Any]) -> bytes:
    return b"".join(bytes(memoryview(buffer).cast("B")) for buffer in buffers if len(buffer))


def read(data: bytes, *, blob_cap: int = BLOB_CAP, step: int = 1 << 16) -> wire.Frame | None:
    """Feed a reader in steps, as a stream would."""
    reader = wire.FrameReader(blob_cap=blob_cap)
    while data:
        view = reader.buffer()
        size = min(step, len(view), len(data))
        view[:size] = data[:size]
        data = data[size:]
        frame = reader.advance(size)
        if frame is not None:
            assert not data, "the reader stops where the frame ends"
            return frame
    return None


def same(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return struct.pack("d", a) == struct.pack("d", b) or (math.isnan(a) and math.isnan(b))
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    return bool(a == b)


@given(plain, st.integers(1, 40))
def test_plain_values_come_back_as_they_were(value: Any, step: int) -> None:
    frame = read(joined(wire.pack(b"A", value)), step=step)
    assert frame is not None
    assert frame.kind == b"A"
    assert same(frame.decode(), value)
    assert joined(wire.repack(frame)) == joined(wire.pack(b"A", value))


@pytest.mark.parametrize("value", [{1: 2}, {1, 2}, object(), 1j, [[object()]], range(3)])
def test_what_is_no_value_is_not_sent(value: Any) -> None:
    with pytest.raises(wire.WireError):
        wire.pack(b"A", value)


def test_nesting_is_bounded_on_both_sides() -> None:
    value: Any = 1
    for _ in range(wire.MAX_DEPTH + 1):
        value = [value]
    with pytest.raises(wire.WireError, match="nests deeper"):
        wire.pack(b"A", value)
    for depth in (wire.MAX_DEPTH + 2, 100_000):
        tree = b"[" * depth + b"]" * depth
        frame = wire.Frame(kind=b"A", tree=tree, blobs=[])
        with pytest.raises(wire.WireError):
            frame.decode()


@given(json_trees, st.lists(st.binary(max_size=8), max_size=3))
def test_a_hostile_tree_is_a_value_or_a_wire_error(tree: Any, blobs: list[bytes]) -> None:
    frame = wire.Frame(
        kind=b"A",
        tree=json.dumps(tree).encode(),
        blobs=blobs,
    )
    try:
        frame.decode()
    except wire.WireError:
        pass


@given(st.binary(max_size=200))
def test_any_bytes_are_a_frame_or_a_wire_error(data: bytes) -> None:
    try:
        read(data)
    except (wire.WireError, AssertionError):
        pass


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1), st.integers(0, 2**64 - 1))
def test_no_length_makes_the_reader_allocate_beyond_its_caps(
    tree: int, table: int, blobs: int
) -> None:
    sizes: list[int] = []

    def allocate(size: int) -> bytearray:
        sizes.append(size)
        return bytearray(size)

    reader = wire.FrameReader(blob_cap=BLOB_CAP, allocate=allocate)
    head = wire.HEAD.pack(wire.MAGIC, b"A", wire.VERSION, tree, table, blobs)
    reader.buffer()[:] = head
    allowed = (
        tree <= wire.TREE_CAP and table <= wire.TABLE_CAP and table % 8 == 0 and blobs <= BLOB_CAP
    )
    if allowed:
        reader.advance(len(head))
        assert len(reader.buffer()) <= max(wire.TREE_CAP, wire.TABLE_CAP, BLOB_CAP)
    else:
        with pytest.raises(wire.WireError):
            reader.advance(len(head))
    assert all(size <= BLOB_CAP for size in sizes)


@pytest.mark.parametrize("table", [(4, 5), (1 << 63, 1 << 63), (8, 0, 1)])
def test_a_table_that_does_not_add_up_is_refused(table: tuple[int, ...]) -> None:
    packed = struct.pack(f"<{len(table)}Q", *table)
    data = wire.HEAD.pack(wire.MAGIC, b"A", 1, 2, len(packed), 8) + b"[]" + packed + bytes(8)
    with pytest.raises(wire.WireError, match="adds up"):
        read(data)


@pytest.mark.parametrize("end", ["clean", "half"])
def test_a_stream_that_ends_inside_a_frame_is_told_from_one_that_ends_between(end: str) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        wire.send(theirs, wire.pack(b"A", {"x": b"blob"}))
        if end == "half":
            theirs.sendall(b"TS")
        theirs.close()
        inbox = wire.Inbox(ours.recv_into)
        frame = inbox.receive(blob_cap=BLOB_CAP)
        assert frame is not None
        assert frame.decode() == {"x": b"blob"}
        if end == "clean":
            assert inbox.receive(blob_cap=BLOB_CAP) is None
        else:
            with pytest.raises(wire.WireError, match="middle"):
                inbox.receive(blob_cap=BLOB_CAP)
