from dataclasses import replace
from pathlib import Path

import pytest

from tests.shipped import shipped_bank
from torchstone.bank import Problem, Shelf, Variant
from torchstone.bank.copies import copies

pytestmark = pytest.mark.pure


def whole(problem: Problem, name: str, folder: Path) -> Problem:
    """Return the problem with one wrong answer, which stands whole in a file of its own."""
    variant = next(each for each in problem.wrong if each.name == name)
    path = folder / variant.path.name
    path.write_text(variant.source, encoding="utf-8")

    def read(shelf: Shelf) -> tuple[Variant, ...]:
        wrong = (replace(variant, path=path),)
        return wrong if shelf is Shelf.WRONG else problem.read_shelf(shelf)

    return replace(problem, read_shelf=read)


def test_a_wrong_answer_that_repeats_the_solution_is_a_copy(tmp_path: Path) -> None:
    problem = whole(shipped_bank().get("13"), "prenorm_as_postnorm", tmp_path)
    assert [(each.name, base.name) for each, base in copies(problem)] == [
        ("prenorm_as_postnorm", "solution")
    ]


def test_a_program_of_its_own_is_none(tmp_path: Path) -> None:
    assert list(copies(whole(shipped_bank().get("01"), "no_shift", tmp_path))) == []


def test_no_program_of_the_bank_repeats_a_right_answer() -> None:
    assert [(each.path, base.name) for p in shipped_bank() for each, base in copies(p)] == []
