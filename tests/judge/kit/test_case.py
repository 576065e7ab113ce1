"""A request says all that the driver wants to know, and shows what a person wants to see."""

import pytest

from torchstone.judge.kit import Case, Request, call, module_call, refusals

pytestmark = pytest.mark.torch


def test_options_of_a_call_do_not_mix_with_its_keywords() -> None:
    request = call("softmax", 1, 2, wrt=[0], twice=False, dim=-1)
    assert request.op == "call"
    assert request.data["args"] == [1, 2]
    assert request.data["kwargs"] == {"dim": -1}
    assert request.data["wrt"] == [0]
    assert request.data["twice"] is False


def test_a_module_is_a_call_with_a_construction() -> None:
    data = module_call("Linear", 1, init=[3, 4], state={"weight": 5}, wrt=["state.weight"]).data
    assert data["init"] == [3, 4]
    assert data["init_kwargs"] == {}
    assert data["state"] == {"weight": 5}
    assert call("Linear", 1, wrt=["state.weight"]).data.items() <= data.items()


def test_refusals_carry_their_calls_by_name() -> None:
    request = refusals({"too small": call("f", 1), "too large": module_call("M", 2)})
    assert request.op == "refusals"
    assert {name: each["name"] for name, each in request.data["calls"].items()} == {
        "too small": "f",
        "too large": "M",
    }


def test_shown_are_the_arguments_unless_the_problem_says_what() -> None:
    first = call("f", 1, x=2)
    assert Case(steps=(first,)).inputs == {"argument 0": 1, "x": 2}
    assert Case(steps=(first,), shown={"y": 3}).inputs == {"y": 3}
    assert Case(steps=(Request(op="script", data={"z": 4}),)).inputs == {"z": 4}
