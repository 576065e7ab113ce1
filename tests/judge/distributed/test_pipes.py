"""Ranks that are joined by pipes: no group, no network, and a rank that dies is seen."""

import pytest

from tests.judge.distributed.arena import BANK, judge
from torchstone.bank.schema import Deny
from torchstone.judge.pool.worker_pool import WorkerPool

pytestmark = [pytest.mark.full, pytest.mark.sandbox]

FOLDER = BANK / "problems/96_relay"
SOLUTION = (FOLDER / "solution.py").read_text(encoding="utf-8")
RELAY = {
    "problem_id": "96",
    "folder": FOLDER,
    "names": ("collect", "send"),
    "probe": (FOLDER / "probe.py").read_text(encoding="utf-8"),
    "content_hash": "relay",
}


def in_collect(act: str) -> str:
    head = "import os, socket\nimport torch.distributed as dist\n"
    return head + SOLUTION.replace("    total, ended =", f"    {act}\n    total, ended =", 1)


def test_a_sum_over_pipes_is_accepted(pool: WorkerPool) -> None:
    """An end that were open in a second process would keep ``collect`` waiting for ever."""
    report = judge(pool, SOLUTION, **RELAY)
    assert report.verdict == "AC", report


def test_the_processes_make_no_group(pool: WorkerPool) -> None:
    report = judge(pool, in_collect("assert not dist.is_initialized()"), **RELAY)
    assert report.verdict == "AC", report


@pytest.mark.full
@pytest.mark.parametrize(
    "act",
    [
        "socket.socket()",
        "socket.socketpair()",
        "socket.create_server(('127.0.0.1', 4444))",
        "dist.TCPStore('127.0.0.1', 4444, 1, True)",
        "os.fork()",
    ],
)
def test_beside_the_pipes_there_is_no_other_way(pool: WorkerPool, act: str) -> None:
    report = judge(pool, in_collect(act), "alone", **RELAY)
    assert report.verdict in ("FORBIDDEN_OP", "RTE"), report


def test_a_tensor_is_sent_by_value(pool: WorkerPool) -> None:
    """Shared memory, which torch takes for tensors that are sent, is refused in a rank."""
    changed = SOLUTION.replace("    conn.close()", "    value.zero_()\n    conn.close()")
    assert judge(pool, changed, "sum", **RELAY).verdict == "AC"


@pytest.mark.full
def test_a_hang_names_the_call_of_the_probe(pool: WorkerPool) -> None:
    source = SOLUTION.replace("    conn.send(value)\n    conn.close()", "    conn.recv()")
    report = judge(pool, source, "sum", **RELAY)
    assert (report.verdict, report.group) == ("HUNG", "sum")
    assert report.detail is not None
    assert "rank 0 stands at collect 1" in report.detail.en
    assert "rank 1: send 1" in report.detail.en


def test_a_rank_that_ends_by_itself_is_named(pool: WorkerPool) -> None:
    source = "import os\n" + SOLUTION.replace("    conn.send(value)", "    os._exit(3)")
    report = judge(pool, source, "sum", **RELAY)
    assert report.verdict == "RTE"
    assert report.detail is not None
    assert "ended before its answer (exit 3)" in report.detail.en


def test_a_ban_holds_in_every_process(pool: WorkerPool) -> None:
    source = SOLUTION.replace("    conn.send(value)", "    conn.send(value.exp())")
    report = judge(pool, source, "sum", deny=Deny(functions=("torch.Tensor.exp",)), **RELAY)
    assert report.verdict == "FORBIDDEN_OP", report
