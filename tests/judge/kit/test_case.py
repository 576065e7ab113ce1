"""A request says all that the driver wants to know, and shows what a person wants to see."""

import pytest
import torch

from torchstone.judge.kit import Case, Request, call, launches, module_call, refusals, together
from torchstone.judge.kit.case import refilled

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


def test_cases_that_are_put_together_keep_their_names() -> None:
    parts = {
        "small": Case(steps=(call("f", 1, second=[2]),), secret={"x": 1}),
        "large": Case(steps=(call("f", 9),), shown={"n": 9}),
    }
    case = together(parts)
    assert [step.op for step in case.steps] == ["together"]
    assert list(case.steps[0].data["calls"]) == ["small", "large"]
    assert case.steps[0].data["records"] is True, "one of them differentiates twice"
    assert case.inputs == {"small: argument 0": 1, "large: n": 9}
    assert case.parts == parts


def test_a_case_of_several_steps_cannot_be_put_together_with_others() -> None:
    with pytest.raises(AssertionError):
        together({"pair": Case(steps=(call("f", 1), call("f", 2)))})


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


def test_a_case_is_asked_again_with_the_values_of_another() -> None:
    x, y = torch.zeros(2, 3).T, torch.ones(3, 2)
    first, second = (Case(steps=(call("f", each, dim=1),), secret={"x": each}) for each in (x, y))
    case = refilled(first, second)
    (step,) = case.steps
    assert step.data["args"][0] is x
    assert [each.tolist() for each in step.data["again"]] == [y.tolist()]
    assert case.secret is first.secret
    assert case.again is second
    assert list(case.inputs) == ["argument 0", "dim", "second argument 0"]


def launched(x: torch.Tensor, n: int = 3) -> Case:
    values, outputs = {"n": n, "x": x}, {"out": (torch.float32, [3])}
    steps = launches("forward", values, outputs, seed=n)
    return Case(steps=steps, secret={"x": x}, shown=values)


def test_a_launch_is_asked_again_at_full_speed_with_the_tensors_of_another() -> None:
    first, second = launched(torch.zeros(3)), launched(torch.ones(3))
    case = refilled(first, second)
    fast, check = case.steps
    assert fast.data["values"] == first.steps[0].data["values"]
    assert {name: item.tolist() for name, item in fast.data["again"].items()} == {"x": [1, 1, 1]}
    assert check is first.steps[1]
    assert case.again is not None
    (alone,) = case.again.steps
    assert (alone.data["build"], alone.data["orders"]) == ("fast", ["ascending"])
    assert case.again.secret is second.secret
    assert "second x" in case.inputs


@pytest.mark.parametrize(
    "second",
    [launched(torch.ones(4)), launched(torch.ones(3).double()), launched(torch.ones(3), 4)],
)
def test_only_the_tensors_of_the_second_launch_differ(second: Case) -> None:
    with pytest.raises(AssertionError, match="change"):
        refilled(launched(torch.zeros(3)), second)


def test_only_the_values_of_the_second_call_differ() -> None:
    cases = [Case(steps=(call("f", torch.zeros(n)),)) for n in (2, 3)]
    with pytest.raises(AssertionError, match="not the shapes"):
        refilled(*cases)
    with pytest.raises(AssertionError, match="driver's own call"):
        refilled(*[Case(steps=(Request(op="look", data={}),))] * 2)
