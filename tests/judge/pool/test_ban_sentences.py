"""A broken ban is told as what it is: a rule of the problem, or one of the judge."""

import pytest

from torchstone.bank.schema import Deny
from torchstone.judge.messages import Forbidden
from torchstone.judge.outcomes import forbidden_outcome, forbidden_report

pytestmark = pytest.mark.pure

DENY = Deny(families=("softmax",), modules=("numpy", "torch.autograd.gradcheck"))
OF_PROBLEM = (
    "aten::softmax.int",
    "torch.nn.functional.softmax",
    "numpy.add",
    "import numpy.linalg",
    "import torch.autograd.gradcheck",
)
OF_JUDGE = (
    "os.fork",
    "socket.__new__",
    "ctypes.dlopen",
    "import ctypes",
    "import _ctypes",
    "import ctypes.util",
    "import torch._refs",
    "open /judge/site/torch/_refs/__init__.py",
    "function.__code__",
    "torchstone_bans.lift",
)


def _sentence(operator: str) -> dict[str, str]:
    report = forbidden_report(f'{{"operator":"{operator}"}}\n'.encode())
    assert report is not None
    outcome = forbidden_outcome(report, DENY)
    assert outcome.code == "FORBIDDEN_OP"
    assert outcome.forbidden == Forbidden(operator=operator, line=None, text="")
    assert outcome.detail is not None
    return outcome.detail


@pytest.mark.parametrize("operator", OF_PROBLEM)
def test_what_the_problem_bans_is_said_of_the_problem(operator: str) -> None:
    assert _sentence(operator) == {
        "en": f"{operator} is banned in this problem.",
        "zh": f"本题禁止使用 {operator}。",
    }


@pytest.mark.parametrize("operator", OF_JUDGE)
def test_what_no_submission_may_do_is_not_said_of_the_problem(operator: str) -> None:
    said = _sentence(operator)
    assert operator in said["en"]
    assert "this problem" not in said["en"]
    assert "本题" not in said["zh"]


@pytest.mark.parametrize("module", ["mmap", "sympy.core", "_testcapi", "torchgen", "ctypeslib"])
def test_an_import_that_is_not_on_the_list_is_explained(module: str) -> None:
    said = _sentence(f"import {module}")
    assert said["en"].startswith(f"import {module} is not allowed: where a problem bans operators")
    assert said["zh"].startswith(f"不允许 import {module}：题目禁用了算子或函数时")


def test_a_hidden_file_is_not_said_to_be_refused_in_every_problem() -> None:
    said = _sentence("open /judge/site/torch/fx/node.py")
    assert said == {
        "en": "open /judge/site/torch/fx/node.py is refused: a submission must not read this file.",
        "zh": "open /judge/site/torch/fx/node.py 被拒绝：提交的代码不得读取这个文件。",
    }


def test_a_ban_without_a_name_is_not_called_a_question_mark() -> None:
    assert not any("?" in each for each in _sentence("?").values())
