"""Interviews by a script: what the scores must show, with a judge that knows the solutions."""

import json
from collections.abc import Callable
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import pytest

from torchstone.app.interview.material import Material
from torchstone.app.interview.planning import read_setting
from torchstone.app.interview.running import plan_for
from torchstone.app.interview.scripted import Held, read_script, run_script
from torchstone.bank import Problem
from torchstone.core.errors import BadInput
from torchstone.core.i18n import LANGS, Lang
from torchstone.interview.item import Item, Kind
from torchstone.interview.page import draw_page

pytestmark = pytest.mark.plain

Line = dict[str, Any]
Hold = Callable[..., Held]


def knows(problem: Problem, source: str) -> tuple[str, dict[str, bool]]:
    is_right = source == problem.solution.source
    return ("AC" if is_right else "WA"), {"sample": is_right, "small": is_right}


@pytest.fixture
def hold(material: Material, tmp_path: Path) -> Hold:
    """Hold an interview by some lines."""

    def run(lines: list[Line], minutes: int = 60) -> Held:
        path = tmp_path / "script.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        setting = read_setting(level="mid", minutes=minutes, seed=7)
        return run_script(material, setting, read_script(path), knows)

    return run


def right(material: Material, item: Item, lang: Lang = "en") -> Line:
    """The model answer to an item."""
    if item.kind is Kind.PREDICT:
        return {"set": list(material.change(item).fails)}
    if item.kind is Kind.CODE:
        return {"text": material.problem(item).solution.source}
    if item.kind is Kind.OPEN:
        return {"text": material.open_item(item).anchors[-1].said_in(lang)}
    question = material.question(item)
    section = material.home.questions.topic(question.topic_id).section(question.id, lang)
    assert section is not None
    return {"text": section.short}


def planned(material: Material) -> list[Item]:
    plan = plan_for(material, read_setting(level="mid", minutes=60, seed=7))
    return [offer.item for offer in plan.offers]


def lines_of(material: Material, answer: Callable[[Item], Line]) -> list[Line]:
    return [
        {"item": item.id, "seconds": round(50 * item.minutes), **answer(item)}
        for item in planned(material)
    ]


def stuffed(material: Material, item: Item) -> Line:
    if item.kind in (Kind.PREDICT, Kind.CODE):
        return {"text": ""}
    words = right(material, item)["text"].replace(",", " ").replace(".", " ").split()
    return {"text": " ".join(word for word in words if len(word) > 5)}


def test_right_answers_reach_85_in_both_languages_and_empty_ones_stay_below_15(
    material: Material, hold: Hold
) -> None:
    totals = {}
    for lang in LANGS:
        answered = partial(right, material, lang=lang)
        totals[lang] = hold(lines_of(material, answered)).report["total"]
    assert min(each["score"] for each in totals.values()) >= 85
    assert abs(totals["en"]["score"] - totals["zh"]["score"]) <= 3
    empty = hold(lines_of(material, lambda item: {"text": ""})).report["total"]["score"]
    assert empty <= 15
    words = hold(lines_of(material, lambda item: stuffed(material, item))).report
    assert abs(words["total"]["score"] - empty) <= 2


def test_wrong_programs_with_right_prose_do_not_reach_hire(material: Material, hold: Hold) -> None:
    def answer(item: Item) -> Line:
        return {"text": "def f(): ..."} if item.kind is Kind.CODE else right(material, item)

    verdict = hold(lines_of(material, answer)).report["verdict"]
    assert verdict["capped_by"] == "code"
    assert {verdict["word"], verdict["band_low"], verdict["band_high"]} <= {"borderline", "no"}


def test_a_persons_anchor_overrides_the_machine_and_both_stand_in_the_report(
    material: Material, hold: Hold
) -> None:
    item = next(each for each in planned(material) if each.kind is Kind.CONCEPT)
    line = {"item": item.id, "seconds": 60, **right(material, item)}
    machine = hold([line]).report
    both = hold([line | {"anchor": 0, "evidence": "It was read from a page."}]).report
    (shown,) = both["items"]
    assert (shown["machine_score"], shown["human_score"], shown["score"]) == (1.0, 0.0, 0.0)
    assert shown["by"] == "human"
    assert shown["quote"] == "It was read from a page."
    assert both["total"]["score"] < machine["total"]["score"]


