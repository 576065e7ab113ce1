"""What the statements of a right program give decides which mutants are made of it."""

from pathlib import Path

import pytest

from tests.judge.reference.problem_folder import CASES, write_problem
from torchstone.judge.kit import load_code
from torchstone.judge.mutation.mutants import Sight
from torchstone.judge.reference.observation import observe

pytestmark = pytest.mark.torch

SOURCE = """
import torch

class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x + x
        return y

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * 2

def double(x):
    if x.ndim == 9:
        return x.clone()
    rows = x.reshape(1, -1)
    best = rows.argmax()
    half = x.half()
    none = x[:0].clone()
    fresh = torch.zeros(3)
    weight = torch.nn.Parameter(fresh, requires_grad=False)
    return Double.apply(x)
"""
SEEN = {
    "y = x + x": Sight(is_wide=True, has_elements=True),
    "return grad_output * 2": Sight(is_wide=True, has_elements=True),
    "rows =": Sight(has_graph=True, is_wide=True, has_elements=True),
    "best =": Sight(has_elements=True),
    "half =": Sight(has_graph=True, has_elements=True),
    "none =": Sight(has_graph=True, is_wide=True),
    "fresh =": Sight(is_wide=True, has_elements=True),
    "weight =": Sight(has_graph=True, is_wide=True, has_elements=True),
    "return Double": Sight(has_graph=True, is_wide=True, has_elements=True),
}


def test_a_result_is_seen_as_what_it_was(tmp_path: Path) -> None:
    found = observe(load_code(write_problem(tmp_path)), SOURCE, ["double"])
    lines = [line.strip() for line in SOURCE.splitlines()]
    results = [
        line for line in lines if line.endswith((")", "+ x", "* 2")) and not line.startswith("ctx")
    ]
    assert results[2] == "return x.clone()"
    assert 2 not in found, "what never ran is not seen"
    told = {results[number]: sight for number, sight in found.items()}
    for start, wanted in SEEN.items():
        (sight,) = [sight for line, sight in told.items() if line.startswith(start)]
        assert sight == wanted, start
    assert len(told) == len(SEEN)


def test_a_second_derivative_gives_the_backward_a_graph(tmp_path: Path) -> None:
    cases = CASES.replace("cotangents=[g])", "cotangents=[g], second=[g])")
    code = load_code(write_problem(tmp_path, cases=cases))
    assert observe(code, SOURCE, ["double"])[1].has_graph
