"""What the host believes of a job that a zygote tells about."""

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from torchstone.bank.loader import CONTENT, load_problem
from torchstone.judge.assignment import assignment_of
from torchstone.judge.child.protocol.zygote_messages import JobSpec
from torchstone.judge.pool.reference_process import ReferenceProcess
from torchstone.judge.pool.submission_process import SubmissionProcess
from torchstone.judge.pool.zygotes import JobEnded, Zygote, ZygoteDied

ASSIGNMENT = assignment_of(load_problem(CONTENT / "problems/01_softmax"))
SPEC = JobSpec(
    slot=0,
    filter="python",
    serve="source",
    mode="plain",
    runtime=None,
    writable=False,
    disk_mib=1,
    cpu_s=1.0,
    memory_mib=64,
    probe=None,
)
END = {"did": "ended", "job": "1", "status": -9, "cpu_s": 0.5, "max_rss_kib": 7, "held_kib": 3}


@pytest.fixture
def pair() -> Iterator[tuple[Zygote, socket.socket]]:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    zygote = Zygote(ours)
    with theirs:
        yield zygote, theirs
    zygote.close()


def tell(sock: socket.socket, news: dict[str, object]) -> None:
    sock.send(json.dumps(news).encode())


def descriptors() -> set[str]:
    return {entry.name for entry in Path("/proc/self/fd").iterdir() if entry.exists()}


def test_a_job_ends_when_it_has_ended_and_not_when_it_is_forked(
    pair: tuple[Zygote, socket.socket],
) -> None:
    zygote, theirs = pair
    job = zygote.fork(SPEC, [])
    tell(theirs, {"did": "forked", "job": "1"})
    tell(theirs, END)
    assert job.wait() == msgspec.convert(END, JobEnded)
    assert job.is_over


def test_a_job_that_runs_is_not_over(pair: tuple[Zygote, socket.socket]) -> None:
    zygote, theirs = pair
    job = zygote.fork(SPEC, [])
    tell(theirs, {"did": "forked", "job": "1"})
    job.started()
    assert not job.is_over


def test_a_fork_that_failed_is_told_to_everybody_who_asks(
    pair: tuple[Zygote, socket.socket],
) -> None:
    zygote, theirs = pair
    job = zygote.fork(SPEC, [])
    tell(theirs, {"did": "failed", "job": "1", "why": "no more processes"})
    for ask in (job.started, job.wait, job.wait):
        with pytest.raises(ZygoteDied, match="no more processes"):
            ask()
    assert job.is_over


def test_a_fork_that_a_dead_zygote_refuses_leaves_no_descriptor() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    zygote = Zygote(ours)
    theirs.close()
    zygote.wait_ready(5)
    before = descriptors()
    group = os.open("/dev/null", os.O_RDONLY)
    with pytest.raises(ZygoteDied):
        SubmissionProcess.fork(zygote, ASSIGNMENT, slot=0, key=b"")
    with pytest.raises(ZygoteDied):
        zygote.fork_template({}, [group])
    with pytest.raises(ZygoteDied):
        ReferenceProcess.fork(zygote, ASSIGNMENT, slot=1)
    assert descriptors() == before
    zygote.close()
