"""The peak memory of a request is what the kernel counted; no program can make it smaller."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from tests.judge.peak.arena import BANK, SOLUTION, judge
from torchstone.core import paths
from torchstone.core.isolation import Isolation
from torchstone.judge.messages import Report
from torchstone.judge.order import JudgeFault
from torchstone.judge.pool.submission_process import SubmissionProcess
from torchstone.judge.pool.worker_pool import WorkerPool

pytestmark = [pytest.mark.full, pytest.mark.sandbox]

# The gate tries the strongest level.
WEAKER = (Isolation.NAMESPACES, Isolation.CONFINED)
LEVELS = (Isolation.FULL, *(pytest.param(level, marks=pytest.mark.full) for level in WEAKER))
# A right program that keeps everything alive, and something around it.
HOG = """
import torch
{before}
def fill(count, num_bytes):
    kept = [torch.ones(num_bytes, dtype=torch.uint8) for _ in range(count)]
    total = sum(each.numel() for each in kept)
    del kept
    {after}
    return total
"""
# What a program may try so that less than it took is counted.
HIDING = {
    "nothing": ("", "pass"),
    "a patched getrusage": (
        "import resource\nclass Usage: ru_maxrss = 1\nresource.getrusage = lambda who: Usage()\n",
        "pass",
    ),
    "clear_refs": (
        "def clear():\n"
        "    try:\n"
        "        with open('/proc/self/clear_refs', 'w') as file: file.write('5')\n"
        "    except OSError: return\n"
        "    raise AssertionError('the wall gave way')\n",
        "clear()",
    ),
    "clear_refs of the judge": (
        "import os\n"
        "def clear():\n"
        "    try:\n"
        "        fd = os.open(f'/proc/{os.getppid()}/clear_refs', os.O_WRONLY)\n"
        "    except OSError: return\n"
        "    raise AssertionError('the wall gave way')\n",
        "clear()",
    ),
    "memory that is paged out": (
        "import mmap\n"
        "def page_out():\n"
        "    area = mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\n"
        "    area.write(bytes(1 << 20))\n"
        "    area.madvise(mmap.MADV_DONTNEED)\n"
        "    for advice in (12, 20, 21):\n"
        "        try: area.madvise(advice)\n"
        "        except OSError: continue\n"
        "        raise AssertionError('the wall gave way')\n",
        "page_out()",
    ),
    "an answer that names it": ("", "total = type('N', (int,), {})(total)"),
}
THREAD = """
import threading
import torch


def fill(count, num_bytes):
    totals = []

    def work():
        kept = [torch.ones(num_bytes, dtype=torch.uint8) for _ in range(count)]
        totals.append(sum(each.numel() for each in kept))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return totals[0]
"""
PYTHON_MEMORY = """
def fill(count, num_bytes):
    kept = [bytearray(b'\\1') * num_bytes for _ in range(count)]
    return sum(map(len, kept))
"""
FILES = {
    "a file": "tempfile.TemporaryFile()",
    "a named file": "open('kept', 'w+b')",
    "a memfd": "os.fdopen(os.memfd_create('kept'), 'w+b')",
    "shared memory": "mmap.mmap(-1, count * num_bytes)",
}
IN_A_FILE = """
import mmap
import os
import tempfile


def fill(count, num_bytes):
    file = {opened}
    for _ in range(count):
        file.write(bytes(bytearray(b'\\1') * num_bytes))
    file.seek(0)
    return sum(len(file.read(num_bytes)) for _ in range(count))
"""
# Memory taken before the request, so that a peak inside the request is no new one.
AT_IMPORT = (
    SOLUTION
    + """
torch.ones(200 << 20, dtype=torch.uint8)
"""
)
MORE_FOR_ONE = SOLUTION.replace(
    "    total = 0\n",
    "    total = 0\n    if count == 1:\n        torch.ones(200 << 20, dtype=torch.uint8)\n",
)
BURN = """
    import time
    end = time.process_time() + 0.3
    while time.process_time() < end: pass