def test_a_prediction_is_reported_by_the_lines_that_were_to_choose_from(
    material: Material, hold: Hold
) -> None:
    item = next(each for each in planned(material) if each.kind is Kind.PREDICT)
    report = hold([{"item": item.id, "seconds": 60, **right(material, item)}]).report
    assert report["evidence"]
    for each in report["evidence"]:
        assert each["words"]["en"].startswith("`assert ")
        assert f"<code>{escape(each['words']['en'].strip('`'))}</code>" in draw_page(report, "en")


def test_the_page_of_a_report_shows_quoted_words_as_text(material: Material, hold: Hold) -> None:
    item = next(each for each in planned(material) if each.kind is Kind.CONCEPT)
    line = {"item": item.id, "seconds": 60, "anchor": 3, "evidence": "x"}
    report = hold([line | right(material, item)]).report
    quoting = [*report["items"], *(each for each in report["evidence"] if each["quote"])]
    assert len(quoting) > 1
    for each in quoting:
        each["quote"] = "<script>"
    for lang in LANGS:
        page = draw_page(report, lang)
        assert page.count("<q>&lt;script&gt;</q>") == len(quoting)
        assert "<script>" not in page


def test_the_same_script_gives_the_same_report(material: Material, hold: Hold) -> None:
    lines: list[Line] = [
        {"item": "next", "seconds": 100, "text": "I do not know."},
        {"event": "pause", "seconds": 120},
        {"event": "kill", "seconds": 30},
        {"event": "quiet", "seconds": 60},
        {"item": "next", "seconds": 30},
    ]
    one, other = hold(lines).report, hold(lines).report
    assert one == other
    assert one["elapsed_s"] == 100 + 60 + 30
    assert [each["kind"] for each in one["interruptions"]] == ["paused", "gap", "quiet"]


def test_an_answer_after_the_end_of_its_item_is_cut_off(hold: Hold) -> None:
    report = hold([{"item": "next", "seconds": 3000, "text": "late"}]).report
    (shown,) = report["items"]
    assert shown["is_cut_off"]
    assert shown["used_s"] <= 60 * shown["minutes"] + 31


def test_half_an_hour_gives_an_indication_and_no_verdict(material: Material, hold: Hold) -> None:
    lines = [{"item": "next", "seconds": 60, "text": "no"} for _ in range(20)]
    report = hold(lines, minutes=30).report
    assert report["is_indication"]
    assert report["verdict"]["word"] is None


@pytest.mark.parametrize(
    ("line", "code", "word"),
    [
        ('{"item": "question:9.9.9.9.9"}', "interview.script_line", "9.9.9.9.9"),
        ('{"item": "next", "anchor": 4, "evidence": "x"}', "interview.script_line", "4"),
        ('{"item": "next", "anchor": 3}', "interview.script_line", "3"),
        ('{"event": "sleep"}', "interview.script_line", "sleep"),
        ('{"event": "resume"}', "interview.script_line", "between"),
        ('{"item": "next", "mood": 1}', "interview.script_json", "mood"),
        ("not json", "interview.script_json", ""),
        ('{"seconds": 3}', "interview.script_one", ""),
        ('{"item": "next", "seconds": -1}', "interview.script_seconds", "-1"),
    ],
)
def test_a_bad_line_is_named_in_both_languages(
    material: Material, tmp_path: Path, line: str, code: str, word: str
) -> None:
    path = tmp_path / "script.jsonl"
    path.write_text('{"event": "quiet", "seconds": 1}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        run_script(
            material, read_setting(level="mid", minutes=30, seed=1), read_script(path), knows
        )
    assert caught.value.code == code
    for lang in ("en", "zh"):
        message = caught.value.message(lang)
        assert "2" in message
        assert word in message
        assert caught.value.hint(lang)
