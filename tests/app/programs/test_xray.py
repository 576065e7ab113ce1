"""The x-ray in the sandbox: a program runs there, and starts nothing."""

from __future__ import annotations

import pytest

from torchstone.app.programs import xray
from torchstone.core.errors import BadInput

pytestmark = pytest.mark.sandbox

ESCAPES = """\
import os
import torch

seen = torch.tensor(len(os.listdir("/work")) if os.path.isdir("/work/main") else 0)
x = torch.randn(2, 3).relu()
"""


def test_a_program_is_seen_in_the_sandbox() -> None:
    (scene,) = xray.examine(xray.Examination(name="p.py", text=ESCAPES))
    assert scene["scene"] == "dispatch"
    assert [call["op"] for call in scene["calls"]][-1] == "aten::relu"
    assert scene["fidelity"]["equal"] == scene["fidelity"]["compared"] == 2


def test_names_that_are_not_known_are_refused_before_anything_runs() -> None:
    with pytest.raises(BadInput, match="no scene dispach"):
        list(xray.examine(xray.Examination(name="p.py", text="", scenes=("dispach",))))
    with pytest.raises(BadInput, match="no mode fast"):
        list(xray.examine(xray.Examination(name="p.py", text="", under=("fast",))))


COMPILED = """\
import torch


def f(x):
    return torch.softmax(torch.nn.functional.gelu(x), -1)


y = torch.compile(f)(torch.randn(4, 8, requires_grad=True))
y.sum().backward()
"""


@pytest.mark.full
def test_a_compiler_runs_in_the_sandbox() -> None:
    (scene,) = xray.examine(
        xray.Examination(name="p.py", text=COMPILED, scenes=("compile",), limits={"seconds": 100})
    )
    assert scene["raised"] is None
    (graph,) = scene["graphs"]
    assert {kernel["stage"] for kernel in graph["kernels"]} == {"forward", "backward"}
    assert all(kernel["lines"] == [5] for kernel in graph["kernels"])
