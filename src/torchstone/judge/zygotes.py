"""Start zygotes in their sandboxes and ask them for jobs (host side, no torch)."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO, Any

from torchstone.core.errors import JudgeUnavailable
from torchstone.judge.sandbox.command import Launch

READY_SECONDS = 120.0
END_SECONDS = 10.0


class ZygoteDied(Exception):
    """Say that a zygote is gone; the job it carried was interrupted, not judged."""


@dataclass(slots=True)
class Job:
    """Hold one forked job: when it ended and what the kernel said of it."""

    name: str
    zygote: ZygoteProcess
    _news: queue.SimpleQueue[dict[str, Any]] = field(default_factory=queue.SimpleQueue)
    _ended: dict[str, Any] | None = None

    def kill(self) -> None:
        """End the job and everything that it started."""
        self.zygote.tell({"do": "kill", "job": self.name})

    def wait(self, seconds: float = END_SECONDS) -> dict[str, Any]:
        """Wait for the end; return ``status`` (negative: signal), ``cpu_s`` and ``max_rss_kib``.

        Raises:
            ZygoteDied: The zygote is gone, or says nothing any more.
        """
        while self._ended is None:
            self._ended = self._next(seconds)
        return self._ended

    def started(self) -> None:
        """Wait until the job is forked.

        Raises:
            ZygoteDied: It could not be forked.
        """
        news = self._next(END_SECONDS)
        if news["did"] != "forked":
            raise ZygoteDied(news.get("why", news["did"]))

    def _next(self, seconds: float) -> dict[str, Any]:
        try:
            news = self._news.get(timeout=seconds)
        except queue.Empty:
            raise ZygoteDied(f"the zygote is silent about job {self.name}") from None
        if news["did"] == "died":
            raise ZygoteDied("the zygote ended")
        return news


class ZygoteProcess:
    """Run one zygote and dispatch what it tells to the jobs that it concerns."""

    def __init__(self, make_launch: Callable[[int], Launch]) -> None:
        """Start the process with the command that ``make_launch`` builds for its descriptor.

        Must be called from a thread that lives as long as the zygote shall: the kernel ends a
        sandbox together with the thread that started it.
        """
        self._lock = threading.Lock()
        self._jobs: dict[str, Job] = {}
        self._counter = 0
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control = ours
        self._errors: IO[bytes] = tempfile.TemporaryFile()
        self._launch = make_launch(theirs.fileno())
        with theirs:
            self._process = subprocess.Popen(
                self._launch.argv,
                env=dict(self._launch.env),
                pass_fds=self._launch.pass_fds,
                stdin=subprocess.DEVNULL,
                stdout=self._errors,
                stderr=self._errors,
                start_new_session=True,
            )
        self._ready = threading.Event()
        self.alive = True
        self._listener = threading.Thread(target=self._listen, name="zygote", daemon=True)
        self._listener.start()

    @property
    def pid(self) -> int:
        """Return the pid of the sandbox's outermost process."""
        return self._process.pid

    @property
    def import_root(self) -> str:
        """Return the folder under which the zygote sees what was bound for it."""
        return str(self._launch.settings["import_path"][0])  # type: ignore[index]

    def wait_ready(self, seconds: float = READY_SECONDS) -> None:
        """Wait until torch is imported and jobs can be forked.

        Raises:
            JudgeUnavailable: It ended, or did not get ready in time.
        """
        if not self._ready.wait(seconds) or not self.alive:
            reason = self.last_words() or "no output"
            self.stop()
            raise JudgeUnavailable("judge.zygote_failed", reason=reason)

    def fork(self, spec: dict[str, Any], fds: list[int]) -> Job:
        """Ask for a job; its descriptors are handed over and closed here.

        Raises:
            ZygoteDied: The zygote is gone.
        """
        with self._lock:
            self._counter += 1
            job = Job(str(self._counter), self)
            self._jobs[job.name] = job
        message = json.dumps({"do": "fork", "job": job.name, "spec": spec}).encode()
        try:
            if not self.alive:
                raise ZygoteDied("the zygote ended")
            socket.send_fds(self._control, [message], fds)
        except OSError as error:
            raise ZygoteDied(str(error)) from None
        finally:
            for fd in fds:
                os.close(fd)
        return job

    def tell(self, message: dict[str, Any]) -> None:
        """Send an order that needs no answer; a zygote that is gone needs none either."""
        with contextlib.suppress(OSError):
            self._control.send(json.dumps(message).encode())

    def stop(self) -> None:
        """End the zygote and every job of it, and free what it stood on."""
        with self._lock:
            if self._process.returncode is None:
                self._process.kill()
                self._process.wait()
        self._control.close()
        self._listener.join(END_SECONDS)
        self._launch.close()
        self._errors.close()

    def last_words(self) -> str:
        """Return the end of what the zygote wrote to stderr."""
        if self._errors.closed:
            return ""
        self._errors.seek(0)
        return self._errors.read()[-2000:].decode(errors="replace").strip()

    def _listen(self) -> None:
        while True:
            try:
                message = self._control.recv(1 << 16)
            except OSError:
                message = b""
            if not message:
                break
            news = json.loads(message)
            if news["did"] == "ready":
                self._ready.set()
                continue
            with self._lock:
                job = self._jobs.get(news["job"])
                if news["did"] in ("ended", "failed"):
                    self._jobs.pop(news["job"], None)
            if job is not None:
                job._news.put(news)
        self.alive = False
        self._ready.set()
        with self._lock:
            orphans, self._jobs = list(self._jobs.values()), {}
        for job in orphans:
            job._news.put({"did": "died"})
