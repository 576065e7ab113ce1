"""The panes of a problem: two splitters, full size, and what each size of the window shows."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.web.browser.conftest import Launch, PageOpener
from tests.web.browser.desk import NO_SHIFT, Desk
from tests.web.browser.watched import settle
from tests.web.live import LiveServer

pytestmark = [pytest.mark.web, pytest.mark.browser, pytest.mark.full]

LANGS = ("en", "zh")
SMALL: dict[str, Any] = {"width": 1366, "height": 768}
WIDTHS = (900, 1024, 1080, 1366, 1920)
COLUMNS = {"en": "Width of the statement", "zh": "题面的宽度"}
ROWS = {"en": "Height of the editor", "zh": "编辑器的高度"}
FULL = {
    "statement": "Statement in full size",
    "code": "Editor in full size",
    "verdict": "Verdict in full size",
}
PANES = {"statement": "#statement", "code": ".cm-editor", "verdict": "#verdict"}
# Lines of the editor that are seen whole, or would be if the text were longer.
LINES = """() => {
    const box = document.querySelector(".cm-scroller");
    return Math.floor((box.clientHeight - 12) / 20);
}"""
# Whether an element is seen whole, with respect to every box that scrolls around it.
IS_WHOLE = """(element) => {
    const own = element.getBoundingClientRect();
    if (!element.checkVisibility() || own.height === 0) return false;
    for (let box = element.parentElement; box; box = box.parentElement) {
        if (getComputedStyle(box).overflowY === "visible") continue;
        const seen = box.getBoundingClientRect();
        if (own.bottom > seen.top + box.clientHeight + 1 || own.top < seen.top - 1) return false;
    }
    return own.top >= 0 && own.bottom <= innerHeight && own.right <= innerWidth;
}"""


@pytest.fixture(scope="module")
def browser(launch: Launch) -> Browser:
    """Return a browser that shows its scrollbars, as a learner's does."""
    return launch(has_scrollbars=True)


def show(
    enter: PageOpener, server: LiveServer, lang: str = "en", problem: str = "04", **options: Any
) -> Desk:
    """Show a problem that nothing was handed in for."""
    options.setdefault("viewport", SMALL)
    page = enter(server, lang, at=f"/problems/{problem}", **options)
    settle(page)
    desk = Desk(page=page, lang=lang)
    desk.expect_ready()
    return desk


def is_whole(element: Locator) -> bool:
    """Return whether an element is seen whole."""
    return bool(element.evaluate(IS_WHOLE))


def splitter(page: Page, name: str) -> Locator:
    """Return a splitter."""
    return page.get_by_role("separator", name=name, exact=True)


def place(line: Locator) -> int:
    """Read where a splitter stands, in percent."""
    return int(line.get_attribute("aria-valuenow") or "-1")


def expect_place(line: Locator, share: int) -> None:
    """Wait until a splitter says this place, or the one next to it."""
    at = "|".join(str(share + step) for step in (-1, 0, 1))
    expect(line).to_have_attribute("aria-valuenow", re.compile(f"^({at})$"))


def box_of(element: Locator) -> dict[str, float]:
    """Measure an element."""
    box = element.bounding_box()
    assert box is not None
    return dict(box)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("width", WIDTHS)
def test_statement_and_editor_are_side_by_side_without_scrolling(
    practised: LiveServer, enter: PageOpener, width: int, lang: str
) -> None:
    desk = show(enter, practised, lang, viewport={"width": width, "height": 768})
    statement, editor = box_of(desk.page.locator(".asked")), box_of(desk.editor.locator(".."))
    assert statement["x"] + statement["width"] <= editor["x"]
    assert statement["y"] < 100
    assert editor["y"] < 120
    sizes = desk.page.evaluate(
        "[document.documentElement.scrollHeight - innerHeight,"
        " document.documentElement.scrollWidth - innerWidth]"
    )
    assert sizes == [0, 0]
    asked = desk.page.locator(".asked")
    assert asked.evaluate("(pane) => pane.scrollWidth - pane.clientWidth") == 0
    assert is_whole(desk.button("submit"))
    for name in (COLUMNS, ROWS):
        expect(splitter(desk.page, name[lang])).to_be_visible()


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("problem", ["04", "41"])
def test_24_lines_are_seen_before_a_verdict(
    practised: LiveServer, enter: PageOpener, problem: str, lang: str
) -> None:
    desk = show(enter, practised, lang, problem)
    assert desk.page.evaluate(LINES) >= 24
    assert is_whole(desk.button("submit"))
    assert is_whole(desk.stone)


