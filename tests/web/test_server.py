"""The life of a server: starting, letting in, being killed, ending; and what it must not import."""

import asyncio
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from tests.web.live import LiveServer
from torchstone.core.errors import BadInput
from torchstone.web import server as serving
from torchstone.web.server import PORTS, ImpatientProtocol, bind, require_loopback

CONTENT = Path(__file__).parents[2] / "src/torchstone/content/problems"
RIGHT = (CONTENT / "01_softmax/solution.py").read_text()
WRONG = (CONTENT / "01_softmax/wrong/no_shift.py").read_text()


@pytest.mark.gate("15")
@pytest.mark.web
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_being_told_to_end_is_success(own_server: LiveServer, number: int) -> None:
    own_server.start()
    assert own_server.stop(number) == 0
    left = [path.name for path in (own_server.folder / "runtime").iterdir()]
    assert not [name for name in left if name.startswith("enter-")]


@pytest.mark.full
@pytest.mark.web
def test_it_ends_although_a_reader_follows(own_server: LiveServer) -> None:
    own_server.start()
    own_server.enter()
    submission = own_server.submit("01", RIGHT)
    with own_server.connect() as sock:
        head = "".join(f"{n}: {v}\r\n" for n, v in own_server.page_headers("POST").items())
        path = f"/api/submissions/{submission}/events"
        sock.sendall(f"POST {path} HTTP/1.1\r\n{head}\r\n".encode())
        assert sock.recv(12) == b"HTTP/1.1 200"
        assert own_server.stop() == 0
    # Quietly: the stream was ended, not torn off.
    assert own_server.complaints() == ""


@pytest.mark.full
@pytest.mark.web
def test_neither_the_server_nor_what_it_imports_is_torch(own_server: LiveServer) -> None:
    own_server.start()
    own_server.enter()
    for path in ("/api/overview", "/api/problems/01", "/api/search?q=softmax", "/api/machine"):
        assert own_server.ask("GET", path).status == 200
    assert own_server.process is not None
    mapped = Path(f"/proc/{own_server.process.pid}/maps").read_text()
    assert "libpython" in mapped or "python" in mapped
    assert not re.search(r"libtorch|/torch/|/ray/|/triton/", mapped)


@pytest.mark.full
@pytest.mark.web
def test_a_link_lets_in_once_and_its_file_is_private(own_server: LiveServer) -> None:
    own_server.start()
    (file,) = (own_server.folder / "runtime").glob("enter-*.html")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert own_server.announced["link"] in file.read_text()
    own_server.enter()
    assert own_server.ask("GET", "/api/status").status == 200
    parts = urlsplit(own_server.announced["link"])
    again = own_server.ask("GET", f"{parts.path}?{parts.query}")
    assert again.status == 403
    assert "Set-Cookie" not in again.headers


@pytest.mark.full
@pytest.mark.web
def test_the_cookie_is_out_of_reach_of_scripts_and_of_other_sites(own_server: LiveServer) -> None:
    own_server.start()
    parts = urlsplit(own_server.announced["link"])
    cookie = own_server.ask("GET", f"{parts.path}?{parts.query}").headers["Set-Cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "domain" not in cookie


@pytest.mark.web
def test_no_secret_stands_on_a_command_line_or_in_the_environment(own_server: LiveServer) -> None:
    own_server.start()
    own_server.enter()
    own_server.wait_warm()
    (address,) = (own_server.folder / "runtime").glob("*.server.json")
    secrets = [
        urlsplit(own_server.announced["link"]).query.partition("=")[2],
        own_server.cookie.partition("=")[2],
        json.loads(address.read_text())["key"],
    ]
    for process in Path("/proc").glob("[0-9]*"):
        for name in ("cmdline", "environ"):
            try:
                found = (process / name).read_bytes()
            except OSError:
                continue
            assert not [secret for secret in secrets if secret.encode() in found]


@pytest.mark.full
@pytest.mark.web
def test_a_second_serve_opens_the_first(own_server: LiveServer) -> None:
    own_server.start()
    own_server.enter()
    command = [sys.executable, "-m", "torchstone", "serve", "--no-open", "--json"]
    done = subprocess.run(
        command, env=own_server.environment, capture_output=True, text=True, check=False
    )
    said = json.loads(done.stdout)
    assert done.returncode == 0
    assert (said["is_new"], said["url"]) == (False, own_server.announced["url"])
    # Its link is another one, and as good.
    own_server.announced = said
    own_server.cookie = ""
    own_server.enter()
    assert own_server.ask("GET", "/api/status").status == 200


@pytest.mark.full
@pytest.mark.web
def test_a_browser_stays_let_in_when_the_server_is_started_again(own_server: LiveServer) -> None:
    own_server.start()
    own_server.enter()
    port = own_server.port
    assert own_server.kill() == -signal.SIGKILL
    own_server.start("--port", str(port))
    assert own_server.ask("GET", "/api/status").status == 200
    # Removing the key shuts everybody out.
    own_server.kill()
    (own_server.folder / "data" / "web.key").unlink()
    own_server.start("--port", str(port))
    assert own_server.ask("GET", "/api/status").status == 401


@pytest.mark.full
@pytest.mark.web
def test_a_port_that_is_taken_is_said_and_without_one_the_next_is_found(
    own_server: LiveServer,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        own_server.start("--port", str(taken.getsockname()[1]))
        assert own_server.announced["code"] == "web.port_taken"
        assert own_server.wait() == 2


@pytest.mark.pure
def test_the_next_free_port_is_found() -> None:
    first = bind("127.0.0.1", None)
    first.listen()
    with first, bind("127.0.0.1", None) as second:
        second.listen()
        ports = [first.getsockname()[1], second.getsockname()[1]]
    assert all(port in PORTS for port in ports)
    assert ports[0] < ports[1]


@pytest.mark.pure
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "example.org", "", "127.0.0.1.x"])
def test_only_addresses_of_this_machine_are_listened_on(host: str) -> None:
    with pytest.raises(BadInput):
        require_loopback(host)


