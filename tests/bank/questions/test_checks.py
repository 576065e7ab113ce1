"""Plant one fault in a copy of a topic: the check of its text finds it, and nothing else."""

from datetime import date
from pathlib import Path

import pytest

from torchstone.bank.questions import load_questions
from torchstone.bank.questions.checks import TextCheck, broken_topic
from torchstone.bank.questions.copied import check_alike, check_copied, fingerprints, question_key
from torchstone.bank.questions.form import spoken_seconds
from torchstone.core.i18n import LANGS

pytestmark = pytest.mark.pure

VIEWS = "2.1.2.1"
LONG = "I use `view` where " + "and so on and so forth " * 40


def spoil(file: Path, before: str, after: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after, 1), encoding="utf-8")


def codes(content: Path, *, today: date | None = None) -> list[str]:
    (topic,) = load_questions(content).topics
    findings = TextCheck(today=today).findings(topic)
    for finding in findings:
        assert all(finding.said_in(lang) for lang in LANGS)
    return [finding.code for finding in findings]


def test_every_topic_of_the_package_passes() -> None:
    bank = load_questions()
    check = TextCheck()
    found = [finding for topic in bank.topics for finding in check.findings(topic)]
    found += check_alike(bank, bank.folders)
    assert [(finding.code, finding.where, finding.said_in("en")) for finding in found] == []


@pytest.mark.parametrize(
    ("code", "file", "before", "after"),
    [
        ("TS-Q01", "demo.py", "# %% 2.1.2.1.3 only", "# %% 9.9.9.9.9 x\n1\n\n# %% 2.1.2.1.3 only"),
        ("TS-Q01", "answers.toml", 'question = "2.1.2.1.1"', 'question = "2.1.2.1.9"'),
        ("TS-Q03", "topic.toml", ', "reshape-views-when-it-can"] }', ', "reshape-views"] }'),
        ("TS-Q05", "zh.md", "```cell\nthree ways out\n```\n", ""),
        ("TS-Q05", "zh.md", "### 机制", "### 原理"),
        ("TS-Q05", "en.md", "## 2.1.2.1.1 How do", "## 2.1.2.1.1 How would"),
        ("TS-Q05", "en.md", "### Mechanism\n", "### Mechanism\n\n```python\n1\n```\n"),
        ("TS-Q05", "zh.md", "两者都按原来的次序", "两者都按 `order`"),
        ("TS-Q06", "en.md", "I use `view` where", LONG),
        ("TS-Q08", "topic.toml", '"pointing to different offsets of"', '"no such words"'),
        ("TS-Q08", "demo.py", "row = torch.arange(3)", "row = torch.range(0, 2).long()"),
        ("TS-Q11", "topic.toml", 'problems = ["03"]', 'problems = ["77"]'),
        ("TS-Q11", "topic.toml", "ops.shape:view", "ops.shape:no_view"),
        ("TS-Q11", "topic.toml", 'terms = ["view"', 'terms = ["no such term"'),
        ("TS-Q11", "topic.toml", "subjects = {}", 'see = ["2.1.2.1.9"]\nsubjects = {}'),
        ("TS-Q11", "topic.toml", 'cited = ["distributed.py"]', 'cited = ["nobody"]'),
    ],
)
def test_a_planted_fault_gives_its_code_alone(
    content: Path, views: Path, code: str, file: str, before: str, after: str
) -> None:
    spoil(views / file, before, after)
    assert set(codes(content)) == {code}


def test_a_number_has_to_come_from_a_cell_or_a_source(content: Path, views: Path) -> None:
    spoil(views / "en.md", "`view` writes a new header", "In 37 ns `view` writes a new header")
    spoil(views / "zh.md", "写一个新的头部", "在 37 ns 里写一个新的头部")
    assert set(codes(content)) == {"TS-Q07"}
    spoil(views / "demo.py", "x = torch.arange(12)\n", "x = torch.arange(12)\nwait = 37.0\n")
    assert codes(content) == []


def test_a_page_is_good_for_its_months(content: Path, views: Path) -> None:
    page = (
        '[[source]]\nid = "page"\nkind = "page"\ntitle = "t"\npublisher = "p"\nurl = "u"\n'
        'version = "1"\nread = 2026-06-30\nvalid_months = 6\n'
        'en = "It says so."\nzh = "它这样说。"\n\n'
    )
    spoil(views / "topic.toml", "[[question]]\n", page + "[[question]]\n")
    assert codes(content, today=date(2026, 12, 28)) == []
    assert codes(content, today=date(2026, 12, 29)) == ["TS-Q08"]


def test_a_question_may_be_about_a_stale_name(content: Path, views: Path) -> None:
    spoil(views / "demo.py", "row = torch.arange(3)", "row = torch.range(0, 2).long()")
    fourth = 'id = "2.1.2.1.4"\n'
    spoil(views / "topic.toml", fourth, fourth + 'deprecated = ["torch.range"]\n')
    assert codes(content) == []


def test_runs_of_words_of_an_outline_are_found_by_their_hashes(content: Path) -> None:
    topic = load_questions(content).topic(VIEWS)
    assert [*check_copied(topic, frozenset())] == []
    outline = "其中说：表示不了，它要求新形状能在旧内存上用步长表示\n- view 与 reshape 的不同？"
    seeds = frozenset(fingerprints(outline))
    (finding,) = check_copied(topic, seeds)
    assert (finding.code, finding.question) == ("TS-Q10", "2.1.2.1.1")
    assert question_key("什么是 view？") == question_key("View 是什么?") == "?view"


def test_two_answers_that_are_one_text_are_found(content: Path, views: Path) -> None:
    text = (views / "en.md").read_text(encoding="utf-8")
    first = text[text.index("## 2.1.2.1.1") : text.index("## 2.1.2.1.2")]
    short = first[first.index("Both give") : first.index("### Mechanism")]
    spoil(views / "en.md", "A dimension of size one is never stepped along", short)
    found = list(check_alike(load_questions(content), [VIEWS]))
    assert {finding.question for finding in found} == {"2.1.2.1.1", "2.1.2.1.4"}


def test_a_missing_file_is_a_finding_of_the_schema(content: Path, views: Path) -> None:
    (views / "zh.md").unlink()
    assert codes(content) == ["TS-Q01"]
    (views / "topic.toml").write_text("id = 1")
    (error,) = load_questions(content).broken
    assert broken_topic(error).code == "TS-Q01"


def test_the_time_of_an_answer_counts_words_and_characters() -> None:
    assert spoken_seconds("one two three four five six") == pytest.approx(2.5)
    assert spoken_seconds("张量是存储加读法") == pytest.approx(8 / 4.2)
