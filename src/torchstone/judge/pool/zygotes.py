"""Zygote launcher: start zygotes in sandboxes, and request jobs (host side, no torch)."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import IO

import msgspec

from torchstone.core.errors import JudgeUnavailable
from torchstone.judge.pool.time_limit import Meter
from torchstone.judge.sandbox.command import Launch, Role

READY_SECONDS = 120.0
# A zygote that ended is known at once; one that is silent may wait for a processor.
END_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSpec:
    """Hold what a zygote must know to fork a job; see ``child.job``.

    Attributes:
        slot: The number of the worker.
        filter: Which system calls it may make.
        serve: What it does with what it is handed.
        mode: What it may do that other processes of the job may not, or less.
        runtime: The library that native code runs on.
        writable: Whether it gets a folder to write to.
        cpu_s: Its CPU time.
        memory_mib: Its memory.
        probe: The problem's probe, to be compiled before the fork.
    """

    slot: int
    filter: str
    serve: str
    mode: str
    runtime: str | None
    writable: bool
    cpu_s: float
    memory_mib: int
    probe: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Hold what processes used: CPU seconds, and the memory of the largest."""

    cpu_s: float
    max_rss_kib: int


class News(msgspec.Struct, frozen=True, kw_only=True, tag_field="did", forbid_unknown_fields=True):
    """What a zygote says; ``child.zygote`` writes it."""


class ZygoteReady(News, frozen=True, kw_only=True, tag="ready"):
    """Jobs can be forked."""

    pid: int


class StemBroken(News, frozen=True, kw_only=True, tag="broken"):
    """A template cannot be."""

    why: str


class JobForked(News, frozen=True, kw_only=True, tag="forked"):
    """A job is there."""

    job: str


class JobFailed(News, frozen=True, kw_only=True, tag="failed"):
    """A job could not be forked."""

    job: str
    why: str


class JobEnded(News, frozen=True, kw_only=True, tag="ended"):
    """A job is gone: its status (negative: a signal), and what the kernel counted.

    Attributes:
        held_kib: What the zygote held already when it forked the job.
    """

    job: str
    status: int
    cpu_s: float
    max_rss_kib: int
    held_kib: int


class NoZygote(News, frozen=True, kw_only=True, tag="died"):
    """The zygote itself ended; it cannot say so, its listener does."""


_Said = ZygoteReady | StemBroken | JobForked | JobFailed | JobEnded


class ZygoteDied(Exception):
    """Raised when a zygote has ended; its job was interrupted, not judged."""


@dataclass(slots=True)
class Job:
    """Hold one forked job: when it ended and what the kernel said of it.

    Attributes:
        is_over: The zygote has told that it ended, or that it never began.
        meter: Reads what it uses; None before it is forked, and where nothing can be read.
    """

    name: str
    zygote: Zygote
    _news: queue.SimpleQueue[JobForked | JobFailed | JobEnded | NoZygote] = field(
        default_factory=queue.SimpleQueue
    )
    _ended: JobEnded | None = None
    is_over: bool = False
    meter: Meter | None = None

    def kill(self) -> None:
        """End the job and everything that it started."""
        self.zygote.tell({"do": "kill", "job": self.name})

    def wait(self, seconds: float = END_SECONDS) -> JobEnded:
        """Wait for the end; return ``status`` (negative: signal), ``cpu_s`` and ``max_rss_kib``.

        Raises:
            ZygoteDied: The zygote is gone, or says nothing any more.
        """
        while self._ended is None:
            news = self._next(seconds)
            if isinstance(news, JobEnded):
                self._ended = news
        return self._ended

    def started(self) -> None:
        """Wait until the job is forked.

        Raises:
            ZygoteDied: It could not be forked.
        """
        self._next(END_SECONDS)

    def hear(
        self, news: JobForked | JobFailed | JobEnded | NoZygote, meter: Meter | None = None
    ) -> None:
        """Take note of what the zygote tells of this job."""
        self.meter = self.meter or meter
        self.is_over = self.is_over or not isinstance(news, JobForked)
        self._news.put(news)

    def _next(self, seconds: float) -> JobForked | JobEnded:
        try:
            news = self._news.get(timeout=seconds)
        except queue.Empty:
            raise ZygoteDied(f"the zygote is silent about job {self.name}") from None
        if isinstance(news, NoZygote | JobFailed):
            # Told once, asked for often: whoever asks next must not wait for it in vain.
            self._news.put(news)
            raise ZygoteDied(news.why if isinstance(news, JobFailed) else "the zygote ended")
        return news


