"""The text of the editor: its size, long lines and tabs as chosen, and no character unseen."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.web.browser.conftest import PageOpener
from tests.web.browser.desk import Desk
from tests.web.browser.watched import settle
from tests.web.live import LiveServer

pytestmark = [pytest.mark.web, pytest.mark.browser, pytest.mark.full]

WORDS = {
    "en": {"size": "Size", "wrap": "Long lines", "on": "Wrap", "tab": "Tab width"},
    "zh": {"size": "字号", "wrap": "过长的行", "on": "自动折行", "tab": "Tab 宽度"},
}
CONTROL = {"en": "Control character", "zh": "控制字符"}
LINE = "(box) => parseFloat(getComputedStyle(box).lineHeight)"
# Every character that changes the direction of what follows, and one that is not seen.
HIDDEN = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b"


def choose(page: Page, legend: str, option: str) -> None:
    """Choose in the settings."""
    group = page.get_by_role("group", name=legend, exact=True)
    group.get_by_role("radio", name=option, exact=True).check(force=True)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_size_long_lines_and_tabs_are_as_chosen_and_are_kept(
    practised: LiveServer, enter: PageOpener, lang: str
) -> None:
    # Narrow enough for the longest line of 41 in the narrowest of the fonts.
    page = enter(practised, lang, at="/problems/41", viewport={"width": 1150, "height": 768})
    desk, words = Desk(page=page, lang=lang), WORDS[lang]
    desk.expect_ready()
    scroller = page.locator(".cm-scroller")
    assert desk.editor.evaluate("(it) => getComputedStyle(it).fontSize") == "13px"
    assert scroller.evaluate("(it) => it.scrollWidth > it.clientWidth")
    page.goto(f"{practised.url}/{lang}/settings")
    settle(page)
    choose(page, words["size"], "16 px")
    choose(page, words["wrap"], words["on"])
    choose(page, words["tab"], "2")
    # Another document: it is in the browser, not in the page.
    page.goto(f"{practised.url}/{lang}/problems/41")
    desk.expect_ready()
    assert desk.editor.evaluate("(it) => getComputedStyle(it).fontSize") == "16px"
    assert desk.editor.evaluate(LINE) == 23
    assert scroller.evaluate("(it) => it.scrollWidth <= it.clientWidth")
    assert desk.editor.evaluate("(it) => getComputedStyle(it).tabSize") == "2"


def test_tab_indents_by_the_width_that_was_chosen(
    own_server: LiveServer, enter: PageOpener
) -> None:
    page = enter(own_server.start(), at="/settings")
    settle(page)
    choose(page, "Tab width", "2")
    desk = Desk(page=page).open("01")
    desk.write("x = 1")
    page.keyboard.press("Control+Home")
    page.keyboard.press("Tab")
    desk.expect_text("  x = 1")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_characters_that_are_not_seen_are_shown_by_number(
    own_server: LiveServer, enter: PageOpener, lang: str
) -> None:
    desk = Desk(page=enter(own_server.start(), lang), lang=lang).open("01")
    desk.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    desk.editor.click()
    desk.page.evaluate("text => navigator.clipboard.writeText(text)", f"x = 1  # {HIDDEN}")
    desk.page.keyboard.press("Control+a")
    desk.page.keyboard.press("Control+v")
    marks = desk.editor.locator(".cm-control")
    expect(marks).to_have_count(len(HIDDEN))
    numbers = [f"U+{ord(each):04X}" for each in HIDDEN]
    assert marks.all_text_contents() == numbers
    for number in numbers:
        expect(desk.editor.get_by_label(f"{CONTROL[lang]} {number}", exact=True)).to_have_count(1)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_question_mark_opens_the_list_of_keys_but_not_in_the_text(
    own_server: LiveServer, enter: PageOpener, lang: str
) -> None:
    desk = Desk(page=enter(own_server.start(), lang), lang=lang).open("01")
    keys = desk.page.locator("details", has=desk.page.locator("dl kbd"))
    desk.editor.click()
    desk.page.keyboard.press("?")
    expect(keys).not_to_have_attribute("open", "")
    expect(desk.editor).to_contain_text("?")
    desk.page.keyboard.press("Control+z")
    desk.page.locator("#tab-statement").focus()
    desk.page.keyboard.press("?")
    expect(keys).to_have_attribute("open", "")
    expect(keys.locator("summary")).to_be_focused()
    # Every line has keys and words, and Escape closes the list.
    assert keys.locator("dl > div").count() >= 9
    assert all(keys.locator("dd").all_text_contents())
    assert keys.locator("dl").evaluate("(it) => it.getBoundingClientRect().top >= 0")
    desk.page.keyboard.press("Escape")
    expect(keys).not_to_have_attribute("open", "")
