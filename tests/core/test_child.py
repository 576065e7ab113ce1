"""A program that was started ends with what started it, whatever comes in between."""

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from torchstone.core import child
from torchstone.core.child import running

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]
STUBBORN = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "print('here', flush=True); time.sleep(60)",
]


@pytest.fixture
def minded() -> Iterator[None]:
    """Let Ctrl-C interrupt, which the processes of a test run ignore."""
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, old)


@pytest.fixture
def told_early(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """Interrupt when a program has begun, and ``Popen`` has not returned yet."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: Any, **named: Any) -> subprocess.Popen[bytes]:
        started.append(original(*arguments, **named))
        signal.raise_signal(signal.SIGINT)
        return started[0]

    original = subprocess.Popen
    monkeypatch.setattr(child.subprocess, "Popen", start)
    return started


@pytest.mark.usefixtures("minded")
def test_an_interruption_while_it_starts_ends_it(
    told_early: list[subprocess.Popen[bytes]],
) -> None:
    with pytest.raises(KeyboardInterrupt), running(SLEEP):
        pytest.fail("the block is not entered")
    assert told_early[0].returncode == -signal.SIGTERM
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_signal_that_is_ignored_stays_ignored(
    told_early: list[subprocess.Popen[bytes]],
) -> None:
    old = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        says = "import signal; print(signal.getsignal(signal.SIGINT).name)"
        with running([sys.executable, "-c", says], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.read() == b"SIG_IGN\n"
    finally:
        signal.signal(signal.SIGINT, old)


def leave_a_stubborn_one(
    seen: list[subprocess.Popen[bytes]], then: Callable[[], object] = lambda: None
) -> None:
    with running(STUBBORN, stdout=subprocess.PIPE) as process:
        seen.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == b"here\n"
        then()
        raise ValueError("left")


def test_one_that_does_not_end_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "END_SECONDS", 0.1)
    seen: list[subprocess.Popen[bytes]] = []
    with pytest.raises(ValueError, match="left"):
        leave_a_stubborn_one(seen)
    assert seen[0].returncode == -signal.SIGKILL


@pytest.mark.usefixtures("minded")
def test_one_more_interruption_does_not_leave_it_running(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "END_SECONDS", 600)
    seen: list[subprocess.Popen[bytes]] = []
    again = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    with pytest.raises(KeyboardInterrupt):
        leave_a_stubborn_one(seen, again.start)
    assert seen[0].returncode == -signal.SIGKILL


def test_another_thread_may_run_one() -> None:
    codes: list[int] = []

    def run() -> None:
        with running([sys.executable, "-c", "raise SystemExit(7)"]) as process:
            codes.append(process.wait())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert codes == [7]