class Zygote:
    """Ask one zygote for jobs and dispatch what it tells to the jobs that it concerns."""

    def __init__(self, control: socket.socket) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[str, Job] = {}
        self._counter = 0
        self._control = control
        self._ready = threading.Event()
        self.alive = True
        self.words = ""
        self._listener = threading.Thread(target=self._listen, name="zygote", daemon=True)
        self._listener.start()

    def wait_ready(self, seconds: float) -> bool:
        """Wait until jobs can be forked; False when it ended instead, or is not ready in time."""
        return self._ready.wait(seconds) and self.alive

    def fork(self, spec: JobSpec, fds: list[int]) -> Job:
        """Ask for a job; its descriptors are handed over and closed here.

        Raises:
            ZygoteDied: The zygote is gone.
        """
        with self._lock:
            self._counter += 1
            job = Job(str(self._counter), self)
            self._jobs[job.name] = job
        message = json.dumps({"do": "fork", "job": job.name, "spec": asdict(spec)}).encode()
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

    def fork_template(
        self, bans: Mapping[str, object] | None, procs_fds: Sequence[int] = ()
    ) -> Zygote:
        """Ask for a zygote in which bans hold already; it ends when its socket is closed.

        Args:
            bans: What `child.bans.impose` takes; None for native code, which they do not reach.
            procs_fds: The ``cgroup.procs`` files that it, and so its jobs, shall join; closed here.

        Raises:
            ZygoteDied: This zygote is gone.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        message = json.dumps({"do": "template", "bans": bans}).encode()
        try:
            socket.send_fds(self._control, [message], [theirs.fileno(), *procs_fds])
        except OSError as error:
            ours.close()
            raise ZygoteDied(str(error)) from None
        finally:
            theirs.close()
            for fd in procs_fds:
                os.close(fd)
        return Zygote(ours)

    @property
    def is_idle(self) -> bool:
        """Return whether no job of it runs."""
        with self._lock:
            return not self._jobs

    def let_go(self) -> None:
        """Ask the process to end; it must be a template, and idle."""
        self._control.shutdown(socket.SHUT_RDWR)
        self.close()

    def tell(self, message: Mapping[str, object]) -> None:
        """Send an order that needs no answer; a zygote that is gone needs none either."""
        with contextlib.suppress(OSError):
            self._control.send(json.dumps(message).encode())

    def close(self) -> None:
        """Let go of the control socket once the process is gone."""
        self._listener.join(END_SECONDS)
        self._control.close()

    def _listen(self) -> None:
        while True:
            message, meter = self._receive()
            if not message:
                break
            news = msgspec.json.decode(message, type=_Said)
            if isinstance(news, ZygoteReady):
                self._ready.set()
                continue
            if isinstance(news, StemBroken):
                self.words = news.why
                break
            with self._lock:
                job = self._jobs.get(news.job)
                if isinstance(news, JobEnded | JobFailed):
                    self._jobs.pop(news.job, None)
            if job is not None:
                job.hear(news, meter)
        with self._lock:
            self.alive = False
            orphans, self._jobs = list(self._jobs.values()), {}
        self._ready.set()
        for job in orphans:
            job.hear(NoZygote())

    def _receive(self) -> tuple[bytes, Meter | None]:
        """Wait for a message, and for the process that it is about when that was just forked."""
        try:
            message, fds, _, _ = socket.recv_fds(self._control, 1 << 16, 1)
        except OSError:
            return b"", None
        meter = None
        for fd in fds:
            meter = Meter.of_pidfd(fd)
            os.close(fd)
        return message, meter


class ZygoteParent:
    """Run the process that imports torch, and both zygotes that it forks."""

    def __init__(self, make_launch: Callable[[dict[Role, int]], Launch]) -> None:
        """Start it with the command that ``make_launch`` builds for its descriptors.

        Must be called from a thread that lives as long as the zygotes shall: the kernel ends a
        sandbox together with the thread that started it.
        """
        pairs = {role: socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for role in Role}
        self._errors: IO[bytes] = tempfile.TemporaryFile()
        self._stopped = False
        self._lock = threading.Lock()
        try:
            launch = make_launch({role: theirs.fileno() for role, (_, theirs) in pairs.items()})
            self.import_root = str(launch.settings["import_path"][0])  # type: ignore[index]
            self._launch = launch
            self._process = subprocess.Popen(
                launch.argv,
                env=dict(launch.env),
                pass_fds=launch.pass_fds,
                stdin=subprocess.DEVNULL,
                stdout=self._errors,
                stderr=self._errors,
                start_new_session=True,
            )
        finally:
            for _, theirs in pairs.values():
                theirs.close()
        self.zygotes = {role: Zygote(ours) for role, (ours, _) in pairs.items()}

    @property
    def pid(self) -> int:
        """Return the pid of the sandbox's outermost process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Return whether both zygotes are there."""
        return all(zygote.alive for zygote in self.zygotes.values())

    def wait_ready(self, seconds: float = READY_SECONDS) -> None:
        """Wait until jobs can be forked.

        Raises:
            JudgeUnavailable: A zygote ended, or did not get ready in time.
        """
        if not all(zygote.wait_ready(seconds) for zygote in self.zygotes.values()):
            self._process.kill()
            self._process.wait()
            reason = self._last_words() or "no output"
            self.stop()
            raise JudgeUnavailable("judge.zygote_failed", reason=reason)

    def stop(self) -> None:
        """End everything and free what it stood on; safe to call twice."""
        with self._lock:
            if self._stopped:
                return
            self._stopped = True
        self._process.kill()
        self._process.wait()
        for zygote in self.zygotes.values():
            zygote.close()
        self._launch.close()
        self._errors.close()

    def _last_words(self) -> str:
        self._errors.seek(0)
        return self._errors.read()[-2000:].decode(errors="replace").strip()
