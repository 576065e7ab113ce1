from pathlib import Path

import pytest

from tests.bank.closed_environment import run_tests
from tests.shipped import shipped_bank
from torchstone.bank import Bank, load_bank, load_problem
from torchstone.bank.export import export_bank
from torchstone.bank.scaffold import scaffold_problem
from torchstone.core.errors import BadInput


@pytest.mark.pure
def test_the_repository_has_the_drawn_shape(tmp_path: Path) -> None:
    bank = shipped_bank()
    written = export_bank(bank, tmp_path / "out")
    assert written.num_problems == len(bank)
    drawn = {"problems", "tests", "solutions", "README.md"}
    assert {path.name for path in (tmp_path / "out").iterdir()} >= drawn
    starter = tmp_path / "out/problems/01_softmax/softmax.py"
    assert starter.read_text(encoding="utf-8") == bank.get("01").starter
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert len(files) == written.num_files
    assert not [path for path in files if "wrong" in path.parts or "cheats" in path.parts]


@pytest.mark.pure
def test_a_readme_says_what_the_bans_include(tmp_path: Path) -> None:
    bank = shipped_bank()
    export_bank(bank, tmp_path / "out")
    headings = {"README.md": "## What the bans include", "README.zh.md": "## 禁用还包括"}
    for problem in bank:
        folder = tmp_path / "out/problems" / problem.path.name
        for name, heading in headings.items():
            text = (folder / name).read_text(encoding="utf-8")
            assert (heading in text) == problem.spec.limits_imports
    assert any(problem.spec.limits_imports for problem in bank)


@pytest.mark.pure
def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x")
    with pytest.raises(BadInput, match="not empty"):
        export_bank(Bank(problems=()), tmp_path)
    with pytest.raises(BadInput, match="cannot be written"):
        export_bank(Bank(problems=()), tmp_path / "mine" / "out")


@pytest.mark.pure
def test_a_problem_that_is_only_begun_stays_out(tmp_path: Path) -> None:
    scaffold_problem(tmp_path / "bank", "51", "gelu")
    assert export_bank(load_bank(tmp_path / "bank"), tmp_path / "out").num_problems == 0


@pytest.mark.full
@pytest.mark.torch
def test_the_tests_pass_for_solutions_and_fail_for_starters_alone(tmp_path: Path) -> None:
    """A function, one that is built in C++, and a script that torchrun starts as several ranks."""
    content = shipped_bank().get("01").path.parent
    names = ("01_softmax", "10_gradcheck", "27_launch_training")
    problems = tuple(load_problem(content / name) for name in names)
    export_bank(Bank(problems=problems), tmp_path / "out")
    passed = run_tests(tmp_path / "out", "--solutions")
    assert passed.returncode == 0, passed.stdout + passed.stderr
    failed = run_tests(tmp_path / "out", "--seed", "5", "tests/test_01_softmax.py")
    assert failed.returncode == 1, failed.stdout + failed.stderr
    assert "cases: --seed 5" in failed.stdout or "--seed 5" not in failed.stdout
    assert "NotImplementedError" in failed.stdout
