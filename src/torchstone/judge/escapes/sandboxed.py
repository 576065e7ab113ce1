"""Search process in the sandbox of a zygote."""

from __future__ import annotations

import json
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from torchstone.core.errors import JudgeUnavailable
from torchstone.core.isolation import Isolation
from torchstone.judge.native.build import library
from torchstone.judge.sandbox.command import Role, zygote_parent_command
from torchstone.judge.sandbox.levels import achieved, probe_machine
from torchstone.judge.sandbox.visible import find_visible

PACKAGE = Path(__file__).resolve().parents[2]
# By name, because modules that run in a sandbox are imported nowhere else.
_MODULE = "torchstone.judge.escapes.calling.process"
# Only the parts of the package that the process imports; the sandboxes of jobs have no `escapes`.
_PARTS = (
    *("__init__.py", "judge/__init__.py", "judge/child"),
    *("judge/escapes/__init__.py", "judge/escapes/calling"),
)
_MESSAGE_CAP = 1 << 20


@contextmanager
def searching(cache: Path, order: Mapping[str, Any]) -> Iterator[Iterator[dict[str, Any]]]:
    """Start a process for one order; yield its messages, and end it with the block."""
    with talking(cache, order) as (messages, _):
        yield messages


@contextmanager
def talking(
    cache: Path, order: Mapping[str, Any]
) -> Iterator[tuple[Iterator[dict[str, Any]], Callable[[Mapping[str, Any]], None]]]:
    """Start a process for one order; yield its messages and a function that sends further ones.

    Args:
        cache: The folder of cached probes of this machine.
        order: What to search, see ``escapes.calling.process``.

    Raises:
        JudgeUnavailable: The sandbox cannot be built, or torch cannot be imported in it.
        NativeBuildError: The bans cannot be compiled.
    """
    machine = probe_machine()
    level = achieved(machine)
    if not level.is_at_least(Isolation.CONFINED):
        raise JudgeUnavailable(
            "judge.zygote_failed", reason="a search calls everything; no sandbox"
        )
    parts = {f"torchstone/{part}": PACKAGE / part for part in _PARTS}
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with tempfile.TemporaryDirectory(prefix="torchstone-search-") as runtime, ours:
        launch = zygote_parent_command(
            level,
            machine=machine,
            visible=find_visible(cache=cache),
            control_fds={Role.SUBMISSION: theirs.fileno()},
            binds={Role.SUBMISSION: parts | {"native.so": library()}},
            runtime=Path(runtime),
            module=_MODULE,
        )
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                launch.argv,
                env=dict(launch.env),
                pass_fds=launch.pass_fds,
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                start_new_session=True,
            )
            theirs.close()
            try:
                yield _messages(ours, errors, order), lambda sent: _send(ours, sent)
            finally:
                process.kill()
                process.wait()
                launch.close()


def _send(control: socket.socket, message: Mapping[str, Any]) -> None:
    control.send(json.dumps(message).encode())


def _messages(
    control: socket.socket, errors: Any, order: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    while True:
        try:
            line = control.recv(_MESSAGE_CAP)
        except ConnectionResetError:
            line = b""
        if not line:
            errors.seek(0)
            reason = errors.read()[-2000:].decode(errors="replace").strip() or "no output"
            raise JudgeUnavailable("judge.zygote_failed", reason=reason)
        message: dict[str, Any] = json.loads(line)
        if message["did"] == "ready":
            control.send(json.dumps(order).encode())
        elif message["did"] == "finished":
            return
        else:
            yield message
