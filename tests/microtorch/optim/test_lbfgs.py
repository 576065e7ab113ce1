"""L-BFGS makes PyTorch's steps."""

from typing import Any

import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch

OPTIONS: list[dict[str, Any]] = [
    {"lr": 0.1, "max_iter": 4},
    {"lr": 0.3, "max_iter": 3, "history_size": 2},
    {"line_search_fn": "strong_wolfe"},
    {"line_search_fn": "strong_wolfe", "max_iter": 5, "history_size": 3},
    {"line_search_fn": "strong_wolfe", "lr": 50.0},
    {"line_search_fn": "strong_wolfe", "lr": 1e-3, "max_iter": 2},
    {"line_search_fn": "strong_wolfe", "max_iter": 6, "max_eval": 4},
]


def rosenbrock(x: Any) -> Any:
    return ((1 - x[:-1]) ** 2 + 100 * (x[1:] - x[:-1] ** 2) ** 2).sum()


def run(space: Any, options: dict[str, Any], *, is_split: bool = False) -> tuple[list[float], Any]:
    start = [-1.2, 1.0, 0.7, -0.4]
    parts = [start[:1], start[1:]] if is_split else [start]
    params = [space.tensor(each, dtype=space.float64, requires_grad=True) for each in parts]
    optimizer = space.optim.LBFGS(params, **options)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = rosenbrock(space.cat(params))
        loss.backward()
        return loss

    return [optimizer.step(closure).item() for _ in range(6)], optimizer


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_losses_are_pytorchs_step_for_step(options: dict[str, Any]) -> None:
    (ours, mine), (theirs, reference) = run(micro, options), run(torch, options)
    assert ours == pytest.approx(theirs, rel=1e-6, abs=1e-12)
    state, wanted = mine.state_dict()["state"][0], reference.state_dict()["state"][0]
    assert {state[name] for name in ("n_iter", "func_evals")} == {
        wanted[name] for name in ("n_iter", "func_evals")
    }
    assert set(state) == set(wanted)
    assert len(state["old_dirs"]) == len(wanted["old_dirs"])


def test_it_ends_where_the_valley_is_flat() -> None:
    losses, optimizer = run(micro, {"line_search_fn": "strong_wolfe", "max_iter": 30})
    assert losses[-1] == losses[-2] < losses[0]
    assert optimizer.param_groups[0]["params"][0].grad.abs().max() < 1e-3


def test_how_the_parameters_are_divided_makes_no_difference() -> None:
    options = {"line_search_fn": "strong_wolfe"}
    whole, split = run(micro, options)[0], run(micro, options, is_split=True)[0]
    assert whole == pytest.approx(split, rel=1e-9)


def test_a_step_without_a_closure_or_with_several_groups_is_refused() -> None:
    weight = micro.zeros(2, requires_grad=True)
    with pytest.raises(TypeError, match="closure"):
        micro.optim.LBFGS([weight]).step()
    with pytest.raises(ValueError, match="parameter groups"):
        micro.optim.LBFGS([{"params": [weight]}, {"params": [micro.zeros(2)]}])
