"""Encryption of the data of a request that a submission must not read.

A submission shares its process with the driver, so it can read whatever Python holds there: frames,
objects, the descriptors that bytes come from. Such data travels encrypted. The key reaches the job
before the submission does, and only native code holds it; see ``native/decryption.h``.

Standard library only.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

KEY_BYTES = 32
NONCE_BYTES = 16
TAG_BYTES = 16


@dataclass(frozen=True, slots=True)
class Encrypted:
    """Hold bytes of a request that travel encrypted, and that Python receives encrypted."""

    plain: bytes


def new_key() -> bytes:
    """Return a random key, one for each job."""
    return secrets.token_bytes(KEY_BYTES)


def encrypt(key: bytes, plain: bytes) -> bytes:
    """Return a nonce, a tag, and the text combined with the stream of SHAKE256 (FIPS 202).

    The tag is computed from the encrypted text, so a changed message is refused before it is read.
    """
    nonce = secrets.token_bytes(NONCE_BYTES)
    stream = hashlib.shake_256(b"text" + key + nonce).digest(len(plain))
    combined = int.from_bytes(plain, "little") ^ int.from_bytes(stream, "little")
    text = combined.to_bytes(len(plain), "little")
    return nonce + hashlib.shake_256(b"tag" + key + nonce + text).digest(TAG_BYTES) + text
