"""The state of the bans lies where nobody can write once the submission is loaded."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from torchstone.judge import native
from torchstone.judge.native import build

pytestmark = [pytest.mark.full, pytest.mark.torch, pytest.mark.attack]

# The name of the submission's file is part of the state, so it tells where the state lies. A write
# to that address comes from ctypes, which this process, unlike a job, has not closed.
SCRIPT = """
import ctypes, os, re, sys
sys.path.insert(0, sys.argv[1])
from child.zygote import preloading
preloading.import_torch()
from child.bans import bans
bans.install(sys.argv[2])
bans.prepare()
bans.impose(families=["softmax"])

def holders(name):
    found = []
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb") as memory:
        for line in maps:
            if "torchstone_bans" in line:
                first, last, rights = re.match("([0-9a-f]+)-([0-9a-f]+) (....)", line).groups()
                memory.seek(int(first, 16))
                offset = memory.read(int(last, 16) - int(first, 16)).find(name)
                if offset >= 0:
                    found.append((int(first, 16) + offset, rights))
    return found

name = b"<submission " + b"of the test>"
bans.arm(2, filename=name.decode())
before = holders(name)
work = compile("bans.load(int, bare=False)", "<driver>", "exec")
bans.trust(work)
exec(work)
after = holders(name)
assert [address for address, _ in before] == [address for address, _ in after], (before, after)
assert len(after) == 1
assert before[0][1].startswith("rw")
assert after[0][1].startswith("r-"), after
print("sealed", flush=True)
ctypes.memset(after[0][0], 0, 1)
print("written", flush=True)
"""


def test_a_write_to_the_state_of_the_bans_ends_the_process() -> None:
    child = Path(native.__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, str(child), str(build.library())],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONFAULTHANDLER": ""},
    )
    assert done.stdout == "sealed\n", done.stderr
    assert done.returncode == -signal.SIGSEGV
