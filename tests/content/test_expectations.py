"""An oracle may be asked again: for the comparison with known mistakes, and for a smaller case."""

import pytest
import torch

from torchstone.bank.loader import CONTENT, TASKS
from torchstone.judge.kit import Expected, Want, load_code

pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad:UserWarning"),
]

FOLDERS = sorted([*CONTENT.glob("problems/*_*"), *(CONTENT / TASKS).glob("*_*")])
# They take time, and what they hold is drawn as elsewhere.
LARGE = ("large", "huge", "perf")


def values(expected: Expected) -> dict[str, torch.Tensor]:
    """Copy the expected tensors."""
    return {key: item.value.clone() for key, item in expected.items() if isinstance(item, Want)}


@pytest.mark.gate("01_*", "14_*", "2?_*", "3[1-4]_*")
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_an_oracle_that_is_asked_twice_expects_the_same(folder) -> None:
    code = load_code(folder)
    for planned in code.plan(8):
        if planned.group in LARGE:
            continue
        case = code.build(planned)
        first, second = values(code.expect(case)), values(code.expect(case))
        for key, value in first.items():
            assert torch.equal(value.nan_to_num(), second[key].nan_to_num()), (planned, key)
