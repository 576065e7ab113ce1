"""HTTP server: bind to a loopback address, announce it, and shut down gracefully."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import logging
import signal
import socket
import time
from collections.abc import Awaitable, Callable, Generator
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from torchstone.app.home import Home
from torchstone.core import paths
from torchstone.core.errors import BadInput
from torchstone.web.address import Address, LoginLink, hold_address, sweep_redirects
from torchstone.web.application import build_app
from torchstone.web.judge_status import JudgeStatus
from torchstone.web.login_links import LoginLinks
from torchstone.web.session import TOKEN_SECONDS, Sessions, load_key

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8417
# Tried in order if no port is given.
PORTS = range(DEFAULT_PORT, DEFAULT_PORT + 20)
HEADER_SECONDS = 10.0
GRACE_SECONDS = 2
BACKLOG = 2048


class ImpatientProtocol(H11Protocol):
    """HTTP with a time limit for every request; otherwise idle connections would use up all files.

    Uvicorn waits some seconds for the next request. After the first byte of a request, or during a
    body that the application does not read, it waits without a limit.
    """

    def connection_made(self, transport: Any) -> None:
        """Start the time limit."""
        super().connection_made(transport)
        self._deadline: asyncio.TimerHandle | None = None
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Process received bytes; restart the time limit if the request is incomplete."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the time limit."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _watch(self) -> None:
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if is_answering:
            self._stop_waiting()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(HEADER_SECONDS, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class Server(uvicorn.Server):
    """Uvicorn that reports when it listens, and for which SIGTERM is a success."""

    def __init__(
        self,
        config: uvicorn.Config,
        on_listening: Callable[[], Awaitable[None]],
        closing: asyncio.Event,
    ) -> None:
        super().__init__(config)
        self._on_listening = on_listening
        self._closing = closing

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen."""
        await super().startup(sockets)
        await self._on_listening()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Handle signals as a request to end; uvicorn would raise them again afterwards."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._leave, number)
        yield

    def _leave(self, number: int) -> None:
        self._closing.set()
        # Ignore disconnections from now on, and restore the user's terminal.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        self.handle_exit(number, None)


def serve(
    home: Home,
    *,
    host: str = DEFAULT_HOST,
    port: int | None = None,
    on_ready: Callable[[Address, LoginLink], None],
) -> bool:
    """Serve the page of this user's data folder until a signal ends the server.

    Args:
        home: The learner's home.
        host: The address to listen on, of this machine only.
        port: The port; by default a free one near the usual port.
        on_ready: Called once when the server answers requests.

    Returns:
        False if a server of this data folder runs already.

    Raises:
        BadInput: The server cannot listen on the address, or other machines can reach it.
    """
    host = require_loopback(host)
    data = paths.data_dir()
    with contextlib.closing(bind(host, port)) as sock, contextlib.ExitStack() as stack:
        # A client that finds the address connects at once; the socket queues it until the server
        # answers.
        sock.listen(BACKLOG)
        address = stack.enter_context(hold_address(data, host, sock.getsockname()[1]))
        if address is None:
            return False
        sweep_redirects(TOKEN_SECONDS, time.time())
        kept = stack.enter_context(home.keep_store())
        asyncio.run(_serve(kept, data, address, sock, on_ready))
    return True


async def _serve(
    home: Home,
    data: Path,
    address: Address,
    sock: socket.socket,
    on_ready: Callable[[Address, LoginLink], None],
) -> None:
    sessions = Sessions(load_key(data), data)
    login_links = LoginLinks(address)
    judge_status, closing = JudgeStatus(home), asyncio.Event()
    app = build_app(
        home,
        address=address,
        sessions=sessions,
        login_links=login_links,
        judge_status=judge_status,
        closing=closing,
    )
    config = uvicorn.Config(
        app,
        http=ImpatientProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        # Any program of this machine can send an invalid request; log only errors of the server.
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )

    async def announce() -> None:
        judge_status.begin()
        # The browser command may not return before the page has loaded, which needs this server.
        await asyncio.to_thread(on_ready, address, login_links.open())

    server = Server(config, announce, closing)
    try:
        await server.serve(sockets=[sock])
    finally:
        login_links.close()


def require_loopback(host: str) -> str:
    """Check that other machines cannot reach an address.

    Returns:
        The address as browsers write it.

    Raises:
        BadInput: The address is not a loopback address.
    """
    if host == "localhost":
        return host
    try:
        found = ipaddress.ip_address(host)
    except ValueError as error:
        raise BadInput("web.address_unusable", host=host, reason=error) from error
    if not found.is_loopback:
        raise BadInput("web.not_loopback", host=host)
    # IPv6 has one loopback address and many spellings of it.
    return "::1" if found.version == 6 else str(found)


def bind(host: str, port: int | None) -> socket.socket:
    """Bind a socket to the given port or to the first free one.

    Raises:
        BadInput: The port is taken, or the server cannot listen on the address.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in PORTS if port is None else (port,):
        try:
            return _bound(family, host, candidate)
        except OSError as error:
            if not isinstance(error, PermissionError) and error.errno != errno.EADDRINUSE:
                raise BadInput("web.address_unusable", host=host, reason=error.strerror) from error
    raise BadInput("web.port_taken", host=host, port=port or f"{PORTS[0]}–{PORTS[-1]}")


def _bound(family: socket.AddressFamily, host: str, port: int) -> socket.socket:
    sock = socket.socket(family)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
    except OSError:
        sock.close()
        raise
    return sock
