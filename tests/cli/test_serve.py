"""The page has one server: a second command finds it, and the browser gets a file and no secret."""

import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from torchstone.app.judging import machine
from torchstone.cli import serve
from torchstone.core import paths
from torchstone.judge.sandbox.levels import Machine
from torchstone.web import server
from torchstone.web.address import Address, LoginLink, hold_address

pytestmark = pytest.mark.pure

LINK = "http://127.0.0.1:1/enter?token=secret"


class Running(HTTPServer):
    """Stands for the server that runs already, and gives out one way in."""

    def __init__(self, file: Path) -> None:
        super().__init__(("127.0.0.1", 0), Asked)
        self.login_link = LoginLink(link=LINK, file=str(file))
        self.key = ""


class Asked(BaseHTTPRequestHandler):
    """Lets in whoever has the key."""

    server: Running

    def do_POST(self) -> None:
        is_known = self.headers["Authorization"] == f"Bearer {self.server.key}"
        assert self.path == "/api/login_links"
        self.send_response(200 if is_known else 403)
        self.end_headers()
        self.wfile.write(json.dumps(asdict(self.server.login_link)).encode())

    def log_message(self, *_: object) -> None: ...


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """Be the server of this test's data folder; give its address."""
    with Running(folder / "way in.html") as server:
        with hold_address(paths.data_dir(), "127.0.0.1", server.server_port) as address:
            assert address is not None
            server.key = address.key
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            yield address.url
            server.shutdown()
            thread.join()


@pytest.fixture(autouse=True)
def _apart(alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "runtime").mkdir(mode=0o700)
    monkeypatch.setenv("TORCHSTONE_RUNTIME", str(tmp_path / "runtime"))
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "WSL_DISTRO_NAME"):
        monkeypatch.delenv(name, raising=False)


def test_a_server_that_runs_is_found_and_not_started_again(run: Run, tmp_path: Path) -> None:
    with running(tmp_path) as url:
        done = run("serve", "--json")
    assert done.code == 0
    wanted = {"url": url, "link": LINK, "is_new": False, "is_opened": False}
    assert {name: done.json[name] for name in wanted} == wanted


def test_without_a_screen_the_link_is_said(run: Run, tmp_path: Path) -> None:
    with running(tmp_path) as url:
        out = run("serve").out
    assert url in out
    assert LINK in out


# A screen of its own for Python's webbrowser, which asks the environment only once.
@pytest.mark.parametrize("arguments", [[], ["--no-open"]])
def test_a_browser_gets_a_file_and_never_the_link(tmp_path: Path, arguments: list[str]) -> None:
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(f'#!/bin/sh\necho "$@" >"{opened}"\n')
    browser.chmod(stat.S_IRWXU)
    command = [sys.executable, "-m", "torchstone", "serve", "--json", *arguments]
    with running(tmp_path):
        done = subprocess.run(
            command,
            env=os.environ | {"BROWSER": str(browser)},
            check=True,
            capture_output=True,
            text=True,
        )
    assert json.loads(done.stdout)["is_opened"] == opened.exists() == (not arguments)
    if opened.exists():
        assert opened.read_text() == (tmp_path / "way in.html").as_uri() + "\n"


def test_a_server_that_does_not_answer_is_named(run: Run, tmp_path: Path) -> None:
    with Running(tmp_path) as server:
        port = server.server_port
    with hold_address(paths.data_dir(), "127.0.0.1", port):
        done = run("serve", "--json")
    assert (done.code, done.json["code"]) == (3, "web.elsewhere")
    assert str(os.getpid()) in done.json["message"]


def test_a_server_that_is_just_ending_is_waited_for_but_not_for_ever(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "PATIENCE_SECONDS", 0.2)
    with hold_address(paths.data_dir(), "127.0.0.1", 1):
        (file,) = paths.runtime_dir().glob("*.server.json")
        file.write_text("")
        done = run("serve", "--json", "--port", "0")
    assert (done.code, done.json["code"]) == (3, "web.no_place")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "example.org"])
def test_other_machines_are_kept_out(run: Run, host: str) -> None:
    done = run("serve", "--json", "--host", host)
    assert done.code == 2
    assert done.json["ok"] is False
    assert host in done.json["message"]


BARE = Machine(
    is_root=False,
    bwrap=None,
    bwrap_version="",
    namespaces=False,
    user_namespace=False,
    landlock_abi=7,
    seccomp=True,
    libseccomp=True,
    cgroup=None,
)
WALLED = replace(BARE, bwrap=Path("/usr/bin/bwrap"), namespaces=True)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(("found", "is_weak"), [(BARE, True), (WALLED, False)])
def test_what_to_install_for_isolation_is_one_line(
    run: Run, monkeypatch: pytest.MonkeyPatch, found: Machine, is_weak: bool, lang: str
) -> None:
    def serve_briefly(home: object, *, on_ready: Callable[..., None], **_: object) -> bool:
        address = Address(pid=1, host="127.0.0.1", port=1, key="")
        on_ready(address, LoginLink(link=LINK, file="/nowhere"))
        return True

    monkeypatch.setattr(server, "serve", serve_briefly)
    monkeypatch.setattr(machine, "probe_machine", lambda: found)
    lines = run("--lang", lang, "serve").out.splitlines()
    named = [line for line in lines if "apt install bubblewrap" in line]
    assert len(named) == is_weak
    assert all("confined" in line for line in named)
