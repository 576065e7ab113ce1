"""Servers that start at once, programs that never end, and a browser that will not let go."""

import json
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.web.live import LiveServer

pytestmark = [pytest.mark.web, pytest.mark.full]

CONTENT = Path(__file__).parents[2] / "src/torchstone/content/problems"
RIGHT = (CONTENT / "01_softmax/solution.py").read_text()


def test_servers_that_start_at_once_are_one(tmp_path: Path) -> None:
    servers = [LiveServer(folder=tmp_path) for _ in range(4)]
    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda each: each.start(), servers))
        assert [each.announced.get("code") for each in servers] == [None] * 4
        assert sum(each.announced["is_new"] for each in servers) == 1
        assert len({each.url for each in servers}) == 1
        assert [each.wait() for each in servers if not each.announced["is_new"]] == [0] * 3
    finally:
        for each in servers:
            each.stop()


def test_a_browser_that_keeps_its_caller_waiting_is_served(own_server: LiveServer) -> None:
    # As a browser in a terminal does: it returns when the page was read.
    browser = own_server.folder / "browser"
    browser.write_text(
        f"#!{sys.executable}\n"
        "import re, sys, urllib.parse, urllib.request\n"
        "path = urllib.parse.urlsplit(sys.argv[1]).path\n"
        'link = re.search(\'href="([^"]+)"\', open(path).read())[1]\n'
        "urllib.request.urlopen(link, timeout=20).read()\n"
    )
    browser.chmod(0o700)
    done = subprocess.Popen(
        [sys.executable, "-m", "torchstone", "serve", "--json", "--port", "0"],
        env=own_server.environment | {"BROWSER": str(browser), "DISPLAY": ":0"},
        stdout=subprocess.PIPE,
    )
    own_server.process = done
    assert done.stdout is not None
    assert json.loads(done.stdout.readline())["is_opened"] is True


@pytest.mark.sandbox
@pytest.mark.torch
def test_a_solution_is_tried_on_an_input_of_ones_own(server: LiveServer) -> None:
    server.wait_warm()
    ask = {"source": RIGHT, "expression": "print('said') or 6 * 7"}
    tried = server.ask("POST", "/api/problems/01/try", ask)
    assert (tried.status, tried.json["text"], tried.json["stdout"]) == (200, "42", "said\n")
    tried = server.ask("POST", "/api/problems/01/try", ask | {"expression": "1 / 0"})
    assert (tried.json["text"], tried.json["error"]["type"]) == (None, "ZeroDivisionError")


def test_a_server_that_never_says_where_it_is_is_not_waited_for_without_an_end(
    own_server: LiveServer,
) -> None:
    own_server.start()
    (address,) = (own_server.folder / "runtime").glob("*.server.json")
    address.write_text("")
    second = LiveServer(folder=own_server.folder).start()
    assert second.announced["code"] == "web.no_place"
    assert second.wait() == 3


@pytest.mark.sandbox
@pytest.mark.torch
@pytest.mark.full
def test_endless_programs_keep_nobody_from_reading_nor_the_server_from_ending(
    own_server: LiveServer,
) -> None:
    own_server.start()
    own_server.enter()
    own_server.wait_warm()
    ask = {"source": RIGHT, "expression": "[0 for _ in iter(int, 1) if False]"}
    head = "".join(
        f"{n}: {v}\r\n" for n, v in own_server.page_headers("POST", has_body=True).items()
    )
    body = json.dumps(ask)
    request = f"POST /api/problems/01/try HTTP/1.1\r\n{head}Content-Length: {len(body)}\r\n\r\n"
    endless = [own_server.connect() for _ in range(60)]
    try:
        for sock in endless:
            sock.sendall((request + body).encode())
        # More of them than there are threads, and none has ended.
        for path in ("/api/overview", "/api/problems/01", "/en/"):
            assert own_server.ask("GET", path).status == 200
        for sock in endless:
            sock.setblocking(False)
        assert sum(_has_answered(sock) for sock in endless) < 20
        assert own_server.stop() == 0
    finally:
        for sock in endless:
            sock.close()
    assert own_server.complaints() == ""


def _has_answered(sock: socket.socket) -> bool:
    try:
        return bool(sock.recv(1))
    except BlockingIOError:
        return False
