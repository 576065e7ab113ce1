"""A program that is told to end tidies up undisturbed."""

import signal
import subprocess
import sys

import pytest

PROGRAM = """
import sys, time
from torchstone.core.interruption import interrupt_once
interrupt_once()
try:
    print("here", flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    print("told", flush=True)
    sys.stdin.readline()
    print("tidy", flush=True)
"""


@pytest.mark.parametrize("first", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_does_not_stop_the_tidying_up(first: signal.Signals) -> None:
    command = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "here\n"
        process.send_signal(first)
        assert process.stdout.readline() == "told\n"
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline() == "tidy\n"
    assert process.returncode == 0
