"""What is graded as right is right, element by element, and what is wrong is told by rank."""

import math
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from torchstone.core.verdict import Aspect
from torchstone.judge.kit import (
    Exact,
    Expected,
    Finding,
    Holds,
    Maybe,
    OneOf,
    Raises,
    Want,
    error_ratios,
    grade,
    merge_answers,
)
from torchstone.judge.kit.forms import equal
from torchstone.judge.kit.grade import PIECE, error_ratio

pytestmark = pytest.mark.torch

FLOATS = [0.0, -0.0, 1.0, 1.5, -2.0, 1e30, math.inf, -math.inf, math.nan]
NOTE = {"en": "must be even", "zh": "应为偶数"}
ONE = Want(torch.tensor([1.0], dtype=torch.float64), 0.5, torch.float32)
RAISED = {
    "type": "ValueError",
    "bases": ["Exception"],
    "message": "no",
    "line": 3,
    "text": "raise",
    "memory": False,
}


def worst(expected: Expected, answer: dict[str, Any]) -> tuple[str, str | None]:
    finding = grade(expected, answer).worst
    return ("AC", None) if finding is None else (finding.code, finding.aspect)


@given(st.data())
def test_in_pieces_the_worst_error_is_that_of_the_whole(data: st.DataObject) -> None:
    size = data.draw(st.integers(PIECE - 1, 3 * PIECE + 1))
    generator = torch.Generator().manual_seed(data.draw(st.integers(0, 1000)))
    value = torch.randn(size, generator=generator, dtype=torch.float64)
    got = value.float()
    for _ in range(data.draw(st.integers(0, 3))):
        place = data.draw(st.integers(0, size - 1))
        value[place] = data.draw(st.sampled_from(FLOATS))
        got[place] = data.draw(st.sampled_from(FLOATS))
    exact = data.draw(st.booleans())
    want = Want(value, 0.0 if exact else value.abs() * 1e-7, torch.float32)
    whole = float(error_ratios(want, got).max())
    assert error_ratio(want, got) == pytest.approx(whole, rel=1e-12)


def test_a_truth_in_single_precision_is_graded_in_pieces_too() -> None:
    value = torch.ones(2 * PIECE)
    assert error_ratio(Want(value, 1e-3, torch.float32), value.clone()) == 0


@pytest.mark.parametrize("value", FLOATS)
@pytest.mark.parametrize("got", FLOATS)
def test_special_values_must_stand_in_the_same_places(value: float, got: float) -> None:
    want = Want(torch.tensor([value], dtype=torch.float64), 0.0, torch.float64)
    same = value == got or (math.isnan(value) and math.isnan(got))
    ratio = error_ratio(want, torch.tensor([got], dtype=torch.float64))
    assert (ratio <= 1) is same


def test_an_error_at_the_bound_is_right_and_past_it_is_wrong() -> None:
    assert worst({"out": ONE}, {"out": torch.tensor([1.5])}) == ("AC", None)
    past = torch.nextafter(torch.tensor([1.5]), torch.tensor([2.0]))
    assert worst({"out": ONE}, {"out": past}) == ("WA", "value")


def test_integers_and_booleans_are_exact() -> None:
    want = Want(torch.tensor([3, 4]), 9.0, torch.int64)
    assert worst({"out": want}, {"out": torch.tensor([3, 4])}) == ("AC", None)
    assert worst({"out": want}, {"out": torch.tensor([3, 5])}) == ("WA", "value")


@pytest.mark.parametrize(
    ("got", "aspect"),
    [
        (torch.ones(1, 1), "shape"),
        (torch.ones(1).double(), "dtype"),
        (torch.zeros(1), "value"),
        ([1.0], "property"),
        (None, "property"),
    ],
)
def test_the_first_thing_that_is_wrong_is_named(got: Any, aspect: str) -> None:
    assert worst({"out": ONE}, {"out": got}) == ("WA", aspect)


def test_a_gradient_that_is_missing_is_wrong_unless_it_may_be_zero() -> None:
    zero = torch.zeros(2, dtype=torch.float64)
    strict = Want(zero, 0.0, torch.float32, aspect="grad")
    lenient = Want(zero, 0.0, torch.float32, aspect="grad", none_is_zero=True)
    assert worst({"grad.0": strict}, {"grad.0": None}) == ("WA", "grad")
    assert worst({"grad.0": strict}, {}) == ("WA", "grad")
    assert worst({"grad.0": lenient}, {"grad.0": None}) == ("AC", None)


def test_nothing_has_no_error() -> None:
    want = Want(torch.zeros(0, 3, dtype=torch.float64), 0.0, torch.float32)
    assert grade({"out": want}, {"out": torch.zeros(0, 3)}).ratio == 0


def test_an_exception_nobody_wanted_ends_the_case() -> None:
    assert worst({"out": ONE}, {"raised": RAISED}) == ("RTE", None)
    assert worst({"out": ONE}, {"raised": RAISED | {"memory": True}}) == ("MLE", None)
    assert worst({"raised": Raises(ValueError)}, {"raised": RAISED}) == ("AC", None)
    assert worst({"raised": Raises(TypeError)}, {"raised": RAISED}) == ("WA", "property")
    assert worst({"raised": Raises(ValueError)}, {"out": 1}) == ("WA", "property")


