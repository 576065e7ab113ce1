"""What a process of a submission loads is read as it was sent; the recorded trees stay."""

from typing import get_args

import pytest

from torchstone.judge.child.protocol import payloads, wire
from torchstone.judge.child.protocol.frames import ToJob
from torchstone.judge.child.protocol.payloads import Payload, read_payload
from torchstone.judge.child.protocol.records import as_dict

pytestmark = pytest.mark.pure

COMMON = {"names": ("f", "g"), "probe": "x = 1"}
# Recorded when the payloads were plain dictionaries.
SENT: list[tuple[Payload, bytes, list[bytes]]] = [
    (
        payloads.FilePayload(**COMMON, source="def f(): é", kind="module"),
        b'{"d":{"names":["f","g"],"probe":"x = 1","source":"def f(): \\u00e9","kind":"module"}}',
        [],
    ),
    (payloads.KernelsPayload(module=b"ELF"), b'{"d":{"module":{"b":0}}}', [b"ELF"]),
    (
        payloads.LibraryPayload(**COMMON, library=b"ELF", namespace="mine"),
        b'{"d":{"names":["f","g"],"probe":"x = 1","library":{"b":0},"namespace":"mine"}}',
        [b"ELF"],
    ),
    (
        payloads.WheelPayload(**COMMON, wheel=b"PK", module="mine"),
        b'{"d":{"names":["f","g"],"probe":"x = 1","wheel":{"b":0},"module":"mine"}}',
        [b"PK"],
    ),
    (
        payloads.OperatorPayload(**COMMON, fast=b"ELF", source="import kernel", namespace="mine"),
        b'{"d":{"names":["f","g"],"probe":"x = 1","fast":{"b":0},"source":"import kernel",'
        b'"namespace":"mine"}}',
        [b"ELF"],
    ),
]


def frame_of(value: object) -> wire.Frame:
    _, tree, _, *blobs = wire.pack(ToJob.LOAD.value, value)
    return wire.Frame(kind=ToJob.LOAD.value, tree=tree, blobs=blobs)


@pytest.mark.parametrize(("payload", "tree", "blobs"), SENT)
def test_a_payload_travels_in_the_recorded_bytes(
    payload: Payload, tree: bytes, blobs: list[bytes]
) -> None:
    frame = frame_of(as_dict(payload))
    assert (frame.tree, list(frame.blobs)) == (tree, blobs)


@pytest.mark.parametrize("payload", [payload for payload, _, _ in SENT])
def test_a_payload_is_read_as_it_was_sent(payload: Payload) -> None:
    found = read_payload(type(payload), frame_of(as_dict(payload)))
    assert as_dict(found) == as_dict(payload)


def test_every_type_of_payload_is_sent() -> None:
    assert {type(payload) for payload, _, _ in SENT} == set(get_args(Payload))


@pytest.mark.parametrize("value", [{}, {"module": b"", "more": 1}, {"library": b""}, None])
def test_a_payload_with_other_entries_is_refused(value: object) -> None:
    with pytest.raises(TypeError):
        read_payload(payloads.KernelsPayload, frame_of(value))


def test_a_payload_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        payloads.KernelsPayload(module=b"").module = b"other"  # type: ignore[misc]
