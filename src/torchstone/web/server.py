"""Run the server: bind, say where it is, end quietly when told to."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import signal
import socket
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from torchstone.app.home import Home
from torchstone.core import paths
from torchstone.core.errors import BadInput
from torchstone.web.address import Address, Entrance, hold_address, sweep_redirects
from torchstone.web.application import build_app
from torchstone.web.entrance import Entrances
from torchstone.web.session import TOKEN_SECONDS, Sessions, load_key
from torchstone.web.warmth import Warmth

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8417
# Tried one after the other when no port was asked for.
PORTS = range(DEFAULT_PORT, DEFAULT_PORT + 20)
HEADER_SECONDS = 10.0
GRACE_SECONDS = 2
BACKLOG = 2048


class ImpatientProtocol(H11Protocol):
    """HTTP whose first request must come in time, or idle connections would use up all files."""

    def connection_made(self, transport: Any) -> None:
        """Begin to wait."""
        super().connection_made(transport)
        self._deadline = self.loop.call_later(HEADER_SECONDS, self._give_up)

    def _give_up(self) -> None:
        has_asked = self.cycle is not None
        if not has_asked:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._deadline.cancel()
        super().connection_lost(exc)


class Server(uvicorn.Server):
    """Uvicorn that says when it listens, and for which SIGTERM is a success."""

    def __init__(
        self, config: uvicorn.Config, on_listening: Callable[[], None], closing: asyncio.Event
    ) -> None:
        super().__init__(config)
        self._on_listening = on_listening
        self._closing = closing

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        self._on_listening()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Let the signals ask for the end; uvicorn would raise them again afterwards."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._leave, number)
        yield

    def _leave(self, number: int) -> None:
        self._closing.set()
        self.handle_exit(number, None)


def serve(
    home: Home,
    *,
    host: str = DEFAULT_HOST,
    port: int | None = None,
    on_ready: Callable[[Address, Entrance], None],
) -> bool:
    """Serve the page of this user's data folder until told to stop.

    Args:
        home: Where the learner works.
        host: The address to listen on; of this machine alone.
        port: The port; a free one near the usual when not given.
        on_ready: Called once when requests are answered.

    Returns:
        False when a server of this data folder runs already.

    Raises:
        BadInput: The address cannot be listened on, or is not of this machine alone.
    """
    require_loopback(host)
    data = paths.data_dir()
    with contextlib.closing(bind(host, port)) as sock, contextlib.ExitStack() as stack:
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
    on_ready: Callable[[Address, Entrance], None],
) -> None:
    sessions = Sessions(load_key(data), data)
    entrances = Entrances(address)
    warmth, closing = Warmth(home), asyncio.Event()
    app = build_app(
        home,
        address=address,
        sessions=sessions,
        entrances=entrances,
        warmth=warmth,
        closing=closing,
    )
    config = uvicorn.Config(
        app,
        http=ImpatientProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )

    def tell() -> None:
        warmth.begin()
        on_ready(address, entrances.open())

    server = Server(config, tell, closing)
    try:
        await server.serve(sockets=[sock])
    finally:
        entrances.close()


def require_loopback(host: str) -> None:
    """Refuse an address that other machines can reach.

    Raises:
        BadInput: It is not a loopback address.
    """
    if host == "localhost":
        return
    try:
        is_loopback = ipaddress.ip_address(host).is_loopback
    except ValueError as error:
        raise BadInput("web.address_unusable", host=host, reason=error) from error
    if not is_loopback:
        raise BadInput("web.not_loopback", host=host)


def bind(host: str, port: int | None) -> socket.socket:
    """Bind a socket, to the port asked for or to the first free one.

    Raises:
        BadInput: The port is taken, or the address cannot be listened on.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in PORTS if port is None else (port,):
        sock = socket.socket(family)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((host, candidate))
        except OSError as error:
            sock.close()
            if not isinstance(error, PermissionError) and error.errno != errno.EADDRINUSE:
                raise BadInput("web.address_unusable", host=host, reason=error.strerror) from error
            continue
        return sock
    raise BadInput("web.port_taken", host=host, port=port or f"{PORTS[0]}–{PORTS[-1]}")
