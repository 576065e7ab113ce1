"""The static checks of ``make static`` are tests, so that continuous integration runs each of them.

The Makefile is the one list of them.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
TEST_TYPES = "mypy --config-file tests/mypy.toml"
# What a check must refuse: its command, a file, and a word of the message.
WRONG = (
    ("ruff format --check", "x = {  'a':1 }\n", "would be reformatted"),
    ("ruff check", "import os\n", "F401"),
    (
        "mypy",
        'def name(number: int) -> str:\n    """Return a name."""\n    return number\n',
        "[return-value]",
    ),
    (TEST_TYPES, "def test_it():\n    assert 'name'.code\n", "[attr-defined]"),
    (TEST_TYPES, "from torchstone.judge.order import Ordered\n", "[attr-defined]"),
    (TEST_TYPES, "import torchstone.judge.ordered\n", "[import-not-found]"),
    (TEST_TYPES, "def test_it():\n    assert code\n", "[name-defined]"),
    (TEST_TYPES, "def test_it():\n    assert len('name', 1)\n", "[call-arg]"),
)


def commands() -> list[str]:
    """Read the commands of the checks that ``STATIC`` names from the Makefile."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    names = re.search(r"^STATIC := (.*)$", makefile, flags=re.MULTILINE)
    assert names is not None, "the Makefile has no list `STATIC`"
    found = []
    for name in names[1].split():
        recipe = re.search(rf"^check-{name}:\n\t(.*)$", makefile, flags=re.MULTILINE)
        assert recipe is not None, f"the Makefile has no target `check-{name}` of one line"
        found.append(recipe[1].removeprefix("$(BIN)/"))
    return found


def run(command: str) -> "subprocess.CompletedProcess[str]":
    program, *words = command.split()
    return subprocess.run(
        [BIN / program, *words], cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("command", commands())
def test_the_tree_passes(command: str) -> None:
    done = run(command)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("command", "source", "word"), WRONG)
def test_what_is_planted_is_refused(command: str, source: str, word: str, tmp_path: Path) -> None:
    assert any(f"{each} ".startswith(f"{command} ") for each in commands())
    planted = tmp_path / "planted.py"
    planted.write_text(source, encoding="utf-8")
    done = run(f"{command} {planted}")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "planted.py" in done.stdout + done.stderr
    assert word in done.stdout + done.stderr


def test_every_check_is_listed() -> None:
    listed = "\n".join(commands())
    for each in (
        "ruff format",
        "ruff check",
        "mypy\n",
        TEST_TYPES,
        "lint-imports",
        "sizes.py",
        "mirror.py",
        "lock_check",
    ):
        assert each in listed