@pytest.mark.sandbox
@pytest.mark.torch
@pytest.mark.parametrize("lang", LANGS)
def test_a_verdict_leaves_ten_lines_and_shows_sentence_and_numbers(
    own_server: LiveServer, enter: PageOpener, lang: str
) -> None:
    desk = Desk(page=enter(own_server.start(), lang, viewport=SMALL), lang=lang).open("01")
    desk.judge(NO_SHIFT, re.compile("WA"))
    page = desk.page
    expect(page.locator("#tab-submissions .count")).to_be_visible()
    assert page.evaluate(LINES) >= 10
    assert is_whole(desk.button("submit"))
    assert is_whole(desk.verdict)
    assert is_whole(desk.stone.locator(".say"))
    # The input, what was expected and what came.
    for number in range(3):
        assert is_whole(desk.stone.locator(".ten td").nth(number)), number


@pytest.mark.parametrize("lang", LANGS)
def test_a_splitter_moves_by_keyboard_and_keeps_its_place(
    practised: LiveServer, enter: PageOpener, lang: str
) -> None:
    desk = show(enter, practised, lang)
    page = desk.page
    columns, rows = splitter(page, COLUMNS[lang]), splitter(page, ROWS[lang])
    for line, less, more, controls in (
        (columns, "ArrowLeft", "ArrowRight", "statement"),
        (rows, "ArrowUp", "ArrowDown", "code"),
    ):
        expect(line).to_have_attribute("aria-controls", controls)
        line.focus()
        least, most = (int(line.get_attribute(f"aria-value{end}") or "") for end in ("min", "max"))
        page.keyboard.press("Home")
        expect_place(line, least)
        page.keyboard.press("End")
        expect_place(line, most)
        before = place(line)
        page.keyboard.press(less)
        expect_place(line, before - 2)
        page.keyboard.press(more)
        expect_place(line, before)
        page.keyboard.press(f"Shift+{less}")
        expect_place(line, before - 10)
        assert line.evaluate("(line) => line === document.activeElement")
        assert is_whole(desk.button("submit"))
    kept = [place(columns), place(rows)]
    page.reload()
    desk.expect_ready()
    expect_place(columns, kept[0])
    expect_place(rows, kept[1])
    # Another problem stands in the same place.
    page.goto(page.url.replace("04", "41"))
    desk.expect_ready()
    expect_place(columns, kept[0])


def test_a_splitter_follows_the_mouse_and_a_double_click_resets_it(
    practised: LiveServer, enter: PageOpener
) -> None:
    desk = show(enter, practised)
    page = desk.page
    for name, axis in ((COLUMNS["en"], "x"), (ROWS["en"], "y")):
        line = splitter(page, name)
        first, box = place(line), box_of(line)
        middle = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        step = {"x": 0.0, "y": 0.0, axis: -150.0}
        page.mouse.move(middle["x"], middle["y"])
        page.mouse.down()
        page.mouse.move(middle["x"] + step["x"], middle["y"] + step["y"], steps=5)
        page.mouse.up()
        moved = box_of(line)
        assert abs(moved[axis] - box[axis] + 150) < 3, name
        # It is let go.
        page.mouse.move(400, 400)
        assert box_of(line) == moved
        page.reload()
        desk.expect_ready()
        expect(line).not_to_have_attribute("aria-valuenow", "50")
        assert abs(box_of(line)[axis] - moved[axis]) < 6, name
        line.dblclick()
        expect_place(line, first)


def test_a_splitter_that_is_dragged_goes_back_with_escape(
    practised: LiveServer, enter: PageOpener
) -> None:
    page = show(enter, practised).page
    line = splitter(page, COLUMNS["en"])
    first, box = place(line), box_of(line)
    page.mouse.move(box["x"] + 4, 300)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, 300, steps=3)
    page.keyboard.press("Escape")
    page.mouse.move(box["x"] + 250, 300)
    page.mouse.up()
    expect_place(line, first)


