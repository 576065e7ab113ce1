"""What a letter means depends on who is asked, and on nothing else."""

import socket
from enum import Enum

import pytest

from torchstone.judge.child.protocol import wire
from torchstone.judge.child.protocol.frames import REPLY, FromJob, ToCompiler, ToJob, ToReference
from torchstone.judge.child.protocol.stream import Inbox
from torchstone.judge.reference import server as referee

pytestmark = [pytest.mark.pure, pytest.mark.torch]

KINDS = [*ToJob, *FromJob, *ToReference, *ToCompiler]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_kind_travels_as_its_letter(kind: Enum) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(b"".join(wire.pack(kind.value, {})))
        frame = Inbox(theirs.recv_into).receive(blob_cap=0)
    assert frame is not None
    assert type(kind)(frame.kind) is kind


def test_a_letter_has_one_meaning_for_each_receiver() -> None:
    for receiver in (ToJob, FromJob, ToReference, ToCompiler):
        letters = [each.value for each in receiver]
        assert len(set(letters)) == len(letters)
        assert all(len(letter) == 1 for letter in letters)
        assert REPLY not in letters
    assert {each.value for each in ToReference} & {each.value for each in ToCompiler}, (
        "the same letter is another request to another receiver"
    )


def test_every_request_to_the_reference_is_obeyed() -> None:
    # Opening and resting make and unmake the state that all others need.
    assert {*referee._OPERATIONS, ToReference.OPEN, ToReference.REST} == set(ToReference)


@pytest.mark.parametrize("receiver", [ToJob, ToReference, ToCompiler])
def test_what_is_no_request_is_refused(receiver: type[Enum]) -> None:
    with pytest.raises(ValueError, match="is not a valid"):
        receiver(b"?")
