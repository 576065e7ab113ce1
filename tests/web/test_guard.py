"""What a hostile page, a hostile program and a slow client try; every request is real."""

import asyncio
import json
import os
import select
import socket
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from tests.web.live import LiveServer
from torchstone.web import guard
from torchstone.web.guard import BODY_CAP, Guard
from torchstone.web.session import Sessions

pytestmark = pytest.mark.web

# Every route that changes something or streams, with a body that it would take.
CHANGES: list[tuple[str, str, Any]] = [
    ("POST", "/api/problems/01/submissions", {"source": "x", "kind": "run", "key": "k" * 16}),
    ("POST", "/api/problems/01/try", {"source": "x = 1", "expression": "x"}),
    ("POST", "/api/problems/01/syntax", {"source": "x = 1"}),
    ("POST", "/api/problems/01/hints", {"rung": 1}),
    ("POST", "/api/problems/01/solutions", {"give_up": True}),
    ("PUT", "/api/problems/01/draft", {"text": "x", "base": "absent"}),
    ("PUT", "/api/problems/01/notes", {"text": "x", "base": "absent"}),
    ("POST", "/api/submissions/000000000000/events", None),
    ("POST", "/api/submissions/000000000000/cancel", None),
    ("POST", "/api/reviews/01/undo", None),
    ("POST", "/api/diff", {"first": "a", "second": "b"}),
    ("PUT", "/api/problems/01/mark", {"marked": True}),
    ("POST", "/api/problems/01/format", {"source": "x = 1"}),
    ("POST", "/api/problems/01/times", None),
    ("POST", "/api/problems/01/work", {"spans": []}),
    ("PUT", "/api/problems/01/inputs", {"name": "zeros", "code": "x"}),
    ("POST", "/api/problems/01/inputs/rename", {"name": "zeros", "new_name": "z"}),
    ("POST", "/api/problems/01/inputs/delete", {"name": "zeros"}),
    ("POST", "/api/questions/2.1.2.1.1/answer", {"text": "x"}),
    ("POST", "/api/questions/2.1.2.1.1/show", {}),
    ("POST", "/api/questions/2.1.2.1.1/corrections", {"of": "2026-01-01T00:00:00Z"}),
    ("POST", "/api/questions/2.1.2.1.1/predict", {"change": 0, "claims": []}),
    ("POST", "/api/questions/2.1.2.1.1/run", {"cell": "none"}),
    ("POST", "/api/questions/2.1.2.1.1/undo", {}),
    ("POST", "/api/learn/masks/reading", {"section": 1}),
    ("POST", "/api/learn/masks/run", {"cell": 1}),
    ("PUT", "/api/path", {"path": None}),
    ("POST", "/api/import", {}),
    ("POST", "/api/receipts/verify", {}),
    ("POST", "/api/login_links", None),
    ("POST", "/api/doctor/traces?name=a.json", {}),
    ("DELETE", "/api/doctor/traces/0123456789abcdef", {}),
    ("POST", "/api/xray/examine", {"text": "import torch", "scenes": ["graph"]}),
    ("POST", "/api/explain/play", {"expression": "x.t()"}),
    ("POST", "/api/interviews", {"level": "mid", "minutes": 30}),
    ("DELETE", "/api/interviews/ffffffffffff", {}),
    *(
        ("POST", f"/api/interviews/ffffffffffff/{act}", {})
        for act in (
            *("hold", "answer", "skip", "run", "next", "pause", "resume", "end", "review"),
            *("guide", "notes", "take", "score", "swap"),
        )
    ),
    ("PUT", "/api/interviews/ffffffffffff/draft", {"item": "x", "text": "x"}),
    ("PUT", "/api/interviews/ffffffffffff/ticks", {"item": "x", "points": []}),
    ("PUT", "/api/seats/ffffffffffff/draft", {"item": "x", "text": "x"}),
    ("POST", "/api/seats/ffffffffffff/run", {"item": "x", "text": "x"}),
    ("POST", "/api/distributed/simulate", {"world": 2, "parallel": "ddp", "steps": 1}),
]


