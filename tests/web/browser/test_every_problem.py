"""Axe, narrow screens and print on the page of every problem."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.shipped import shipped_bank
from tests.web.browser.conftest import PageOpener
from tests.web.browser.desk import NO_SHIFT, RIGHT, Desk
from tests.web.browser.test_access import DESK, LANGS, PHONE, THEMES, axe, find_violations
from tests.web.browser.watched import settle
from tests.web.live import LiveServer

pytestmark = [pytest.mark.web, pytest.mark.browser, pytest.mark.full]
__all__ = ["axe", "find_violations"]

PROBLEMS = [problem.id for problem in shipped_bank()]
NARROW = {"width": 320, "height": 640}


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_axe_finds_nothing_serious_on_any_problem(
    practised: LiveServer,
    enter: PageOpener,
    find_violations: Callable[[Page], list[str]],
    problem: str,
    lang: str,
) -> None:
    page = enter(practised, lang, at=f"/problems/{problem}", viewport=DESK)
    settle(page)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    for viewport, theme in zip((DESK, PHONE, NARROW), (*THEMES, "light"), strict=True):
        page.set_viewport_size({"width": viewport["width"], "height": viewport["height"]})
        page.emulate_media(color_scheme=theme)
        # What becomes too wide is made reachable in the next frame.
        page.evaluate(FRAMES)
        assert find_violations(page) == [], (viewport, theme)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]


FRAMES = """() => new Promise((done) =>
    requestAnimationFrame(() => requestAnimationFrame(done)))"""
WIDE = """() => [...document.querySelectorAll("body *")].filter((each) => {
    if (each.getBoundingClientRect().right <= 321) return false;
    for (let box = each.parentElement; box; box = box.parentElement)
        if (getComputedStyle(box).overflowX !== "visible") return false;
    return each.checkVisibility({contentVisibilityAuto: true});
}).map((each) => each.outerHTML.slice(0, 120))"""


# What is pressed and is less than 24 px high or wide, by its name and size.
SMALL = """() => [...document.querySelectorAll(
    "main :is(a[href], button, summary, select, input:not([type=radio])), main [role=tab]"
)].filter((each) => each.checkVisibility({visibilityProperty: true})).flatMap((each) => {
    const {width, height} = each.getBoundingClientRect();
    return Math.min(width, height) < 23.9 ? [`${each.textContent}: ${width} x ${height}`] : [];
})"""


@pytest.mark.sandbox
@pytest.mark.torch
@pytest.mark.parametrize("lang", LANGS)
def test_a_verdict_fits_320_pixels_and_what_is_pressed_there_is_large_enough(
    own_server: LiveServer,
    enter: PageOpener,
    find_violations: Callable[[Page], list[str]],
    lang: str,
) -> None:
    desk = Desk(page=enter(own_server.start(), lang, viewport=NARROW), lang=lang).open("01")
    for text, words in ((NO_SHIFT, re.compile(r"^\s*WA")), (RIGHT, desk.say("AC"))):
        desk.judge(text, words)
        expect(desk.stone).to_be_visible()
        settle(desk.page)
        assert desk.page.evaluate(WIDE) == []
        assert desk.page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
        assert desk.page.evaluate(SMALL) == []
        assert find_violations(desk.page) == []
