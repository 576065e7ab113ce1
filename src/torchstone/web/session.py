"""Sessions: one-use tokens, signed cookies, and the signing key.

The key is in the data folder, readable only by this user. So a session stays valid after a restart
of the server, and removing the file ends all sessions.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import time
from collections.abc import Callable
from pathlib import Path

from torchstone.core.errors import BadInput

TOKEN_SECONDS = 30.0
SESSION_SECONDS = 30 * 24 * 3600
MAX_TOKENS = 64
KEY_NAME = "web.key"
_KEY_BYTES = 32


class Tokens:
    """Tokens that log a browser in once, within half a minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        # By hash: the look-up takes a time that depends on its key, which must not be the secret.
        self._expiry: dict[bytes, float] = {}

    def issue(self) -> str:
        """Create a token."""
        self._forget()
        if len(self._expiry) >= MAX_TOKENS:
            # Remove the oldest one; its client no longer waits.
            self._expiry.pop(next(iter(self._expiry)))
        token = secrets.token_urlsafe(32)
        self._expiry[_digest(token)] = self._clock() + TOKEN_SECONDS
        return token

    def redeem(self, token: str) -> bool:
        """Use a token; False if it is unknown, used or expired."""
        self._forget()
        return self._expiry.pop(_digest(token), None) is not None

    def _forget(self) -> None:
        now = self._clock()
        for digest in [digest for digest, end in self._expiry.items() if end <= now]:
            del self._expiry[digest]


class Sessions:
    """Cookies that prove a login; the server stores none of them, because the key signs them."""

    def __init__(self, key: bytes, data: Path, clock: Callable[[], float] = time.time) -> None:
        self._key = key
        self._clock = clock
        # Cookies do not depend on the port: servers of two data folders need different names.
        name = hashlib.sha256(os.fsencode(data.resolve())).hexdigest()[:8]
        self.cookie_name = f"torchstone_{name}"

    def issue(self) -> str:
        """Create the value of a cookie."""
        body = f"{int(self._clock()) + SESSION_SECONDS}.{secrets.token_urlsafe(16)}"
        return f"{body}.{self._sign(body)}"

    def is_valid(self, cookie: str | None) -> bool:
        """Return whether a cookie has a valid signature and is not expired."""
        body, _, signature = (cookie or "").rpartition(".")
        # Compare bytes: a cookie can contain characters outside ASCII.
        if not hmac.compare_digest(self._sign(body).encode(), signature.encode()):
            return False
        return float(body.partition(".")[0]) > self._clock()

    def _sign(self, body: str) -> str:
        return hmac.new(self._key, b"session:" + body.encode(), hashlib.sha256).hexdigest()


def load_key(data: Path) -> bytes:
    """Read the key of a data folder; the first call creates it.

    Raises:
        BadInput: The key cannot be read or written.
    """
    path = data / KEY_NAME
    try:
        return _load(path)
    except OSError as error:
        raise BadInput("web.unwritable", path=path, reason=error.strerror) from error


def _load(path: Path) -> bytes:
    partial = path.with_name(f"{KEY_NAME}.{secrets.token_hex(8)}")
    try:
        key = path.read_bytes()
        if len(key) == _KEY_BYTES:
            return key
        # A full disk can leave a partial key.
        path.unlink(missing_ok=True)
    except FileNotFoundError:
        pass
    descriptor = os.open(partial, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(secrets.token_bytes(_KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        # A hard link fails if the name exists: if two servers start at once, one key is valid.
        os.link(partial, path)
    except FileExistsError:
        pass
    finally:
        partial.unlink(missing_ok=True)
    return path.read_bytes()


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="replace")).digest()