def test_every_route_that_changes_something_is_tried_below(server: LiveServer) -> None:
    paths = server.ask("GET", "/api/openapi.json").json["paths"]
    known = {
        (method.upper(), path)
        for path, methods in paths.items()
        for method in methods
        if method not in ("get", "head")
    }
    filled = {
        (
            method,
            path.partition("?")[0]
            .replace("/01/", "/{problem_id}/")
            .replace("000000000000", "{submission}")
            .replace("2.1.2.1.1", "{question_id}")
            .replace("0123456789abcdef", "{trace}")
            .replace("/masks/", "/{chapter_id}/")
            .replace("ffffffffffff", "{interview}"),
        )
        for method, path, _ in CHANGES
    }
    assert known <= filled, known - filled


@pytest.mark.parametrize(
    ("name", "forged"),
    [
        ("no origin", {"Origin": None}),
        ("null origin", {"Origin": "null"}),
        ("foreign site", {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}),
        ("another port", {"Origin": "http://127.0.0.1:1", "Sec-Fetch-Site": "same-site"}),
        ("our origin from another site", {"Sec-Fetch-Site": "cross-site"}),
        ("our origin from another port", {"Sec-Fetch-Site": "same-site"}),
        ("no site", {"Sec-Fetch-Site": None}),
        ("a navigation", {"Sec-Fetch-Site": "none"}),
        ("the other name of this machine", {"Origin": "http://localhost:{port}"}),
        ("https", {"Origin": "https://127.0.0.1:{port}"}),
        ("longer", {"Origin": "http://127.0.0.1:{port}.evil.example"}),
    ],
)
def test_no_other_origin_changes_anything(
    server: LiveServer, name: str, forged: dict[str, Any]
) -> None:
    headers = {
        key: value and value.replace("{port}", str(server.port)) for key, value in forged.items()
    }
    answer = server.ask(*CHANGES[0], headers=headers)
    assert (answer.status, answer.json["code"]) == (403, "web.other_origin")


def test_every_route_that_changes_something_is_behind_the_guard(server: LiveServer) -> None:
    foreign = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    for method, path, body in CHANGES:
        assert server.ask(method, path, body, headers=foreign).status == 403, path
        assert server.ask(method, path, body, headers={"Cookie": None}).status == 401, path


@pytest.mark.parametrize("cookie", [None, "", "torchstone_0=x", "forged", "expired"])
def test_nobody_changes_anything_without_having_been_let_in(
    server: LiveServer, cookie: str | None
) -> None:
    name = server.cookie.partition("=")[0]
    if cookie == "forged":
        cookie = f"{name}=99999999999.AAAA.{'0' * 64}"
    elif cookie == "expired":
        cookie = f"{name}=1.{server.cookie.partition('=')[2].partition('.')[2]}"
    answer = server.ask(*CHANGES[0], headers={"Cookie": cookie})
    assert (answer.status, answer.json["code"]) == (401, "web.not_let_in")


def test_nothing_is_read_without_having_been_let_in(server: LiveServer) -> None:
    paths = server.ask("GET", "/api/openapi.json").json["paths"]
    reads = [path for path, methods in paths.items() if "get" in methods]
    assert len(reads) > 10
    for path in reads:
        real = path.replace("{problem_id}", "01").replace("{submission}", "0" * 12)
        assert server.ask("GET", real, headers={"Cookie": None}).status == 401, path


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "[::1]:{port}", ""]
)
@pytest.mark.parametrize("path", ["/", "/en/", "/api/status", "/enter?token=x", "/icon.svg"])
def test_a_rebound_name_gets_nothing(server: LiveServer, host: str, path: str) -> None:
    headers = {"Host": host.replace("{port}", str(server.port))}
    answer = server.ask("GET", path, headers=headers)
    assert (answer.status, answer.json["code"]) == (421, "web.misdirected")


def test_two_hosts_are_none(server: LiveServer) -> None:
    with server.connect() as sock:
        sock.sendall(
            f"GET /en/ HTTP/1.1\r\nHost: {server.authority}\r\nHost: evil\r\n\r\n".encode()
        )
        status = sock.recv(4096).split(b" ")[1]
    assert status in (b"400", b"421")


