"""Process of a submission: send it the requests of a job, and explain why it ended."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from torchstone.core.i18n import both
from torchstone.core.verdict import Verdict
from torchstone.judge.child.protocol import wire
from torchstone.judge.child.protocol.frames import FromJob, ToJob
from torchstone.judge.child.protocol.payloads import Payload
from torchstone.judge.child.protocol.records import as_dict
from torchstone.judge.child.protocol.zygote_messages import JobSpec
from torchstone.judge.order import Assignment, Cancelled, Dead, JudgeFault, MachineBusy, Outcome
from torchstone.judge.outcomes import (
    UNNAMED,
    ended_as,
    forbidden_outcome,
    forbidden_report,
    load_outcome,
    printable,
)
from torchstone.judge.pool.zygotes import Job, JobEnded, Zygote, ZygoteDied
from torchstone.judge.process.channel import Channel, Ended, How, OnWait, open_channel
from torchstone.judge.process.time_limit import Allowance

# Time limit in seconds for starting and confining a process, before it reads the submission.
CONFINE_SECONDS = 30.0
BAN_STATUS = 86
# Exit statuses of a leader: a fault of the judge, or SIGNALLED plus a signal number.
NOT_READY_STATUS = 70
SIGNALLED = 128
# Consecutive idle readings, 0.25 s apart, that show that ranks wait for each other.
STILL_READINGS = 4
# A process killed after this share of its CPU time limit counts as killed by the limit.
CPU_SHARE = 0.8
RECORDING = "autograd-recording"
EVERY_OPERATOR = "every-operator"
ANSWER_CAP = 640 << 20
# A longer probe does not fit into a zygote message; each job then compiles it itself.
PROBE_CAP = 1 << 15

T = TypeVar("T")


class Mode(StrEnum):
    """Kind of requests that a process answers."""

    PLAIN = "plain"
    RECORDING = "recording"  # requests that record their own graph
    BARE = "bare"  # requests during which every operator is banned
    # Requests to native code: at full speed, or with the detectors.
    FAST = "fast"
    CHECK = "check"
    # Requests to a C++ extension that examine its operators with torch's.
    FREE = "free"
    ALONE = "alone"  # a single request, in a process whose peak memory is measured
    STAYING = "staying"  # a request to such a process, which stays for the next one


@dataclass(slots=True)
class SubmissionProcess:
    """One process of a submission.

    Attributes:
        allowance: The remaining time of the process; several processes can share it.
        num_oom_kills: Returns the number of processes in the cgroup killed for lack of memory.
        key: The key of the job, if its process decrypts requests.
    """

    assignment: Assignment
    channel: Channel
    job: Job
    allowance: Allowance
    num_oom_kills: Callable[[], int] = lambda: 0
    _oom_kills_before: int = 0
    key: bytes = b""
    _ended: JobEnded | None = field(default=None)

    @classmethod
    def fork(
        cls,
        template: Zygote,
        assignment: Assignment,
        *,
        slot: int,
        key: bytes,
        mode: Mode = Mode.PLAIN,
        runtime: str | None = None,
        num_oom_kills: Callable[[], int] = lambda: 0,
    ) -> SubmissionProcess:
        """Fork a process from a template; it confines itself before it reads the submission.

        Args:
            template: The zygote that forks it, with the bans of this mode; see `bans_of`.
            assignment: The problem.
            slot: The number of the worker.
            key: The key of the job.
            mode: The kind of requests that the process answers.
            runtime: The library that native code runs on.
            num_oom_kills: Returns the number of out-of-memory kills in the slot's cgroup.
        """
        limits, row = assignment.limits, assignment.row
        channel, fds = open_channel(output_cap=limits.output_kib << 10, blob_cap=ANSWER_CAP)
        spec = JobSpec(
            slot=slot,
            filter=row.filter,
            serve=row.server,
            mode=mode,
            runtime=runtime,
            writable=row.writes,
            maps_code=row.maps_code,
            member=row.member,
            events=row.events,
            ruleset=row.ruleset,
            network=row.network,
            shares_memory=row.shares_memory,
            num_tasks=row.num_tasks,
            disk_mib=limits.disk_mib,
            cpu_s=limits.cpu_s,
            memory_mib=limits.memory_mib,
            processes=limits.processes if row.starts_processes else 0,
            # The zygote compiles the probe once for all jobs.
            probe=assignment.probe if len(assignment.probe) <= PROBE_CAP else None,
        )
        with channel.closed_on_error():
            oom_kills_before = num_oom_kills()
            job = template.fork(spec, fds)
        counts = (Allowance.of(limits), num_oom_kills, oom_kills_before)
        return cls(assignment, channel, job, *counts, key if spec.serve == "source" else b"")

    def load(self, payload: Payload) -> None:
        """Send the submission and wait until the process has imported or loaded it.

        Args:
            payload: The source of a file, or its build products.

        Raises:
            Dead: A syntax error, a missing name, an exception during the import, or the end of the
                process.
        """
        self.job.started()
        try:
            watch = Allowance.of_judge(CONFINE_SECONDS).watch(self.job.meter)
            self.channel.exchange([], watch)
        except Ended as ended:
            status = self.end().status
            written = printable(self.channel.written.decode(errors="replace"))
            words = f"{ended}, status {status}, {bytes(self.channel.reported)!r}: {written}"
            # The process has not read the submission yet, so this is a fault of the judge.
            raise JudgeFault(f"the job did not confine itself: {words}") from None
        try:
            frame = self.ask([self.key, *wire.pack(ToJob.LOAD, as_dict(payload))])
        except Dead as dead:
            dead.outcome.at_load = True
            raise
        try:
            reply = frame.decode()
            error = (
                reply.get("error")
                if isinstance(reply, dict) and frame.kind == FromJob.LOADED
                else {"code": "invalid_answer"}
            )
        except wire.WireError:
            error = {"code": "invalid_answer"}
        if error is not None:
            self.end()
            outcome = load_outcome(error)
            outcome.at_load = True
            raise Dead(outcome)

    def ask(self, buffers: list[Any]) -> wire.Frame:
        """Send one request and return its answer.

        Raises:
            Dead: The process ended first.
            Cancelled: The job was cancelled.
        """
        self.post(buffers)
        return self.receive()

    def post(self, buffers: list[Any]) -> None:
        """Send one request; ``receive`` returns the answer.

        Raises:
            Dead: The process ended first.
            Cancelled: The job was cancelled.
        """
        self._wait(lambda on_wait: self.channel.post(buffers, on_wait))

    def receive(self) -> wire.Frame:
        """Return the answer to the posted request; only the time spent waiting here counts.

        Raises:
            Dead: The process ended first.
            Cancelled: The job was cancelled.
        """
        frame = self._wait(lambda on_wait: self.channel.exchange([], self._telling(on_wait)))
        if frame.kind == FromJob.COUNTED:  # a frame kind reserved for the host
            self.end()
            raise Dead(ended_as(Verdict.RTE, "invalid_answer"))
        if self.assignment.row.is_led and self.channel.has_report():
            # One process of the job reported a ban while the others continued.
            self.end()
            report = forbidden_report(bytes(self.channel.reported)) or UNNAMED
            raise Dead(forbidden_outcome(report, self.assignment.deny))
        return frame

    def _wait(self, step: Callable[[OnWait], T]) -> T:
        watch = self.allowance.watch(self.job.meter)
        try:
            return step(watch)
        except Ended as ended:
            if ended.how is How.CANCELLED:
                self.end()
                raise Cancelled from None
            if ended.how is How.STALLED:
                self.end()
                raise MachineBusy(str(ended)) from None
            raise Dead(self._outcome(ended)) from None
        finally:
            watch.finish()

    def _telling(self, on_wait: OnWait) -> OnWait:
        """Return a wait function that sends the leader an idle reading when no thread runs.

        Only the host can read this, in ``/proc``; the sandbox has none.
        """

        def waiting() -> float:
            seconds = on_wait()
            if self.allowance.num_still >= STILL_READINGS:
                self.allowance.num_still = 0
                with contextlib.suppress(OSError):  # the job has ended, or does not read
                    self.channel.sock.sendmsg(wire.pack(ToJob.STILL, {}))
            return seconds

        self.allowance.num_still = 0
        return waiting if self.assignment.row.is_led else on_wait

    def end(self) -> JobEnded:
        """End the process, wait for its end, and close its descriptors."""
        if self._ended is None:
            self.job.kill()
            try:
                self._ended = self._translated(self.job.wait())
            except ZygoteDied as died:
                self.channel.close()
                raise JudgeFault(str(died)) from None
            self.channel.finish()
        return self._ended

    def _translated(self, ended: JobEnded) -> JobEnded:
        """Convert exit status 128 + n to signal n: process 1 cannot end itself by a signal."""
        if not self.assignment.row.is_led or ended.status <= SIGNALLED:
            return ended
        return msgspec.structs.replace(ended, status=SIGNALLED - ended.status)

    def num_sent(self) -> int:
        """Return the number of bytes that the job's processes have sent over their loopback.

        The count is read outside the sandbox, from the kernel's statistics of the job's network
        namespace.
        """
        if self.job.meter is None:
            raise JudgeFault("the traffic of the job cannot be read")
        try:
            table = Path(f"/proc/{self.job.meter.pid}/net/dev").read_text()
        except OSError:
            return 0  # the process has ended; its next request reports that
        loopback = next(line for line in table.splitlines() if line.strip().startswith("lo:"))
        return int(loopback.partition(":")[2].split()[8])

    def highest_bytes(self) -> int:
        """Return the kernel's figure of the running process's peak resident memory, in bytes."""
        if self.job.meter is None:
            raise JudgeFault("the peak memory of the job cannot be read")
        try:
            status = Path(f"/proc/{self.job.meter.pid}/status").read_text(errors="replace")
        except OSError:
            return 0  # the process has ended; its next request reports that
        lines = dict(line.split(":", 1) for line in status.splitlines())
        # A process that has just ended has no VmHWM line.
        return int(lines.get("VmHWM", "0 kB").split()[0]) << 10

    def peak_bytes(self) -> int:
        """End the process; return its peak resident memory above the zygote's, in bytes.

        The kernel reports it to the parent process, so the submission cannot forge it. It is the
        peak over the whole life of the process.
        """
        ended = self.end()
        self.allowance.settle(self.job.meter, ended.cpu_s)
        if ended.max_rss_kib <= ended.held_kib:
            raise JudgeFault("the peak memory of the job cannot be read")
        return (ended.max_rss_kib - ended.held_kib) << 10

    def output(self) -> str:
        """Return the first KiB of what the submission printed, without control characters."""
        return printable(bytes(self.channel.written[:1024]).decode(errors="replace"))

    def _outcome(self, ended: Ended) -> Outcome:
        if ended.how is How.CLOSED:
            # The process closed its socket; wait briefly for its end, whose status tells the cause.
            try:
                self._ended = self._translated(self.job.wait(1.0))
                self.channel.finish()
            except ZygoteDied:
                self._ended = None
        info = self.end()
        report = forbidden_report(bytes(self.channel.reported))
        if report is not None:
            return forbidden_outcome(report, self.assignment.deny)
        return self._plain_outcome(ended, info)

    def _plain_outcome(self, ended: Ended, info: JobEnded) -> Outcome:
        limits = self.assignment.limits
        status = info.status
        if self.assignment.row.is_led and status == NOT_READY_STATUS:
            said = printable(self.channel.written.decode(errors="replace"))
            raise JudgeFault(f"a process could not be prepared: {said}")
        if ended.how is How.OUTPUT:
            return ended_as(Verdict.OLE, "output", kib=limits.output_kib)
        if ended.how is How.CPU or self._is_out_of_cpu(ended, info):
            return ended_as(Verdict.TLE, "cpu", seconds=f"{limits.cpu_s:g}")
        if ended.how is How.IDLE:
            detail = both("judge.outcome.idle", seconds=f"{self.allowance.idle_s:g}")
            return Outcome(code=Verdict.HUNG, detail=detail, is_idle=True)
        if self._is_full(info):
            return ended_as(Verdict.MLE, "memory", mib=limits.memory_mib)
        if ended.how is How.GARBAGE:
            return ended_as(Verdict.RTE, "invalid_answer")
        if status == BAN_STATUS:
            return forbidden_outcome(UNNAMED, self.assignment.deny)
        if status == -signal.SIGSYS:
            return ended_as(Verdict.RTE, "system_call")
        if status < 0:
            name = signal.Signals(-status).name if -status in set(signal.Signals) else str(-status)
            return ended_as(Verdict.RTE, "signal", name=name)
        return ended_as(Verdict.RTE, "exit", status=status)

    def _is_out_of_cpu(self, ended: Ended, info: JobEnded) -> bool:
        """Return whether the kernel killed the process at its CPU time limit."""
        is_killed = ended.how is not How.IDLE or self.job.meter is None
        return (
            is_killed
            and info.status in (-signal.SIGXCPU, -signal.SIGKILL)
            and info.cpu_s >= CPU_SHARE * self.assignment.limits.cpu_s
        )

    def _is_full(self, info: JobEnded) -> bool:
        # The kernel supplies these numbers, so a process cannot forge them. The zygote's memory
        # does not count: torch for CUDA alone exceeds the limit of some problems.
        own_kib = info.max_rss_kib - info.held_kib
        is_above = own_kib >= self.assignment.limits.memory_mib << 10
        # The cgroup also counts shared memory and files in a tmpfs.
        is_chosen = self.num_oom_kills() > self._oom_kills_before
        is_killed = info.status == -signal.SIGKILL
        return (info.status < 0 and is_above) or (is_killed and is_chosen)
