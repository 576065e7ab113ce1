"""Host side of the zygotes: start them in sandboxes, and request forks of jobs (no torch)."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import IO

import msgspec

from torchstone.core.errors import JudgeUnavailable
from torchstone.judge.child.protocol.zygote_messages import (
    Bans,
    ForkOrder,
    JobSpec,
    KillOrder,
    TemplateOrder,
)
from torchstone.judge.process.usage import Meter
from torchstone.judge.sandbox.command import Launch, Role

READY_SECONDS = 120.0
# The end of a zygote is noticed at once; one that does not reply may be waiting for a CPU.
END_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Resource usage of processes: their total CPU seconds, and the largest memory use."""

    cpu_s: float
    max_rss_kib: int


class News(msgspec.Struct, frozen=True, kw_only=True, tag_field="did", forbid_unknown_fields=True):
    """Message of a zygote; ``child.zygote.zygote`` writes it."""


class ZygoteReady(News, frozen=True, kw_only=True, tag="ready"):
    """Report that the zygote can fork jobs."""

    pid: int


class TemplateFailed(News, frozen=True, kw_only=True, tag="broken"):
    """Report that a template failed to start."""

    why: str


class JobForked(News, frozen=True, kw_only=True, tag="forked"):
    """Report that a job was forked."""

    job: str


class JobFailed(News, frozen=True, kw_only=True, tag="failed"):
    """Report that a job could not be forked."""

    job: str
    why: str


class JobEnded(News, frozen=True, kw_only=True, tag="ended"):
    """Report that a job ended: its status (negative: a signal) and its resource usage.

    Attributes:
        held_kib: The memory of the zygote when it forked the job.
    """

    job: str
    status: int
    cpu_s: float
    max_rss_kib: int
    held_kib: int


class NoZygote(News, frozen=True, kw_only=True, tag="died"):
    """Report that the zygote itself ended; its listener on the host creates this message."""


_Message = ZygoteReady | TemplateFailed | JobForked | JobFailed | JobEnded


class ZygoteDied(Exception):
    """Raised when a zygote has ended; its jobs were interrupted, not judged."""


