from pathlib import Path

import pytest

from torchstone.bank import Words, check_parity, load_problem
from torchstone.bank.parity import Mismatch, compare_texts

pytestmark = pytest.mark.pure

ENGLISH = """# Why
See 2.2.1.2.1 and ![picture](figure_a.svg).
## Cost
```python
assert 1 + 1 == 2
```
"""
CHINESE = """# 原因
参见 2.2.1.2.1 与 ![图](figure_a.svg)。
## 代价
```python
assert 1 + 1 == 2
```
"""


def compare(chinese: str, *, same_code: bool = True) -> list[Mismatch]:
    return compare_texts("editorial", Words(en=ENGLISH, zh=chinese), same_code=same_code)


def codes(chinese: str) -> list[str]:
    return [mismatch.code for mismatch in compare(chinese)]


def test_two_faithful_texts_have_no_mismatch(folder: Path) -> None:
    assert compare(CHINESE) == []
    assert check_parity(load_problem(folder)) == []


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("## 代价", "### 代价", "bank.parity_headings"),
        ("## 代价\n", "", "bank.parity_headings"),
        ("## 代价", "## 代价\n## 又一节", "bank.parity_headings"),
        ("1 + 1 == 2", "1 + 1 == 2 ", "bank.parity_cell"),
        ("1 + 1 == 2", "1 + 1 == 2  # 显然", "bank.parity_cell"),
        ("```python", "```text", "bank.parity_cell"),
        ("2.2.1.2.1", "2.2.1.2.2", "bank.parity_ids"),
        ("figure_a.svg", "figure_b.svg", "bank.parity_pictures"),
    ],
)
def test_one_difference_is_one_mismatch_of_its_kind(old: str, new: str, code: str) -> None:
    assert codes(CHINESE.replace(old, new)) == [code]


def test_a_cell_too_many_is_counted_instead_of_compared() -> None:
    assert codes(CHINESE + "```\nx\n```\n") == ["bank.parity_cell_count"]


def test_a_fence_left_open_is_named_with_its_line() -> None:
    (mismatch,) = compare(CHINESE.removesuffix("```\n"))
    assert mismatch.said_in("en") == (
        "editorial.zh.md:4: the code fence that opens here is never closed."
    )


def test_a_statement_may_translate_the_comments_of_its_example() -> None:
    assert compare(CHINESE.replace("== 2", "== 2  # 显然"), same_code=False) == []


def test_every_mismatch_can_be_said_in_both_languages() -> None:
    chinese = "# 原因\n### 又一节\n```text\n"
    for mismatch in [*compare(chinese), *compare(CHINESE.replace("1 + 1", "2"))]:
        assert mismatch.said_in("en") != mismatch.said_in("zh")


def test_what_only_one_language_has_is_listed_on_its_side() -> None:
    (mismatch,) = compare(CHINESE.replace("2.2.1.2.1", "没有题号"))
    assert mismatch.said_in("en") == (
        "editorial: question numbers in one language only: en 2.2.1.2.1; zh -."
    )
    (mismatch,) = compare(CHINESE.replace("2.2.1.2.1", "2.2.1.2.1 与 3.1.1.1.1"))
    assert mismatch.values == {"en": "-", "zh": "3.1.1.1.1"}


def test_only_the_code_of_the_editorial_must_be_the_same(folder: Path) -> None:
    for lang, comment in (("en", "two"), ("zh", "二")):
        for file in ("statement", "editorial"):
            with (folder / f"{file}.{lang}.md").open("a", encoding="utf-8") as text:
                text.write(f"```python\nx = 2  # {comment}\n```\n")
    assert [(m.file, m.code) for m in check_parity(load_problem(folder))] == [
        ("editorial", "bank.parity_cell")
    ]


def test_a_picture_that_is_not_in_the_folder_is_named(folder: Path) -> None:
    for lang in ("en", "zh"):
        with (folder / f"editorial.{lang}.md").open("a", encoding="utf-8") as text:
            text.write("![](figure_a.svg)\n")
    (mismatch,) = check_parity(load_problem(folder))
    assert mismatch.said_in("en") == "editorial: the folder has no picture figure_a.svg."
    (folder / "figure_a.svg").write_text("<svg/>")
    assert check_parity(load_problem(folder)) == []


def test_a_folder_with_a_difference_is_reported_per_file(folder: Path) -> None:
    (folder / "statement.zh.md").write_text("写出 `double`。\n", encoding="utf-8")
    assert [(m.file, m.code) for m in check_parity(load_problem(folder))] == [
        ("statement", "bank.parity_headings")
    ]
