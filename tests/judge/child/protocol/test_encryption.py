"""What a submission must not read travels encrypted, and only to a job."""

import hashlib

import pytest

from torchstone.judge.child.protocol import wire
from torchstone.judge.child.protocol.encryption import (
    KEY_BYTES,
    NONCE_BYTES,
    TAG_BYTES,
    Encrypted,
    encrypt,
    new_key,
)

pytestmark = pytest.mark.pure

KEY = bytes(range(KEY_BYTES))
SECRET = b"the coefficients of a function" * 9


def test_the_text_is_the_stream_of_shake256_away_from_the_plain_text() -> None:
    message = encrypt(KEY, SECRET)
    nonce, tag = message[:NONCE_BYTES], message[NONCE_BYTES : NONCE_BYTES + TAG_BYTES]
    text = message[NONCE_BYTES + TAG_BYTES :]
    stream = hashlib.shake_256(b"text" + KEY + nonce).digest(len(SECRET))
    assert bytes(a ^ b for a, b in zip(text, stream, strict=True)) == SECRET
    assert hashlib.shake_256(b"tag" + KEY + nonce + text).digest(TAG_BYTES) == tag


def test_the_same_text_is_never_encrypted_to_the_same_bytes() -> None:
    assert len({encrypt(KEY, SECRET) for _ in range(50)}) == 50
    assert len({new_key() for _ in range(50)}) == 50


@pytest.mark.parametrize("length", [0, 1, 135, 136, 137, 5000])
def test_any_length_is_encrypted(length: int) -> None:
    assert len(encrypt(KEY, bytes(length))) == NONCE_BYTES + TAG_BYTES + length


def test_a_frame_holds_no_byte_of_the_plain_text() -> None:
    whole = b"".join(map(bytes, wire.pack(b"C", {"program": Encrypted(SECRET)}, key=KEY)))
    assert SECRET[:4] not in whole
    assert KEY[:8] not in whole


def test_the_receiver_gets_the_encrypted_bytes() -> None:
    _, tree, _, blob = wire.pack(b"C", [Encrypted(SECRET)], key=KEY)
    (found,) = wire.Frame(kind=b"C", tree=tree, blobs=[blob]).decode()
    assert type(found) is bytes
    assert len(found) == NONCE_BYTES + TAG_BYTES + len(SECRET)


def test_without_a_key_nothing_is_sent() -> None:
    with pytest.raises(wire.WireError, match="encrypted"):
        wire.pack(b"A", Encrypted(SECRET))
