"""Conditions under which answers are wrong are said, the least likely by chance first."""

import pytest
import torch

from torchstone.judge.kit import Case, Finding, Request
from torchstone.judge.reference.symptoms.conditions import find_conditions
from torchstone.judge.reference.symptoms.evidence import label
from torchstone.judge.reference.trials import Trial

pytestmark = pytest.mark.torch


def test_a_default_of_a_case_is_a_condition_as_well_but_no_entry_of_the_judge() -> None:
    names = ("relu", "tanh", "tanh", "tanh", "relu", "tanh", "tanh")
    cases = [
        Case(
            steps=(Request(op="ask", data={}),),
            secret={"params": {"act": name, "is_bare": name == "relu"}},
        )
        for name in names
    ]

    def trials(wrong: str) -> list[Trial]:
        finding = Finding(code="WA", aspect="value", key="out")
        return [
            Trial(
                index=number,
                group="small",
                params={} if name == "relu" else {"act": name},
                case=case,
                answer={},
                findings=(finding,) if mark == "w" else (),
                expected={},
            )
            for number, (name, case, mark) in enumerate(zip(names, cases, wrong, strict=True))
        ]

    said = label("parameter", name="act", value="relu")
    found = {each.said for each in find_conditions(trials("wrrrwrr") * 2)}
    assert said in found
    assert label("parameter", name="is_bare", value=True) not in found
    exact = [each for each in find_conditions(trials("wrrrwwr") * 2) if each.is_exact]
    assert said not in {each.said for each in exact}


def trial(number: int, *, is_wrong: bool, kwargs: dict[str, object]) -> Trial:
    """Return a call with some arguments that was judged."""
    finding = Finding(code="WA", aspect="value", key="out")
    return Trial(
        index=number,
        group="small",
        params={},
        case=Case(steps=(Request(op="ask", data={"kwargs": kwargs}),)),
        answer={},
        findings=(finding,) if is_wrong else (),
        expected={},
    )


def test_nan_is_said_before_a_zero_that_the_same_cases_hold() -> None:
    special = torch.tensor([1.5, 0.0, float("nan")])
    trials = [trial(number, is_wrong=True, kwargs={"x": special}) for number in range(6)]
    plain = {"x": torch.tensor([1.5, 2.5])}
    trials += [trial(number, is_wrong=False, kwargs=plain) for number in range(6, 20)]
    found = [dict(each.said[1]) for each in find_conditions(trials) if each.said[0] == "holds"]
    assert [each["value"] for each in found] == ["NaN", "0"]


@pytest.mark.parametrize(("num_wrong", "is_said"), [(1, False), (2, True)])
def test_the_size_of_a_single_wrong_case_is_no_condition(num_wrong: int, is_said: bool) -> None:
    wrong = {"block": 6, "x": torch.ones(9)}
    trials = [trial(number, is_wrong=True, kwargs=wrong) for number in range(num_wrong)]
    right = {"block": 4, "x": torch.ones(3)}
    trials += [trial(number, is_wrong=False, kwargs=right) for number in range(2, 70)]
    found = {each.said for each in find_conditions(trials)}
    assert (label("argument", name="block", value=6) in found) == is_said
    assert ("at_least" in {name for name, _ in found}) == is_said


def test_a_mode_of_a_single_wrong_case_is_a_condition() -> None:
    trials = [trial(0, is_wrong=True, kwargs={"mode": "reflect"})]
    trials += [trial(n, is_wrong=False, kwargs={"mode": "zeros"}) for n in range(1, 70)]
    found = {each.said for each in find_conditions(trials)}
    assert label("argument", name="mode", value="reflect") in found