@dataclass(slots=True)
class Job:
    """One forked job, and the zygote's messages about it.

    Attributes:
        is_over: Whether the zygote has reported its end, or that it could not be forked.
        meter: Reads its usage; None before the fork, and if the host cannot read it.
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
        """End the job and every process that it started."""
        self.zygote.send({"do": "kill", "job": self.name})

    def wait(self, seconds: float = END_SECONDS) -> JobEnded:
        """Wait for the end of the job; return ``status`` (negative: a signal) and its usage.

        Raises:
            ZygoteDied: The zygote has ended, or does not reply.
        """
        while self._ended is None:
            news = self._next(seconds)
            if isinstance(news, JobEnded):
                self._ended = news
        return self._ended

    def started(self) -> None:
        """Wait until the job is forked.

        Raises:
            ZygoteDied: The zygote could not fork it.
        """
        self._next(END_SECONDS)

    def notify(
        self, news: JobForked | JobFailed | JobEnded | NoZygote, meter: Meter | None = None
    ) -> None:
        """Record a message of the zygote about this job."""
        self.meter = self.meter or meter
        self.is_over = self.is_over or not isinstance(news, JobForked)
        self._news.put(news)

    def _next(self, seconds: float) -> JobForked | JobEnded:
        try:
            news = self._news.get(timeout=seconds)
        except queue.Empty:
            raise ZygoteDied(f"the zygote does not reply about job {self.name}") from None
        if isinstance(news, NoZygote | JobFailed):
            # The zygote sends this once; put it back, so that the next call returns at once.
            self._news.put(news)
            raise ZygoteDied(news.why if isinstance(news, JobFailed) else "the zygote ended")
        return news


class Zygote:
    """Client of one zygote: requests jobs, and passes messages to the jobs that they name."""

    def __init__(self, control: socket.socket) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[str, Job] = {}
        self._counter = 0
        self._control = control
        self._ready = threading.Event()
        self.alive = True
        self.failure = ""
        self._listener = threading.Thread(target=self._listen, name="zygote", daemon=True)
        self._listener.start()

    def wait_ready(self, seconds: float) -> bool:
        """Wait until the zygote can fork; return False if it has ended or is not ready in time."""
        return self._ready.wait(seconds) and self.alive

    def fork(self, spec: JobSpec, fds: list[int]) -> Job:
        """Request a job; send its descriptors and close them here.

        Raises:
            ZygoteDied: The zygote has ended.
        """
        with self._lock:
            self._counter += 1
            job = Job(str(self._counter), self)
            self._jobs[job.name] = job
        order: ForkOrder = {"do": "fork", "job": job.name, "spec": asdict(spec)}
        message = json.dumps(order).encode()
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

    def fork_template(self, bans: Bans | None, procs_fds: Sequence[int] = ()) -> Zygote:
        """Request a template: a zygote with bans, which ends when its socket is closed.

        Args:
            bans: The argument of `child.bans.bans.impose`; None for native code, which has no bans.
            procs_fds: The ``cgroup.procs`` files of the cgroups that it joins; closed here.

        Raises:
            ZygoteDied: This zygote has ended.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        order: TemplateOrder = {"do": "template", "bans": bans}
        message = json.dumps(order).encode()
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
        """Return whether no job of it is running."""
        with self._lock:
            return not self._jobs

    def end(self) -> None:
        """End the process, which must be an idle template."""
        self._control.shutdown(socket.SHUT_RDWR)
        self.close()

    def send(self, order: KillOrder) -> None:
        """Send an order that has no reply; do nothing if the zygote has ended."""
        with contextlib.suppress(OSError):
            self._control.send(json.dumps(order).encode())

    def close(self) -> None:
        """Wait for the listener to finish, then close the control socket."""
        self._listener.join(END_SECONDS)
        self._control.close()

    def _listen(self) -> None:
        while True:
            message, meter = self._receive()
            if not message:
                break
            news = msgspec.json.decode(message, type=_Message)
            if isinstance(news, ZygoteReady):
                self._ready.set()
                continue
            if isinstance(news, TemplateFailed):
                self.failure = news.why
                break
            with self._lock:
                job = self._jobs.get(news.job)
                if isinstance(news, JobEnded | JobFailed):
                    self._jobs.pop(news.job, None)
            if job is not None:
                job.notify(news, meter)
        with self._lock:
            self.alive = False
            orphans, self._jobs = list(self._jobs.values()), {}
        self._ready.set()
        for job in orphans:
            job.notify(NoZygote())

    def _receive(self) -> tuple[bytes, Meter | None]:
        """Return the next message, with a meter if it reports a new process."""
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
    """Process that imports torch, and the two zygotes that it forks."""

    def __init__(self, make_launch: Callable[[dict[Role, int]], Launch]) -> None:
        """Start the command that ``make_launch`` returns for the control descriptors.

        Call this from a thread that lives as long as the zygotes: the kernel ends a sandbox
        together with the thread that started it.
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
        """Return the PID of the sandbox's outermost process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Return whether both zygotes are running."""
        return all(zygote.alive for zygote in self.zygotes.values())

    def wait_ready(self, seconds: float = READY_SECONDS) -> None:
        """Wait until both zygotes can fork jobs.

        Raises:
            JudgeUnavailable: A zygote ended, or was not ready in time.
        """
        if not all(zygote.wait_ready(seconds) for zygote in self.zygotes.values()):
            self._process.kill()
            self._process.wait()
            reason = self._end_of_output() or "no output"
            self.stop()
            raise JudgeUnavailable("judge.zygote_failed", reason=reason)

    def kill(self) -> None:
        """Kill every process; `wait_ready` in another thread then raises."""
        self._process.kill()

    def stop(self) -> None:
        """Kill every process and release its resources; safe to call twice."""
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

    def _end_of_output(self) -> str:
        self._errors.seek(0)
        return self._errors.read()[-2000:].decode(errors="replace").strip()
