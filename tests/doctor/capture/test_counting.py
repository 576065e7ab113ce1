"""Counts of processes, cores and memory are those of the system."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from torchstone.doctor.capture.counting import descendants, num_cores, switches

pytestmark = pytest.mark.pure

CHILD = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"


def test_descendants_are_children_and_their_children() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", f"print('begun', flush=True); {CHILD}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        while len(found := descendants(os.getpid())) < 2:
            assert child.poll() is None
        assert child.pid in found
        assert switches(found) > switches([]) > 0
        child.communicate("\n")


TAKING = """
from torchstone.doctor.capture.counting import resident_bytes
before = resident_bytes()
taken = bytearray(b"x") * (64 << 20)
print(resident_bytes() - before)
"""


def test_memory_that_is_taken_is_counted() -> None:
    # In a process of its own: one that has freed memory takes it again without growing.
    command = [sys.executable, "-c", TAKING]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) > 32 << 20


def test_cores_are_those_of_this_process() -> None:
    assert num_cores() == len(os.sched_getaffinity(0))
