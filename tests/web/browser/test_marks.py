"""A problem is marked on its page and in the list, by mouse and by keyboard; a filter lists it."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.web.browser.conftest import PageOpener, rows
from tests.web.browser.watched import settle
from tests.web.live import LiveServer

pytestmark = [pytest.mark.web, pytest.mark.browser, pytest.mark.full]

SAY = {
    "en": {"page": "Mark this problem", "row": "Mark 07 LayerNorm", "label": "Marks"},
    "zh": {"page": "标记这道题", "row": "标记 07 手写 LayerNorm", "label": "标记"},
}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_problem_is_marked_and_the_marked_ones_are_listed(
    own_server: LiveServer, enter: PageOpener, lang: str
) -> None:
    say = SAY[lang]
    page = enter(own_server.start(), lang, at="/problems/42")
    button = page.get_by_role("button", name=say["page"])
    expect(button).to_have_attribute("aria-pressed", "false")
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(button).to_have_attribute("aria-pressed", "true")

    page.goto(f"{own_server.url}/{lang}/problems")
    in_row = page.get_by_role("button", name=say["row"])
    in_row.click()
    expect(in_row).to_have_attribute("aria-pressed", "true")
    # The row itself is a link; the mark does not follow it.
    assert page.url.endswith("/problems")
    page.get_by_role("combobox", name=say["label"]).select_option("yes")
    expect(page.get_by_role("table").get_by_role("button")).to_have_count(2)
    assert rows(page) == ["07", "42"]
    assert page.url.endswith("?mark=yes")
    page.reload()
    expect(page.get_by_role("table").get_by_role("button")).to_have_count(2)
    in_row.press("Space")
    expect(page.get_by_role("table").get_by_role("button")).to_have_count(1)


def test_a_mark_on_a_narrow_screen_does_not_open_the_problem(
    own_server: LiveServer, enter: PageOpener
) -> None:
    page = enter(own_server.start(), at="/problems", viewport={"width": 320, "height": 640})
    settle(page)
    button = page.get_by_role("button", name=SAY["en"]["row"])
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    assert page.url.endswith("/problems")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_two_quick_presses_leave_it_as_it_was(own_server: LiveServer, enter: PageOpener) -> None:
    page = enter(own_server.start(), at="/problems/42")
    button = page.get_by_role("button", name=SAY["en"]["page"])
    sent: list[str | None] = []
    page.on("request", lambda each: sent.append(each.post_data) if each.method == "PUT" else None)
    button.evaluate("(it) => { it.click(); it.click(); }")
    settle(page)
    expect(button).to_have_attribute("aria-pressed", "false")
    assert [json.loads(each or "") for each in sent] == [{"marked": True}, {"marked": False}]
