"""A real server in a process of its own, with folders of its own, asked over real sockets."""

from __future__ import annotations

import http.client
import json
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

START_SECONDS = 60.0


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the server answered."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        """Read the body as JSON."""
        return json.loads(self.body)


@dataclass(kw_only=True)
class LiveServer:
    """``torchstone serve`` as a user starts it.

    Attributes:
        folder: Where its data, workspace and runtime folders are made.
        python: The interpreter that runs it.
        extra: Environment variables besides.
    """

    folder: Path
    python: str = sys.executable
    extra: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None
    announced: dict[str, Any] = field(default_factory=dict)
    cookie: str = ""

    @property
    def environment(self) -> dict[str, str]:
        """Return the variables that it runs with."""
        names = {
            f"TORCHSTONE_{name.upper()}": str(self.folder / name)
            for name in ("data", "workspace", "runtime", "config")
        }
        quiet = {name: "" for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")}
        return os.environ | names | quiet | self.extra

    @property
    def url(self) -> str:
        """Return the address without its last slash."""
        return str(self.announced["url"]).rstrip("/")

    @property
    def port(self) -> int:
        """Return the port."""
        return int(urlsplit(self.url).port or 0)

    @property
    def authority(self) -> str:
        """Return host and port."""
        return f"127.0.0.1:{self.port}"

    @property
    def runs(self) -> bool:
        """Return whether it was started and has not ended."""
        return self.process is not None and self.process.poll() is None

    def start(self, *arguments: str) -> Self:
        """Start it and wait until it says where it is."""
        command = [self.python, "-m", "torchstone", "serve", "--no-open", "--json"]
        with (self.folder / "stderr.log").open("ab") as stderr:
            self.process = subprocess.Popen(
                [*command, *(arguments or ("--port", "0"))],
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=stderr,
                cwd=self.folder,
            )
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], START_SECONDS)
        assert ready, "the server said nothing"
        self.announced = json.loads(self.process.stdout.readline())
        return self

    def enter(self) -> None:
        """Come in as a browser does."""
        parts = urlsplit(self.announced["link"])
        answer = self.ask("GET", f"{parts.path}?{parts.query}")
        assert answer.status == 200, answer.body
        self.cookie = str(answer.headers["Set-Cookie"]).partition(";")[0]

    def new_link(self) -> str:
        """Draw a link that lets one more browser in."""
        if not self.cookie:
            self.enter()
        return str(self.ask("POST", "/api/login_links").json["link"])

    def stop(self, number: int = signal.SIGTERM) -> int:
        """End it with a signal and return its exit code; the judge host ends, whoever began it."""
        code = self.kill(number) if self.process else 0
        subprocess.run(
            [self.python, "-m", "torchstone", "host", "stop"],
            env=self.environment,
            cwd=self.folder,
            capture_output=True,
            check=False,
        )
        return code

    def kill(self, number: int = signal.SIGKILL) -> int:
        """End the server alone."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.wait()

    def complaints(self) -> str:
        """Read what it has written to standard error."""
        return (self.folder / "stderr.log").read_text()

    def wait(self) -> int:
        """Wait until it has ended by itself, and return its exit code."""
        assert self.process is not None
        # Far beyond what a busy machine takes: it says that a server hangs.
        code = self.process.wait(timeout=300)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        headers: dict[str, str | None] | None = None,
        timeout: float = 300,
    ) -> Answer:
        """Ask as the page asks; a header of None is left out, another one replaces the page's."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        sent = self.page_headers(method, has_body=data is not None) | (headers or {})
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in sent.items():
                if value is not None:
                    connection.putheader(name, value)
            if data is not None and "Content-Length" not in sent:
                connection.putheader("Content-Length", str(len(data)))
            connection.endheaders(data)
            response = connection.getresponse()
            return Answer(status=response.status, headers=response.headers, body=response.read())
        finally:
            connection.close()

    def page_headers(self, method: str = "GET", *, has_body: bool = False) -> dict[str, str | None]:
        """Return the headers that a browser sends from our page."""
        headers: dict[str, str | None] = {
            "Host": self.authority,
            "Sec-Fetch-Site": "same-origin",
            "Cookie": self.cookie or None,
        }
        if method not in ("GET", "HEAD"):
            headers["Origin"] = self.url
        if has_body:
            headers["Content-Type"] = "application/json"
        return headers

    def events(self, submission: str, last: str | None = None) -> list[dict[str, Any]]:
        """Follow a submission to its end; the id of each event stands in it as ``_id``."""
        answer = self.ask(
            "POST", f"/api/submissions/{submission}/events", headers={"Last-Event-ID": last}
        )
        assert answer.status == 200, answer.body
        return parse_events(answer.body.decode())

    def submit(self, problem: str, source: str, *, kind: str = "submit", key: str = "") -> str:
        """Hand a program in and return its id."""
        body = {"source": source, "kind": kind, "key": key or os.urandom(8).hex()}
        answer = self.ask("POST", f"/api/problems/{problem}/submissions", body)
        assert answer.status == 202, answer.body
        return str(answer.json["id"])

    def wait_warm(self) -> None:
        """Wait until the judge is ready."""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if self.ask("GET", "/api/status").json["host"]["ready"]:
                return
            time.sleep(0.1)
        raise AssertionError("the judge did not become ready")

    def connect(self) -> socket.socket:
        """Open a bare connection, for what no HTTP client would send."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)


def parse_events(text: str) -> list[dict[str, Any]]:
    """Read server-sent events."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(
            line.split(": ", 1) for line in block.splitlines() if not line.startswith(":")
        )
        if "data" in fields:
            found.append({**json.loads(fields["data"]), "_id": fields.get("id")})
    return found


@contextmanager
def no_long_files(server: LiveServer) -> Iterator[None]:
    """Let a server write no more than a hundred bytes to a file."""
    assert server.process is not None
    pid = server.process.pid
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE, (100, -1))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)
