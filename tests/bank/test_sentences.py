"""Every sentence of a statement that rules something names what tests it."""

from pathlib import Path

import pytest

from torchstone.bank import load_problem
from torchstone.bank.sentences import check_sentences, rules_of

pytestmark = pytest.mark.pure

STATEMENT = """# Doubling

Write `double`.

## Interface

```python
def double(x): ...
```

- Empty tensors
  are doubled, too.

## Semantics

Each entry is doubled. NaN stays NaN.

## Example

`double(2)` is 4.

## How it is judged

In float64.
"""
RULES = "Empty tensors are doubled, too. Each entry is doubled. NaN stays NaN."
ROWS = """
[[sentence]]
en = "Empty tensors are\\n doubled, too."
groups = ["edge"]
[[sentence]]
en = "Each entry is doubled."
groups = ["small"]
refused = ["wrong/triple"]
[[sentence]]
en = "NaN stays NaN."
why = "It follows from the sentence before."
"""


@pytest.fixture
def stated(folder: Path) -> Path:
    """Return a problem with two groups of cases and the statement above."""
    (folder / "statement.en.md").write_text(STATEMENT, encoding="utf-8")
    (folder / "cases.py").write_text('GROUPS = ("small", "edge")\n', encoding="utf-8")
    return folder


def found(folder: Path, rows: str) -> list[tuple[str, object]]:
    (folder / "sentences.toml").write_text(rows, encoding="utf-8")
    mismatches = check_sentences(load_problem(folder))
    return [(each.code, each.values.get("sentence")) for each in mismatches]


def test_rules_are_what_stands_in_a_section_but_for_code_example_and_judging() -> None:
    assert rules_of(STATEMENT) == RULES


def test_a_problem_without_the_file_is_not_held_to_it(stated: Path) -> None:
    assert check_sentences(load_problem(stated)) == []


def test_rows_that_repeat_every_rule_have_no_mismatch(stated: Path) -> None:
    assert found(stated, ROWS) == []


@pytest.mark.parametrize(
    ("old", "new", "code", "sentence"),
    [
        ("NaN stays NaN.", "NaN is 0.", "gone", "NaN is 0."),
        ("Each entry is doubled.", "Each entry", "without_case", "is doubled."),
        ('["edge"]', '["edges"]', "group", "Empty tensors are\n doubled, too."),
        ("wrong/triple", "wrong/double", "program", "Each entry is doubled."),
        ('["small"]', '["edge"]', "elsewhere", "Each entry is doubled."),
        ('groups = ["edge"]', "", "untested", "Empty tensors are\n doubled, too."),
        ('why = "It', 'groups = ["edge"]\nwhy = "It', "untested", "NaN stays NaN."),
        ("[[sentence]]", "[[sentences]]", "unreadable", None),
    ],
)
def test_a_row_that_is_not_true_is_named(
    stated: Path, old: str, new: str, code: str, sentence: str | None
) -> None:
    assert (f"bank.sentence_{code}", sentence) in found(stated, ROWS.replace(old, new))


def test_a_sentence_that_is_added_to_the_statement_needs_a_row(stated: Path) -> None:
    text = STATEMENT.replace("NaN stays NaN.", "NaN stays NaN. Infinity stays.")
    (stated / "statement.en.md").write_text(text, encoding="utf-8")
    assert found(stated, ROWS) == [("bank.sentence_without_case", "Infinity stays.")]
