"""The lines of the library that problems and questions name are there."""

from pathlib import Path

import pytest

from tests.shipped import shipped_bank
from torchstone.bank.library import FILE_NAME, lines_of, load_library
from torchstone.bank.loader import CONTENT
from torchstone.bank.questions.library import PACKAGE, find_lines
from torchstone.bank.questions.loader import load_questions
from torchstone.core.errors import TorchstoneError

pytestmark = pytest.mark.pure


def write(root: Path, line: str) -> Path:
    root.mkdir()
    (root / FILE_NAME).write_text(f"[problems]\n{line}\n", encoding="utf-8")
    return root


def test_every_name_that_ships_is_in_the_library_and_every_problem_in_the_bank() -> None:
    library = load_library()
    assert library.keys() <= {problem.id for problem in shipped_bank()}
    names = [(problem, name) for problem, each in library.items() for name in each]
    assert len(names) == len(set(names))
    assert [pair for pair in names if find_lines(pair[1]) is None] == []


def test_the_problems_of_distributed_training_are_joined() -> None:
    for problem in ("25", "26", "27", "28", "30"):
        found = lines_of(problem)
        assert any(each.name.startswith("torchstone.distributed.") for each in found)
        for each in found:
            shown = (PACKAGE.parent / each.file).read_text(encoding="utf-8").splitlines()
            assert each.source.splitlines()[0] == shown[each.line - 1]


@pytest.mark.parametrize("topic", ["8.1.2.1", "8.1.2.2", "8.2.1.1"])
def test_the_questions_of_distributed_training_are_joined(topic: str) -> None:
    for question in load_questions(CONTENT).topic(topic):
        assert question.code
        for name in question.code:
            assert name.startswith("torchstone.distributed.")
            assert find_lines(name) is not None, name


def test_every_name_of_a_question_has_lines() -> None:
    named = [
        name for topic in load_questions(CONTENT).topics for each in topic for name in each.code
    ]
    assert named
    assert [name for name in named if find_lines(name) is None] == []


def test_a_bank_of_ones_own_has_its_own_names_or_none(tmp_path: Path) -> None:
    assert lines_of("26", tmp_path) == ()
    known, gone = "torchstone.core.paths:data_dir", "torchstone.core.paths:nowhere"
    root = write(tmp_path / "bank", f'26 = ["{gone}", "{known}"]')
    assert [each.name for each in lines_of("26", root)] == [known]


@pytest.mark.parametrize("line", ['26 = ["os:getcwd"]', '26 = ["torchstone.core"]', "x = []"])
def test_a_broken_file_is_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(TorchstoneError):
        load_library(write(tmp_path / "bank", line))
