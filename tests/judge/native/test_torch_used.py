"""What right answers use of torch is recorded, and is open under the bans of their problems."""

import pytest

from tests.judge.native.torch_used import RECORDED, as_text, census, used_names
from tests.shipped import shipped_bank
from torchstone.bank import Problem
from torchstone.judge.assignment import assignment_of
from torchstone.judge.pool.payload import bans_of
from torchstone.judge.pool.submission_process import Mode

pytestmark = [pytest.mark.full, pytest.mark.torch]

BANNING = [problem for problem in shipped_bank() if problem.spec.limits_imports]
SOFTMAX = next(problem for problem in BANNING if problem.id == "01")

# What is closed ends the process before its arguments are looked at, but CPython itself refuses a
# wrong number of them to a builtin function that takes none or one. Open names mostly raise errors.
TOUCH = """
import functools
import torch
for name in {names}:
    item = functools.reduce(getattr, name.split(".")[1:], torch)
    for arguments in ((), (None,)):
        try:
            item(*arguments)
        except Exception:
            pass
    print(name, flush=True)
"""


def recorded() -> dict[str, list[str]]:
    lines = map(str.split, RECORDED.read_text(encoding="utf-8").splitlines())
    return {name: problems for name, *problems in lines}


def touch(warm, problem: Problem, names: list[str]):
    bans = bans_of(assignment_of(problem), Mode.PLAIN)
    return warm.run_under(bans, TOUCH.format(names=names))


def test_the_record_is_current() -> None:
    """Fail if answers changed: ``python -m tests.judge.native.torch_used --write`` records them."""
    known = {number for problems in recorded().values() for number in problems}
    found = {
        name: [each for each in numbers if each in known] for name, numbers in census().items()
    }
    found = {name: numbers for name, numbers in found.items() if numbers}
    assert RECORDED.read_text(encoding="utf-8") == as_text(found)


@pytest.mark.full
@pytest.mark.parametrize("problem", BANNING, ids=lambda problem: problem.id)
def test_what_right_answers_use_is_open(warm, problem: Problem) -> None:
    names = [name for name, numbers in census().items() if problem.id in numbers]
    assert len(names) > 0
    result = touch(warm, problem, names)
    assert (result["status"], result["report"]) == (0, []), result
    assert result["output"].split() == names


@pytest.mark.parametrize(
    ("name", "operator"),
    [
        ("torch.compile", "torch.compile"),
        ("torch.fx.wrap", "torch.fx._symbolic_trace.wrap"),
        ("torch._C._from_dlpack", "torch._C._from_dlpack"),
        ("torch._C.CompilationUnit", "torch._C.CompilationUnit"),
        ("torch._C._dispatch_library", "torch._C._dispatch_library"),
    ],
)
def test_a_name_that_is_closed_would_be_seen(warm, name: str, operator: str) -> None:
    result = touch(warm, SOFTMAX, ["torch.exp", name])
    assert (result["status"], result["output"].split()) == (86, ["torch.exp"]), result
    assert result["report"][0]["operator"] == operator


@pytest.mark.full
def test_a_name_that_torch_does_not_have_would_be_seen(warm) -> None:
    result = touch(warm, SOFTMAX, ["torch.nn.no_such_name"])
    assert result["status"] == 3
    assert "AttributeError" in result["output"]


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import torch\ntorch.exp(torch.nn.Linear(1, 1).bias)", "torch torch.exp torch.nn.Linear"),
        ("import torch.nn as nn\nclass A(nn.Module): pass", "torch.nn torch.nn.Module"),
        ("import torch.fft\ntorch.fft.fft", "torch torch.fft torch.fft.fft"),
        ("from torch import nn, Tensor\ndef f(x: Tensor): nn.init.ones_(x)",
         "torch.Tensor torch.nn torch.nn.init.ones_"),
        ("import torch\nf = lambda x: x.exp().sum()", "torch"),
        ("def f():\n    from torch.nn.functional import relu as r\n    return r",
         "torch.nn.functional.relu"),
        ("import math\nfrom . import torch\nmath.exp(torch.x)", ""),
        ("import torchvision\ntorchvision.x", ""),
    ],
)  # fmt: skip
def test_names_are_found_however_they_are_imported(source: str, names: str) -> None:
    assert sorted(used_names(source)) == names.split()
