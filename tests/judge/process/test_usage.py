"""The kernel tells of a process with its threads and children, and never of another one."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from torchstone.judge.process import usage
from torchstone.judge.process.usage import Meter, Usage

pytestmark = pytest.mark.pure


@contextlib.contextmanager
def running(code: str) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        [sys.executable, "-c", f"print(flush=True)\n{code}"],
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def usage_after(process: subprocess.Popen[bytes], cpu_s: float, *, is_active: bool) -> Usage:
    """Read until so much CPU time is used and the state is as expected; the test ends otherwise."""
    meter = Meter.of(process.pid)
    assert meter is not None
    deadline = time.monotonic() + 60
    while True:
        found = meter.read()
        assert found is not None
        if (found.cpu_s >= cpu_s and found.is_active == is_active) or time.monotonic() > deadline:
            return found
        time.sleep(0.02)


BUSY = "while True: pass"
WAIT = "import time\ntime.sleep(600)"


@pytest.mark.parametrize(
    ("code", "cpu_s", "is_active"),
    [
        (BUSY, 0.2, True),
        (WAIT, 0.0, False),
        ("import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()", 0.0, False),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", 0.0, False),
        # Only another thread works.
        (f"import threading\ndef work():\n    {BUSY}\nthreading.Thread(target=work).start()\n"
         f"threading.Event().wait()", 0.2, True),
        # Only a child works.
        (f"import os\nif os.fork() == 0:\n    {BUSY}\n{WAIT}", 0.2, True),
        # Only a child worked, and it is gone.
        ("import os, time\nif os.fork() == 0:\n    while time.process_time() < 0.3: pass\n"
         f"    os._exit(0)\nos.wait()\n{WAIT}", 0.2, False),
    ],
    ids=["busy", "sleep", "deadlock", "stopped", "thread", "child", "child that ended"],
)  # fmt: skip
def test_a_process_is_read_with_its_threads_and_children(
    code: str, cpu_s: float, is_active: bool
) -> None:
    with running(code) as process:
        found = usage_after(process, cpu_s, is_active=is_active)
        assert found.is_active == is_active
        assert found.cpu_s >= cpu_s


def test_a_process_is_found_by_a_descriptor_and_never_mistaken() -> None:
    with running(WAIT) as process:
        fd = os.pidfd_open(process.pid)
        meter = Meter.of_pidfd(fd)
        assert meter == Meter.of(process.pid)
        assert meter is not None
        assert replace(meter, _started="1").read() is None
        process.kill()
        process.wait()
        assert meter.read() is None
        assert Meter.of(process.pid) is None
        assert Meter.of_pidfd(fd) is None
        os.close(fd)


@pytest.mark.parametrize(
    ("state", "is_active"),
    [("R", True), ("D", True), ("S", False), ("T", False), ("Z", False), ("I", False)],
)
def test_a_process_that_waits_for_a_disk_is_not_idle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str, is_active: bool
) -> None:
    thread = tmp_path / "7/task/7"
    thread.mkdir(parents=True)
    (thread / "children").write_text("")
    fields = ["0"] * 10 + ["30", "20", "4", "6"] + ["0"] * 30
    for folder in (tmp_path / "7", thread):
        (folder / "stat").write_text(f"7 (a ) S name) {state} {' '.join(fields)}\n")
    monkeypatch.setattr(usage, "_PROC", tmp_path)
    meter = Meter.of(7)
    assert meter is not None
    assert meter.read() == Usage(60 / os.sysconf("SC_CLK_TCK"), is_active)