def test_a_page_of_another_port_cannot_even_read(server: LiveServer) -> None:
    # The cookie travels there, since a port is no site.
    answer = server.ask("GET", "/api/overview", headers={"Sec-Fetch-Site": "same-site"})
    assert answer.status == 403
    assert "Access-Control-Allow-Origin" not in answer.headers
    # And a preflight is answered with nothing that allows.
    asked = {"Origin": "http://127.0.0.1:1", "Access-Control-Request-Method": "PUT"}
    assert server.ask("OPTIONS", "/api/problems/01/draft", headers=asked).status == 403


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../../../../../../etc/passwd",
        "/assets/..%2f..%2f..%2fetc%2fpasswd",
        "/..%5c..%5cetc",
        "//etc/passwd",
        "/%2e%2e/%2e%2e/web.key",
        "/assets/%00",
        "/en/../api/status",
        "/stamp",
        "/manifest.json",
        "/index.html",
    ],
)
def test_no_address_leads_out_of_the_page(server: LiveServer, path: str) -> None:
    answer = server.ask("GET", path, headers={"Cookie": None})
    assert answer.status in (401, 404), answer.body[:80]
    assert b"root:" not in answer.body


@pytest.mark.parametrize(
    "body", [b"{", b"\xff\xfe", b"[]", b"null", b"", b'{"text": 1}', b"[" * 100_000]
)
def test_a_body_that_is_no_document_is_said_to_be_none(server: LiveServer, body: bytes) -> None:
    for method, path in (("PUT", "/api/problems/01/draft"), ("POST", "/api/import")):
        answer = server.ask(method, path, body)
        assert answer.status in (400, 422), answer.body
        assert set(answer.json) == {"ok", "code", "message", "hint", "status"}


def test_a_body_that_is_too_long_is_refused_unread_and_uncounted(server: LiveServer) -> None:
    path = "/api/problems/01/draft"
    declared = server.ask("PUT", path, b"x", headers={"Content-Length": str(BODY_CAP + 1)})
    assert (declared.status, declared.json["code"]) == (413, "web.too_large")
    # Without a length it is counted as it comes.
    with server.connect() as sock:
        head = "".join(
            f"{name}: {value}\r\n"
            for name, value in server.page_headers("PUT", has_body=True).items()
        )
        sock.sendall(f"PUT {path} HTTP/1.1\r\n{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        try:
            for _ in range(BODY_CAP // 0x10000 + 2):
                sock.sendall(chunk)
            status = sock.recv(4096).split(b" ")[1]
        except ConnectionError:
            status = b"413"
    assert status == b"413"


def test_idle_connections_keep_nobody_out(server: LiveServer) -> None:
    idle: list[socket.socket] = []
    try:
        for _ in range(300):
            sock = server.connect()
            sock.sendall(b"GET /en/ HT")
            idle.append(sock)
        assert server.ask("GET", "/api/status").status == 200
    finally:
        for sock in idle:
            sock.close()


@pytest.mark.full
def test_a_client_that_never_ends_its_request_is_hung_up_on(server: LiveServer) -> None:
    with server.connect() as sock:
        sock.settimeout(60)
        sock.sendall(b"GET /en/ HTTP/1.1\r\nHost: ")
        assert sock.recv(1) == b""


@pytest.mark.full
def test_a_body_that_trickles_is_given_up(server: LiveServer) -> None:
    with server.connect() as sock:
        head = "".join(
            f"{name}: {value}\r\n"
            for name, value in server.page_headers("PUT", has_body=True).items()
        )
        sock.sendall(
            f"PUT /api/problems/01/notes HTTP/1.1\r\n{head}Content-Length: 100\r\n\r\n".encode()
        )
        # A server that waits without a limit would get the whole body, and answer otherwise.
        for _ in range(100):
            try:
                sock.sendall(b" ")
            except ConnectionError:
                break
            if select.select([sock], [], [], 0.5)[0]:
                break
        assert sock.recv(4096).split(b" ")[1] == b"408"


def test_every_answer_says_what_a_browser_must_not_do(server: LiveServer) -> None:
    for path in ("/en/", "/api/status", "/nothing", "/icon.svg", "/api/nothing"):
        headers = server.ask("GET", path).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Frame-Options"] == "DENY"
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "http:" not in policy
    assert "Server" not in headers


def test_a_page_has_a_nonce_of_its_own(server: LiveServer) -> None:
    policies = [server.ask("GET", "/en/").headers["Content-Security-Policy"] for _ in range(2)]
    assert policies[0] != policies[1]


@pytest.mark.full
def test_the_whole_machine_may_not_be_listened_on(own_server: LiveServer) -> None:
    own_server.extra["TORCHSTONE_LANG"] = "en"
    for host in ("0.0.0.0", "::", "192.0.2.1"):
        try:
            own_server.start("--host", host)
        except AssertionError:
            pass
        assert own_server.announced["code"] == "web.not_loopback"
        assert "accounts" in own_server.announced["hint"]
        assert own_server.wait() == 2


def test_an_answer_of_json_is_never_taken_for_a_page(server: LiveServer) -> None:
    hostile = json.dumps("<script>alert(1)</script>")
    answer = server.ask("GET", f"/api/search?q={'%3Cscript%3E'}")
    assert answer.headers["Content-Type"] == "application/json"
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert hostile


def test_the_secrets_are_readable_by_this_user_alone(server: LiveServer) -> None:
    for place in ("data", "runtime"):
        for folder, _, names in os.walk(server.folder / place):
            for name in names:
                mode = os.lstat(os.path.join(folder, name)).st_mode & 0o777
                assert mode & 0o077 == 0, f"{name} has mode {mode:o}"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/diff", {"first": "\ud800", "second": "x"}),
        ("/api/problems/01/try", {"source": "\udfff", "expression": "1"}),
        ("/api/problems/01/submissions", {"source": "\ud800", "key": "k" * 16}),
    ],
)
def test_half_a_character_is_no_text(server: LiveServer, path: str, body: Any) -> None:
    answer = server.ask("POST", path, body)
    assert (answer.status, answer.json["code"]) == (422, "web.invalid")


