"""Encryption of request data that a submission must not read.

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
    """Request bytes that are sent encrypted and that Python receives encrypted."""

    plain: bytes


def new_key() -> bytes:
    """Return a random key; each job has its own."""
    return secrets.token_bytes(KEY_BYTES)


def encrypt(key: bytes, plain: bytes) -> bytes:
    """Encrypt with a SHAKE256 (FIPS 202) key stream; return nonce, tag and ciphertext.

    The tag is computed over the ciphertext, so a modified message is refused before decryption.
    """
    nonce = secrets.token_bytes(NONCE_BYTES)
    stream = hashlib.shake_256(b"text" + key + nonce).digest(len(plain))
    combined = int.from_bytes(plain, "little") ^ int.from_bytes(stream, "little")
    text = combined.to_bytes(len(plain), "little")
    return nonce + hashlib.shake_256(b"tag" + key + nonce + text).digest(TAG_BYTES) + text
