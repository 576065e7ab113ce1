"""Chapters in a browser: read, go on where one was, run a cell and change it, find a chapter."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.web.browser.conftest import PageOpener
from tests.web.browser.desk import PATIENCE_MS
from tests.web.live import LiveServer

pytestmark = [pytest.mark.web, pytest.mark.browser, pytest.mark.full]

WORDS = {
    "en": {
        "begin": "Begin to read",
        "run": "Run: Cell 1",
        "edit": "Edit",
        "reset": "Reset",
        "code": "Code of cell 1",
        "raised": "Line 2: ZeroDivisionError: division by zero",
        "was": "You were at:",
        "finish": "I have read it",
        "read": "1 of 43 chapters read",
        "kind": "chapter",
    },
    "zh": {
        "begin": "开始读",
        "run": "运行: 单元 1",
        "edit": "修改",
        "reset": "还原",
        "code": "单元 1 的代码",
        "raised": "第 2 行：ZeroDivisionError: division by zero",
        "was": "上次读到：",
        "finish": "读完了",
        "read": "共 43 章，读完 1 章",
        "kind": "章节",
    },
}
LANGS = pytest.mark.parametrize("lang", ["en", "zh"])


@LANGS
def test_a_cell_is_run_changed_kept_and_reset(
    server: LiveServer, enter: PageOpener, lang: str
) -> None:
    words = WORDS[lang]
    page = enter(server, lang, at="/learn/microtorch")
    cell = page.locator("#cell-1")
    cell.get_by_role("button", name=words["edit"], exact=True).click()
    field = page.get_by_label(words["code"])
    expect(field).to_be_focused()
    field.fill("print(6 * 7)\n1 / 0")
    # Ctrl and Enter run it, as they submit a program.
    field.press("Control+Enter")
    expect(cell.get_by_text(words["raised"])).to_be_visible(timeout=PATIENCE_MS)
    expect(cell.locator(".note pre")).to_have_text("42\n")
    page.reload()
    expect(page.get_by_label(words["code"])).to_have_value("print(6 * 7)\n1 / 0")
    cell.get_by_role("button", name=words["reset"], exact=True).click()
    expect(page.get_by_label(words["code"])).to_have_value(re.compile("class Scalar"))
    assert page.evaluate("Object.keys(localStorage).filter((key) => /chapter/.test(key))") == []


@LANGS
def test_reading_is_kept_and_goes_on_where_it_was(
    own_server: LiveServer, enter: PageOpener, lang: str
) -> None:
    own_server.start()
    words = WORDS[lang]
    page = enter(own_server, lang, at="/learn")
    expect(page.get_by_role("link", name=words["begin"])).to_be_visible()
    page.goto(f"{own_server.url}/{lang}/learn/masks")
    heading = page.locator("article h2").nth(2)
    with page.expect_response("**/reading"):
        heading.evaluate("(element) => element.scrollIntoView()")
    title = heading.inner_text()
    page.reload()
    expect(page.get_by_text(words["was"])).to_contain_text(title)
    page.get_by_role("button", name=words["finish"]).click()
    page.goto(f"{own_server.url}/{lang}/learn")
    expect(page.get_by_text(words["read"])).to_be_visible()


def colour(page: Page, selector: str, name: str) -> str:
    found: str = page.locator(selector).first.evaluate(
        "(element, name) => getComputedStyle(element)[name]", name
    )
    return found


def test_a_figure_follows_the_theme(server: LiveServer, enter: PageOpener) -> None:
    page = enter(server, at="/learn/checkpointing", color_scheme="light")
    bar = '.fig [fill="#2f81f7"]'
    light = colour(page, bar, "fill"), colour(page, ".fig svg", "color")
    page.emulate_media(color_scheme="dark")
    dark = colour(page, bar, "fill"), colour(page, ".fig svg", "color")
    assert light[0] != dark[0]
    assert light[1] != dark[1]


@LANGS
def test_the_palette_leads_to_a_chapter(server: LiveServer, enter: PageOpener, lang: str) -> None:
    page = enter(server, lang)
    page.keyboard.press("Control+k")
    page.get_by_role("dialog").get_by_role("combobox").fill("ZeRO")
    option = page.get_by_role("option").filter(has_text=WORDS[lang]["kind"]).first
    expect(option).to_be_visible()
    option.click()
    expect(page.get_by_role("article")).to_be_visible()


def test_a_link_leads_to_its_place_in_another_chapter(
    server: LiveServer, enter: PageOpener
) -> None:
    page = enter(server, at="/learn/attention")
    link = page.locator('article a[href*="/learn/masks#"]').first
    anchor = str(link.get_attribute("href")).partition("#")[2]
    link.click()
    expect(page.locator(f"[id='{anchor}']")).to_be_in_viewport()
