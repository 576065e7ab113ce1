"""What the detectors found is drawn: lanes, barrier and element, and the lines in the editor."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.web.browser.conftest import PageOpener
from tests.web.browser.desk import CONTENT, PATIENCE_MS, Desk
from tests.web.browser.test_access import DESK, PHONE, THEMES, axe, find_violations
from tests.web.live import LiveServer
from torchstone.core.patch import read_program

# Fixtures, which are used by name.
__all__ = ["axe", "find_violations"]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.web,
    pytest.mark.sandbox,
    pytest.mark.torch,
    pytest.mark.cudasim,
    pytest.mark.full,
]

WORDS = {
    "en": {
        "RACE": "RACE",
        "race": re.compile(r"use [ab]\[\d+\]\[\d+\] with no barrier"),
        "missing": "a barrier is missing here",
        "line": "Go to line 20 in the editor",
        "raw": "All findings as text",
        "said": re.compile(r"Line 1[67]: .* writes [ab]\["),
        "waits": re.compile("of 256 threads wait at the barrier"),
        "leaves": "Other threads leave the kernel",
        "unwritten": re.compile("is read before any thread writes it"),
        "outside": re.compile("is outside of the array"),
        "counters": "Counters",
    },
    "zh": {
        "RACE": "RACE",
        "race": re.compile(r"访问 [ab]\[\d+\]\[\d+\]，两者之间没有屏障"),
        "missing": "这里缺少屏障",
        "line": "在编辑器中转到第 20 行",
        "raw": "全部发现的原文",
        "said": re.compile(r"第 1[67] 行：.*写入 [ab]\["),
        "waits": re.compile("256 个线程中有 .* 个在屏障处等待"),
        "leaves": "其余线程离开核函数处",
        "unwritten": re.compile("在任何线程写入之前就被读取"),
        "outside": re.compile("超出数组"),
        "counters": "计数器",
    },
}
CASES = [("en", DESK, "light"), ("zh", PHONE, "dark")]


def program(problem: str, name: str) -> str:
    folder = next(CONTENT.glob(f"problems/{problem}_*"))
    return read_program(folder, name)


def replace_text(page: Page, text: str) -> None:
    """Paste a text over what is in the editor, where the keyboard is."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+v")


def judged(desk: Desk, problem: str, name: str, verdict: str) -> None:
    """Hand in a program of the bank; it is too long to be read back from the editor."""
    desk.open(problem)
    desk.editor.click()
    replace_text(desk.page, program(problem, name))
    desk.submit()
    desk.expect_verdict(re.compile(verdict))
    desk.expect_over()


def letters(page: Page) -> list[str]:
    """Read the letters that stand beside lines, from above."""
    marks = page.locator(".cm-letters .cm-gutterElement")
    expect(page.locator(".cm-letters")).to_have_text(re.compile(r"\w"), timeout=PATIENCE_MS)
    return [text for text in marks.all_inner_texts() if text.strip()]


@pytest.mark.parametrize(("lang", "viewport", "theme"), CASES)
def test_a_race_is_drawn_and_its_lines_are_marked_in_the_editor(
    own_server: LiveServer,
    enter: PageOpener,
    find_violations: Callable[[Page], list[str]],
    lang: str,
    viewport: dict[str, int],
    theme: Any,
) -> None:
    assert theme in THEMES
    words = WORDS[lang]
    page = enter(own_server.start(), lang, viewport=viewport, color_scheme=theme)
    desk = Desk(page=page, lang=lang)
    judged(desk, "44", "wrong/no_barrier_before_next_load.cu", "RACE")
    figure = desk.stone.get_by_role("img", name=words["race"])
    expect(figure).to_be_visible(timeout=PATIENCE_MS)
    expect(figure).to_contain_text(":18")
    expect(figure).to_contain_text(":22")
    expect(desk.stone.get_by_role("table").first).to_contain_text("20")
    # The text of the detectors is folded.
    raw = desk.stone.get_by_text(words["raw"])
    expect(desk.stone.get_by_role("region", name=words["raw"])).to_be_hidden()
    raw.click()
    expect(desk.stone.get_by_role("region", name=words["raw"])).to_contain_text("kernel.cu:20")
    # A line leads to its place, by keyboard.
    link = desk.stone.get_by_role("button", name=words["line"]).first
    link.focus()
    page.keyboard.press("Enter")
    expect(desk.editor).to_be_focused()
    expect(page.locator(".cm-activeLine")).to_contain_text("sum += a[y][i] * b[i][x];")
    assert letters(page) == ["W", "R"]
    # F8 goes to the next mark, comes round, and says what is there.
    page.keyboard.press("F8")
    expect(page.locator(".cm-activeLine")).to_contain_text(re.compile(r"(a|b)\[y\]\[x\] = "))
    expect(page.locator(".cm-announced")).to_have_text(words["said"])
    expect(page.locator(".cm-missing")).to_contain_text(words["missing"])
    expect(page.locator(".cm-missing")).to_contain_text("__syncthreads();")
    assert find_violations(page) == []
    width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert width <= 0


