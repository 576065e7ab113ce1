import pickle
from pathlib import Path

import pytest

from tests.bank.conftest import write_problem
from tests.shipped import shipped_bank
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


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("softmaks", "softmax"),
        ("nerf", "tiny_nerf_kernel"),
        ("knn", "soft_knn"),
        ("42o", "42op"),
        ("matmull", "tiled_matmul"),
    ],
)
def test_a_misspelt_name_is_told_the_nearest_one(name: str, near: str) -> None:
    with pytest.raises(NotFound) as caught:
        shipped_bank().get(name)
    assert f"Did you mean {near}?" in caught.value.hint("en")
    assert pickle.loads(pickle.dumps(caught.value)).hint("zh") == caught.value.hint("zh")


@pytest.mark.parametrize("name", ["99", "foo", "zzz", "", "07op", "自行车"])
def test_a_name_that_resembles_none_is_told_no_other(name: str) -> None:
    with pytest.raises(NotFound) as caught:
        shipped_bank().get(name)
    assert caught.value.hint("en") == "`torchstone list` shows all problems."
    assert "torchstone list" in caught.value.hint("zh")
    assert "是不是" not in caught.value.hint("zh")


def test_an_empty_bank_still_answers() -> None:
    with pytest.raises(NotFound):
        Bank(problems=()).get("01")
