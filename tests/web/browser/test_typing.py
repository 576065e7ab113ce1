"""A typo is marked while it is typed, and submitting asks the judge all the same."""

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

SAY = {
    "en": {
        "typo": "Line 1: SyntaxError: expected ':'",
        "indent": re.compile("^Line 2: IndentationError: "),
        "CE": "CE cannot be loaded",
        "no try": "The program was not judged, so this does not count as a try.",
        "mark": "no try",
        "easy": "It was accepted on the first try, without a hint",
        "tab": re.compile("^Submissions"),
    },
    "zh": {
        "typo": "第 1 行：SyntaxError: expected ':'",
        "indent": re.compile("^第 2 行：IndentationError: "),
        "CE": "CE 无法加载",
        "no try": "程序没有进入评测，所以不算一次尝试。",
        "mark": "不算尝试",
        "easy": "没看提示，第一次尝试就通过",
        "tab": re.compile("^提交记录"),
    },
}
TYPOS = ("def softmax(x, dim=-1, dtype=None)\n    return x\n", "def softmax(x):\nreturn x\n")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_two_typos_then_right_is_easy(own_server: LiveServer, enter: PageOpener, lang: str) -> None:
    own_server.start()
    desk, say = Desk(page=enter(own_server, lang), lang=lang).open(), SAY[lang]
    status = desk.page.locator("#code").get_by_role("status")
    marked = desk.editor.locator(".cm-marked")
    for text, told in zip(TYPOS, (say["typo"], say["indent"]), strict=True):
        desk.write(text)
        expect(status).to_have_text(told, timeout=PATIENCE_MS)
        expect(desk.page.locator(".advice")).to_have_text(told)
        expect(marked).to_have_count(1)
        assert "Traceback" not in desk.text
        desk.submit()
        desk.expect_verdict(str(say["CE"]))
        desk.expect_over()
        expect(desk.stone).to_contain_text(str(say["no try"]))
    desk.write(RIGHT)
    # The line at which an earlier text could not be loaded is not marked in this one.
    expect(status).to_have_text("")
    expect(marked).to_have_count(0, timeout=PATIENCE_MS)
    desk.submit()
    desk.expect_verdict(desk.say("AC"))
    desk.expect_over()
    expect(desk.stone).to_contain_text(str(say["easy"]), timeout=PATIENCE_MS)
    desk.page.get_by_role("tab", name=say["tab"]).click()
    rows = desk.page.get_by_role("tabpanel").get_by_role("row")
    expect(rows.filter(has_text=str(say["mark"]))).to_have_count(2, timeout=PATIENCE_MS)


def test_a_typo_is_no_verdict_and_stops_nothing(own_server: LiveServer, enter: PageOpener) -> None:
    own_server.start()
    desk = Desk(page=enter(own_server)).open()
    marked = desk.editor.locator(".cm-marked")
    status = desk.page.locator("#code").get_by_role("status")
    desk.write("def softmax(x:\n    return x")
    expect(marked).to_have_text("def softmax(x:", timeout=PATIENCE_MS)
    # The mark goes with its line, and away with the mistake.
    desk.page.keyboard.press("Control+Home")
    desk.page.keyboard.press("Enter")
    expect(marked).to_have_text("def softmax(x:")
    expect(status).to_have_text(re.compile("^Line 2: "), timeout=PATIENCE_MS)
    # The same text once more: the edits between took the mark away.
    desk.write("def softmax(x:\n    return x")
    expect(marked).to_have_text("def softmax(x:", timeout=PATIENCE_MS)
    desk.write("def softmax(x):\n    return x")
    expect(marked).to_have_count(0, timeout=PATIENCE_MS)
    expect(status).to_have_text("")
    expect(desk.button("submit")).to_be_enabled()
