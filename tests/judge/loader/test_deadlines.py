"""The leader sets deadlines: for an answer that never comes, and for workers that nobody ends."""

from dataclasses import replace
from typing import Any

import pytest

from tests.judge.loader.arena import BANK, SQUARES
from torchstone.judge.messages import Report
from torchstone.judge.order import Order
from torchstone.judge.pool.worker_pool import WorkerPool

pytestmark = [pytest.mark.full, pytest.mark.sandbox]

FOLDER = BANK / "problems/96_echo"
SOLUTION = (FOLDER / "solution.py").read_text(encoding="utf-8")
ECHO = replace(
    SQUARES,
    problem_id="96",
    folder=FOLDER,
    names=("Echo",),
    probe=(FOLDER / "probe.py").read_text(encoding="utf-8"),
    content_hash="echo",
)
PRCTL = "ctypes.CDLL(None).prctl(1, signal.SIGKILL)"
WATCHING = """threading.Thread(target=watch, daemon=True).start()"""
HEAD = """import os, threading, time

def watch():
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(0.1)
    os._exit(0)

"""


def judge(pool: WorkerPool, source: str, *groups: str) -> Report:
    order = Order(assignment=ECHO, source=source, seed=7, groups=groups or None, explain=False)
    return pool.judge(order, lambda event: None, slot=0)


def test_workers_that_end_with_the_program_are_accepted(pool: WorkerPool) -> None:
    report = judge(pool, SOLUTION)
    assert report.verdict == "AC", report


@pytest.mark.parametrize(
    "call",
    [
        WATCHING,
        "ctypes.CDLL('libc.so.6', use_errno=True).prctl(ctypes.c_int(1), ctypes.c_ulong(9), 0, 0)",
        "ctypes.cdll.LoadLibrary('libc.so.6')['prctl'](1, 9)",
        "import ctypes.util; ctypes.PyDLL(ctypes.util.find_library('c')).prctl(1, 9)",
        "ctypes.cdll['libc.so.6'].prctl(1, 9)",
        "import torch; torch.multiprocessing._prctl_pr_set_pdeathsig(9)",
        "libc = ctypes.CDLL(None); libc.prctl.restype = ctypes.c_int; assert libc.prctl(1, 9) == 0",
        "assert ctypes.CDLL(None).prctl(38, 1) == -1 and ctypes.get_errno(); " + PRCTL,
        "assert ctypes.CDLL(None).getppid() == os.getppid(); " + PRCTL,
    ],
)
def test_a_worker_ends_with_its_parent(pool: WorkerPool, call: str) -> None:
    report = judge(pool, HEAD + SOLUTION.replace(PRCTL, call), "orphans")
    assert report.verdict == "AC", report


@pytest.mark.parametrize(
    "call",
    [
        "ctypes.CDLL(None).process_vm_readv",
        "ctypes.CDLL('libm.so.6')",
        "ctypes.string_at(0)",
        "ctypes.pythonapi",
        "import _ctypes",
        "from ctypes import memmove",
        "from multiprocessing import sharedctypes",
    ],
)
def test_nothing_else_of_ctypes_is_there(pool: WorkerPool, call: str) -> None:
    report = judge(pool, HEAD + SOLUTION.replace(PRCTL, call), "late")
    assert report.verdict == "FORBIDDEN_OP", report
    assert report.forbidden is not None
    assert "ctypes" in report.forbidden.operator


@pytest.mark.full
def test_workers_that_outlive_the_program_are_counted(pool: WorkerPool) -> None:
    report = judge(pool, SOLUTION.replace(PRCTL, "pass"))
    assert (report.verdict, report.failed_groups) == ("WA", ("orphans",)), report


@pytest.mark.full
@pytest.mark.parametrize("way", ["time.sleep(90)", "while True: time.sleep(0.01)"])
def test_the_last_words_of_a_program_that_waits_are_its_answer(pool: WorkerPool, way: str) -> None:
    report = judge(pool, HEAD + SOLUTION.replace(PRCTL, way), "late")
    assert (report.verdict, report.aspect) == ("WA", "property"), report


@pytest.mark.full
@pytest.mark.parametrize(
    "value",
    [
        {"name": "n", "as_in": "unknown", "within_s": 1.0},
        {"name": "n", "as_in": "before", "within_s": "x"},
        {"name": "n"},
        {},
    ],
)
def test_a_request_that_no_probe_makes_is_refused(pool: WorkerPool, value: Any) -> None:
    link = "sys.modules['child.driver'].rank._link"
    kind = "sys.modules['child.protocol.frames'].FromRank.SETTLE"
    source = SOLUTION.replace(
        "        self.connection, theirs",
        f"        {link}.ask({kind}, {value!r})\n        self.connection, theirs",
    )
    report = judge(pool, "import sys\n" + source, "late")
    assert report.verdict in ("WA", "RTE"), report
