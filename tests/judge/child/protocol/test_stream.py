"""Values survive the stream bit by bit, in whatever pieces and company they come."""

import math
import socket
import struct
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from torchstone.judge.child.protocol import stream, wire

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


def joined(buffers: list[Any]) -> bytes:
    return b"".join(bytes(memoryview(buffer).cast("B")) for buffer in buffers if len(buffer))


def read(data: bytes, *, blob_cap: int = BLOB_CAP, step: int = 1 << 16) -> wire.Frame | None:
    """Feed a reader in steps, as a stream would."""
    reader = stream.FrameReader(blob_cap=blob_cap)
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


@given(st.binary(max_size=200))
def test_any_bytes_are_a_frame_or_a_wire_error(data: bytes) -> None:
    try:
        read(data)
    except (wire.WireError, AssertionError):
        pass


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1), st.integers(0, 2**64 - 1))
@example(0, 0, 1)
def test_no_length_makes_the_reader_allocate_beyond_its_caps(
    tree: int, table: int, blobs: int
) -> None:
    sizes: list[int] = []

    def allocate(size: int) -> bytearray:
        sizes.append(size)
        return bytearray(size)

    reader = stream.FrameReader(blob_cap=BLOB_CAP, allocate=allocate)
    head = wire.HEAD.pack(wire.MAGIC, b"A", wire.VERSION, tree, table, blobs)
    reader.buffer()[:] = head
    allowed = (
        tree <= wire.TREE_CAP and table <= wire.TABLE_CAP and table % 8 == 0 and blobs <= BLOB_CAP
    )
    if allowed and tree == table == 0 != blobs:
        with pytest.raises(wire.WireError, match="adds up"):
            reader.advance(len(head))
    elif allowed:
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
        stream.send(theirs, wire.pack(b"A", {"x": b"blob"}))
        if end == "half":
            theirs.sendall(b"TS")
        theirs.close()
        inbox = stream.Inbox(ours.recv_into)
        frame = inbox.receive(blob_cap=BLOB_CAP)
        assert frame is not None
        assert frame.decode() == {"x": b"blob"}
        if end == "clean":
            assert inbox.receive(blob_cap=BLOB_CAP) is None
        else:
            with pytest.raises(wire.WireError, match="middle"):
                inbox.receive(blob_cap=BLOB_CAP)


@given(st.lists(plain, min_size=1, max_size=5), st.integers(0, 3))
def test_frames_that_come_together_are_read_in_order(values: list[Any], large: int) -> None:
    values = [*values, b"x" * (large * stream.TOGETHER)]
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(joined([part for value in values for part in wire.pack(b"A", value)]))
        theirs.close()
        inbox = stream.Inbox(ours.recv_into)
        for value in values:
            frame = inbox.receive(blob_cap=1 << 20)
            assert frame is not None
            assert same(frame.decode(), value)
        assert inbox.receive(blob_cap=1 << 20) is None


def test_small_frames_that_come_together_cost_one_read() -> None:
    reads = 0
    data = joined([part for number in range(20) for part in wire.pack(b"A", {"x": [number]})])

    def recv_into(room: bytearray, most: int) -> int:
        nonlocal reads, data
        reads += 1
        size = min(len(data), most)
        room[:size], data = data[:size], data[size:]
        return size

    inbox = stream.Inbox(recv_into)
    assert inbox.is_empty
    frames = [inbox.receive(blob_cap=BLOB_CAP)]
    assert not inbox.is_empty, "nineteen wait, of which the stream knows nothing any more"
    frames += [inbox.receive(blob_cap=BLOB_CAP) for _ in range(19)]
    assert inbox.is_empty
    assert [frame.decode()["x"][0] for frame in frames if frame] == list(range(20))
    assert reads == 1
