"""What the reference process replies, byte by byte: the host of the same version reads it."""

import hashlib
import json
import socket
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.judge.reference.problem_folder import write_problem
from torchstone.judge.child.protocol import stream, wire
from torchstone.judge.child.protocol.frames import REPLY, FromJob, ToReference
from torchstone.judge.kit import faults
from torchstone.judge.reference import server

grade = sys.modules["torchstone.judge.kit.grade"]
search = sys.modules["torchstone.judge.reference.symptoms.search"]

pytestmark = pytest.mark.torch

RECORDED = Path(__file__).with_name("recorded_frames.json")

# Nothing is drawn, so that every machine computes the same bits.
CASES = """
import torch
from torchstone.judge.kit import Case, call
GROUPS = ("sample", "small", "large")
def plan(group, draw):
    return [{"n": n, "shape": (n, 2), "layout": "contiguous"} for n in (2, 4)]
def build(group, params, draw):
    x = torch.arange(params["n"], dtype=torch.float32) * 256
    g = torch.ones(params["n"])
    return Case(steps=(call("double", x, wrt=[0], cotangents=[g]),), secret={"x": x, "g": g})
"""
FAULT = {"key": "value_type", "values": {"type": "list"}}
RAISED = {
    "type": "ValueError", "bases": ["Exception"], "message": "no", "line": 3, "text": "raise",
    "memory": False,
}  # fmt: skip


class Host:
    """Speak with a reference process that runs in a thread."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._inbox = stream.Inbox(sock.recv_into)
        self.replies: list[list[str]] = []

    def post(self, kind: ToReference, order: object, answers: Sequence[object] = ()) -> None:
        """Send an order and the answers of a submission behind it."""
        buffers = wire.pack(kind, order)
        for answer in answers:
            buffers += wire.pack(FromJob.ANSWER, answer)
        stream.send(self._sock, buffers)

    def ask(self, kind: ToReference, order: object, answers: Sequence[object] = ()) -> Any:
        """Send an order, and record the reply with a digest of the requests behind it."""
        self.post(kind, order, answers)
        frame = self._frame()
        assert frame.kind == REPLY
        reply = frame.decode()
        heads = [reply, *reply.get("cases", ())]
        requests = [
            b"".join(bytes(each) for each in wire.repack(self._frame()))
            for _ in range(sum(head.get("num_steps", 0) for head in heads))
        ]
        digest = hashlib.sha256(b"".join(requests)).hexdigest()[:16]
        self.replies.append([kind.name, frame.tree.decode(), digest])
        return reply

    def _frame(self) -> wire.Frame:
        frame = self._inbox.receive(blob_cap=1 << 20)
        assert frame is not None
        return frame


@pytest.fixture
def host() -> Iterator[Host]:
    ours, theirs = socket.socketpair()
    ours.settimeout(60)
    thread = threading.Thread(target=server.serve, args=(theirs,))
    with ours, theirs:
        thread.start()
        yield Host(ours)
        ours.shutdown(socket.SHUT_RDWR)
        thread.join(60)


def answer(n: int, factor: float) -> dict[str, Any]:
    """Answer as a submission does that multiplies by another factor."""
    import torch

    x = torch.arange(n, dtype=torch.float32) * 256
    return {"out": x * factor, "grad.0": torch.full((n,), factor)}


def test_every_reply_is_the_one_that_was_recorded(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The catalogues may say it in other words.
    for module in (grade, faults):
        monkeypatch.setattr(module, "both", lambda key, **values: {"en": key, "zh": key})
    monkeypatch.setattr(search, "text", lambda key, lang, **values: f"{key} {sorted(values)}")
    folder = write_problem(tmp_path / "01_double", cases=CASES)
    order = {"folder": str(folder), "names": ["double"], "seed": 5, "groups": None, "key": b"k"}
    host.ask(ToReference.OPEN, order)
    host.ask(ToReference.MAKE, {"at_most": 9})
    answered = [[index, 1] for index in range(6)]
    answers = [
        answer(2, 2.0), answer(4, 3.0), answer(2, 3.0), answer(4, 3.0),
        {"raised": RAISED}, {"fault": FAULT},
    ]  # fmt: skip
    host.ask(ToReference.GRADE, {"answered": answered}, answers)
    assert host.ask(ToReference.COMPARABLE, {})["cases"]
    host.post(
        ToReference.COMPARE,
        {"name": "triple", "answered": [1, 1, 1, 1]},
        [answer(2, 3.0), answer(4, 3.0), answer(2, 3.0), answer(4, 3.0)],
    )
    host.ask(ToReference.NAME, {})
    reply = host.ask(ToReference.SHRINK, {"index": 3, "budget": 2})
    while reply["num_steps"]:
        reply = host.ask(ToReference.TRIED, {"num_answers": 1}, [answer(2, 3.0)])
    host.ask(ToReference.BATTERY, {"seed": 5, "judged": False})
    host.ask(ToReference.EXECUTE, {"cells": ["x = 1", "raise ValueError(x)"]})
    host.ask(ToReference.OBSERVE, {"source": "def double(x):\n    return x + x\n"})
    host.post(ToReference.REST, {})
    host.ask(ToReference.OPEN, order | {"groups": ["small"]})
    assert host.replies == json.loads(RECORDED.read_text(encoding="utf-8"))
