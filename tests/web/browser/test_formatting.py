"""The text is formatted as one change that can be undone; a text with an error stays."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.browser.conftest import PageOpener
from tests.web.browser.desk import Desk
from tests.web.live import LiveServer

pytestmark = [pytest.mark.browser, pytest.mark.web, pytest.mark.full]

WORDS = {
    "en": {"format": "Format", "refused": "it has a syntax error"},
    "zh": {"format": "格式化", "refused": "有语法错误"},
}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_text_is_formatted_in_one_step(
    used_server: LiveServer, enter: PageOpener, lang: str
) -> None:
    desk = Desk(page=enter(used_server, lang), lang=lang).open("03")
    desk.write("x  = [1,2]\ny=( x )\n")
    desk.page.get_by_role("button", name=WORDS[lang]["format"], exact=True).click()
    desk.expect_text("x = [1, 2]\ny = x\n")
    desk.editor.click()
    desk.page.keyboard.press("Control+z")
    desk.expect_text("x  = [1,2]\ny=( x )\n")
    desk.page.keyboard.press("Shift+Alt+F")
    desk.expect_text("x = [1, 2]\ny = x\n")
    desk.write("def f(:\n")
    desk.page.keyboard.press("Shift+Alt+F")
    expect(desk.page.get_by_role("alert")).to_contain_text(WORDS[lang]["refused"])
    desk.expect_text("def f(:\n")
