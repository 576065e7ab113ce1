"""Counts of processes, cores and memory are those of the system."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from torchstone.doctor.capture.counting import descendants, num_cores, resident_bytes, switches

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


def test_memory_that_is_taken_is_counted() -> None:
    before = resident_bytes()
    taken = bytearray(b"x") * (64 << 20)
    assert resident_bytes() - before > 32 << 20
    assert len(taken) == 64 << 20


def test_cores_are_those_of_this_process() -> None:
    assert num_cores() == len(os.sched_getaffinity(0))