def test_an_address_that_looks_like_a_place_to_fill_in_is_not_filled_in(
    server: LiveServer,
) -> None:
    answer = server.ask("GET", "/en/%25nonce%25%25title%25")
    assert b'/en/%nonce%%title%"' in answer.body


@pytest.mark.full
def test_nobody_fills_the_terminal_from_outside(own_server: LiveServer) -> None:
    own_server.start()
    own_server.enter()
    head = "".join(f"{n}: {v}\r\n" for n, v in own_server.page_headers("POST").items())
    for hostile in (
        "\x16\x03\x01\r\n\r\n",
        "GET /en/ HTTP/1.1\r\nHost: a b\r\nContent-Length: x\r\n\r\n",
        f"GET /en/ HTTP/1.1\r\n{head}Connection: upgrade\r\nUpgrade: websocket\r\n\r\n",
        # Half a body, and gone.
        f"POST /api/import HTTP/1.1\r\n{head}Content-Length: 100\r\n\r\n{{",
        f"POST /api/diff HTTP/1.1\r\n{head}Content-Length: 100\r\n\r\n{{",
    ):
        with own_server.connect() as sock:
            sock.sendall(hostile.encode())
            sock.shutdown(socket.SHUT_WR)
            while sock.recv(65536):
                pass
    assert own_server.stop() == 0
    assert own_server.complaints() == ""


@pytest.mark.pure
def test_an_answer_that_has_begun_is_never_followed_by_a_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.01)
    sent: list[Message] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        asked = asyncio.ensure_future(receive())
        await StreamingResponse(_two_parts(asked)).stream_response(send)

    async def silent() -> Message:
        await asyncio.Event().wait()
        raise AssertionError("it was set")

    async def send(message: Message) -> None:
        sent.append(message)

    sessions = Sessions(b"k" * 32, Path("/data"))
    guarded = Guard(
        app=app, hosts=frozenset({"here"}), sessions=sessions, is_bearer=lambda _: False
    )
    scope = {"type": "http", "method": "GET", "path": "/x", "headers": [(b"host", b"here")]}
    asyncio.run(guarded(scope, silent, send))
    assert [message["type"] for message in sent].count("http.response.start") == 1
    assert [message.get("body") for message in sent][1:] == [b"1", b"2", b""]


async def _two_parts(asked: asyncio.Future[Message]) -> Any:
    yield b"1"
    # The body is given up meanwhile.
    assert (await asked)["type"] == "http.disconnect"
    yield b"2"
