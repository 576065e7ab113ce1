"""The commands of authors, as an author runs them."""

import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from torchstone.bank.least import LEAST
from torchstone.bank.loader import CONTENT


@pytest.fixture
def relu(alone: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bank with one problem, a copy."""
    bank = alone.parent / "bank"
    monkeypatch.setenv("TORCHSTONE_BANK", str(bank))
    name = "problems/05_relu_function"
    return Path(shutil.copytree(CONTENT / name, bank / name))


@pytest.mark.sandbox
def test_a_problem_without_wrong_answers_is_not_proven(run: Run, relu: Path) -> None:
    for shelf in ("wrong", "cheats"):
        shutil.rmtree(relu / shelf)
        (relu / shelf).mkdir()
    done = run("bank", "check", "05", "--fast", "--json")
    assert done.code == 1
    assert done.json["holds"] is False
    (problem,) = done.json["problems"]
    assert problem["kills"] == {}
    said = {each["name"]: each["detail"] for each in problem["objections"]}
    for kind in ("wrong", "cheats"):
        expected = f"a problem must hold {LEAST[kind]} or more of {kind}/*; this one holds 0"
        assert said[kind]["en"] == expected
        assert said[kind]["zh"] == f"{kind}/* 至少要有 {LEAST[kind]} 个，这里有 0 个"
