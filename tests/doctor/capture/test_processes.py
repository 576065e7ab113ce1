"""Processes end with all that they have started, and print as much as they like."""

from __future__ import annotations

import os
import sys
import time

import pytest

from torchstone.doctor.capture.processes import Running, running

pytestmark = pytest.mark.pure

# A child in a group of its own, which ignores what ends others, and a grandchild of it.
STUBBORN = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"],
                         start_new_session=True)
print(child.pid, flush=True)
time.sleep(600)
"""


def is_gone(pid: int) -> bool:
    for _ in range(100):
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.05)
    return False


def wait_for_words(each: Running) -> str:
    while (words := each.last_words()) == "-":
        assert each.process.poll() is None
    return words


@pytest.mark.full
def test_what_is_left_is_killed_also_outside_of_the_group() -> None:
    with running([[sys.executable, "-c", STUBBORN]], [{}]) as (each,):
        pid = int(wait_for_words(each))
        os.kill(pid, 0)
    assert each.process.returncode != 0
    assert is_gone(pid)


@pytest.mark.full
def test_an_exception_ends_them_too() -> None:
    pids: list[int] = []

    def interrupted() -> None:
        with running([[sys.executable, "-c", STUBBORN]], [{}]) as (each,):
            pids.extend((int(wait_for_words(each)), each.process.pid))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert all(is_gone(pid) for pid in pids)


def test_one_that_is_interrupted_unwinds(tmp_path: os.PathLike[str]) -> None:
    path = os.path.join(tmp_path, "unwound")
    source = (
        "import time\ntry:\n    print('begun', flush=True)\n    time.sleep(600)\n"
        f"finally:\n    open({path!r}, 'w').close()\n"
    )
    with running([[sys.executable, "-c", source]], [{}]) as (each,):
        wait_for_words(each)
    assert os.path.exists(path)


def test_of_much_output_the_end_is_kept() -> None:
    source = "import sys\nfor _ in range(300): sys.stdout.write('x' * 1_000_000)\nprint('\\nlast')"
    with running([[sys.executable, "-c", source]], [{}]) as (each,):
        each.process.wait()
        assert each.last_words(num_lines=1) == "last"
        assert len(each.last_words()) <= 1000


def test_each_process_has_its_own_environment_and_nothing_to_read() -> None:
    source = "import os, sys; print(os.environ['RANK'], repr(sys.stdin.read()))"
    command = [sys.executable, "-c", source]
    with running([command, command], [{"RANK": "0"}, {"RANK": "1"}]) as ranks:
        for each in ranks:
            each.process.wait()
        assert [each.last_words() for each in ranks] == ["0 ''", "1 ''"]
