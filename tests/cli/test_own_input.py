"""An own input in the terminal: several statements, and the value of the reference."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from torchstone.core.verdict import ExitCode

pytestmark = [pytest.mark.sandbox, pytest.mark.usefixtures("judge_host")]

WRONG = "import torch\n\n\ndef softmax(x, dim=-1, dtype=None):\n    return x * 2\n"
INPUT = "x = torch.zeros(2)\nsoftmax(x)"


@pytest.mark.full
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_expected_value_stands_beside_the_actual_one(run: Run, lang: str) -> None:
    path = Path(run("start", "01", "--again", "--json").json["path"])
    path.write_text(WRONG, encoding="utf-8")
    found = run("run", "01", "--input", INPUT, "--lang", lang)
    assert found.code == ExitCode.ACCEPTED
    assert "tensor([0., 0.])" in found.out
    assert {"en": "expected: ", "zh": "期望值："}[lang] + "tensor([0.5000, 0.5000])" in found.out
    answer = run("run", "01", "--input", INPUT, "--json").json
    assert answer["expected"] == "tensor([0.5000, 0.5000])\nfloat32 (2,)"
    assert answer["no_expected"] is None


def test_a_kept_input_is_evaluated_by_its_name(run: Run) -> None:
    path = Path(run("start", "01", "--again", "--json").json["path"])
    path.write_text(WRONG, encoding="utf-8")
    run("input", "keep", "01", "two zeros", INPUT)
    answer = run("run", "01", "--input", "@two zeros", "--json").json
    assert answer["expression"] == INPUT
    assert answer["text"].startswith("tensor([0., 0.])")
    assert answer["expected"].startswith("tensor([0.5000, 0.5000])")
    # Not a name: a decorator begins statements.
    decorated = "@torch.no_grad()\ndef f(): return softmax(torch.ones(1))\nf()"
    assert run("run", "01", "--input", decorated, "--json").json["text"].startswith("tensor([2.])")


@pytest.mark.full
def test_why_there_is_no_expected_value_is_one_line(run: Run) -> None:
    path = Path(run("start", "01", "--again", "--json").json["path"])
    path.write_text(WRONG, encoding="utf-8")
    spying = "import inspect\ninspect.getsource(softmax)"
    answer = run("run", "01", "--input", spying, "--json").json
    assert answer["expected"] is None
    assert "No expected value" in answer["no_expected"]["en"]
    raising = run("run", "01", "--input", "softmax(1)", "--json").json
    assert raising["text"] == "2"
    assert "\n" not in raising["expected"]
