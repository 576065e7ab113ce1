"""What a program saves for backward is read from answers that may be hostile."""

from typing import Any

import pytest
import torch

from torchstone.bank import CONTENT
from torchstone.judge.kit import Case, load_code
from torchstone.judge.reference.saving import saved_in
from torchstone.judge.replies import SavedFound

pytestmark = pytest.mark.torch


def cases(problem: str, group: str) -> list[tuple[Case, Any]]:
    """Build the cases of a group, each with what is expected."""
    code = load_code(next(CONTENT.glob(f"problems/{problem}_*")))
    built = [code.build(planned) for planned in code.plan(7, (group,))]
    return [(case, code.expect(case)) for case in built]


@pytest.mark.parametrize(
    ("problem", "key"),
    [("05", "saved.total_bytes"), ("02", "saved.bytes"), ("50", "saved.total_bytes")],
)
def test_the_count_that_the_problem_limits_is_read(problem: str, key: str) -> None:
    found = cases(problem, "memory")
    assert found
    for case, expected in found:
        data = case.steps[0].data
        tensors = [each for each in data["args"] if isinstance(each, torch.Tensor)]
        size = sum(each.numel() * each.element_size() for each in tensors)
        answer = {"saved.bytes": 1, "saved.total_bytes": 2, "saved": 3}
        found_bytes = saved_in(case, expected, answer)
        assert found_bytes == SavedFound(num_bytes=answer[key], argument_bytes=size)


@pytest.mark.parametrize("problem", ["42op", "43op", "47op"])
def test_a_probe_counts_too(problem: str) -> None:
    for case, expected in cases(problem, "memory"):
        found = saved_in(case, expected, {"saved": 0})
        assert found is not None
        assert found.num_bytes == 0
        assert found.argument_bytes > 0


@pytest.mark.parametrize("forged", [True, -1, 1.5, "1", None, [1], 1 << 80, torch.tensor(1)])
def test_what_is_no_count_is_nothing(forged: object) -> None:
    (case, expected), *_ = cases("05", "memory")
    assert saved_in(case, expected, {"saved.total_bytes": forged}) is None


def test_a_case_without_a_limit_measures_nothing() -> None:
    (case, expected), *_ = cases("05", "sample")
    assert saved_in(case, expected, {"saved.total_bytes": 1}) is None
