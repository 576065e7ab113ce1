"""A link lets one browser in, once, and leaves nothing behind."""

import asyncio
import re
import stat
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from fastapi import APIRouter, FastAPI
from starlette.types import Message

from torchstone.web import login_links as login_routes
from torchstone.web.address import Address
from torchstone.web.login_links import LoginLinks, add_login_routes
from torchstone.web.session import SESSION_SECONDS, Sessions

pytestmark = pytest.mark.pure

ADDRESS = Address(pid=1, host="127.0.0.1", port=8417, key="the key of this user")


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "runtime"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("TORCHSTONE_RUNTIME", str(folder))
    return folder


@pytest.fixture
def sessions(tmp_path: Path) -> Sessions:
    return Sessions(b"k" * 32, tmp_path)


async def get(
    login_links: LoginLinks, sessions: Sessions, target: str
) -> tuple[int, dict[str, str]]:
    """Ask the routes for something; give the status and the headers."""
    app, router, sent = FastAPI(), APIRouter(), []
    add_login_routes(router, login_links, sessions)
    app.include_router(router)
    parts = urlsplit(target)

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": parts.path,
        "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(),
        "root_path": "",
        "headers": [],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8417),
    }
    await app(scope, receive, send)
    start = next(message for message in sent if message["type"] == "http.response.start")
    return start["status"], {name.decode(): value.decode() for name, value in start["headers"]}


def test_a_link_becomes_a_cookie_that_is_good(runtime: Path, sessions: Sessions) -> None:
    async def act() -> dict[str, str]:
        login_links = LoginLinks(ADDRESS)
        status, headers = await get(login_links, sessions, login_links.open().link)
        assert status == 200
        return headers

    headers = asyncio.run(act())
    (cookie,) = SimpleCookie(headers["set-cookie"]).values()
    assert cookie.key == sessions.cookie_name
    assert sessions.is_valid(cookie.value)
    assert cookie["httponly"]
    assert (cookie["samesite"], cookie["path"]) == ("strict", "/")
    assert int(cookie["max-age"]) == SESSION_SECONDS
    assert "location" not in headers


def test_of_several_who_come_at_once_with_one_link_one_is_let_in(
    runtime: Path, sessions: Sessions
) -> None:
    async def act() -> list[tuple[int, dict[str, str]]]:
        login_links = LoginLinks(ADDRESS)
        link = login_links.open().link
        return await asyncio.gather(*(get(login_links, sessions, link) for _ in range(5)))

    answers = asyncio.run(act())
    assert sorted(status for status, _ in answers) == [200, 403, 403, 403, 403]
    assert sum("set-cookie" in headers for _, headers in answers) == 1


@pytest.mark.parametrize("target", ["/enter", "/enter?token=", "/enter?token=guess", "/enter?x=1"])
def test_whoever_has_no_link_gets_no_cookie(runtime: Path, sessions: Sessions, target: str) -> None:
    async def act() -> tuple[int, dict[str, str]]:
        login_links = LoginLinks(ADDRESS)
        login_links.open()
        return await get(login_links, sessions, target)

    status, headers = asyncio.run(act())
    assert status == 403
    assert "set-cookie" not in headers


def test_the_file_opens_the_link_and_is_for_its_owner_alone(runtime: Path) -> None:
    async def act() -> None:
        opened = LoginLinks(ADDRESS).open()
        file = Path(opened.file)
        assert file.parent == runtime
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert re.findall('href="([^"]*)"', file.read_text()) == [opened.link]
        assert opened.link.startswith("http://127.0.0.1:8417/enter?token=")

    asyncio.run(act())


def test_each_way_in_is_another_one(runtime: Path) -> None:
    async def act() -> None:
        login_links = LoginLinks(ADDRESS)
        opened = [login_links.open() for _ in range(3)]
        assert len({each.link for each in opened}) == len({each.file for each in opened}) == 3

    asyncio.run(act())


def test_no_file_outlives_its_link(runtime: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(login_routes, "TOKEN_SECONDS", 0.0)

    async def act() -> None:
        login_links = LoginLinks(ADDRESS)
        login_links.open()
        assert len(list(runtime.iterdir())) == 1
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert list(runtime.iterdir()) == []
        login_links.close()

    asyncio.run(act())


def test_a_server_that_ends_removes_the_files_that_are_left(runtime: Path) -> None:
    async def act() -> None:
        login_links = LoginLinks(ADDRESS)
        first = login_links.open()
        login_links.open()
        # Somebody may have tidied up before.
        Path(first.file).unlink()
        login_links.close()
        assert list(runtime.iterdir()) == []
        login_links.close()

    asyncio.run(act())


@pytest.mark.parametrize(
    ("header", "is_ours"),
    [
        ("Bearer the key of this user", True),
        ("", False),
        ("Bearer ", False),
        ("the key of this user", False),
        ("bearer the key of this user", False),
        ("Bearer the key of this user ", False),
        ("Bearer the key of another", False),
        ("Bearer é", False),
        ("Basic the key of this user", False),
    ],
)
def test_only_the_key_of_this_user_is_believed(header: str, is_ours: bool) -> None:
    assert LoginLinks(ADDRESS).is_bearer(header) is is_ours
