"""What the judge is told of a problem, and which changes of its folder make old verdicts stale."""

import shutil
from pathlib import Path

import pytest

from tests.shipped import shipped_bank
from torchstone.bank.loader import CONTENT, load_problem
from torchstone.judge.assignment import assignment_of, content_hash, hash_of

pytestmark = pytest.mark.pure

FOLDER = CONTENT / "problems/04_linear_backward"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER, tmp_path / FOLDER.name))


def test_an_assignment_says_what_the_problem_says() -> None:
    problem = shipped_bank().get("04")
    assignment = assignment_of(problem)
    assert assignment.problem_id == "04"
    assert assignment.folder == FOLDER
    assert assignment.names == problem.spec.entry.names
    assert assignment.deny == problem.spec.deny
    assert assignment.limits == problem.spec.limits
    assert assignment.probe == (FOLDER / "probe.py").read_text(encoding="utf-8")


def test_a_problem_without_a_probe_has_an_empty_one(copy: Path) -> None:
    (copy / "probe.py").unlink()
    assert assignment_of(load_problem(copy)).probe == ""


def test_a_copy_has_the_same_hash(copy: Path) -> None:
    assert content_hash(copy) == content_hash(FOLDER)


@pytest.mark.parametrize("name", ["cases.py", "oracle.py", "probe.py", "problem.toml"])
def test_what_can_change_a_verdict_changes_the_hash(copy: Path, name: str) -> None:
    with (copy / name).open("a", encoding="utf-8") as file:
        file.write("\n")
    assert content_hash(copy) != content_hash(FOLDER)


def test_a_wrong_variant_more_or_less_changes_the_hash(copy: Path) -> None:
    first, second, *_ = sorted(copy.glob("wrong/*.py"))
    first.unlink()
    without = content_hash(copy)
    second.rename(first)
    assert len({content_hash(FOLDER), without, content_hash(copy)}) == 3


@pytest.mark.parametrize(
    "name", ["statement.en.md", "editorial.zh.md", "hints.toml", "solution.py"]
)
def test_words_and_solutions_do_not_change_the_hash(copy: Path, name: str) -> None:
    (copy / name).write_text("other\n", encoding="utf-8")
    assert content_hash(copy) == content_hash(FOLDER)


def test_a_changed_base_changes_the_hash_as_its_patches_would(copy: Path) -> None:
    solution, wrong = copy / "solution.py", copy / "wrong/patched.py"
    solution.write_text("x = 1\ny = 2\n")
    wrong.write_text("# over: solution.py\n# verdict: RTE\n@@\n-x = 1\n+x = 3\n")
    patched = content_hash(copy)
    wrong.write_text("# verdict: RTE\nx = 3\ny = 2\n")
    assert content_hash(copy) == patched
    wrong.write_text("# over: solution.py\n# verdict: RTE\n@@\n-x = 1\n+x = 3\n")
    solution.write_text("x = 1\ny = 5\n")
    assert content_hash(copy) != patched


@pytest.mark.parametrize(
    ("name", "is_changed"),
    [("solution.cu", True), ("contract.h", True), ("statement.en.md", False)],
)
def test_a_kernel_that_is_called_is_part_of_the_hash(
    tmp_path: Path, name: str, is_changed: bool
) -> None:
    folders = (CONTENT / "problems/42op_cuda_add_op", tmp_path / "42_cuda_add")
    shutil.copytree(CONTENT / "problems/42_cuda_add", folders[1])
    assert content_hash(*folders) == hash_of(shipped_bank().get("42op"))
    # Patches of the solution would change with it.
    shutil.rmtree(folders[1] / "wrong")
    before = content_hash(*folders)
    (folders[1] / name).write_text("other\n", encoding="utf-8")
    assert (content_hash(*folders) != before) is is_changed