@pytest.mark.pure
@pytest.mark.parametrize(
    ("host", "written"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("127.8.9.1", "127.8.9.1"),
        ("localhost", "localhost"),
        ("::1", "::1"),
        ("0:0:0:0:0:0:0:1", "::1"),
        ("::0001", "::1"),
    ],
)
def test_addresses_of_this_machine_are_written_as_browsers_write_them(
    host: str, written: str
) -> None:
    assert require_loopback(host) == written


@pytest.mark.plain
@pytest.mark.gate("False-*", "True-half a first request")
@pytest.mark.parametrize(
    "said",
    [
        pytest.param(b"GET / HT", id="half a first request"),
        pytest.param(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", id="nothing more"),
        pytest.param(b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HT", id="half a second request"),
        pytest.param(
            b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\nx", id="half a body unread"
        ),
    ],
)
@pytest.mark.parametrize("is_pressed_on", [False, True])
def test_no_connection_is_kept_for_a_request_that_never_comes(
    said: bytes, is_pressed_on: bool
) -> None:
    received = bytearray()

    class Protocol(ImpatientProtocol):
        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            received.extend(data)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse("x")(scope, receive, send)

    async def tell(writer: asyncio.StreamWriter, data: bytes) -> None:
        writer.write(data)
        while not received.endswith(data):
            await asyncio.sleep(0)

    async def talk() -> None:
        config = uvicorn.Config(app, http=Protocol, lifespan="off", log_config=None)
        config.load()
        state = ServerState()
        loop = asyncio.get_running_loop()
        clock, start = loop.time, loop.time()
        # No time passes until the server has read everything, however busy the machine is.
        loop.time = lambda: start  # type: ignore[method-assign]
        listening = await loop.create_server(
            lambda: Protocol(config=config, server_state=state, app_state={}), "127.0.0.1", 0
        )
        reader, writer = await asyncio.open_connection(*listening.sockets[0].getsockname())
        await tell(writer, said)
        if b"\r\n\r\n" in said:
            await reader.readuntil(b"\r\n\r\nx")
        if is_pressed_on:
            # One byte more, once the answer is there: nobody waits for a next request now.
            await tell(writer, b"x")
        assert not reader.at_eof()
        passed = max(serving.HEADER_SECONDS, config.timeout_keep_alive)
        loop.time = lambda: clock() + passed  # type: ignore[method-assign]
        assert await asyncio.wait_for(reader.read(), timeout=20) == b""
        writer.close()
        listening.close()

    asyncio.run(talk())


@pytest.mark.web
@pytest.mark.sandbox
@pytest.mark.torch
@pytest.mark.full
def test_a_verdict_comes_case_by_case_and_a_reader_goes_on_where_it_was(
    used_server: LiveServer,
) -> None:
    used_server.wait_warm()
    submission = used_server.submit("01", WRONG)
    events = used_server.events(submission)
    kinds = [event["type"] for event in events]
    assert kinds[:4] == ["queued", "stage", "started", "stage"]
    assert kinds[-1] == "done"
    report = events[-1]["report"]
    assert kinds.count("case") == len(report["cases"])
    assert (report["verdict"], report["misconception"]["name"]) == ("WA", "no_shift")
    # Cut off after any event, a reader gets exactly the rest.
    for cut in (0, 3, len(events) - 2):
        rest = used_server.events(submission, last=events[cut]["_id"])
        assert [each["_id"] for each in rest] == [each["_id"] for each in events[cut + 1 :]]
        assert rest[-1] == events[-1]
    # An id of another host, or no id at all, means everything.
    for stranger in ("0123456789ab:5", "rubbish", f"{'9' * 30}:{'9' * 30}", "é:1".encode().hex()):
        assert len(used_server.events(submission, last=stranger)) == len(events)


@pytest.mark.web
@pytest.mark.sandbox
@pytest.mark.torch
@pytest.mark.full
def test_the_same_key_is_the_same_submission(used_server: LiveServer) -> None:
    key = os.urandom(8).hex()
    first = used_server.submit("02", RIGHT, key=key)
    assert used_server.submit("02", RIGHT, key=key) == first
    other = {"source": "x = 1", "kind": "submit", "key": key}
    answer = used_server.ask("POST", "/api/problems/02/submissions", other)
    assert (answer.status, answer.json["code"]) == (400, "store.client_key_reused")
    used_server.events(first)


@pytest.mark.full
@pytest.mark.web
@pytest.mark.sandbox
@pytest.mark.torch
def test_what_is_queued_can_be_cancelled(used_server: LiveServer) -> None:
    used_server.wait_warm()
    endless = "def softmax(x, dim=-1, dtype=None):\n    while True: pass\n"
    submission = used_server.submit("01", endless)
    answer = used_server.ask("POST", f"/api/submissions/{submission}/cancel")
    assert answer.json == {"cancelled": True}
    assert used_server.events(submission)[-1]["type"] == "cancelled"
    assert used_server.ask("POST", f"/api/submissions/{submission}/cancel").json == {
        "cancelled": False
    }
    found = used_server.ask("GET", f"/api/submissions/{submission}").json
    assert (found["state"], found["report"]) == ("cancelled", None)


@pytest.mark.web
@pytest.mark.sandbox
@pytest.mark.torch
@pytest.mark.full
def test_a_judge_host_that_is_killed_in_the_middle_is_started_again(
    own_server: LiveServer,
) -> None:
    own_server.start()
    own_server.enter()
    own_server.wait_warm()
    slow = "import time\ntime.sleep(2)\n" + RIGHT
    submission = own_server.submit("01", slow)
    events: list[object] = []
    reader = threading.Thread(target=lambda: events.extend(own_server.events(submission)))
    reader.start()
    host = json.loads(
        subprocess.run(
            [sys.executable, "-m", "torchstone", "host", "status", "--json"],
            env=own_server.environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    )
    os.kill(host["pid"], signal.SIGKILL)
    reader.join(timeout=120)
    kinds = [event["type"] for event in events]  # type: ignore[index]
    assert "starting" in kinds
    assert kinds[-1] == "done"
    assert events[-1]["report"]["verdict"] == "AC"  # type: ignore[index]


@pytest.mark.web
@pytest.mark.sandbox
@pytest.mark.torch
@pytest.mark.full
def test_a_server_that_is_killed_loses_nothing_that_it_accepted(own_server: LiveServer) -> None:
    own_server.start()
    own_server.enter()
    own_server.wait_warm()
    port = own_server.port
    submissions = [own_server.submit("01", RIGHT + f"# {number}\n") for number in range(5)]
    own_server.kill()
    own_server.start("--port", str(port))
    for submission in submissions:
        assert own_server.events(submission)[-1]["report"]["verdict"] == "AC"


@pytest.mark.web
@pytest.mark.sandbox
@pytest.mark.torch
@pytest.mark.full
def test_two_hundred_submissions_at_once_are_all_judged_once(own_server: LiveServer) -> None:
    own_server.start()
    own_server.enter()
    own_server.wait_warm()

    def hand_in(number: int) -> tuple[str, str]:
        submission = own_server.submit("01", f"{WRONG}# {number}\n", kind="run")
        return submission, own_server.events(submission)[-1]["report"]["verdict"]

    with ThreadPoolExecutor(200) as pool:
        judged = list(pool.map(hand_in, range(200)))
    assert len({submission for submission, _ in judged}) == 200
    assert {verdict for _, verdict in judged} <= {"AC", "WA"}
    found = own_server.ask("GET", "/api/problems/01/submissions?limit=200").json
    assert found["total"] == 200
    assert {line["state"] for line in found["submissions"]} == {"done"}
    sources = {
        own_server.ask("GET", f"/api/submissions/{submission}").json["source"]
        for submission, _ in judged
    }
    assert len(sources) == 200
