"""The statements of all problems fit their column, and what still scrolls can be reached."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.shipped import shipped_bank
from tests.web.browser.conftest import Launch, PageOpener
from tests.web.browser.watched import settle
from tests.web.live import LiveServer

pytestmark = [pytest.mark.web, pytest.mark.browser, pytest.mark.full]

LANGS = ("en", "zh")
IDS = [problem.id for problem in shipped_bank()]
THEMES: dict[str, Any] = {"light": "rgb(131, 134, 127)", "dark": "rgb(102, 110, 117)"}
# What is wider than its box, anywhere in a statement.
WIDE = """() => [...document.querySelectorAll(".read :is(pre, .scroll, .fig, p, li)")]
    .filter((each) => each.scrollWidth > each.clientWidth && each.clientWidth > 0)
    .map((each) => `${each.className || each.tagName} ${each.textContent.slice(0, 60)}`)"""
# What scrolls but is not reached by Tab, or does not fade at its edge.
LOST = """() => [...document.querySelectorAll(".read :is(pre, .scroll, .fig)")]
    .filter((each) => each.scrollWidth > each.clientWidth)
    .filter((each) => each.tabIndex !== 0 || getComputedStyle(each).maskImage === "none")
    .map((each) => each.textContent.slice(0, 60))"""
SMALLEST_FORMULA = """() => Math.min(...[...document.querySelectorAll(".read .scroll:has(> math)")]
    .map((each) => parseFloat(getComputedStyle(each).fontSize)), 16)"""


@pytest.fixture(scope="module")
def browser(launch: Launch) -> Browser:
    """Return a browser that shows its scrollbars, as a learner's does."""
    return launch(has_scrollbars=True)


def open_statement(page: Page, server: LiveServer, lang: str, problem: str) -> None:
    """Show a statement and let it fit its formulas."""
    page.goto(f"{server.url}/{lang}/problems/{problem}")
    page.locator(".read .prose > *").first.wait_for()
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 30)))")


@pytest.mark.parametrize("lang", LANGS)
def test_every_statement_fits_its_column_at_1366_pixels(
    practised: LiveServer, enter: PageOpener, lang: str
) -> None:
    page = enter(practised, lang, viewport={"width": 1366, "height": 768})
    found: dict[str, list[str]] = {}
    for problem in IDS:
        open_statement(page, practised, lang, problem)
        assert page.locator(".read pre").count() > 0, problem
        found[problem] = page.evaluate(WIDE)
        assert page.evaluate(SMALLEST_FORMULA) >= 0.7 * 16, problem
    assert {problem: wide for problem, wide in found.items() if wide} == {}


@pytest.mark.parametrize("lang", LANGS)
def test_what_still_scrolls_is_reached_by_keyboard_and_fades(
    practised: LiveServer, enter: PageOpener, lang: str
) -> None:
    page = enter(practised, lang, viewport={"width": 390, "height": 844})
    num_wide = 0
    for problem in IDS:
        open_statement(page, practised, lang, problem)
        num_wide += len(page.evaluate(WIDE))
        assert page.evaluate(LOST) == [], problem
    assert num_wide > 0


def test_the_fade_is_where_code_goes_on_and_not_under_the_focus(
    practised: LiveServer, enter: PageOpener
) -> None:
    page = enter(practised, viewport={"width": 390, "height": 844})
    open_statement(page, practised, "en", "49")
    block = page.locator(".read pre").first
    is_before, is_beyond = (
        "(it) => it.classList.contains('before')",
        "(it) => it.classList.contains('beyond')",
    )
    assert not block.evaluate(is_before)
    assert block.evaluate(is_beyond)
    block.focus()
    assert block.evaluate("(it) => it === document.activeElement")
    page.keyboard.press("ArrowRight")
    expect(block).to_have_class(re.compile("before"))
    assert block.evaluate("(it) => getComputedStyle(it).maskImage") == "none"
    block.evaluate("(it) => it.scrollTo(9999, 0)")
    expect(block).not_to_have_class(re.compile("beyond"))


@pytest.mark.parametrize("theme", THEMES)
def test_scrollbars_are_thin_and_have_the_colours_of_the_theme(
    practised: LiveServer, enter: PageOpener, theme: Any
) -> None:
    page = enter(practised, at="/problems/49", color_scheme=theme)
    settle(page)
    for selector in (".asked", ".read pre", "#verdict", "html"):
        style = page.locator(selector).first.evaluate(
            "(it) => [getComputedStyle(it).scrollbarWidth, getComputedStyle(it).scrollbarColor]"
        )
        assert style == ["thin", f"{THEMES[theme]} rgba(0, 0, 0, 0)"], selector
    dark = page.locator(".stone").first.evaluate("(it) => getComputedStyle(it).scrollbarColor")
    assert dark.startswith(THEMES["dark"])
