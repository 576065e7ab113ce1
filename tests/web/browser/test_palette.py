"""The palette goes to any problem, tab, page and setting, by keyboard, in both languages."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.web.browser.conftest import PageOpener
from tests.web.browser.desk import Desk
from tests.web.browser.watched import settle
from tests.web.live import LiveServer
from torchstone.web.shell import PAGE

pytestmark = [pytest.mark.browser, pytest.mark.web, pytest.mark.full]

PAGES = ("/", "/problems", "/review", "/settings", "/problems/44")
TITLES = {"en": "Go to", "zh": "跳转"}


def _is_palette_chunk(url: str) -> bool:
    manifest = json.loads((PAGE / "manifest.json").read_text())
    return url.endswith(manifest["src/parts/palette/open.ts"]["file"])


PALETTE_CHUNK = _is_palette_chunk


def field(page: Page, lang: str = "en") -> Locator:
    return page.get_by_role("dialog", name=TITLES[lang]).get_by_role("combobox", name=TITLES[lang])


def chosen(page: Page, lang: str = "en") -> Locator:
    return page.get_by_role("dialog", name=TITLES[lang]).locator(
        "[role=option][aria-selected=true]"
    )


def open_palette(page: Page) -> None:
    """Press its key in a page that is drawn, since one that still loads hears no key."""
    page.locator("main h1").first.wait_for(state="attached")
    page.keyboard.press("Control+k")


def go(page: Page, query: str, lang: str = "en") -> None:
    open_palette(page)
    expect(field(page, lang)).to_be_focused()
    page.keyboard.type(query)
    page.keyboard.press("Enter")
    expect(field(page, lang)).to_have_count(0)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    ("at", "query", "wanted"),
    [
        *((at, "03", "/problems/03") for at in PAGES),
        ("/", "softamx", "/problems/01"),
        ("/", "层归一化", "/problems/07"),
        ("/", "layer norm", "/problems/07"),
        ("/", "review", "/review"),
        ("/", "复习", "/review"),
        ("/", "03 notes", "/problems/03?tab=notes"),
        ("/", "03 笔记", "/problems/03?tab=notes"),
    ],
)
def test_a_query_leads_to_its_page(
    server: LiveServer, enter: PageOpener, lang: str, at: str, query: str, wanted: str
) -> None:
    page = enter(server, lang, at=at)
    go(page, query, lang)
    page.wait_for_url(f"{server.url}/{lang}{wanted}")


def test_a_tab_of_the_open_problem_leaves_the_page_as_it_is(
    used_server: LiveServer, enter: PageOpener
) -> None:
    desk = Desk(page=enter(used_server)).open("02")
    desk.write("tab = 1\n")
    go(desk.page, "subm")
    panel = desk.page.get_by_role("tabpanel", name=re.compile("^Submissions"))
    expect(panel).to_be_focused()
    assert desk.page.url.endswith("/problems/02?tab=submissions")
    # It is still the same editor: its history is there.
    desk.expect_text("tab = 1\n")
    desk.editor.click()
    desk.page.keyboard.press("Control+z")
    expect(desk.editor).not_to_have_text("tab = 1")


@pytest.mark.parametrize(
    ("lang", "query"), [("en", "theme"), ("en", "主题"), ("zh", "主题"), ("zh", "theme")]
)
def test_a_setting_is_shown_and_has_the_focus(
    server: LiveServer, enter: PageOpener, lang: str, query: str
) -> None:
    page = enter(server, lang)
    go(page, query, lang)
    page.wait_for_url(f"{server.url}/{lang}/settings")
    expect(page.locator("#setting-theme :focus")).to_have_count(1)


def test_escape_gives_the_focus_back_and_nothing_is_typed(
    used_server: LiveServer, enter: PageOpener
) -> None:
    desk = Desk(page=enter(used_server)).open("02")
    desk.write("x = 1\n")
    desk.page.keyboard.press("Control+k")
    expect(field(desk.page)).to_be_focused()
    desk.page.keyboard.type("zzzz")
    expect(desk.page.get_by_role("dialog").get_by_role("status")).to_have_text("Nothing found")
    desk.page.keyboard.press("Escape")
    expect(field(desk.page)).to_have_count(0)
    expect(desk.editor).to_be_focused()
    desk.expect_text("x = 1\n")


def test_a_screen_reader_follows_the_arrows(server: LiveServer, enter: PageOpener) -> None:
    page = enter(server)
    open_palette(page)
    expect(chosen(page)).to_have_count(1)
    first = chosen(page).get_attribute("id")
    page.keyboard.press("ArrowDown")
    expect(chosen(page)).not_to_have_attribute("id", first or "")
    expect(field(page)).to_have_attribute(
        "aria-activedescendant", chosen(page).get_attribute("id") or ""
    )
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(chosen(page)).to_be_in_viewport()


def test_fast_typing_goes_where_the_last_letter_leads(
    server: LiveServer, enter: PageOpener
) -> None:
    page = enter(server)
    open_palette(page)
    field(page).type("02")
    expect(chosen(page)).to_contain_text("02")
    page.keyboard.press("Backspace")
    page.keyboard.type("4")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{server.url}/en/problems/04")


def test_emacs_keeps_its_key_in_the_editor(used_server: LiveServer, enter: PageOpener) -> None:
    page = enter(used_server)
    page.goto(f"{used_server.url}/en/settings")
    page.get_by_role("radio", name=re.compile("emacs", re.IGNORECASE)).check(force=True)
    desk = Desk(page=page).open("02")
    desk.editor.click()
    before = desk.text
    page.keyboard.press("Control+Home")
    page.keyboard.press("Control+k")
    # It kills the rest of the line.
    first = before.split("\n")[0]
    desk.expect_text(before.removeprefix(first))
    expect(field(page)).to_have_count(0)
    page.get_by_role("tab", name="Statement").focus()
    page.keyboard.press("Control+k")
    expect(field(page)).to_be_focused()


def test_the_key_is_listed(server: LiveServer, enter: PageOpener) -> None:
    page = enter(server, at="/problems/01")
    page.get_by_role("tab", name="Statement").focus()
    page.keyboard.press("?")
    expect(
        page.locator("dl").filter(has_text="go to a problem, a tab or a setting")
    ).to_be_visible()


@pytest.mark.parametrize("tolerated", [["net::ERR_"]])
def test_a_palette_that_does_not_come_is_asked_for_again(
    server: LiveServer, enter: PageOpener
) -> None:
    page = enter(server)
    settle(page)
    page.route(PALETTE_CHUNK, lambda route: route.abort())
    with page.expect_event("requestfailed"):
        page.keyboard.press("Control+k")
    page.unroute(PALETTE_CHUNK)
    page.keyboard.press("Control+k")
    expect(field(page)).to_be_focused()