def test_a_splitter_follows_a_finger(practised: LiveServer, enter: PageOpener) -> None:
    desk = show(enter, practised, has_touch=True)
    page = desk.page
    line = splitter(page, COLUMNS["en"])
    box = box_of(line)
    x, y = box["x"] + box["width"] / 2, 400
    assert box["width"] >= 24 or not page.evaluate("matchMedia('(pointer: coarse)').matches")
    client = page.context.new_cdp_session(page)
    for kind, at in (("touchStart", x), ("touchMove", x + 60), ("touchMove", x + 120)):
        points = [{"x": at, "y": y}]
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(line).not_to_have_attribute("aria-valuenow", "43")
    assert abs(box_of(line)["x"] - box["x"] - 120) < 3


@pytest.mark.parametrize("width", [900, 1366])
def test_one_pane_has_the_window_and_submit_stays(
    practised: LiveServer, enter: PageOpener, width: int
) -> None:
    desk = show(enter, practised, problem="04", viewport={"width": width, "height": 768})
    page = desk.page
    for pane in ("statement", "code"):
        button = page.get_by_role("button", name=FULL[pane])
        button.focus()
        page.keyboard.press("Enter")
        expect(button).to_have_attribute("aria-pressed", "true")
        expect(button).to_be_focused()
        for other, selector in PANES.items():
            if other == pane:
                assert box_of(page.locator(selector))["width"] > 0.55 * width
            else:
                expect(page.locator(selector)).to_be_hidden()
        assert is_whole(desk.button("submit")), pane
        page.keyboard.press("Enter")
        for selector in PANES.values():
            expect(page.locator(selector)).to_be_visible()


@pytest.mark.sandbox
@pytest.mark.torch
def test_a_verdict_ends_the_full_size_of_another_pane(
    own_server: LiveServer, enter: PageOpener
) -> None:
    desk = Desk(page=enter(own_server.start(), viewport=SMALL)).open("01")
    page = desk.page
    page.get_by_role("button", name=FULL["code"]).click()
    expect(page.locator("#verdict")).to_be_hidden()
    desk.judge(NO_SHIFT, re.compile("WA"))
    expect(desk.stone).to_be_visible()
    verdict = page.get_by_role("button", name=FULL["verdict"])
    verdict.click()
    expect(desk.editor).to_be_hidden()
    assert is_whole(desk.button("submit"))
    # What is asked for in the full verdict is shown.
    desk.stone.get_by_role("button", name="Run on this case").click()
    expect(desk.editor).to_be_visible()
    verdict.click()
    desk.stone.get_by_role("button", name="Next hint").click()
    expect(page.locator("#statement")).to_be_visible()


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("width", [899, 720, 390, 320])
def test_below_900_pixels_a_bar_leads_to_the_three_places_and_submit_stays(
    practised: LiveServer, enter: PageOpener, width: int, lang: str
) -> None:
    desk = show(enter, practised, lang, viewport={"width": width, "height": 768})
    page = desk.page
    places = page.get_by_role("navigation").filter(has=page.locator("a[href='#code']"))
    for number, identifier in enumerate(("statement", "code", "verdict")):
        link = places.get_by_role("link").nth(number)
        link.click()
        expect(link).to_have_attribute("aria-current", "location")
        assert page.locator(f"#{identifier}").evaluate("(it) => it === document.activeElement")
        assert is_whole(link)
        assert is_whole(desk.button("submit")), identifier
    for name in (COLUMNS, ROWS):
        expect(splitter(page, name[lang])).to_be_hidden()
    # The bar at the lower edge hides nothing of the end.
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    foot = box_of(page.get_by_role("contentinfo"))
    assert foot["y"] + foot["height"] <= box_of(desk.button("submit"))["y"]


def test_nothing_is_said_of_isolation_before_the_judge_knows_it(
    practised: LiveServer, enter: PageOpener
) -> None:
    page = enter(practised, viewport=SMALL)
    state = {"ready": False}

    def answer(route: Route) -> None:
        status = json.loads(route.fetch().text())
        status["host"] |= {"isolation": "none", "ready": state["ready"]}
        route.fulfill(json=status)

    page.route("**/api/status", answer)
    page.goto(f"{practised.url}/en/problems/04")
    Desk(page=page).expect_ready()
    expect(page.get_by_text("Judge warming up")).to_be_visible()
    notice = page.get_by_text("This machine does not isolate programs")
    assert notice.count() == 0
    assert page.get_by_role("contentinfo").get_by_text("Isolation").count() == 0
    state["ready"] = True
    expect(notice).to_be_visible()
    expect(page.get_by_role("contentinfo").get_by_text("Isolation")).to_be_visible()
