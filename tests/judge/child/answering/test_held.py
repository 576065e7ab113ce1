"""Of an answer that was held some rows arrive, and how far each row is from the one it repeats."""

import math
from typing import Any

import pytest
import torch

from torchstone.judge.child import driver
from torchstone.judge.child.loaders.submission import load
from torchstone.judge.kit import Request, call, held_rows
from torchstone.judge.reference.answers import is_answer

pytestmark = pytest.mark.torch

ROWS = torch.tensor([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0], [3.0, 4.0]])
# Rows 2 and 1 are sent; rows 0 and 2 repeat the first of these, 1 and 3 the second.
WANTED = ([2, 1], [0, 1, 0, 1])
HELD = call("f", ROWS.clone(), wrt=[0], cotangents=[torch.ones(4, 2)], held=True)


def answers(body: str, *requests: Request) -> list[dict[str, Any]]:
    submission, session = load(f"import torch\n{body}", []), driver.Session()
    found = [driver.answer(submission, each.op, each.data, session) for each in requests]
    assert all(map(is_answer, found))
    return found


def test_nothing_is_sent_before_rows_are_asked_for() -> None:
    keys = {"out": WANTED, "grad.0": WANTED}
    nothing, found = answers("def f(x): return x * 3", HELD, held_rows(keys))
    assert nothing == {}
    assert found["out"].tolist() == [[3, 6], [9, 12]]
    assert found["grad.0"].tolist() == [[3, 3], [3, 3]]
    assert found["out.apart"].tolist() == found["grad.0.apart"].tolist() == [0, 0, 0, 0]


def test_a_row_that_differs_from_what_it_repeats_shows() -> None:
    body = "def f(x): y = x * 3; y[3, 1] += 0.5; y[0, 0] = float('nan'); return y"
    _, found = answers(body, HELD, held_rows({"out": WANTED}))
    apart = found["out.apart"].tolist()
    assert math.isnan(apart[0])
    assert apart[1:] == [0, 0, 0.5]
    assert found["out"].tolist() == [[3, 6], [9, 12]]


def test_what_has_other_rows_arrives_whole() -> None:
    _, found = answers("def f(x): return x[:3] * 3", HELD, held_rows({"out": WANTED}))
    assert found["out"].shape == (3, 2)
    assert "out.apart" not in found


def test_what_nobody_names_arrives_whole() -> None:
    _, found = answers("def f(x): return x * 3", HELD, held_rows({"out": WANTED}))
    assert found["grad.0"].shape == (4, 2)


def test_a_call_that_raises_says_so_at_once() -> None:
    raised, found = answers("def f(x): 1 / 0", HELD, held_rows({"out": WANTED}))
    assert raised["raised"]["type"] == "ZeroDivisionError"
    assert found == {}


def test_an_answer_is_sent_once() -> None:
    rows = held_rows({"out": WANTED})
    assert answers("def f(x): return x * 3", HELD, rows, rows)[-1] == {}
