"""A request that the reference answers itself is what the submission gets over the wire."""

import pytest
import torch

from torchstone.judge.kit import Case, Product, call
from torchstone.judge.reference.misconception import copy_tree, num_elements

pytestmark = pytest.mark.torch


def test_a_copy_owns_its_memory_and_keeps_its_layout() -> None:
    x = torch.arange(6.0).view(2, 3).T
    copied = copy_tree({"args": [x, (x[1], "a")]})
    assert torch.equal(copied["args"][0], x)
    assert copied["args"][0].stride() == x.stride()
    copied["args"][1][0].zero_()
    assert x[1].tolist() == [1, 4]


def test_a_product_is_computed_as_on_the_wire_and_counts_whole() -> None:
    left, right = torch.tensor([[0.1], [3.0]]), torch.tensor([0.7, 1.3, 1e-3])
    assert torch.equal(copy_tree([Product(left, right)])[0], left * right)
    case = Case(steps=(call("f", Product(left, right), torch.zeros(4)),))
    assert num_elements(case) == 10
