"""Huge pages for what forks share and allocate: nothing in memory changes by it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import torchstone.judge.child

pytestmark = pytest.mark.pure

PACKAGE = Path(torchstone.judge.child.__file__).parent.parent
SCRIPT = """
import json, sys
sys.path.insert(0, sys.argv[1])
from child import pages

blocks = [bytearray(bytes([number])) * (8 << 20) for number in range(4)]
count = pages.collapse()
intact = all(set(block[:: 1 << 12]) == {number} for number, block in enumerate(blocks))
with open("/proc/self/smaps_rollup") as file:
    huge = next(int(line.split()[1]) for line in file if line.startswith("AnonHugePages"))
print(json.dumps([count, intact, huge >> 11]))
"""

ROOM = """
import json, mmap, sys
sys.path.insert(0, sys.argv[1])
from child import pages

def huge():
    with open("/proc/self/smaps_rollup") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("AnonHugePages")) >> 11

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * mmap.PAGESIZE >> 20

pages.trim()
before = resident(), huge()
pages.make_room(24 << 20)
empty = resident() - before[0]
block = bytearray(20 << 20)
print(json.dumps([empty, block.count(0), huge() - before[1]]))
"""
MALLOC = {"MALLOC_MMAP_THRESHOLD_": str(32 << 20), "MALLOC_TRIM_THRESHOLD_": str(512 << 20)}


def run(script: str, **environment: str) -> list[int]:
    done = subprocess.run(
        [sys.executable, "-c", script, str(PACKAGE)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | environment,
    )
    numbers: list[int] = json.loads(done.stdout)
    return numbers


def test_collapsed_memory_holds_what_it_held() -> None:
    count, intact, huge = run(SCRIPT)
    assert intact
    # An older kernel, or one without huge pages, collapses nothing, and that is no fault.
    assert count == 0 or huge >= 8


def test_room_costs_nothing_before_it_is_used_and_comes_in_huge_pages() -> None:
    empty, zeros, huge = run(ROOM, **MALLOC)
    assert empty <= 2
    assert zeros == 20 << 20
    enabled = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    if enabled.exists() and "[never]" not in enabled.read_text():
        assert huge >= 8
