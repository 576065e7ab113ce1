from pathlib import Path

import pytest

from tests.bank.conftest import write_problem
from torchstone.bank import Bank, load_bank
from torchstone.core.errors import BrokenProblem, NotFound

pytestmark = pytest.mark.pure


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    for name in ("01_softmax", "07_layer_norm", "12_cut"):
        write_problem(tmp_path, name)
    (tmp_path / "problems/12_cut/cases.py").unlink()
    return load_bank(tmp_path)


@pytest.mark.parametrize(
    "name", ["7", "07", " 07 ", "layer_norm", "layer-norm", "Layer_Norm", "07_layer_norm"]
)
def test_a_problem_is_found_by_number_and_by_name(bank: Bank, name: str) -> None:
    assert bank.get(name).id == "07"


@pytest.mark.parametrize("name", ["12", "cut", "12_cut"])
def test_asking_for_a_broken_problem_says_what_is_broken(bank: Bank, name: str) -> None:
    with pytest.raises(BrokenProblem, match=r"cases\.py"):
        bank.get(name)


@pytest.mark.parametrize("name", ["", "0", "007", "norm", "../07", "²", "\u09ed", "\x00"])
def test_an_unknown_name_is_not_found(bank: Bank, name: str) -> None:
    with pytest.raises(NotFound):
        bank.get(name)


def test_a_misspelt_name_is_told_the_nearest_one(bank: Bank) -> None:
    with pytest.raises(NotFound) as caught:
        bank.get("softmaks")
    assert "softmax" in caught.value.hint("en")


def test_an_empty_bank_still_answers() -> None:
    with pytest.raises(NotFound):
        Bank(problems=()).get("01")
