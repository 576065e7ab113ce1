"""Zygote: prepare one process with torch, then fork one confined process for each job.

The zygote never reads a submission. The host sends it orders over a SEQPACKET socket, with the
descriptors of the job. The forked process confines itself and only then reads its own socket. The
zygote stays single-threaded, because a fork copies only one thread; jobs get none of its
capabilities.

A *template* is a zygote forked from the submission zygote for one slot and one set of bans: it has
joined the cgroup of the slot, which takes ten milliseconds, and applied the bans, so its jobs need
not do either. It has its own control socket and ends when the host closes it, or with the zygote
that forked it.

Messages are JSON. From the host: ``{"do": "fork", "job": ..., "spec": {...}}`` with descriptors
(job socket, report pipe, output pipe), ``{"do": "kill", "job": ...}``, ``{"do": "template", "bans":
{...}}`` with its control socket and the ``cgroup.procs`` files that it joins. To the host:
``{"did": "ready"}``, ``{"did": "forked"}`` with a pidfd of the job, ``{"did": "ended", "job": ...,
"status": ..., "cpu_s": ..., "max_rss_kib": ..., "held_kib": ...}``, ``{"did": "failed", ...}``;
from a template that failed to start, ``{"did": "broken", "why": ...}``.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Sequence

from ..answering import opaque_function
from ..confinement import confine
from ..protocol.records import Arguments
from ..protocol.zygote_messages import (
    Bans,
    EndedNews,
    ForkedNews,
    JobSpec,
    News,
    Prepared,
    ZygoteOrder,
    ZygoteSettings,
)
from . import pages

MESSAGE_CAP = 1 << 16
FD_CAP = 8
# Below malloc's threshold for separate mappings, see `sandbox.command`.
ROOM_BYTES = 31 << 20


class Zygote:
    """Process that forks jobs for the host until the host closes the control socket."""

    def __init__(self, settings: ZygoteSettings) -> None:
        self.settings = settings
        self.control = socket.socket(fileno=settings.control_fd)
        self.jobs: dict[int, str] = {}
        self.namespaces: confine.PidNamespaces | None = None
        self._templates: set[int] = set()
        self._wake: tuple[int, int] = (-1, -1)
        self._prepared: Prepared | None = None

    def prepare(self) -> None:
        """Run the preparations that all jobs share, including the costly steps of confinement."""
        if self.settings.server:
            from torchstone.judge.child.answering import opaque_function as trusted

            importlib.import_module(self.settings.server)  # so that forks inherit it
            # The reference runs variants, which use the package's own copy of the module.
            trusted.use(opaque_function.in_use())
        memory = open("/proc/self/statm").read().split()
        page = os.sysconf("SC_PAGE_SIZE")
        # After the measurement, because this memory counts as the job's own.
        pages.make_room(ROOM_BYTES)
        num_threads = len(os.listdir("/proc/self/task"))
        if num_threads != 1:
            raise RuntimeError(f"the zygote has {num_threads} threads; a fork would copy one only")
        if self.settings.namespaces:
            self.namespaces = confine.PidNamespaces()
            confine.take_own_mounts(self.settings.leave)
            if self.settings.role == "submission":
                confine.leave_proc()
        filters = {
            kind: confine.prepare_seccomp(_read_all(fd))
            for kind, fd in self.settings.filter_fds.items()
        }
        self._prepared = Prepared(
            address_space_bytes=int(memory[0]) * page,
            data_bytes=int(memory[5]) * page + _later_bytes(),
            # Private pages; pages of files count when a job touches them.
            held_kib=(int(memory[1]) - int(memory[2])) * page >> 10,
            filters=filters,
            rulesets=self._rulesets() if filters and confine.landlock_abi() else {},
        )
        # The garbage collector would touch, and so copy, the pages of objects that all forks share.
        gc.collect()
        gc.freeze()

    def _rulesets(self) -> dict[str, int]:
        paths: Arguments = {"read_only": self.settings.read_only, "hide": self.settings.hide}
        writing: Arguments = {"read_write": self.settings.read_write}
        rulesets = {
            "reading": confine.landlock_ruleset(**paths),
            "writing": confine.landlock_ruleset(**paths, **writing),
        }
        if self.settings.role == "submission":
            from ..bans import bans

            rulesets["ranks"] = confine.landlock_ruleset(**paths, network=True)
            if self.settings.namespaces:
                shared = [*self.settings.read_write, os.path.dirname(confine.SHARED)]
                rulesets["workers"] = confine.landlock_ruleset(
                    **paths, read_write=shared, sockets=True
                )
            seen: Arguments = paths | {"hide": self.settings.hide_always}
            if self.settings.namespaces:
                # A script may use all of torch.
                talks: Arguments = seen | {"network": True, "sockets": True}
                rulesets["launches"] = confine.landlock_ruleset(**talks, read_write=shared)
                rulesets["launched"] = confine.landlock_ruleset(
                    **talks, read_write=shared[-1:], tidy=self.settings.read_write
                )
            rulesets["examining"] = confine.landlock_ruleset(**seen, **writing)
            closed: Arguments = paths | {"hide": [*paths["hide"], *bans.hidden_paths()]}
            rulesets["reading closed"] = confine.landlock_ruleset(**closed)
            rulesets["writing closed"] = confine.landlock_ruleset(**closed, **writing)
        return rulesets

    def serve(self) -> None:
        """Fork, kill and reap until the control socket closes."""
        wake_r, wake_w = self._wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(wake_w, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._report({"did": "ready", "pid": os.getpid()})
        poller = select.poll()
        poller.register(self.control, select.POLLIN)
        poller.register(wake_r, select.POLLIN)
        while True:
            ready = {fd for fd, _ in poller.poll()}
            if wake_r in ready:
                os.read(wake_r, 4096)
            self._reap()
            if self.control.fileno() in ready and not self._obey():
                return

    def _obey(self) -> bool:
        try:
            message, fds, _, _ = socket.recv_fds(self.control, MESSAGE_CAP, FD_CAP)
        except ConnectionResetError:
            return False
        if not message:
            return False
        order: ZygoteOrder = json.loads(message)
        if order["do"] == "fork":
            self._fork(order["job"], JobSpec(**order["spec"]), fds)
        elif order["do"] == "template":
            self._fork_template(order["bans"], fds)
        elif order["do"] == "kill":
            for pid, name in self.jobs.items():
                if name == order["job"]:
                    os.kill(pid, signal.SIGKILL)
        return True

    def _fork(self, job: str, spec: JobSpec, fds: list[int]) -> None:
        if spec.probe is not None:
            from ..loaders import submission

            # The job itself reports a probe that does not compile.
            with contextlib.suppress(SyntaxError, ValueError):
                submission.compile_probe(spec.probe)
        try:
            pid = self.namespaces.fork() if self.namespaces else os.fork()
        except OSError as error:
            self._report({"did": "failed", "job": job, "why": str(error)})
        else:
            if pid == 0:
                self._run_job(spec, fds)
            self.jobs[pid] = job
            self._report_forked(pid, job)
        for fd in fds:
            os.close(fd)

    def _report_forked(self, pid: int, job: str) -> None:
        """Report a forked job, with a pidfd from which the host finds its own PID for it."""
        message: ForkedNews = {"did": "forked", "job": job}
        try:
            pidfd = os.pidfd_open(pid)
        # A kernel or container may refuse pidfds; the host then reads no usage while the job runs.
        except OSError:
            self._report(message)
            return
        try:
            self._report(message, [pidfd])
        finally:
            os.close(pidfd)

    def _fork_template(self, bans: Bans | None, fds: list[int]) -> None:
        try:
            pid = os.fork()
        except OSError as error:
            with socket.socket(fileno=os.dup(fds[0])) as control:
                control.send(json.dumps({"did": "broken", "why": str(error)}).encode())
        else:
            if pid == 0:
                self._run_template(bans, *fds)
            self._templates.add(pid)
        for fd in fds:
            os.close(fd)

    def _run_template(self, bans: Bans | None, control_fd: int, *procs_fds: int) -> None:
        # This process must never return into the zygote's loop.
        status = 1
        try:
            # First, so that a failure is reported to the host, which waits for this template.
            inherited, self.control = self.control, socket.socket(fileno=control_fd)
            inherited.close()
            # The zygote's children are not this process's children; a new one may reuse one of
            # their PIDs.
            self._templates.clear()
            self.jobs.clear()
            confine.bind_lifetime()
            signal.set_wakeup_fd(-1)
            for fd in self._wake:
                os.close(fd)
            confine.join_cgroup(procs_fds)
            for fd in procs_fds:
                os.close(fd)
            if bans is not None:
                self._impose(bans)
            self.serve()
            status = 0
        except BaseException as error:  # noqa: BLE001
            self._report({"did": "broken", "why": f"{type(error).__name__}: {error}"})
        finally:
            os._exit(status)

    def _impose(self, bans: Bans) -> None:
        from ..bans import bans as banning

        banning.impose(**bans)
        gc.freeze()

    def _run_job(self, spec: JobSpec, fds: list[int]) -> None:
        # This process must never return into the zygote's loop.
        status = 70
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            from . import job

            assert self._prepared is not None, "a zygote is prepared before it serves"
            job.run(self.settings, self._prepared, spec, fds)
            status = 0
        except BaseException as error:  # noqa: BLE001
            # The host reads this from the output pipe for its diagnosis.
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            sys.stderr.flush()
        finally:
            os._exit(status)

    def _reap(self) -> None:
        while self.jobs or self._templates:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid in self._templates:
                self._templates.remove(pid)
                continue
            assert self._prepared is not None, "a zygote is prepared before it serves"
            ended: EndedNews = {
                "did": "ended",
                "job": self.jobs.pop(pid),
                "status": os.waitstatus_to_exitcode(status),
                "cpu_s": usage.ru_utime + usage.ru_stime,
                "max_rss_kib": usage.ru_maxrss,
                "held_kib": self._prepared.held_kib,
            }
            self._report(ended)

    def _report(self, message: News, fds: Sequence[int] = ()) -> None:
        try:
            line = json.dumps(message).encode()
            if fds:
                socket.send_fds(self.control, [line], fds)
            else:
                self.control.send(line)
        except (BrokenPipeError, ConnectionResetError):
            os._exit(0)


def _later_bytes() -> int:
    """Return the bytes that jobs of a CUDA build of torch need besides their allocations.

    DataLoader workers that sent an error lacked up to 32 MiB for the stack of a thread.
    """
    torch = sys.modules.get("torch")
    return 64 << 20 if torch is not None and torch.version.cuda else 0


def _read_all(fd: int) -> bytes:
    with os.fdopen(fd, "rb") as file:
        return file.read()
