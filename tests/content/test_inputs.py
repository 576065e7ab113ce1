"""What the cases of every problem draw: each kind of input that its statement names."""

from __future__ import annotations

from typing import Any

import pytest

from torchstone.bank.loader import CONTENT
from torchstone.judge.kit import ProblemCode, load_code

pytestmark = [pytest.mark.torch]

FOLDERS = sorted((CONTENT / "problems").iterdir())


def has_call(code: ProblemCode) -> bool:
    """Return whether the first case of a group is the driver's own call."""
    firsts = {planned.group: planned for planned in reversed(code.plan(0))}
    steps = [step for planned in firsts.values() for step in code.build(planned).steps]
    return any(step.op in ("call", "together") for step in steps)


def alone(params: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the parameters of the cases that are put together in one."""
    return list(params["parts"].values()) if "parts" in params else [params]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_problem_with_a_call_makes_one_again_on_overwritten_tensors(folder: Any) -> None:
    code = load_code(folder)
    drawn = [params for planned in code.plan(1) for params in alone(planned.params)]
    again = any(params.get("again") for params in drawn)
    assert again or not has_call(code)
