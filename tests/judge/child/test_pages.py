"""Huge pages for what forks share: nothing in memory changes by it."""

import json
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


def test_collapsed_memory_holds_what_it_held() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(PACKAGE)], capture_output=True, text=True, check=True
    )
    count, intact, huge = json.loads(done.stdout)
    assert intact
    # An older kernel, or one without huge pages, collapses nothing, and that is no fault.
    assert count == 0 or huge >= 8
