"""Request guard: host, origin, session and size checks, and security headers.

Every page in this user's browser and every program of every user can reach a server on this
machine. So the guard trusts nothing that an attacker can choose:

* It refuses a request whose ``Host`` is not ours (DNS rebinding) before any look-up.
* A request that changes data or opens a stream must come from exactly our origin, including the
  port. Two headers must confirm it: ``Origin`` and ``Sec-Fetch-Site: same-origin``. Another port of
  this machine is the same *site*, so a cookie alone would let its pages in.
* Everything under ``/api/`` needs the cookie of a logged-in browser.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from torchstone.app.programs.doctor_traces import MOST_BYTES
from torchstone.core.errors import TorchstoneError
from torchstone.web.faults import Forbidden, Misdirected, TooLarge, TooSlow, Unauthorised, answer
from torchstone.web.session import Sessions

SAFE_METHODS = frozenset({"GET", "HEAD"})
BODY_CAP = 2 << 20
# The limits for an import and for a trace are those of the application.
LONG_BODIES = {"/api/import": 256 << 20, "/api/doctor/traces": MOST_BYTES}
BODY_SECONDS = 20.0
LONG_BODY_SECONDS = 300.0

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
# For every response except a page, which adds its own policy (see shell.py).
NO_CONTENT_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; sandbox"


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """An ASGI middleware that refuses requests without permission.

    Attributes:
        app: The guarded application.
        hosts: The values of ``Host`` that are ours, e.g. ``127.0.0.1:8417``.
        sessions: The sessions whose cookies are valid.
        is_bearer: Returns whether an ``Authorization`` header belongs to this user's own command.
    """

    app: ASGIApp
    hosts: frozenset[str]
    sessions: Sessions
    is_bearer: Callable[[str], bool]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer with an error."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        guarded_send = _with_headers(send)
        try:
            self._admit(scope)
            body = _Body(scope, receive)
        except TorchstoneError as error:
            await answer(error, scope)(scope, receive, guarded_send)
            return

        has_begun = False

        async def send_unless_refused(message: Message) -> None:
            nonlocal has_begun
            # A response that has started continues; there is no second response.
            if has_begun or body.fault is None:
                has_begun = True
                await guarded_send(message)

        # A client that disconnects during its body is not an error of the server.
        with contextlib.suppress(ClientDisconnect):
            await self.app(scope, body.receive, send_unless_refused)
        if body.fault is not None and not has_begun:
            await answer(body.fault, scope)(scope, receive, guarded_send)

    def _admit(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            raise Misdirected("web.misdirected")
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if scope["method"] not in SAFE_METHODS:
            if origin != f"http://{hosts[0].lower()}" or site != "same-origin":
                raise Forbidden("web.other_origin")
        if not scope["path"].startswith("/api/"):
            return
        if site not in (None, "same-origin", "none"):
            raise Forbidden("web.other_origin")
        cookie = cookie_parser(headers.get("cookie", "")).get(self.sessions.cookie_name)
        if not self.sessions.is_valid(cookie) and not self.is_bearer(
            headers.get("authorization", "")
        ):
            raise Unauthorised("web.not_let_in")


class _Body:
    """The body of a request, with limits on size and time.

    A body over a limit ends as if the client had disconnected, and ``fault`` holds the error: an
    exception would look like a body that cannot be parsed.
    """

    def __init__(self, scope: Scope, receive: Receive) -> None:
        path = scope["path"]
        self._cap = LONG_BODIES.get(path, BODY_CAP)
        self._patience = LONG_BODY_SECONDS if path in LONG_BODIES else BODY_SECONDS
        self._receive = receive
        self._received = 0
        self._deadline: float | None = None
        self.fault: TorchstoneError | None = None
        self._is_whole = False
        declared = Headers(scope=scope).get("content-length", "0")
        # Refuse by the header before reading; count the bytes of a body without a length.
        if declared.isdecimal() and int(declared) > self._cap:
            raise TooLarge("web.too_large", mib=self._cap >> 20)

    async def receive(self) -> Message:
        if self._is_whole:
            # From here on, wait only for the end of the connection.
            return await self._receive()
        loop = asyncio.get_running_loop()
        self._deadline = self._deadline or loop.time() + self._patience
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            return self._break_off(TooSlow("web.too_slow"))
        self._received += len(message.get("body", b""))
        if self._received > self._cap:
            return self._break_off(TooLarge("web.too_large", mib=self._cap >> 20))
        self._is_whole = not message.get("more_body", False)
        return message

    def _break_off(self, fault: TorchstoneError) -> Message:
        self.fault = fault
        return {"type": "http.disconnect"}


def _with_headers(send: Send) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("Content-Security-Policy", NO_CONTENT_POLICY)
            headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return guarded
