"""Drive the demonstration zygote from a test."""

import json
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet

from tests.judge import ordinary_user
from tests.judge.sandbox.single import zygote_command
from torchstone.core.isolation import Isolation
from torchstone.judge.sandbox.cgroups import Cgroup
from torchstone.judge.sandbox.command import Launch, Role
from torchstone.judge.sandbox.levels import achieved, probe_machine
from torchstone.judge.sandbox.visible import find_visible

ROOT = Path(__file__).parents[3]
CHILD = Path(__file__).parents[3] / "src/torchstone/judge/child"
ZYGOTE = Path(__file__).with_name("demo_zygote.py")


@dataclass(slots=True)
class Job:
    """A running job and the socket it answers on."""

    host: "DemoHost"
    pid: int
    connection: socket.socket

    def send(self, code: str) -> None:
        data = code.encode()
        # A job that failed early has hung up already; why is in its answer.
        with suppress(BrokenPipeError):
            self.connection.sendall(len(data).to_bytes(4, "little") + data)

    def answer(self) -> Any:
        size = self.connection.recv(4, socket.MSG_WAITALL)
        if len(size) < 4:
            return None
        body = self.connection.recv(int.from_bytes(size, "little"), socket.MSG_WAITALL)
        return json.loads(body)

    def kill(self) -> None:
        self.host.ask({"kill": self.pid})

    def wait(self) -> dict[str, Any]:
        self.connection.close()
        return self.host.ask({"wait": self.pid})


@dataclass(slots=True)
class DemoHost:
    """One zygote, seen from outside."""

    process: subprocess.Popen[bytes]
    control: socket.socket
    launch: Launch
    start_s: float

    def ask(self, request: dict[str, Any], fds: Sequence[int] = ()) -> dict[str, Any]:
        socket.send_fds(self.control, [json.dumps(request).encode()], list(fds))
        return self.hear()

    def hear(self) -> dict[str, Any]:
        message = self.control.recv(65536)
        assert message, "the zygote has ended"
        answer: dict[str, Any] = json.loads(message)
        return answer

    def start(
        self, kind: str = "python", slot: int = 0, procs: Sequence[int] = (), **job: Any
    ) -> Job:
        ours, theirs = socket.socketpair()
        ours.settimeout(60)
        request = {"start": {"kind": kind, "slot": slot, **job}}
        with theirs:
            pid = self.ask(request, [theirs.fileno(), *procs])["pid"]
        return Job(self, pid, ours)

    def run(self, code: str, **job: Any) -> tuple[Any, dict[str, Any]]:
        """Run code in a job of its own; give its answer and how it ended."""
        running = self.start(**job)
        running.send(code)
        answer = running.answer()
        return answer, running.wait()


@dataclass(frozen=True, slots=True)
class Setting:
    """A level and who starts the zygote: this process's user, or nobody where this is root."""

    level: Isolation
    as_nobody: bool = False

    def __str__(self) -> str:
        return f"{self.level}-{'nobody' if self.as_nobody else 'self'}"


def settings_here() -> list[Setting]:
    """List the levels that this machine can be tested at."""
    machine = probe_machine()
    levels = [Isolation.NAMESPACES, Isolation.CONFINED]
    users = [False, True] if machine.is_root else [False]
    reached = achieved(machine)
    return [Setting(lv, user) for lv in levels if reached.is_at_least(lv) for user in users]


def settings_of_tests(*levels: Isolation) -> list[ParameterSet]:
    """List the parameters of a test: the gate tries the strongest level as this user alone."""
    found = [each for each in settings_here() if not levels or each.level in levels]
    return [
        pytest.param(each, marks=pytest.mark.full if number else ())
        for number, each in enumerate(found)
    ]


@contextmanager
def demo_host(
    setting: Setting,
    *,
    cache: Path,
    modules: Sequence[str] = (),
    role: Role = Role.SUBMISSION,
    cgroup: Cgroup | None = None,
    python: Path | None = None,
) -> Iterator[DemoHost]:
    started = time.perf_counter()
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.settimeout(120)
    machine = probe_machine()
    with tempfile.TemporaryDirectory() as runtime, ours:
        if setting.as_nobody:
            machine = replace(machine, is_root=False, user_namespace=True)
        launch = zygote_command(
            setting.level,
            role,
            machine=machine,
            visible=find_visible(python, cache=cache, imports=modules),
            control_fd=theirs.fileno(),
            read_only_binds={"child": CHILD, "demo_zygote.py": ZYGOTE},
            runtime=Path(runtime),
            module="demo_zygote",
        )
        argv = list(launch.argv)
        if setting.as_nobody:
            for path in (Path(runtime), *Path(runtime).rglob("*")):
                os.chown(path, ordinary_user.NOBODY, ordinary_user.NOBODY, follow_symlinks=False)
            needed = [ROOT, Path(runtime), *([python.parents[1]] if python else [])]
            argv = ordinary_user.command(argv, needed=needed)
        with theirs:
            process = subprocess.Popen(
                argv,
                env=dict(launch.env),
                pass_fds=launch.pass_fds,
                stdin=subprocess.DEVNULL,
                cwd="/",
            )
        if cgroup is not None:
            cgroup.add(process.pid)
        ours.sendall(json.dumps(list(modules)).encode())
        host = DemoHost(process, ours, launch, 0.0)
        try:
            host.hear()
            host.start_s = time.perf_counter() - started
            yield host
        finally:
            ours.close()
            process.wait(timeout=30)
            launch.close()
