"""Programs that run in the sandbox of ``judge.observing`` and answer with JSON lines."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

from torchstone.app.programs.child_program import last_words
from torchstone.core.child import running
from torchstone.core.errors import TorchstoneError
from torchstone.core.isolation import Isolation
from torchstone.core.paths import cache_dir, runtime_dir
from torchstone.judge.observing.command import OBSERVED_IMPORTS, observer_command
from torchstone.judge.sandbox.levels import achieved, probe_machine
from torchstone.judge.sandbox.visible import find_visible

Answer = dict[str, Any]


def isolation() -> Isolation:
    """Return the isolation level at which programs run on this machine."""
    return achieved(probe_machine())


def ask(order: Answer, *, module: str, parts: Sequence[str]) -> Iterator[Answer]:
    """Send an order to a module in the sandbox; yield its answers. Closing the iterator ends it.

    Args:
        order: Request.
        module: Module whose ``serve`` answers.
        parts: Files of this package that it needs, in addition to the observer's.

    Raises:
        TorchstoneError: The process ended without an answer, or with an invalid one.
    """
    machine = probe_machine()
    launch = observer_command(
        achieved(machine),
        machine=machine,
        visible=find_visible(cache=cache_dir(), imports=OBSERVED_IMPORTS),
        module=module,
        parts=parts,
        runtime=runtime_dir(),
    )
    try:
        with (
            tempfile.TemporaryFile() as said,
            running(
                launch.argv,
                env=launch.env,
                pass_fds=launch.pass_fds,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
            ) as process,
        ):
            assert process.stdin is not None, "its stdin is a pipe"
            assert process.stdout is not None, "its stdout is a pipe"
            process.stdin.write(json.dumps(order).encode() + b"\n")
            process.stdin.close()
            num_answers = 0
            for line in process.stdout:
                num_answers += 1
                yield _read(line)
            status = process.wait()
            if status or not num_answers:
                words = last_words(said)
                raise TorchstoneError("app.observed.died", status=status, words=words)
    finally:
        launch.close()


def _read(line: bytes) -> Answer:
    try:
        answer: Answer = json.loads(line)
    except ValueError as error:
        raise TorchstoneError("app.observed.garbled", line=line[:1000].decode()) from error
    return answer
