"""Everybody can use every page: rules of axe, keyboard, narrow screens, no motion, languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, expect

from tests.web.browser.conftest import PageOpener
from tests.web.browser.desk import NO_SHIFT, RIGHT, Desk
from tests.web.browser.seeding import DUE
from tests.web.browser.watched import settle
from tests.web.live import LiveServer

pytestmark = [pytest.mark.web, pytest.mark.browser, pytest.mark.full]

AXE = Path(__file__).parents[3] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
ROUTES = (
    *("/", "/problems", "/problems/01", "/review", "/receipts", "/settings", "/nowhere"),
    *("/labs", "/distributed", "/doctor", "/questions", "/questions/2.1.2.1.1"),
    *("/learn", "/learn/one-call"),
)
LANGS = ("en", "zh")
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
DESK, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
HTML_LANGS = {"en": "en", "zh": "zh-CN"}
TITLES = {
    "/": {"en": "Home · Torchstone", "zh": "首页 · 试金石"},
    "/problems": {"en": "Problems · Torchstone", "zh": "题目 · 试金石"},
    "/review": {"en": "Review · Torchstone", "zh": "复习 · 试金石"},
    "/receipts": {"en": "Receipts · Torchstone", "zh": "收据 · 试金石"},
    "/labs": {"en": "Labs · Torchstone", "zh": "实验室 · 试金石"},
    "/distributed": {
        "en": "Distributed training · Torchstone",
        "zh": "分布式训练 · 试金石",
    },
    "/doctor": {"en": "Doctor · Torchstone", "zh": "性能诊断 · 试金石"},
    "/learn": {"en": "Learn · Torchstone", "zh": "学习 · 试金石"},
    "/learn/one-call": {
        "en": "One call's way through the dispatcher · Torchstone",
        "zh": "一次调用穿过分发器 · 试金石",
    },
    "/questions": {"en": "Questions · Torchstone", "zh": "问答 · 试金石"},
    "/questions/2.1.2.1.1": {"en": "Questions · Torchstone", "zh": "问答 · 试金石"},
    "/settings": {"en": "Settings · Torchstone", "zh": "设置 · 试金石"},
    "/nowhere": {"en": "Page not found · Torchstone", "zh": "没有这个页面 · 试金石"},
}
NOT_FOUND = "status of 404"

# Everything that Tab should stop at, in the order of the document; radio buttons are one stop.
STOPS = """() => {
    const wanted = "a[href], button, input, select, textarea, summary, [contenteditable=true]"
        + ", [tabindex]:not([tabindex='-1'])";
    const seen = new Set();
    return [...document.querySelectorAll(wanted)].filter((each) => {
        if (each.disabled || each.tabIndex < 0 || each.type === "file" && each.hidden) return false;
        if (!each.checkVisibility({visibilityProperty: true})) return false;
        if (each.type !== "radio") return true;
        const isStop = each.checked && !seen.has(each.name);
        if (isStop) seen.add(each.name);
        return isStop;
    }).map((each, index) => (each.dataset.stop = `${index}`, each.outerHTML.slice(0, 160)));
}"""
# The caret of an editor blinks without an end.
FINISH = """() => Promise.all(document.getAnimations()
    .filter((each) => each.effect.getComputedTiming().endTime !== Infinity)
    .map((each) => each.finished))"""
AT = "() => document.activeElement?.dataset.stop ?? null"


@pytest.fixture(scope="session")
def axe() -> str:
    """Read axe."""
    if not AXE.is_file():
        pytest.skip("axe is not installed; tools/page.sh does")
    return AXE.read_text("utf-8")


@pytest.fixture
def find_violations(axe: str) -> Callable[[Page], list[str]]:
    """Let axe look at a page as it stands, under its own content policy."""

    def look(page: Page) -> list[str]:
        # A theme that has just changed is still on its way, and would be measured half done.
        page.evaluate(FINISH)
        if not page.evaluate("'axe' in window"):
            page.evaluate(f"{axe}; null")
        run = """(tags) => axe.run(document, {
            runOnly: {type: "tag", values: tags}, resultTypes: ["violations"],
        })"""
        return list(_say(page.evaluate(run, TAGS)))

    return look


def _say(result: dict[str, Any]) -> Iterator[str]:
    for rule in result["violations"]:
        if rule["impact"] in ("serious", "critical"):
            for node in rule["nodes"]:
                target = " ".join(map(str, node["target"]))
                yield f"{rule['id']} ({rule['impact']}) at {target}: {node['failureSummary']}"


def show(enter: PageOpener, server: LiveServer, lang: str, route: str, **options: Any) -> Page:
    """Show a page, whole."""
    page = enter(server, lang, at=route, **options)
    settle(page)
    return page


@pytest.fixture(autouse=True)
def _no_such_page(request: pytest.FixtureRequest, tolerated: list[str]) -> None:
    """The browser reports the answer of the one address that does not exist."""
    callspec = getattr(request.node, "callspec", None)
    if callspec and callspec.params.get("route") == "/nowhere":
        tolerated.append(NOT_FOUND)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("route", ROUTES)
def test_axe_finds_nothing_serious_on_any_page_in_any_theme_and_width(
    practised: LiveServer,
    enter: PageOpener,
    find_violations: Callable[[Page], list[str]],
    route: str,
    lang: str,
) -> None:
    page = show(enter, practised, lang, route, viewport=DESK)
    for viewport in (DESK, PHONE):
        page.set_viewport_size({"width": viewport["width"], "height": viewport["height"]})
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            assert find_violations(page) == [], (viewport, theme)


def _open_review(page: Page) -> None:
    page.locator(f"#why-{DUE}").click()
    expect(page.locator(f"#why-{DUE}")).to_have_attribute("aria-expanded", "true")


def _find_in_bar(page: Page) -> None:
    page.get_by_role("combobox").first.fill("softmax")
    expect(page.get_by_role("option").first).to_be_visible()


def _find_in_list(page: Page) -> None:
    page.get_by_role("searchbox").fill("softmax")
    expect(page.get_by_role("row").filter(has_text="Softmax").first).to_be_visible()


def _find_nothing(page: Page) -> None:
    page.get_by_role("searchbox").fill("zzzz")
    expect(page.get_by_role("main").get_by_text("zzzz")).to_be_visible()


STATES: dict[str, tuple[str, Callable[[Page], None]]] = {
    "results under the bar": ("/settings", _find_in_bar),
    "results in the list": ("/problems", _find_in_list),
    "nothing found": ("/problems", _find_nothing),
    "filtered": ("/problems?state=proven&stars=1", lambda page: None),
    "a review explained": ("/review", _open_review),
}


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing_serious_in_any_state(
    practised: LiveServer,
    enter: PageOpener,
    find_violations: Callable[[Page], list[str]],
    state: str,
    lang: str,
) -> None:
    route, bring_about = STATES[state]
    page = show(enter, practised, lang, route, viewport=DESK)
    bring_about(page)
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        assert find_violations(page) == [], theme


@pytest.mark.sandbox
@pytest.mark.torch
@pytest.mark.parametrize("lang", LANGS)
def test_axe_finds_nothing_serious_in_a_verdict(
    own_server: LiveServer,
    enter: PageOpener,
    find_violations: Callable[[Page], list[str]],
    lang: str,
) -> None:
    desk = Desk(page=enter(own_server.start(), lang, viewport=DESK), lang=lang).open("01")
    verdicts = {
        "samples": (NO_SHIFT, None),
        "wrong": (NO_SHIFT, re.compile("WA")),
        "error": ("def softmax(", re.compile("CE")),
        "right": (RIGHT, desk.say("AC")),
    }
    for text, words in verdicts.values():
        if words is None:
            desk.write(text)
            desk.button("run").click()
            desk.expect_over()
        else:
            desk.judge(text, words)
        for theme in THEMES:
            desk.page.emulate_media(color_scheme=theme)
            assert find_violations(desk.page) == [], (theme, words)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("route", ROUTES)
def test_every_page_says_its_language_its_title_and_its_other_language(
    practised: LiveServer, enter: PageOpener, route: str, lang: str
) -> None:
    page = show(enter, practised, lang, route)
    expect(page.locator("html")).to_have_attribute("lang", HTML_LANGS[lang])
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    if route in TITLES:
        expect(page).to_have_title(TITLES[route][lang])
    else:
        expect(page).to_have_title(page.title())
        assert "01" in page.title()
    alternates = page.locator("link[rel=alternate][hreflang]").evaluate_all(
        """(all) => Object.fromEntries(
            all.map((each) => [each.hreflang, new URL(each.href).pathname]))"""
    )
    assert alternates == {
        "en": f"/en{route}",
        "zh-CN": f"/zh{route}",
        "x-default": f"/en{route}",
    }


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("route", ROUTES)
def test_no_page_scrolls_sideways_at_320_pixels(
    practised: LiveServer, enter: PageOpener, route: str, lang: str
) -> None:
    page = show(enter, practised, lang, route, viewport={"width": 320, "height": 640})
    # What reaches beyond the edge, unless it scrolls inside a box of its own.
    wide = page.evaluate(
        """() => [...document.querySelectorAll("body *")].filter((each) => {
            if (each.getBoundingClientRect().right <= 321) return false;
            for (let box = each.parentElement; box; box = box.parentElement)
                if (getComputedStyle(box).overflowX !== "visible") return false;
            return each.checkVisibility({contentVisibilityAuto: true});
        }).map((each) => each.outerHTML.slice(0, 120))"""
    )
    assert wide == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize("route", ROUTES)
def test_tab_reaches_everything_in_the_order_of_the_document(
    practised: LiveServer, enter: PageOpener, route: str
) -> None:
    page = show(enter, practised, "en", route, viewport=DESK)
    page.evaluate("document.activeElement.blur()")
    stops = page.evaluate(STOPS)
    assert stops
    reached: list[str] = []
    # A box that scrolls by itself is a stop, too, and none that the list names.
    for _ in range(2 * len(stops)):
        # Tab belongs to the text where text is edited; Escape gives it back.
        if page.evaluate("document.activeElement.matches('.cm-content')"):
            page.keyboard.press("Escape")
        page.keyboard.press("Tab")
        reached += filter(None, [page.evaluate(AT)])
        if len(reached) == len(stops):
            break
    missed = [stop for number, stop in enumerate(stops) if str(number) not in reached]
    assert missed == []
    assert reached == [str(number) for number in range(len(stops))]


def _watch_motion(page: Page) -> None:
    # From the first frame on: what has run by the time we look would not be seen.
    page.add_init_script(
        """globalThis.moved = [];
        for (const name of ["animationstart", "transitionrun"])
            addEventListener(name, (event) => {
                const [animation] = event.target.getAnimations();
                const ms = animation?.effect.getComputedTiming().endTime ?? 0;
                if (ms > 1) moved.push(`${name} ${event.target.outerHTML.slice(0, 120)} ${ms}`);
            }, true);"""
    )


@pytest.mark.parametrize("route", ROUTES)
def test_no_page_moves_for_those_who_want_no_motion(
    practised: LiveServer, enter: PageOpener, route: str
) -> None:
    page = enter(practised, reduced_motion="reduce")
    _watch_motion(page)
    page.goto(f"{practised.url}/en{route}")
    settle(page)
    page.keyboard.press("Tab")
    page.get_by_role("navigation").get_by_role("link").first.hover()
    assert page.evaluate("moved") == []
    assert page.evaluate("document.getAnimations().length") == 0


@pytest.mark.parametrize("wanted", ["no-preference", "reduce"])
def test_what_moves_when_a_review_is_opened_moves_only_where_motion_is_wanted(
    practised: LiveServer, enter: PageOpener, wanted: str
) -> None:
    page = enter(practised, reduced_motion=wanted)
    _watch_motion(page)
    page.goto(f"{practised.url}/en/review")
    settle(page)
    _open_review(page)
    # A transition begins with the next frame.
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")
    assert (page.evaluate("moved") != []) == (wanted == "no-preference")
