import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.listed import require_listed
from torchstone.bank.loader import CONTENT

pytestmark = pytest.mark.plain


@pytest.fixture
def content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a content with one topic of questions, which the commands use."""
    folder = tmp_path / "content"
    name = "2.1.2.1_views"
    shutil.copytree(CONTENT / "questions" / name, folder / "questions" / name)
    spec = folder / "questions" / name / "topic.toml"
    # This content has no problems.
    spec.write_text(spec.read_text("utf-8").replace('problems = ["03"]', "problems = []"), "utf-8")
    monkeypatch.setenv("TORCHSTONE_BANK", str(folder))
    return folder


def test_the_list_shows_the_questions_of_a_chapter_and_a_level(run: Run) -> None:
    done = run("questions", "list", "--chapter", 2, "--level", 1, "--json")
    topics = done.json["topics"]
    require_listed("questions list: topic", topics[0])
    require_listed("questions list: question", topics[0]["questions"][0])
    assert {topic["id"].partition(".")[0] for topic in topics} == {"2"}
    assert {question["level"] for topic in topics for question in topic["questions"]} == {1}
    assert "view() 与 reshape() 有何不同？" in run("questions", "list", "--lang", "zh").out


def test_a_question_is_shown_alone_unless_its_answer_is_asked_for(run: Run) -> None:
    alone = run("questions", "show", "2.1.2.1.1")
    assert "How do view() and reshape() differ?" in alone.out
    assert "storage" not in alone.out
    assert "answer" not in run("questions", "show", "2.1.2.1.1", "--json").json
    answer = run("questions", "show", "2.1.2.1.1", "--answer", "--json").json["answer"]
    require_listed("questions show: answer", answer)
    assert answer["parts"]["zh"]["short"].startswith("两者都按原来的次序")
    whole = run("questions", "show", "2.1.2.1.1", "--answer", "--lang", "zh").out
    assert "误区" in whole
    assert "grid = x.view(3, 4)" in whole
    unknown = run("questions", "show", "2.1.2.1.7")
    assert unknown.code == 2
    assert "2.1.2.1.4" in unknown.err


@pytest.mark.full
def test_a_check_updates_outputs_and_records_what_holds(run: Run, content: Path) -> None:
    demo = content / "questions/2.1.2.1_views/demo.py"
    whole = demo.read_text(encoding="utf-8")
    demo.write_text(whole.replace("# > (4, 1)\n", "# > (0,)\n# > (1,)\n"), encoding="utf-8")
    done = run("questions", "check", "2.1.2.1", "--update", "--record", "--json")
    (topic,) = done.json["topics"]
    require_listed("questions check: topic", topic)
    assert done.json["updated"] == ["2.1.2.1"]
    assert demo.read_text(encoding="utf-8") == whole
    assert (done.code, topic["findings"]) == (0, [])
    assert (topic["claims"], topic["changes"]) == (29, 21)

    demo.with_name("zh.md").write_text("# 视图\n", encoding="utf-8")
    again = run("questions", "check", "--changed", "--json").json
    (finding, *_) = again["topics"][0]["findings"]
    require_listed("questions check: finding", finding)
    assert finding["code"] == "TS-Q05"


def test_the_measure_counts_answers_by_language_and_kind(
    run: Run, content: Path, tmp_path: Path
) -> None:
    rows = run("questions", "measure", "--json").json["rows"]
    require_listed("questions measure: row", rows[0])
    assert [row["name"] for row in rows[:2]] == ["all", "en"]
    assert (
        sum(row["answers"] for row in rows[1:] if row["name"] in ("en", "zh")) == rows[0]["answers"]
    )
    assert rows[0]["points"]["precision"] > 0.9
    answers = (content / "questions/2.1.2.1_views/answers.toml").read_text(encoding="utf-8")
    file = tmp_path / "some.toml"
    file.write_text(answers.replace('"2.1.2.1.1"', '"2.1.2.1.9"'), encoding="utf-8")
    refused = run("questions", "measure", file)
    assert refused.code == 2
    assert "2.1.2.1.9" in refused.err


def test_a_new_topic_has_every_file_and_is_refused_until_it_is_written(
    run: Run, content: Path
) -> None:
    done = run("questions", "new", "2.3.1.1", "--json")
    folder = Path(done.json["path"])
    assert folder.name == "2.3.1.1_moving_between_devices"
    assert "# %% 2.3.1.1.1" in (folder / "demo.py").read_text(encoding="utf-8")
    refused = run("questions", "check", "2.3.1.1", "--json")
    assert (refused.code, refused.json["bank"][0]["code"]) == (1, "TS-Q01")
    assert run("questions", "new", "2.3.1.1").code == 2
    assert run("questions", "new", "9.9.9.9").code == 2


def test_cards_keep_their_guid_when_an_answer_is_corrected(
    run: Run, content: Path, tmp_path: Path
) -> None:
    done = run("questions", "export", "--anki", tmp_path / "cards.txt", "--json")
    require_listed("questions export: written", done.json["written"][0])
    before = cards(tmp_path / "cards.txt")
    assert len(before) == done.json["written"][0]["count"] == 8
    assert before["torchstone-2.1.2.1.1-zh"][3] == "view() 与 reshape() 有何不同？"
    text = content / "questions/2.1.2.1_views/en.md"
    text.write_text(
        text.read_text("utf-8").replace("Both give the same", "A\tcorrected <answer>"), "utf-8"
    )
    run("questions", "export", "--anki", tmp_path / "cards.txt")
    after = cards(tmp_path / "cards.txt")
    assert after.keys() == before.keys()
    assert "<p>A corrected &lt;answer&gt; numbers" in after["torchstone-2.1.2.1.1-en"][4]
    assert after["torchstone-2.1.2.1.1-zh"] == before["torchstone-2.1.2.1.1-zh"]


def cards(file: Path) -> dict[str, list[str]]:
    """Read an import of Anki: the guid of each card, and its six columns."""
    lines = file.read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    assert {len(row) for row in rows} == {6}
    return {row[0]: row for row in rows}


def test_pages_are_written_into_a_new_folder_alone(run: Run, content: Path, tmp_path: Path) -> None:
    out = tmp_path / "pages"
    assert run("questions", "export", "--markdown", out).code == 0
    assert "```python\n" in (out / "zh/2.1.2.1_views.md").read_text("utf-8")
    again = run("questions", "export", "--markdown", out)
    assert (again.code, "is not empty" in again.err) == (2, True)
    assert run("questions", "export").code == 2