def test_the_marks_follow_their_lines_and_go_with_the_next_submission(
    own_server: LiveServer, enter: PageOpener
) -> None:
    page = enter(own_server.start(), "en")
    desk = Desk(page=page).open("44")
    judged(desk, "44", "wrong/no_barrier_before_next_load.cu", "RACE")
    expect(page.locator(".cm-found").first).to_be_visible(timeout=PATIENCE_MS)
    desk.editor.focus()
    page.keyboard.press("F8")
    before = page.locator(".cm-activeLine").inner_text()
    page.keyboard.press("Home")
    page.keyboard.type("// one more line")
    page.keyboard.press("Enter")
    expect(page.locator(".cm-found", has_text=before.strip()[:20]).first).to_be_visible()
    assert letters(page) == ["W", "R"]
    # What is written is the learner's text alone.
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+c")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "barrier is missing" not in copied
    replace_text(page, program("44", "solution.cu"))
    desk.submit()
    desk.expect_verdict(re.compile("AC"))
    expect(page.locator(".cm-found")).to_have_count(0)


@pytest.mark.parametrize(("lang", "viewport", "theme"), CASES)
def test_a_barrier_that_not_all_reach_shows_the_threads_and_both_lines(
    own_server: LiveServer,
    enter: PageOpener,
    find_violations: Callable[[Page], list[str]],
    lang: str,
    viewport: dict[str, int],
    theme: Any,
) -> None:
    words = WORDS[lang]
    page = enter(own_server.start(), lang, viewport=viewport, color_scheme=theme)
    desk = Desk(page=page, lang=lang)
    judged(desk, "44", "wrong/early_return.cu", "RACE")
    figure = desk.stone.get_by_role("img", name=words["waits"])
    expect(figure).to_be_visible(timeout=PATIENCE_MS)
    expect(desk.stone).to_contain_text(str(words["leaves"]))
    assert letters(page)[:2] in (["X", "B"], ["B"], ["X"])
    assert find_violations(page) == []


@pytest.mark.parametrize(
    ("problem", "name", "verdict", "key", "lang"),
    [
        ("44", "wrong/tail_not_cleared.cu", "UNINIT", "unwritten", "en"),
        ("42", "wrong/guard_off_by_one.cu", "OOB", "outside", "zh"),
    ],
)
def test_an_access_to_the_wrong_element_shows_the_array(
    own_server: LiveServer,
    enter: PageOpener,
    find_violations: Callable[[Page], list[str]],
    problem: str,
    name: str,
    verdict: str,
    key: str,
    lang: str,
) -> None:
    page = enter(own_server.start(), lang, viewport=PHONE, color_scheme="dark")
    desk = Desk(page=page, lang=lang)
    judged(desk, problem, name, verdict)
    figure = desk.stone.get_by_role("img", name=WORDS[lang][key])
    expect(figure).to_be_visible(timeout=PATIENCE_MS)
    desk.stone.get_by_role("button", name=re.compile(r"\d+")).first.click()
    expect(desk.editor).to_be_focused()
    expect(page.locator(".cm-letters")).to_contain_text("R")
    assert find_violations(page) == []


@pytest.mark.parametrize(("lang", "viewport", "theme"), CASES)
def test_after_an_ac_the_counters_stand_beside_their_lines(
    own_server: LiveServer,
    enter: PageOpener,
    find_violations: Callable[[Page], list[str]],
    lang: str,
    viewport: dict[str, int],
    theme: Any,
) -> None:
    words = WORDS[lang]
    page = enter(own_server.start(), lang, viewport=viewport, color_scheme=theme)
    desk = Desk(page=page, lang=lang)
    judged(desk, "44", "solution.cu", "AC")
    toggle = page.get_by_role("button", name=str(words["counters"]), exact=True)
    expect(toggle).to_have_attribute("aria-pressed", "true", timeout=PATIENCE_MS)
    numbers = page.locator(".cm-counted .cm-numbers")
    expect(numbers.first).to_be_attached()
    # What scrolls under the buttons at the lower edge would count as their neighbour.
    page.evaluate("scrollTo(0, 0)")
    assert find_violations(page) == []
    toggle.focus()
    page.keyboard.press("Enter")
    expect(toggle).to_have_attribute("aria-pressed", "false")
    expect(numbers).to_have_count(0)
