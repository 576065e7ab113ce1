"""The state of a module: what overrides and hooks see of it, and what is said of misfits."""

from typing import Any

import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


def outcome(call: Any) -> Any:
    """Return what a call gives, or the error that it raises."""
    try:
        return call()
    except Exception as error:  # noqa: BLE001 - compared
        return type(error).__name__, str(error)


def migrating(t: Any, seen: list[Any]) -> Any:
    """Make a module that renames a parameter of an older version."""

    class Migrating(t.nn.Module):  # type: ignore[name-defined,misc]
        _version = 2

        def __init__(self) -> None:
            super().__init__()
            self.new = t.nn.Parameter(t.zeros(1))
            self.part = t.nn.Linear(1, 1)

        def _load_from_state_dict(
            self, state: Any, prefix: str, metadata: Any, strict: bool, *lists: Any
        ) -> None:
            seen.append((prefix, metadata, strict, [list(each) for each in lists], list(state)))
            if f"{prefix}old" in state:
                state[f"{prefix}new"] = state.pop(f"{prefix}old")
            super()._load_from_state_dict(state, prefix, metadata, strict, *lists)

        def _save_to_state_dict(self, state: Any, prefix: str, keep_vars: bool) -> None:
            super()._save_to_state_dict(state, prefix, keep_vars)
            state[f"{prefix}more"] = t.ones(1)

    return t.nn.Sequential(Migrating())


@pytest.mark.parametrize(
    ("change", "strict"),
    [({}, True), ({"0.old": 1}, False), ({"0.x.k": 1, "0.part.q": 1, "9.w": 1}, True)],
)
def test_overrides_see_and_change_what_pytorchs_do(change: dict[str, int], strict: bool) -> None:
    found = []
    for t in (micro, torch):
        seen: list[Any] = []
        net = migrating(t, seen)
        state = net.state_dict()
        if "0.old" in change:
            del state["0.new"]
        state.update({key: t.ones(1) for key in change})
        result = outcome(lambda net=net, state=state: repr(net.load_state_dict(state, strict)))
        found.append((result, seen, net[0].new.tolist(), list(net.state_dict())))
    assert found[0] == found[1]


def test_the_state_knows_the_versions_of_all_modules() -> None:
    states = [
        t.nn.Sequential(t.nn.Linear(1, 2), t.nn.BatchNorm1d(2)).state_dict() for t in (micro, torch)
    ]
    assert states[0]._metadata == states[1]._metadata
    old = {key: value for key, value in states[0].items() if "num_batches" not in key}
    net = micro.nn.Sequential(micro.nn.Linear(1, 2), micro.nn.BatchNorm1d(2))
    assert str(net.load_state_dict(old)) == "<All keys matched successfully>"


def test_hooks_of_the_state_are_called_as_pytorchs() -> None:
    found = []
    for t in (micro, torch):
        log: list[Any] = []
        part = t.nn.Linear(1, 1)
        net = t.nn.Sequential(part)
        part.register_state_dict_pre_hook(lambda *args, log=log: log.append(args[1:]))
        part.register_state_dict_post_hook(lambda m, s, p, d, log=log: log.append((list(s), p, d)))
        part._register_load_state_dict_pre_hook(lambda s, p, *rest, log=log: log.append((p, rest)))
        part.register_load_state_dict_pre_hook(
            lambda m, s, p, *rest, log=log: log.append((p, rest))
        )
        part.register_load_state_dict_post_hook(lambda m, keys, log=log: log.append(list(keys)))
        net.load_state_dict(net.state_dict())
        part.register_load_state_dict_post_hook(lambda m, keys: 5)
        log.append(outcome(lambda net=net: net.load_state_dict(net.state_dict())))
        part.register_state_dict_post_hook(lambda *args: 5)
        log.append(outcome(net.state_dict))
        found.append(log)
    assert found[0] == found[1]


@pytest.mark.parametrize("given", [3, [("weight", 1)], {"weight": 3, "bias": [1]}])
def test_what_is_no_state_is_refused_in_pytorchs_words(given: Any) -> None:
    refused = [
        outcome(lambda t=t: t.nn.Linear(1, 1).load_state_dict(given)) for t in (micro, torch)
    ]
    assert refused[0] == refused[1]
