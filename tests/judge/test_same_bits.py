"""A right answer is the same as its copy, however it lies in memory."""

import pytest
import torch

from torchstone.judge.child import driver

pytestmark = pytest.mark.torch

LAYOUTS = {
    "one element of a column": torch.arange(10.0)[::3][:1],
    "one expanded element": torch.ones(()).expand(1),
    "nothing, expanded": torch.empty(0).as_strided([0], [0]),
    "an odd offset": torch.arange(5.0)[1:3],
    "a lazy sign": torch._neg_view(torch.arange(4.0)),
    "a lazy conjugate": torch.tensor([1 + 2j, 3j]).conj(),
    "transposed": torch.arange(6.0).view(2, 3).T,
    "NaN": torch.full((3,), float("nan")),
    "half": torch.arange(3, dtype=torch.float16),
    "0-d": torch.tensor(True),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_result_has_the_same_bits_as_its_copy(name: str) -> None:
    result = LAYOUTS[name]
    assert driver.same_bits(result, result.clone())
    assert driver.same_bits(result.clone(), result)


def test_other_bits_are_told_apart() -> None:
    one = torch.tensor([0.0, 1.0])
    assert not driver.same_bits(one, torch.tensor([-0.0, 1.0]))
    assert not driver.same_bits(one, one.double())
    assert not driver.same_bits(one, one.view(2, 1))
    assert not driver.same_bits(torch._neg_view(one), one)
    assert not driver.same_bits(torch.arange(5.0)[1:3], torch.arange(5.0)[2:4])