"""


@pytest.fixture(scope="module", params=LEVELS, ids=str)
def pool(request: pytest.FixtureRequest) -> Iterator[WorkerPool]:
    made = WorkerPool(bank_root=BANK, cache=paths.cache_dir(), capacity=1, at_most=request.param)
    with made.running():
        assert made.isolation is request.param
        yield made


def assert_too_much(report: Report) -> None:
    assert (report.verdict, report.aspect, report.group) == ("WA", "property", "memory"), report


def test_a_program_that_frees_at_once_is_right(pool: WorkerPool) -> None:
    report = judge(pool, SOLUTION)
    assert report.verdict == "AC", report


@pytest.mark.gate("full*")
@pytest.mark.attack
@pytest.mark.parametrize("how", HIDING.values(), ids=HIDING)
def test_what_a_program_took_cannot_be_hidden(pool: WorkerPool, how: tuple[str, str]) -> None:
    before, after = how
    assert_too_much(judge(pool, HOG.format(before=before, after=after)))


@pytest.mark.full
@pytest.mark.parametrize("source", [THREAD, PYTHON_MEMORY], ids=["thread", "no torch"])
def test_memory_counts_wherever_it_is_taken(pool: WorkerPool, source: str) -> None:
    assert_too_much(judge(pool, source))


@pytest.mark.gate("full*")
@pytest.mark.attack
@pytest.mark.parametrize("opened", FILES.values(), ids=FILES)
def test_nothing_can_be_kept_outside_the_memory(pool: WorkerPool, opened: str) -> None:
    report = judge(pool, IN_A_FILE.format(opened=opened))
    assert report.verdict in ("RTE", "MLE", "FORBIDDEN_OP"), report


@pytest.mark.gate("full-*")
@pytest.mark.attack
@pytest.mark.parametrize("source", [AT_IMPORT, MORE_FOR_ONE], ids=["import", "first request"])
def test_memory_taken_early_does_not_hide_what_comes_later(pool: WorkerPool, source: str) -> None:
    assert_too_much(judge(pool, source))


@pytest.mark.gate("full*")
@pytest.mark.parametrize(
    ("limit", "group"), [(1, "memory"), (64, "staying")], ids=["own process", "staying process"]
)
def test_each_way_of_asking_finds_what_a_request_took(
    pool: WorkerPool, limit: int, group: str
) -> None:
    """A process that stays shows how much more than before it took."""
    source = HOG.format(before="", after="pass").replace(
        "    kept =", f"    if count <= {limit}: return count * num_bytes\n    kept ="
    )
    report = judge(pool, source)
    assert (report.verdict, report.aspect, report.group) == ("WA", "property", group), report


@pytest.mark.attack
def test_a_process_that_ends_after_its_answer_hides_nothing(pool: WorkerPool) -> None:
    after = (
        "if count == 128:\n"
        "        import os, threading\n"
        "        threading.Timer(0.01, os._exit, [0]).start()"
    )
    source = HOG.format(before="", after=after).replace(
        "    kept =", "    if count <= 65: return count * num_bytes\n    kept ="
    )
    report = judge(pool, source)
    assert report.verdict != "AC", report


def test_a_request_gets_a_process_of_its_own_unless_one_stays(pool: WorkerPool) -> None:
    """What the process of one request remembers is not there for the next."""
    source = SOLUTION.replace("def fill", "calls = []\n\n\ndef fill").replace(
        "    total = 0\n",
        "    calls.append(count)\n    total = 0\n"
        "    assert len(calls) == {65: 2, 128: 3}.get(count, 1)\n",
    )
    report = judge(pool, source)
    assert report.verdict == "AC", report


@pytest.mark.full
def test_a_wrong_answer_about_memory_is_explained_without_running_it_again(
    pool: WorkerPool,
) -> None:
    report = judge(pool, HOG.format(before="", after="pass"), explain=True)
    assert_too_much(report)
    assert report.smallest is not None
    keys = [row.key for row in report.smallest.rows]
    assert "1:peak.rise" in keys, keys


@pytest.mark.full
def test_processor_time_of_all_processes_is_reported(pool: WorkerPool) -> None:
    report = judge(pool, SOLUTION.replace("    total = 0\n", BURN + "    total = 0\n"))
    assert report.verdict == "AC", report
    assert (report.cpu_s or 0.0) >= 0.9


@pytest.mark.full
def test_a_kernel_that_reports_no_memory_is_a_fault_of_the_judge(
    pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = SubmissionProcess.end

    def without_memory(process: SubmissionProcess) -> Any:
        return msgspec.structs.replace(ended(process), max_rss_kib=0)

    monkeypatch.setattr(SubmissionProcess, "end", without_memory)
    with pytest.raises(JudgeFault, match="peak memory"):
        judge(pool, SOLUTION)
