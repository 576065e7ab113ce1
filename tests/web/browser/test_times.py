"""After an acceptance: its time beside the model solutions and one's own, and what differs."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.web.browser.conftest import PageOpener
from tests.web.browser.desk import PATIENCE_MS, RIGHT, Desk
from tests.web.live import LiveServer

pytestmark = [
    pytest.mark.browser,
    pytest.mark.web,
    pytest.mark.sandbox,
    pytest.mark.torch,
    pytest.mark.full,
]

# On a busy machine one takes more than a second.
TIME = re.compile(r"\d\sm?s")

SAY = {
    "en": {
        "title": "Time of the cases",
        "measure": "Measure 5 model solutions",
        "unknown": "not measured",
        "note": "the median of 3 judgements",
        "compare": "Compare with Model solution",
        "added": "0 lines removed, 1 added.",
        "earlier": "Yours, ",
    },
    "zh": {
        "title": "各个用例的用时",
        "measure": "测量 5 份参考答案",
        "unknown": "未测",
        "note": "3 次评测的中位数",
        "compare": "与参考答案对比",
        "added": "删去 0 行，新增 1 行。",
        "earlier": "你的提交，",
    },
}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_times_are_compared_and_the_difference_is_shown(
    own_server: LiveServer, enter: PageOpener, lang: str
) -> None:
    own_server.extra["TORCHSTONE_CACHE"] = str(own_server.folder / "cache")
    desk, say = Desk(page=enter(own_server.start(), lang), lang=lang).open(), SAY[lang]
    for text in (RIGHT, f"{RIGHT}# once more\n"):
        desk.write(text)
        desk.submit()
        desk.expect_verdict(desk.say("AC"))
        expect(desk.stone.get_by_role("heading", name=say["title"])).to_be_visible(
            timeout=PATIENCE_MS
        )
        desk.expect_over()
    rows = desk.stone.get_by_role("table").last.get_by_role("row")
    # The head, this one, five solutions, the one before.
    expect(rows).to_have_count(8)
    expect(rows.filter(has_text=say["unknown"])).to_have_count(5)
    expect(rows.last).to_contain_text(say["earlier"])
    measure = desk.stone.get_by_role("button", name=say["measure"], exact=True)
    measure.click()
    expect(rows.filter(has_text=say["unknown"])).to_have_count(0, timeout=PATIENCE_MS)
    expect(measure).to_have_count(0)
    expect(desk.stone).to_contain_text(say["note"])
    expect(desk.stone.get_by_role("img", name=say["title"][:2]).last).to_be_visible()
    desk.stone.get_by_role("button", name=say["compare"], exact=True).click()
    expect(desk.stone).to_contain_text(say["added"])
    expect(desk.stone.locator(".add .text")).to_have_text("# once more")
    # What is measured is kept.
    desk.page.reload()
    expect(rows.filter(has_text=TIME)).to_have_count(7, timeout=PATIENCE_MS)
    expect(rows.filter(has_text=say["unknown"])).to_have_count(0)
