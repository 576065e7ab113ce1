"""Plant one fault in a copy of a topic: its check by the marker finds it, and nothing else."""

import shutil
from pathlib import Path

import pytest

from torchstone.bank.loader import CONTENT
from torchstone.bank.questions import load_questions, load_topic
from torchstone.core.i18n import LANGS
from torchstone.study.marking.checks import check_marking, unwrap

pytestmark = pytest.mark.pure

NAME = "3.2.2.1_zeroing_gradients"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(CONTENT / "questions" / NAME, tmp_path / NAME))


def codes(folder: Path) -> list[str]:
    findings = check_marking(load_topic(folder))
    for finding in findings:
        assert all(finding.said_in(lang) for lang in LANGS)
    return [finding.code for finding in findings]


def spoil(file: Path, before: str, after: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after), encoding="utf-8")


NOBODY = (
    "So neither\n`backward` nor the optimizer's step clears anything, because only you know where"
    " an update ends."
)
SUM = '"Since each backward call sums onto what is already there, you reset it once per update."'


@pytest.mark.parametrize(
    ("code", "file", "before", "after"),
    [
        # A short answer without one of its points, and one that states what is wrong.
        ("TS-Q09", "en.md", NOBODY, "So it is."),
        ("TS-Q09", "en.md", "The one wrong\nplace is", "`step()` clears the gradients. It is"),
        ("TS-Q09", "topic.toml", '"Gradients are zeroed between backward and step."', '"Wrong."'),
        ("TS-Q09", "topic.toml", "no:(overwrit", "no:((overwrit"),
        ("TS-Q09", "answers.toml", f'"partial"\ntext = {SUM}', f'"stuffed"\ntext = {SUM}'),
        ("TS-Q12", "answers.toml", '"sum-of-all", ', ""),
        ("TS-Q12", "answers.toml", 'misconceptions = ["', 'misconceptions = [] # ["'),
        ("TS-Q01", "answers.toml", '"optimizer-its-own"', '"nobody"'),
    ],
)
def test_a_planted_fault_gives_its_code_alone(
    folder: Path, code: str, file: str, before: str, after: str
) -> None:
    spoil(folder / file, before, after)
    assert set(codes(folder)) == {code}


def test_a_topic_whose_texts_earn_their_points_passes(folder: Path) -> None:
    assert codes(folder) == []


def test_answers_to_other_questions_earn_little(folder: Path) -> None:
    text = (folder / "zh.md").read_text(encoding="utf-8")
    parts = [part.partition("### 机制")[0] for part in text.split("### 简答\n")[1:]]
    for other in parts[1:]:
        spoil(folder / "zh.md", other, f"{parts[0].strip()}\n{other}")
    english = (folder / "en.md").read_text(encoding="utf-8")
    parts = [part.partition("### Mechanism")[0] for part in english.split("### In short\n")[1:]]
    for other in parts[1:]:
        spoil(folder / "en.md", other, f"{parts[0].strip()}\n{other}")
    findings = check_marking(load_topic(folder))
    assert {finding.key for finding in findings} == {"study.marking.others_score"}


@pytest.mark.full
def test_every_topic_of_the_package_passes() -> None:
    found = [finding for topic in load_questions().topics for finding in check_marking(topic)]
    assert [(finding.code, finding.where, finding.said_in("en")) for finding in found] == []


def test_a_wrapped_paragraph_is_one_line() -> None:
    assert (
        unwrap("张量是存储\n加读法。\n它\n\n`view` 不\n复制。")
        == "张量是存储加读法。它\n\n`view` 不复制。"
    )
