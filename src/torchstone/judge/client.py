"""Ask the judge host of a data folder, and start it when there is none."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from torchstone.core import paths
from torchstone.core.errors import BadInput, JudgeUnavailable, TorchstoneError
from torchstone.core.isolation import Isolation
from torchstone.core.verdict import ExitCode
from torchstone.judge.lock import is_held, read_address
from torchstone.judge.order import Event

START_SECONDS = 30.0
# A host that lives says at once how it is.
ANSWER_SECONDS = 10.0
LOG_NAME = "host.log"
SUBMIT_TRIES = 3
# For the host: the frames of large cases come and go, and to give their memory back each time costs
# a page fault for every 4 KiB. One arena, because those who hold frames are threads.
KEEP_MEMORY = {
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(16 << 20),
}
# With one of these the host has said all there is.
FINAL = ("done", "cancelled", "over", "status", "stopping", "scratch")


class HostRefused(TorchstoneError):
    """Carry an error that the host answered, in both languages as it came."""

    def __init__(self, shapes: dict[str, Any], exit_code: int) -> None:
        super().__init__(shapes["en"]["code"])
        self._shapes = shapes
        self.exit_code = ExitCode(exit_code)  # type: ignore[misc]
        self.status = int(shapes["en"]["status"])  # type: ignore[misc]

    def message(self, lang: Any) -> str:
        """Return the message of the host."""
        return str(self._shapes[lang]["message"])

    def hint(self, lang: Any) -> str:
        """Return the hint of the host."""
        return str(self._shapes[lang]["hint"])


class HostLeft(JudgeUnavailable):
    """Raised when the host ended before it answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """Talk to the host of one data folder.

    Attributes:
        data: The data folder; starting a host makes it where it is missing.
        bank_root: The bank that a host started by us shall serve; default: the one that ships.
        at_most: The isolation that such a host shall not exceed (for tests).
        workers: How many jobs it shall run at once; default: it decides.
        idle_s: After how many seconds without work it shall leave; default: it decides.
    """

    data: Path = field(default_factory=paths.data_dir)
    bank_root: Path | None = None
    at_most: Isolation = Isolation.FULL
    workers: int | None = None
    idle_s: float | None = None

    def submit(self, problem: str, source: str, *, kind: str = "submit") -> Iterator[Event]:
        """Submit for the record; the first event after ``accepted`` comes when it is stored."""
        request = {"op": "submit", "problem": problem, "source": source, "kind": kind}
        # The key makes asking again harmless: the same key is the same submission.
        request["client_key"] = secrets.token_hex(12)
        for patience in range(SUBMIT_TRIES, 0, -1):
            try:
                yield from self.ask(request)
            except HostLeft:
                if patience == 1:
                    raise
            else:
                return

    def judge(self, problem: str, source: str, **options: Any) -> Iterator[Event]:
        """Judge without a record; options: ``seed``, ``groups``, ``explain``, ``at_least``."""
        return self.ask({"op": "judge", "problem": problem, "source": source, **options})

    def scratch(self, problem: str, source: str, expression: str) -> Event:
        """Evaluate an expression beside a file; the event has text, error, stdout and detail."""
        request = {"op": "scratch", "problem": problem, "source": source, "expression": expression}
        return next(iter(self.ask(request)))

    def cancel(self, submission: str) -> bool:
        """Cancel a submission; False when it is over already."""
        return any(e["type"] == "cancelled" for e in self.ask({"op": "cancel", "job": submission}))

    def status(self, *, start: bool = False, wait: bool = False) -> Event | None:
        """Ask how the host is; ``None`` when there is none and none shall be started."""
        if not start and not self._is_served():
            return None
        patience = None if wait else ANSWER_SECONDS
        return next(iter(self.ask({"op": "status", "wait": wait}, patience=patience)), None)

    def stop(self) -> None:
        """Ask the host to leave and wait until it has; nothing happens when there is none."""
        if not self._is_served():
            return
        list(self.ask({"op": "stop"}))
        deadline = time.monotonic() + START_SECONDS
        while self._is_served() and time.monotonic() < deadline:
            time.sleep(0.02)

    def ask(self, request: dict[str, Any], *, patience: float | None = None) -> Iterator[Event]:
        """Send one request and yield the events; closing the iterator hangs up.

        Args:
            request: What is asked.
            patience: How many seconds to wait for an event; as long as it takes when not given.

        Raises:
            TorchstoneError: The host answered with an error, not in time, or cannot be reached.
        """
        with contextlib.closing(self.connect()) as sock:
            sock.settimeout(patience)
            sock.sendall(json.dumps(request).encode() + b"\n")
            last = ""
            with sock.makefile("rb") as lines:
                for line in _whole_lines(lines):
                    event = json.loads(line)
                    last = event["type"]
                    if last == "error":
                        raise HostRefused(event["error"], event["exit_code"])
                    yield event
            if last not in FINAL:
                raise HostLeft("judge.host_left")

    def _is_served(self) -> bool:
        try:
            self._dial().close()
        except OSError:
            return False
        return True

    def _dial(self) -> socket.socket:
        try:
            return _connect_to(paths.socket_path(self.data))
        except OSError:
            # A host that was started with another runtime folder listens where its lock says.
            address = read_address(self.data)
            if address is None:
                raise
            return _connect_to(address)

    def connect(self) -> socket.socket:
        """Reach the host, starting it when there is none.

        Raises:
            JudgeUnavailable: It cannot be started or reached.
        """
        try:
            return self._dial()
        except OSError:
            pass
        process = self._start()
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                return self._dial()
            except OSError as error:
                status = process.poll()
                if status:
                    raise JudgeUnavailable(
                        "judge.host_failed", reason=self._last_words()
                    ) from error
                if status == 0 and not is_held(self.data):
                    process = self._start()  # it had met a host that was about to leave
                elif status == 0:
                    self._require_reach()
                if time.monotonic() > deadline:
                    raise JudgeUnavailable("judge.host_silent", seconds=START_SECONDS) from error
                time.sleep(0.01)

    def _require_reach(self) -> None:
        """Refuse to wait for a host that listens, but not for us: in another container, say."""
        address = read_address(self.data)
        if address is None:
            return  # it does not listen yet, or no more
        try:
            _connect_to(address).close()
        except OSError as error:
            if read_address(self.data) == address:
                raise JudgeUnavailable(
                    "judge.host_elsewhere", data=self.data, address=address
                ) from error

    def _start(self) -> subprocess.Popen[bytes]:
        paths.private_dir(self.data)
        command = [sys.executable, "-m", "torchstone.judge.host", "--data", str(self.data)]
        command += ["--at-most", self.at_most]
        if self.bank_root is not None:
            command += ["--bank", str(self.bank_root)]
        if self.workers is not None:
            command += ["--workers", str(self.workers)]
        if self.idle_s is not None:
            command += ["--idle", str(self.idle_s)]
        path = self.data / LOG_NAME
        try:
            log = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
        except OSError as error:
            raise BadInput("core.folder_unusable", path=self.data, reason=error.strerror) from error
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=os.environ | KEEP_MEMORY,
                start_new_session=True,
                cwd="/",
            )
        finally:
            os.close(log)
        # Somebody must reap it, however long this process lives on.
        threading.Thread(target=process.wait, name="host-reaper", daemon=True).start()
        return process

    def _last_words(self) -> str:
        with contextlib.suppress(OSError):
            return (self.data / LOG_NAME).read_text(errors="replace")[-1500:].strip()
        return ""


def _connect_to(path: Path) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX)
    try:
        sock.connect(str(path))
    except OSError:
        sock.close()
        raise
    return sock


def _whole_lines(lines: BinaryIO) -> Iterator[bytes]:
    """Yield lines that end; half a line is what a host that died leaves behind."""
    try:
        for line in lines:
            if line.endswith(b"\n"):
                yield line
    except ConnectionResetError:
        return
    except TimeoutError as error:
        raise JudgeUnavailable("judge.host_silent", seconds=ANSWER_SECONDS) from error