def test_a_fault_has_the_verdict_and_the_sentence_of_its_key() -> None:
    fault = {"key": "result_type", "values": {"type": "{list}"}}
    (found,) = grade({"out": ONE}, {"fault": fault, "out": torch.zeros(9)}).findings
    assert (found.code, found.aspect) == ("WA", "property")
    assert found.detail == {
        "en": "the result is {list}; expected a plain strided CPU torch.Tensor",
        "zh": "返回值是 {list}；应为普通的 CPU torch.Tensor",
    }
    mutated = {"fault": {"key": "call_mutated", "values": {}}}
    assert worst({"out": ONE}, mutated) == ("INPUT_MUTATED", None)


def test_of_several_findings_the_one_of_highest_precedence_decides() -> None:
    findings = [
        Finding(code="SLOW", aspect=None, key=""),
        *(Finding(code="WA", aspect=aspect, key="") for aspect in reversed(Aspect)),
        Finding(code="RTE", aspect=None, key=""),
    ]
    ranked = sorted(findings, key=lambda finding: finding.rank)
    assert [finding.code for finding in ranked] == ["RTE", *["WA"] * len(Aspect), "SLOW"]
    assert [finding.aspect for finding in ranked[1:-1]] == list(Aspect)


def test_one_of_several_ways_to_be_right_is_enough() -> None:
    either = {"second": OneOf({"second.0": ONE}, {"second.raised": Raises(RuntimeError)})}
    refused = RAISED | {"type": "RuntimeError"}
    assert worst(either, {"second.0": torch.ones(1)}) == ("AC", None)
    assert worst(either, {"second.raised": refused}) == ("AC", None)
    assert worst(either, {"second.0": torch.full((1,), 9.0)}) == ("WA", "value")
    assert worst(either, {"second.raised": RAISED})[0] == "WA"


def test_what_may_be_absent_is_checked_when_it_is_there() -> None:
    assert worst({"x": Maybe(Exact(1))}, {}) == ("AC", None)
    assert worst({"x": Maybe(Exact(1))}, {"x": 2}) == ("WA", "property")
    assert worst({"x": Holds(lambda n: n % 2 == 0, NOTE)}, {"x": 3}) == ("WA", "property")


@pytest.mark.parametrize(
    ("wanted", "got", "same"),
    [
        (1, True, False),
        (1, 1.0, False),
        (math.nan, math.nan, True),
        ((1, 2), [1, 2], False),
        ([1, [2]], [1, [2]], True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, False),
        (torch.tensor([math.nan, 0.0]), torch.tensor([math.nan, -0.0]), True),
        (torch.ones(1), torch.ones(1).double(), False),
        (torch.ones(1), 1.0, False),
    ],
)
def test_plain_values_are_equal_by_type_and_value(wanted: Any, got: Any, same: bool) -> None:
    assert equal(wanted, got) is same


def test_the_gravest_finding_decides() -> None:
    codes = [("WA", "determinism"), ("WA", "value"), ("WA", "property"), ("RTE", None)]
    findings = [Finding(code=code, aspect=aspect, key="x") for code, aspect in codes]
    assert sorted(findings, key=lambda f: f.rank) == findings[::-1]


def test_answers_of_later_steps_are_told_apart() -> None:
    assert merge_answers([{"out": 1}, {"out": 2}, {}]) == {"out": 1, "1:out": 2}


@pytest.mark.parametrize("prefix", ["", "part:"])
def test_the_answer_of_the_former_call_is_named(prefix: str) -> None:
    two = Want(torch.tensor([9.0], dtype=torch.float64), 0.5, torch.float32)
    expected: Expected = {f"{prefix}out": ONE, f"{prefix}again:out": two}

    def detail(again: float) -> str:
        values = {"out": torch.tensor([1.0]), "again:out": torch.tensor([again])}
        finding = grade(expected, {prefix + key: x for key, x in values.items()}).worst
        assert finding is not None
        assert finding.aspect == "value"
        return finding.detail.get("en", "")

    assert "still the answer of the former call" in detail(1.0)
    assert detail(2.0) == ""


def test_parts_of_an_answer_must_have_the_same_bits() -> None:
    value = torch.tensor([1.0, 2.0], dtype=torch.float64)
    expected: Expected = {
        "rank0:grad": Want(value, 1e-3, torch.float64, same_as="rank0:grad"),
        "rank1:grad": Want(value, 1e-3, torch.float64, aspect="grad", same_as="rank0:grad"),
    }
    near = value + 1e-9
    assert not grade(expected, {"rank0:grad": near, "rank1:grad": near.clone()}).findings
    (found,) = grade(expected, {"rank0:grad": near, "rank1:grad": value}).findings
    assert (found.key, found.code, found.aspect) == ("rank1:grad", "WA", "grad")
    assert "same bits" in found.detail["en"]
    # What is wrong already, or compared with what did not come, is not said twice.
    (far,) = grade(expected, {"rank0:grad": near, "rank1:grad": value + 1}).findings
    assert far.ratio > 1
    (missing,) = grade(expected, {"rank1:grad": value}).findings
    assert missing.key == "rank0:grad"
