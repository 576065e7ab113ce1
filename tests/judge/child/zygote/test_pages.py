"""Pages that are released or collapsed keep their content."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import torchstone.judge.child
from torchstone.judge.child.zygote import pages

pytestmark = pytest.mark.pure

PACKAGE = Path(torchstone.judge.child.__file__).parent.parent
SCRIPT = """
import json, sys
sys.path.insert(0, sys.argv[1])
from child.zygote import pages

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
from child.zygote import pages

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
FILES = """
import ctypes, json, mmap, os, sys, tempfile
sys.path.insert(0, sys.argv[1])
from child.zygote import pages

def resident(file):
    with open("/proc/self/smaps") as smaps:
        text = smaps.read().partition(file.name)[2]
    return int(text.partition("Rss:")[2].split()[0]) >> 10

def mapped(access):
    file = tempfile.NamedTemporaryFile()
    file.write(b"x" * (4 << 20))
    file.flush()
    return file, mmap.mmap(file.fileno(), 4 << 20, flags=mmap.MAP_PRIVATE, prot=access)

read, read_map = mapped(mmap.PROT_READ)
changed, changed_map = mapped(mmap.PROT_READ | mmap.PROT_WRITE)
changed_map[:3] = b"new"
address = ctypes.addressof(ctypes.c_char.from_buffer(changed_map))
ctypes.CDLL(None).mprotect(ctypes.c_void_p(address), 4 << 20, mmap.PROT_READ)
assert read_map.rfind(b"y") == changed_map.rfind(b"y") == -1
before = resident(read), resident(changed)
num_bytes = pages.release_files()
after = resident(read), resident(changed)
intact = changed_map[:4] == b"newx" and read_map[:4] == b"xxxx"
print(json.dumps([*before, *after, num_bytes >> 20, intact]))
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


def test_unmodified_pages_of_files_are_released_and_modified_ones_kept() -> None:
    read, changed, read_after, changed_after, released, intact = run(FILES)
    assert (read, changed) == (4, 4)
    assert (read_after, changed_after) == (0, 4)
    assert released >= 4
    assert intact


LARGE = """
import json, mmap, sys
sys.path.insert(0, sys.argv[1])
from child.zygote import pages

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * mmap.PAGESIZE >> 10

# As a zygote has it: room in the heap, and thresholds under which it keeps what is freed.
pages.make_room(24 << 20)
pages.map_large_blocks()
before, left = resident(), []
for size, count in ((144 << 10, 32), (300 << 10, 8), (1 << 20, 8), (4 << 20, 8)):
    blocks = [bytearray(size) for _ in range(count)]
    for block in blocks:
        block[:: mmap.PAGESIZE] = bytes(len(block[:: mmap.PAGESIZE]))
    # Every second block first: a heap would keep the holes.
    del blocks[::2], block
    half = resident() - before
    del blocks
    left.append([half * 1024 / (count // 2 * size), resident() - before])
print(json.dumps(left))
"""


def test_freed_blocks_go_back_to_the_kernel_one_by_one() -> None:
    settings = {"MALLOC_MMAP_THRESHOLD_": str(32 << 20), "MALLOC_TRIM_THRESHOLD_": str(512 << 20)}
    done = subprocess.run(
        [sys.executable, "-I", "-c", LARGE, str(PACKAGE)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | settings,
    )
    for share, kib_left in json.loads(done.stdout):
        assert 0.9 < share < 1.3
        assert kib_left < 512


def test_a_c_library_that_cannot_map_blocks_apart_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for mallopt in (None, lambda option, value: 0):
        monkeypatch.setattr(pages, "_mallopt", mallopt)
        with pytest.raises(OSError, match="peak memory"):
            pages.map_large_blocks()


FILLED = """
import json, sys, torch
sys.path.insert(0, sys.argv[1])
from child.zygote import pages

pages.fill_blocks()
sizes = (1000, 100_000, 3_000_000)
print(json.dumps([bool(torch.empty(size).isnan().all()) for size in sizes]))
"""


@pytest.mark.torch
def test_what_was_never_written_is_nan() -> None:
    assert run(FILLED) == [True, True, True]
