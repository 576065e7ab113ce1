"""A callable belongs to one share, and what calls an overload is named after it."""

import pytest
import torch

from torchstone.judge.escapes.calling import reach

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("of", [1, 2, 20])
def test_every_name_belongs_to_one_share(of: int) -> None:
    names = [f"torch.f{number}" for number in range(2000)]
    sizes = [sum(reach.in_share(name, (number, of)) for name in names) for number in range(of)]
    assert sum(sizes) == len(names)
    assert min(sizes) > len(names) / of * 0.6


def test_the_builtin_functions_of_an_operator_have_names_of_their_own() -> None:
    packet, overload = torch.ops.aten.to, torch.ops.aten.to.dtype
    assert overload._op.__name__ == ""
    names = reach._names_of_calls([packet])
    assert names[id(packet._op)] == "torch.ops.aten.to._op"
    assert names[id(overload._op)] == "torch.ops.aten.to.dtype._op"
    assert names[id(overload._op_dk)] == "torch.ops.aten.to.dtype._op_dk"
