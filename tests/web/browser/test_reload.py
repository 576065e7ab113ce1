"""A problem opens with its last verdict and its state; a run of the samples is neither."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.web.browser.conftest import PageOpener
from tests.web.browser.desk import NO_SHIFT, PATIENCE_MS, RIGHT, STARTER, Desk
from tests.web.live import LiveServer

pytestmark = [
    pytest.mark.browser,
    pytest.mark.web,
    pytest.mark.sandbox,
    pytest.mark.torch,
    pytest.mark.full,
]

GOLD_TICK = "M1.5 6.6 4.6 9.6 10.5 2.6"
SAY: dict[str, dict[str, Any]] = {
    "en": {
        "untouched": "untouched",
        "begun": "begun, nothing submitted",
        "last WA": "last WA",
        "proven": re.compile(r"^\s*proven (\d+)/\1\s*$"),
        "proven, WA": re.compile(r"^\s*proven (\d+)/\1, last WA\s*$"),
        "samples": "The samples pass",
        "samples fail": "RTE error while running",
        "WA": "WA wrong value",
        "past": "The last verdict, ",
        "past run": "The last run of the samples, ",
        "away": "Put it away",
        "put away": "The report is put away",
        "tab": re.compile("^Submissions"),
        "filters": ["All", "Submissions 3", "Runs of the samples 2"],
        "rows": ["3", "run 2", "2", "1", "run 1"],
        "only": "samples only",
        "pass": "samples pass",
        "from": "From run 2 to 3",
        "pick": ("Compare run 2 of the samples", "Compare submission 3"),
    },
    "zh": {
        "untouched": "还没做过",
        "begun": "已动手，还没有提交",
        "last WA": "上次 WA",
        "proven": re.compile(r"^\s*已证明 (\d+)/\1\s*$"),
        "proven, WA": re.compile(r"^\s*已证明 (\d+)/\1，上次 WA\s*$"),
        "samples": "样例通过",
        "samples fail": "RTE 运行出错",
        "WA": "WA 数值错误",
        "past": "上次判定，",
        "past run": "上次运行样例，",
        "away": "收起报告",
        "put away": "报告已收起",
        "tab": re.compile("^提交记录"),
        "filters": ["全部", "提交 3", "样例运行 2"],
        "rows": ["3", "样例 2", "2", "1", "样例 1"],
        "only": "仅样例",
        "pass": "样例通过",
        "from": "从样例 2到第 3 次",
        "pick": ("对比样例 2", "对比第 3 次"),
    },
}


def expect_state(desk: Desk, words: str | re.Pattern[str]) -> None:
    """Wait for the state in the head."""
    expect(desk.page.locator(".standing")).to_have_text(words, timeout=PATIENCE_MS)


def reload(desk: Desk) -> None:
    """Load the page again and wait until one can write."""
    desk.page.reload()
    desk.expect_ready()


def run(desk: Desk, text: str, words: str | re.Pattern[str]) -> None:
    """Run the samples on a text."""
    desk.write(text)
    desk.button("run").click()
    desk.expect_verdict(words)
    desk.expect_over()


def expect_no_proof(desk: Desk) -> None:
    """See that the stone shows neither gold nor AC."""
    expect(desk.verdict.locator(".v.ac")).to_have_count(0)
    expect(desk.verdict).not_to_contain_text("AC")
    assert desk.verdict.locator("path").get_attribute("d") != GOLD_TICK
    expect(desk.stone.locator(".s-gold, .f-gold, .hall")).to_have_count(0)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_state_and_the_last_verdict_survive_a_reload(
    own_server: LiveServer, enter: PageOpener, lang: str
) -> None:
    own_server.start()
    desk, say = Desk(page=enter(own_server, lang), lang=lang).open(), SAY[lang]
    expect_state(desk, say["untouched"])
    reload(desk)
    expect_state(desk, say["untouched"])
    expect(desk.verdict).to_have_count(0)

    run(desk, RIGHT, say["samples"])
    for _ in range(2):
        expect_no_proof(desk)
        expect_state(desk, say["begun"])
        expect(desk.page.get_by_role("tab", name=say["tab"]).locator(".count")).to_have_count(0)
        reload(desk)
        desk.expect_verdict(say["samples"])
        expect(desk.page.get_by_text(say["past run"])).to_be_visible()

    desk.judge(NO_SHIFT, say["WA"])
    expect_state(desk, say["last WA"])
    reload(desk)
    desk.expect_verdict(say["WA"])
    expect(desk.page.get_by_text(say["past"])).to_be_visible()
    expect_state(desk, say["last WA"])

    desk.judge(RIGHT, desk.say("AC"))
    expect_state(desk, say["proven"])
    reload(desk)
    desk.expect_verdict(desk.say("AC"))
    expect_state(desk, say["proven"])
    expect(desk.stone.locator(".hall")).to_be_visible()

    # This tab goes on with its run; a new one begins with the last verdict.
    run(desk, STARTER, say["samples fail"])
    expect(desk.stone).to_contain_text(say["only"])
    expect_no_proof(desk)
    reload(desk)
    desk.expect_verdict(say["samples fail"])
    expect_state(desk, say["proven"])
    other = Desk(page=desk.page.context.new_page(), lang=lang)
    other.page.goto(desk.page.url)
    other.expect_verdict(desk.say("AC"))
    other.page.close()

    desk.judge(NO_SHIFT, say["WA"])
    expect_state(desk, say["proven, WA"])
    reload(desk)
    desk.expect_verdict(say["WA"])
    expect_state(desk, say["proven, WA"])
    desk.page.get_by_role("button", name=say["away"], exact=True).click()
    expect(desk.stone).to_contain_text(say["put away"])
    expect_history(desk)


def expect_history(desk: Desk) -> None:
    """See that runs have a mark, numbers and a filter of their own, and are in no count."""
    say, page = SAY[desk.lang], desk.page
    tab = page.get_by_role("tab", name=say["tab"])
    expect(tab.locator(".count")).to_have_text("3")
    tab.click()
    panel = page.get_by_role("tabpanel")
    rows = panel.get_by_role("row").filter(has=page.get_by_role("checkbox"))
    expect(rows.locator("td:first-child")).to_have_text(say["rows"], timeout=PATIENCE_MS)
    passed = rows.last
    expect(passed).to_contain_text(say["pass"])
    expect(passed).not_to_contain_text("AC")
    expect(passed.locator(".v.ac")).to_have_count(0)
    for name in say["pick"]:
        page.get_by_role("checkbox", name=name, exact=True).check()
    expect(page.get_by_role("heading", name=say["from"], exact=True)).to_be_visible()
    for name, wanted in zip(say["filters"], (5, 3, 2), strict=True):
        choice = panel.get_by_role("button", name=name, exact=True)
        choice.click()
        expect(choice).to_have_attribute("aria-pressed", "true")
        expect(rows).to_have_count(wanted)
    assert rows.locator("td:first-child").all_text_contents() == say["rows"][1::3]
