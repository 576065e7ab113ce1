"""What the host asks the reference process, byte by byte."""

from collections.abc import Iterable
from typing import Any

import pytest

from torchstone.judge.child.protocol import wire
from torchstone.judge.child.protocol.frames import REPLY, FromJob, ToReference
from torchstone.judge.pool.reference_process import ReferenceProcess

pytestmark = pytest.mark.pure

HEAD = {"num_steps": 0, "modes": []}
BATTERY = {
    "null_accepted": [], "lowprec_accepted": [], "parity_errors": [], "good_ratio": 0.0,
    "lowprec_ratio": None,
}  # fmt: skip


class Line:
    """Stand for a channel and for its process; replies are prepared, what is posted is kept."""

    meter = None

    def __init__(self, replies: Iterable[object]) -> None:
        self._replies = list(replies)
        self.posted: list[bytes] = []
        self.written = bytearray()

    def post(self, buffers: list[Any], on_wait: object) -> None:
        self.posted.append(b"".join(bytes(each) for each in buffers))

    def exchange(self, buffers: list[Any], on_wait: object) -> wire.Frame:
        return framed(REPLY, self._replies.pop(0))


def framed(kind: bytes, value: object) -> wire.Frame:
    _, tree, _, *blobs = wire.pack(kind, value)
    return wire.Frame(kind=kind, tree=tree, blobs=blobs)


def asked(*orders: tuple[ToReference, object]) -> bytes:
    return b"".join(bytes(each) for order in orders for each in wire.pack(*order))


def process(*replies: object) -> tuple[ReferenceProcess, Line]:
    line = Line(replies)
    return ReferenceProcess("key", line, line), line  # type: ignore[arg-type]


@pytest.mark.parametrize(("groups", "listed"), [(("small",), ["small"]), (None, None), ((), None)])
def test_a_problem_is_opened(groups: tuple[str, ...] | None, listed: list[str] | None) -> None:
    reference, line = process({"plan": [["small", 0]]})
    assert reference.open("/bank/01", ("f", "g"), 7, groups, b"k") == (("small", 0),)
    order = {"folder": "/bank/01", "names": ["f", "g"], "seed": 7, "groups": listed, "key": b"k"}
    assert line.posted == [asked((ToReference.OPEN, order))]


def test_cases_are_asked_for() -> None:
    reference, line = process({"cases": [HEAD]})
    reference.ask_cases(3)
    assert len(reference.take_cases()) == 1
    assert line.posted == [asked((ToReference.MAKE, {"at_most": 3}))]


@pytest.mark.parametrize("at_most", [0, 4])
def test_answers_are_handed_over(at_most: int) -> None:
    reference, line = process()
    answer = framed(FromJob.ANSWER, {"out": 1.5})
    reference.post_answers([(0, [answer, answer]), (1, [])], at_most)
    expected = asked((ToReference.GRADE, {"answered": [[0, 2], [1, 0]]}))
    expected += 2 * b"".join(bytes(each) for each in wire.repack(answer))
    expected += asked((ToReference.MAKE, {"at_most": 4})) if at_most else b""
    assert line.posted == [expected]


def test_variants_are_compared() -> None:
    reference, line = process({"cases": []}, {"misconception": {"name": "a", "cases": 2}})
    assert reference.begin_comparing() == []
    answer = framed(FromJob.ANSWER, {"out": 1.5})
    reference.compare("a", [[answer], []])
    found = reference.explain().misconception
    assert found is not None
    assert (found.name, found.cases) == ("a", 2)
    relayed = b"".join(bytes(each) for each in wire.repack(answer))
    assert line.posted == [
        asked((ToReference.COMPARABLE, {"most": None})),
        asked((ToReference.COMPARE, {"name": "a", "answered": [1, 0]})) + relayed,
        asked((ToReference.NAME, {})),
    ]


def test_a_failing_case_is_shrunk() -> None:
    reference, line = process(HEAD | {"smallest": None}, HEAD)
    answer = framed(FromJob.ANSWER, {"out": 1.5})
    assert reference.begin_shrinking(5, 20)[1] is None
    other = framed(FromJob.ANSWER, {"out": 2.5})
    reference.continue_shrinking([answer], [other, answer])
    relayed = [
        b"".join(bytes(each) for each in wire.repack(frame)) for frame in (answer, other, answer)
    ]
    assert line.posted == [
        asked((ToReference.SHRINK, {"index": 5, "budget": 20})),
        asked((ToReference.TRIED, {"num_answers": 1, "num_of_variant": 2})) + b"".join(relayed),
    ]


def test_what_a_proof_asks() -> None:
    sight = {"has_graph": True, "is_wide": True, "has_elements": False}
    reference, line = process(BATTERY, {"wrong": ""}, {"sights": [[3, sight]]})
    assert reference.battery(9, judged=True).good_ratio == 0
    assert reference.run_cells(["x = 1"]) == ""
    assert reference.is_worn
    assert reference.observe("x = 1")[3].has_graph
    reference.rest()
    assert line.posted == [
        asked((ToReference.BATTERY, {"seed": 9, "judged": True})),
        asked((ToReference.EXECUTE, {"cells": ["x = 1"]})),
        asked((ToReference.OBSERVE, {"source": "x = 1"})),
        asked((ToReference.REST, {})),
    ]
