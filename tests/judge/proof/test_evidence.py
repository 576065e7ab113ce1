"""What an objection of a proof shows: the case, the element, the error and what is allowed."""

import math
from typing import Any

import pytest
from msgspec import convert
from msgspec.structs import replace

from tests.reports import make_case, make_report, make_row, make_smallest, make_tensor
from torchstone.core.verdict import Aspect
from torchstone.judge.messages import CaseResult, Smallest, TensorPreview, Worst, plain
from torchstone.judge.proof.evidence import (
    Evidence,
    disagreement,
    failing_case,
    nearest_case,
    outcome_of,
    words_of_disagreement,
)
from torchstone.judge.replies import ParityError

pytestmark = pytest.mark.pure


def tensor(*values: Any, window: Any = None, shape: Any = None) -> TensorPreview:
    made = make_tensor(values, [len(values)] if shape is None else shape)
    return replace(made, window=window)


def smallest(**row: Any) -> Smallest:
    worst = row.pop("worst", {"index": [1], "ulp": 3.0, "relative": 0.25})
    parts: dict[str, Any] = {"expected": tensor(1.0, 2.0), "actual": tensor(1.0, 2.5), "ratio": 5.0}
    made = make_row(**parts | row, worst=None if worst is None else convert(worst, Worst))
    return replace(make_smallest(made), group="small", index=3, regime={"shape": [2]})


def test_a_wrong_element_is_told_with_both_numbers() -> None:
    found = failing_case(smallest())
    assert (found.group, found.case, found.output, found.place) == ("small", 3, "out", (1,))
    assert (found.came, found.expected, found.error, found.allowed) == (2.5, 2.0, 0.5, 0.1)
    assert found.words.en == (
        'Case 3 of group small, parameters {"shape": [2]}: out[1] is 2.5, expected 2; '
        "the error is 0.5, the limit is 0.1."
    )
    assert all(each in found.words.zh for each in ("第 3 个用例", "误差 0.5", "允许 0.1"))


def test_an_element_is_found_in_a_window() -> None:
    worst = {"index": [20, 7], "ulp": 1.0, "relative": 0.5}
    shown = {"window": [[20, 22], [6, 8]], "shape": [100, 100]}
    sides = {"expected": tensor(0, 4.0, 0, 0, **shown), "actual": tensor(0, 6.0, 0, 0, **shown)}
    found = failing_case(smallest(worst=worst, **sides))
    assert (found.expected, found.came, found.error) == (4.0, 6.0, 2.0)


def test_the_error_at_zero_is_all_that_came() -> None:
    worst = {"index": [1], "ulp": 1.0, "relative": "inf"}
    found = failing_case(smallest(worst=worst, expected=tensor(1.0, 0.0), ratio=4.0))
    assert (found.error, found.allowed) == (2.5, 0.625)


def test_where_the_answer_must_be_exact_nothing_is_allowed() -> None:
    found = failing_case(smallest(ratio="inf"))
    assert (found.error, found.allowed) == (0.5, 0.0)
    assert "the error is 0.5, the limit is 0" in found.words.en


@pytest.mark.parametrize(("came", "expected"), [("nan", 2.0), (2.5, "inf"), (True, False)])
def test_what_has_no_distance_is_shown_without_one(came: Any, expected: Any) -> None:
    row = {"actual": tensor(1.0, came), "expected": tensor(1.0, expected), "ratio": "inf"}
    found = failing_case(smallest(**row))
    assert (found.came, found.expected, found.error, found.allowed) == (came, expected, None, None)
    assert f"out[1] is {came}, expected" in found.words.en
    assert "allowed" not in found.words.en


def test_what_is_no_number_is_told_by_its_case() -> None:
    found = failing_case(smallest(worst=None))
    assert found.words.en == 'Case 3 of group small, parameters {"shape": [2]}.'


def test_a_scalar_has_no_index() -> None:
    worst = {"index": [], "ulp": 1.0, "relative": 0.5}
    values = {"expected": tensor(2.0, shape=[]), "actual": tensor(3.0, shape=[])}
    assert "out is 3, expected 2;" in failing_case(smallest(worst=worst, **values)).words.en


def case(index: int, group: str, ratio: Any) -> CaseResult:
    return make_case(index, group, ratio=ratio)


def test_the_nearest_case_is_the_one_with_the_largest_share_of_its_tolerance() -> None:
    cases = [case(0, "small", 0.1), case(1, "large", 0.9), case(2, "small", 0.4)]
    report = make_report(cases=(*cases, case(3, "small", None)))
    assert nearest_case(report, "small") == Evidence(group="small", case=2, ratio=0.4)
    assert nearest_case(report, None) == Evidence(group="large", case=1, ratio=0.9)
    assert nearest_case(report, "edge") is None
    words = Evidence(group="small", case=2, ratio=0.4).words
    assert words.en.startswith("Case 2 of group small is the closest to a refusal: its error")
    assert "0.4" in words.zh


def test_evidence_is_data() -> None:
    found = plain(failing_case(smallest()))
    assert set(found) == set(Evidence.__struct_fields__)
    assert math.isclose(found["allowed"], 0.1)


@pytest.mark.parametrize(
    ("aspect", "group", "said"),
    [(Aspect.GRAD, "small", "WA grad in small"), (None, None, "WA in load")],
)
def test_an_outcome_is_one_line(aspect: Aspect | None, group: str | None, said: str) -> None:
    assert outcome_of(make_report(verdict="WA", aspect=aspect, group=group)) == said


DIFFER = ParityError(
    group="small",
    index=3,
    regime={"shape": [2]},
    output="grad.0",
    place=(0, 1),
    oracle=0.1,
    operator=0.10000000000000003,
    error=2.8e-17,
    allowed=1e-17,
)


def test_a_disagreement_with_torch_names_the_case_and_both_numbers() -> None:
    found = disagreement(DIFFER)
    assert (found.group, found.case, found.output, found.place) == ("small", 3, "grad.0", (0, 1))
    assert (found.expected, found.came) == (0.1, 0.10000000000000003)
    assert (found.error, found.allowed) == (2.8e-17, 1e-17)
    words = words_of_disagreement(DIFFER, 42)
    assert words.en == (
        'Case 3 of group small, parameters {"shape": [2]}: grad.0[0, 1] is 0.1 in the oracle and '
        "0.10000000000000003 in the torch operator; the difference is 2.8e-17, the limit is 1e-17; "
        "seed 42."
    )
    assert all(
        each in words.zh for each in ("small 组第 3 个用例", "grad.0[0, 1]", "0.1，", "种子 42")
    )


def test_a_disagreement_of_shapes_names_both() -> None:
    other = replace(DIFFER, place=None, shapes=((2,), (1, 2)))
    found = disagreement(other)
    assert (found.output, found.place, found.came) == ("grad.0", None, None)
    words = words_of_disagreement(other, 7)
    assert "grad.0 has shape [2] in the oracle and [1, 2] in the torch operator" in words.en
    assert "形状为 [2]" in words.zh


def test_a_disagreement_without_a_distance_spells_what_came() -> None:
    found = disagreement(replace(DIFFER, operator=math.nan, oracle=-math.inf, error=math.nan))
    assert (found.came, found.expected, found.error) == ("nan", "-inf", None)
