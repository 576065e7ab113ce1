"""A problem that is written by the book passes every test that goes over the bank.

A copy of the package gets ``new_problem/51_elu`` beside its problems. No other file changes.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from torchstone.bank.loader import CONTENT
from torchstone.bank.scaffold import scaffold_problem

pytestmark = [pytest.mark.sandbox, pytest.mark.torch, pytest.mark.full]

TESTS = Path(__file__).resolve().parents[1]
NEW = Path(__file__).with_name("new_problem") / "51_elu"
# What goes over all problems: read from the bank, or from its folder.
GOES_OVER_ALL = re.compile(r'\bin (load_bank\(|BANK\b)|glob\("problems(?!/\d)')


def files_over_all_problems() -> list[Path]:
    found = [
        path
        for path in sorted(TESTS.rglob("test_*.py"))
        if GOES_OVER_ALL.search(path.read_text(encoding="utf-8"))
    ]
    return [path for path in found if path != Path(__file__)]


def test_the_files_that_go_over_all_problems_are_found() -> None:
    names = {path.name for path in files_over_all_problems()}
    assert names >= {"test_problems.py", "test_operations.py", "test_concepts.py", "test_prose.py"}


def test_the_new_problem_has_the_files_of_a_scaffold(tmp_path: Path) -> None:
    begun = scaffold_problem(tmp_path, "51", "elu")
    single = {path.name for path in begun.iterdir()}
    assert {path.name for path in NEW.iterdir()} >= single


def test_a_new_problem_passes_what_goes_over_all_problems(tmp_path: Path) -> None:
    package = tmp_path / "src/torchstone"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(CONTENT.parent, package, ignore=ignored)
    shutil.copytree(NEW, package / "content/problems" / NEW.name, ignore=ignored)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("-p", "tests.content.new_problem_alone"),
            *("-n", "0", *map(str, files_over_all_problems())),
        ],
        cwd=TESTS.parent,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    listed = subprocess.run(
        [sys.executable, "-m", "torchstone", "list", "--json"],
        env=os.environ | {"PYTHONPATH": str(tmp_path / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert '"51"' in listed.stdout
