"""What a hostile process may send as an answer: it is refused, and nothing fails."""

import json
import socket
import struct
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from torchstone.bank.loader import CONTENT
from torchstone.judge.child.protocol import wire
from torchstone.judge.kit import Holds, Maybe, OneOf, load_code, preview
from torchstone.judge.kit.preview import ValuePreview
from torchstone.judge.reference import answers
from torchstone.judge.reference import server as referee
from torchstone.judge.reference.answers import is_answer

pytestmark = pytest.mark.torch

FAULT = {"key": "value_type", "values": {"type": "list"}}
RAISED = {"type": "E", "message": "", "text": "", "bases": [], "line": 3}
ODD: list[Any] = [
    *(None, True, 7, -1.5, float("nan"), "boo", b"\0", [], ["boo"], [None], (1, 2), {}, {"a": 1}),
    *(torch.zeros(0), torch.zeros(3, dtype=torch.bool), torch.zeros((), dtype=torch.complex64)),
    *([torch.zeros(2, dtype=torch.int8)], [torch.zeros(0)], [torch.zeros(0), torch.zeros(0)]),
]


def read(tree: object, blobs: Sequence[bytes] = ()) -> Any:
    """Let the reference read an answer that a process has put together by hand."""
    body = json.dumps(tree).encode()
    table = struct.pack(f"<{len(blobs)}Q", *map(len, blobs))
    total = sum(map(len, blobs))
    head = wire.HEAD.pack(wire.MAGIC, b"A", wire.VERSION, len(body), len(table), total)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"".join([head, body, table, *blobs]))
        return referee._read_answers(referee.Connection(ours), 1)


def tensor(shape: list[int], *, dtype: str = "float32") -> dict[str, Any]:
    return {"x": [dtype, shape, [0] * len(shape), 0, 0]}


@pytest.mark.parametrize("key", ["out", "1:fault", "grad.state.weight"])
def test_an_ordinary_key_is_taken(key: str) -> None:
    assert is_answer({key: FAULT})


@pytest.mark.parametrize("key", ["\ud800:fault", "\x1b[31m:fault", "k" * 201, "a\n:fault"])
def test_a_key_that_cannot_be_shown_or_stored_is_no_key(key: str) -> None:
    assert not is_answer({key: FAULT})


@pytest.mark.parametrize(
    "fault",
    [
        {"code": "WA", "aspect": None, "detail": {"en": "x", "zh": "y"}},
        FAULT | {"code": "AC"},
        FAULT | {"key": "not_listed"},
        FAULT | {"key": "state"},
        FAULT | {"key": ["value_type"]},
        FAULT | {"key": "graded.raised"},
        FAULT | {"values": {}},
        FAULT | {"values": {"type": "list", "more": "x"}},
        FAULT | {"values": {"type": 7}},
        FAULT | {"values": {"type": "x" * 201}},
        FAULT | {"values": ["list"]},
        {"key": "value_type"},
        None,
    ],
)
def test_a_fault_in_no_known_form_is_no_answer(fault: Any) -> None:
    assert is_answer({"fault": FAULT})
    assert not is_answer({"fault": fault})


def test_an_exception_names_a_line_that_a_file_can_have() -> None:
    assert is_answer({"raised": RAISED})
    assert not is_answer({"raised": RAISED | {"line": 10**4000}})


@pytest.mark.parametrize("shape", [[1] * 65, [1 << 40], [1 << 20] * 4], ids=len)
def test_absurd_tensors_are_refused(shape: list[int]) -> None:
    assert read({"d": {"out": tensor(shape)}}, [bytes(8)]) is None


def test_one_blob_is_not_copied_into_a_thousand_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "ANSWER_CAP", 1 << 10)
    one = tensor([1])
    assert read({"d": {"out": one}}, [bytes(1 << 9)]) is not None
    assert read({"d": {"out": [one] * 3}}, [bytes(1 << 9)]) is None


@pytest.mark.parametrize(
    "dtype",
    [torch.bits8, torch.int4, torch.float4_e2m1fn_x2],  # type: ignore[attr-defined]
)
def test_a_tensor_that_cannot_be_listed_is_named(dtype: torch.dtype) -> None:
    flat = torch.zeros(8, dtype=torch.uint8).untyped_storage()
    odd = torch.empty(0, dtype=dtype).set_(flat, 0, (2,), (1,))
    assert preview(odd) == ValuePreview(text=f"tensor {str(dtype).removeprefix('torch.')} (2,)")


@pytest.mark.gate("0?_*", "1?_*")
@pytest.mark.parametrize(
    "folder", sorted(CONTENT.glob("problems/*_*")), ids=lambda folder: folder.name
)
def test_no_predicate_of_the_bank_fails_whatever_it_is_given(folder: Path) -> None:
    code = load_code(folder)
    for planned in code.plan(5):
        for predicate in predicates(code.expect(code.build(planned))):
            for odd in [*ODD, *nearly(predicate.args[0].predicate)]:
                assert predicate(odd) in (True, False)


def nearly(predicate: Any) -> list[Any]:
    """Return dicts with the keys that a predicate mentions, and odd values."""
    code = getattr(predicate, "__code__", None)
    named = [each for each in code.co_consts if isinstance(each, frozenset)] if code else []
    return [dict.fromkeys(keys, odd) for keys in named for odd in ODD]


def predicates(expected: Any) -> list[Any]:
    found = []
    for item in expected.values():
        inner = item.expectation if isinstance(item, Maybe) else item
        if isinstance(inner, Holds):
            found.append(partial(_holds, inner))
        elif isinstance(inner, OneOf):
            found += [each for option in inner.options for each in predicates(option)]
    return found


def _holds(holds: Holds, value: object) -> bool:
    return holds.takes.fits(value) and holds.predicate(value)


def test_large_wrong_answers_are_not_remembered_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(referee, "KEPT_CAP", 100)
    code = load_code(CONTENT / "problems/01_softmax")
    state = referee.JobState(code, ["softmax"], b"")
    state.plan = code.plan(5)
    for index in range(3):
        state.made[index] = code.build(state.plan[index])
        found = referee._grade(state, index, [{"out": torch.zeros(16)}])
        assert found.code == "WA"
    assert [bool(state.judged[index].answer) for index in range(3)] == [True, False, False]
    assert state.judged[2].grade.worst is not None
