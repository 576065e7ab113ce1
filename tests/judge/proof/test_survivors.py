"""A mutant is described by the line that it changes."""

import shutil
from pathlib import Path

import pytest

from torchstone.bank.loader import CONTENT, load_problem
from torchstone.judge.mutation.mutants import make_mutants
from torchstone.judge.proof.survivors import ChangedLine, changed_line, explanations

pytestmark = pytest.mark.pure

PARENT = """\
def f(x):  # a comment
    if x > 0 and not x == 3:
        x = (x +
             1)
        print("y")
    return g(x, 2, dim=-1)
"""


def change(rule: str, before: str) -> str:
    """Return what the one mutant of a rule makes of a line."""
    changed = [
        changed_line(PARENT, each.source) for each in make_mutants(PARENT) if each.rule == rule
    ]
    (after,) = [each.after for each in changed if each.before == before]
    return after


def test_the_changed_line_is_shown_before_and_after() -> None:
    assert change("exchange operator", "x = x + 1") == "x = x - 1"
    assert change("leave out", "print('y')") == "pass"
    assert change("forget keyword", "return g(x, 2, dim=-1)") == "return g(x, 2)"
    assert change("exchange connective", "if x > 0 and (not x == 3):") == (
        "if x > 0 or not x == 3:"
    )


def test_a_change_of_lines_is_shown_whole() -> None:
    changed = changed_line("a = 1\nb = 2\n", "a = 1\nb = 3\nc = 4")
    assert changed == ChangedLine(before="b = 2", after="b = 3; c = 4")


def test_a_file_of_survivors_may_explain_none(tmp_path: Path) -> None:
    folder = tmp_path / "01_softmax"
    shutil.copytree(CONTENT / "problems/01_softmax", folder)
    for text, keys in (
        ("# nothing survives\n", set()),
        ('[[survivor]]\nkeys = ["a1"]\nwhy = { en = "It is right.", zh = "它是对的。" }\n', {"a1"}),
    ):
        (folder / "survivors.toml").write_text(text, encoding="utf-8")
        assert set(explanations(load_problem(folder))) == keys
