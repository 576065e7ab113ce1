"""Address of the running server: one server for each data folder, private to this user.

A file in the runtime folder (0600) has the server's address and the key for this user's own
commands. A lock on that file shows whether the server runs: the system releases the lock when the
process ends, but does not remove the file.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import html
import http.client
import json
import os
import secrets
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from io import FileIO
from pathlib import Path

from torchstone.core import paths
from torchstone.core.errors import BadInput, JudgeUnavailable

ASK_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """The address of a running server.

    Args:
        key: The bearer token of this user's own commands.
    """

    pid: int
    host: str
    port: int
    key: str

    @property
    def url(self) -> str:
        """Return the address of the page."""
        return f"http://{_in_url(self.host)}:{self.port}/"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginLink:
    """A link that logs in once, and a file that opens it.

    The link is secret and valid for half a minute. Every user of the machine can read command
    lines, so the link does not appear on one. The path of the file may, because only this user can
    read the file.
    """

    link: str
    file: str


@contextlib.contextmanager
def hold_address(data: Path, host: str, port: int) -> Iterator[Address | None]:
    """Become the server of a data folder; yield None if another server runs already.

    Raises:
        BadInput: The file of the address cannot be written.
    """
    path = _file_of(data)
    with _opened(path) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
            return
        address = Address(pid=os.getpid(), host=host, port=port, key=secrets.token_urlsafe(32))
        _write(path, file, json.dumps(asdict(address)))
        try:
            yield address
        finally:
            file.truncate(0)


def _opened(path: Path) -> FileIO:
    try:
        return FileIO(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600), "r+")
    except OSError as error:
        raise BadInput("web.unwritable", path=path, reason=error.strerror) from error


def _write(path: Path, file: FileIO, text: str) -> None:
    try:
        file.truncate(0)
        file.write(text.encode())
    except OSError as error:
        raise BadInput("web.unwritable", path=path, reason=error.strerror) from error


def find_address(data: Path) -> Address | None:
    """Find the server of a data folder; None if there is none."""
    try:
        with _file_of(data).open("r", encoding="utf-8") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return Address(**json.load(file))
            return None
    except (FileNotFoundError, ValueError, TypeError):
        # The file is being written: its server does not listen yet.
        return None


def request_login_link(address: Address) -> LoginLink:
    """Request a login link from a running server.

    Raises:
        JudgeUnavailable: The server does not answer.
    """
    origin = address.url.rstrip("/")
    request = urllib.request.Request(
        f"{origin}/api/login_links",
        method="POST",
        headers={
            "Authorization": f"Bearer {address.key}",
            "Origin": origin,
            "Sec-Fetch-Site": "same-origin",
        },
    )
    # No proxy, because the server is on this machine.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=ASK_SECONDS) as response:
            return LoginLink(**json.load(response))
    except (OSError, http.client.HTTPException, ValueError, TypeError) as error:
        raise JudgeUnavailable("web.elsewhere", pid=address.pid) from error


def write_redirect(link: str) -> Path:
    """Write the file that opens a link; only this user can read it."""
    path = paths.runtime_dir() / f"enter-{secrets.token_hex(8)}.html"
    target = html.escape(link, quote=True)
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(
            '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
            f'<title>Torchstone</title><meta http-equiv="refresh" content="0;url={target}">'
            f'<p><a href="{target}">Torchstone</a></p>\n'
        )
    return path


def sweep_redirects(older_than_s: float, now: float) -> None:
    """Remove the files of ended servers, whose links are invalid."""
    for path in paths.runtime_dir().glob("enter-*.html"):
        with contextlib.suppress(OSError):
            if now - path.stat().st_mtime > older_than_s:
                path.unlink()


def _file_of(data: Path) -> Path:
    name = hashlib.sha256(os.fsencode(data.resolve())).hexdigest()[:16]
    return paths.runtime_dir() / f"{name}.server.json"


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
