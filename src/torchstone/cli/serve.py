"""Command serve: start the web server, and open the page in a browser."""

from __future__ import annotations

import os
import sys
import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from torchstone.cli.command import command
from torchstone.cli.screen import Screen
from torchstone.core.verdict import ExitCode

if TYPE_CHECKING:
    from torchstone.web.address import Address, LoginLink

HostOption = Annotated[str, typer.Option("--host", metavar="ADDRESS", help="option.host")]
PortOption = Annotated[
    int | None, typer.Option("--port", min=0, max=65535, metavar="N", help="option.port")
]
NoOpenOption = Annotated[bool, typer.Option("--no-open", help="option.no_open")]

# Seconds to wait for a server that is starting or ending.
PATIENCE_SECONDS = 10.0


def add_commands(app: typer.Typer) -> None:
    """Add the command to the application."""
    command(app, "serve")(serve)


def serve(
    screen: Screen,
    host: HostOption = "127.0.0.1",
    port: PortOption = None,
    no_open: NoOpenOption = False,
) -> ExitCode:
    """Serve the page until a signal ends the server, or open the page of a running server."""
    from torchstone.core import paths
    from torchstone.core.errors import JudgeUnavailable
    from torchstone.web import server
    from torchstone.web.address import find_address, request_login_link

    def on_ready(address: Address, login_link: LoginLink) -> None:
        _announce(screen, address, login_link, no_open=no_open, is_new=True)

    server.require_loopback(host)
    home = screen.home()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (running := find_address(paths.data_dir())) is None:
        if server.serve(home, host=host, port=port, on_ready=on_ready):
            return ExitCode.ACCEPTED
        # Another server is starting and has no address yet, or is ending.
        if time.monotonic() > deadline:
            raise JudgeUnavailable("web.no_place")
        time.sleep(0.05)
    _announce(screen, running, request_login_link(running), no_open=no_open, is_new=False)
    return ExitCode.ACCEPTED


def _announce(
    screen: Screen, address: Address, login_link: LoginLink, *, no_open: bool, is_new: bool
) -> None:
    is_opened = not no_open and open_browser(login_link.file)
    if screen.as_json:
        screen.answer(
            {
                "ok": True,
                "url": address.url,
                "pid": address.pid,
                "is_new": is_new,
                "is_opened": is_opened,
                "link": login_link.link,
            }
        )
    else:
        screen.write(screen.say("serve.at" if is_new else "serve.runs", url=address.url))
        if not is_opened:
            screen.write(screen.say("serve.link", link=login_link.link))
        if is_new:
            screen.write(screen.say("serve.end"))
            _announce_weakness(screen)
    # The reader of a pipe needs the line now, not when the server ends.
    sys.stdout.flush()


def _announce_weakness(screen: Screen) -> None:
    """Print in one line what to install for stronger isolation."""
    from torchstone.app.judging.machine import find_weakness

    weakness = find_weakness()
    if weakness is not None:
        level, obstacle = weakness
        message, remedy = obstacle.message[screen.lang], obstacle.remedy[screen.lang]
        screen.write(screen.say("serve.weak", level=level, message=message, remedy=remedy))


def open_browser(file: str) -> bool:
    """Open a file in the browser of this user's desktop; False if there is none."""
    has_screen = sys.platform != "linux" or any(
        os.environ.get(name)
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "WSL_DISTRO_NAME")
    )
    # Without a desktop Python would start a browser inside this terminal.
    return has_screen and webbrowser.open(Path(file).as_uri())
