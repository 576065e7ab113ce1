"""Kept inputs: nothing that was written is lost, the focus stays, and everybody can use them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.web.browser.conftest import PageOpener
from tests.web.browser.desk import NO_SHIFT, PATIENCE_MS, Desk
from tests.web.browser.test_access import LANGS, THEMES, axe, find_violations
from tests.web.browser.test_references import accept
from tests.web.live import LiveServer

# Fixtures of another file.
__all__ = ["axe", "find_violations"]

pytestmark = [pytest.mark.web, pytest.mark.browser, pytest.mark.full]

INPUTS = "**/api/problems/03/inputs"
WIDTHS = ((1366, 768), (320, 800))
TINY = "softmax(torch.ones(1))"
LONG = "a_name_without_a_space_that_is_as_long_as_the_server_allows_it_x"
SAY: dict[str, dict[str, str]] = {
    "en": {
        "own": "Own input", "label": "Statements of Python", "kept": "Kept inputs",
        "rename": "Rename two zeros", "name": "New name of two zeros",
        "delete": "Delete two zeros", "undo": "Undo",
    },
    "zh": {
        "own": "自己的输入", "label": "与你的代码一起运行", "kept": "已保存的输入",
        "rename": "改名 two zeros", "name": "two zeros 的新名字",
        "delete": "删除 two zeros", "undo": "撤销",
    },
}  # fmt: skip


def keep(server: LiveServer, problem: str, **inputs: str) -> None:
    """Keep inputs by their names; an underscore stands for a space."""
    if not server.cookie:
        server.enter()
    for name, code in inputs.items():
        body = {"name": name.replace("_", " "), "code": code}
        assert server.ask("PUT", f"/api/problems/{problem}/inputs", body).status == 200


def open_own(page: Page, lang: str = "en", *, is_listed: bool = True) -> Locator:
    """Open the own input with the list of kept ones, and return its field."""
    Desk(page=page, lang=lang).expect_ready()
    page.get_by_role("button", name=SAY[lang]["own"], exact=True).click()
    if is_listed:
        page.get_by_role("button", name=SAY[lang]["kept"]).click()
    return page.get_by_label(SAY[lang]["label"])


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


@pytest.mark.parametrize("lang", LANGS)
def test_axe_finds_nothing_serious_at_the_kept_inputs(
    own_server: LiveServer,
    enter: PageOpener,
    find_violations: Callable[[Page], list[str]],
    lang: str,
) -> None:
    own_server.start()
    say = SAY[lang]
    for width, height in WIDTHS:
        keep(own_server, "03", two_zeros="torch.zeros(2)", empty="torch.ones(0)")
        keep(own_server, "03", **{LONG.replace("_", "-"): "x = 1\n" * 40})
        page = enter(
            own_server, lang, at="/problems/03", viewport={"width": width, "height": height}
        )
        open_own(page, lang)

        def look(state: str, page: Page = page) -> None:
            for theme in THEMES:
                page.emulate_media(color_scheme=theme)
                assert find_violations(page) == [], (state, page.viewport_size, theme)
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0

        look("kept")
        button(page, say["rename"]).click()
        expect(page.get_by_label(say["name"])).to_be_focused()
        look("renamed")
        page.keyboard.press("Escape")
        button(page, say["delete"]).click()
        expect(button(page, say["undo"])).to_be_visible()
        look("deleted")
        button(page, say["undo"]).click()
        expect(button(page, say["delete"])).to_be_visible()
        page.close()


def test_the_editor_and_the_kept_inputs_share_the_pane_above_a_verdict(
    own_server: LiveServer, enter: PageOpener
) -> None:
    accept(own_server.folder / "data", "03", verdict="WA")
    own_server.start()
    keep(own_server, "03", **{f"input_{number}": TINY for number in range(9)})
    page = enter(own_server, at="/problems/03", viewport={"width": 1366, "height": 768})
    expect(Desk(page=page).verdict).to_be_visible(timeout=PATIENCE_MS)
    open_own(page)
    # Under the buttons it could not be pressed.
    button(page, "Rename input 8").click(timeout=5000)
    expect(page.get_by_label("New name of input 8")).to_be_in_viewport(ratio=1)
    page.get_by_label("New name of input 8").press("Escape")
    editor = page.locator(".cm-scroller").bounding_box()
    assert editor is not None
    assert editor["height"] >= 3 * 20


def test_an_undo_of_a_loaded_input_takes_nothing_that_was_written_since(
    own_server: LiveServer, enter: PageOpener
) -> None:
    own_server.start()
    keep(own_server, "03", tiny=TINY)
    page = enter(own_server, at="/problems/03")
    field = open_own(page)
    field.fill("before")
    button(page, "Load tiny").click()
    expect(button(page, "Undo")).to_be_visible()
    field.press("End")
    field.press_sequentially(" + 1")
    expect(button(page, "Undo")).to_have_count(0)
    expect(field).to_have_value(f"{TINY} + 1")
    # Written back, it can be undone again.
    for _ in range(4):
        field.press("Backspace")
    button(page, "Undo").click()
    expect(field).to_have_value("before")


def test_the_focus_stays_where_an_undo_was(own_server: LiveServer, enter: PageOpener) -> None:
    own_server.start()
    keep(own_server, "03", tiny=TINY)
    page = enter(own_server, at="/problems/03")
    open_own(page).fill("before")
    for name in ("Load tiny", "Delete tiny"):
        button(page, name).click()
        button(page, "Undo").press("Enter")
        expect(page.get_by_role("button", name="Kept inputs (1)")).to_be_focused()


def test_a_deleted_input_is_not_renamed_any_more(own_server: LiveServer, enter: PageOpener) -> None:
    own_server.start()
    keep(own_server, "03", tiny=TINY, other=TINY)
    page = enter(own_server, at="/problems/03")
    open_own(page)
    button(page, "Rename tiny").click()
    button(page, "Delete tiny").click()
    expect(page.get_by_text("tiny is deleted.")).to_be_visible()
    expect(page.get_by_label("New name of tiny")).to_have_count(0)


def test_an_answer_that_is_late_does_not_bring_an_old_list_back(
    own_server: LiveServer, enter: PageOpener
) -> None:
    own_server.start()
    page = enter(own_server)
    held: list[Callable[[], None]] = []

    def hold(route: Route) -> None:
        if route.request.method != "GET":
            return route.continue_()
        answer = route.fetch()
        held.append(lambda: route.fulfill(response=answer))

    page.route(INPUTS, hold)
    page.goto(f"{own_server.url}/en/problems/03")
    field = open_own(page, is_listed=False)
    field.fill(TINY)
    button(page, "Keep…").click()
    page.get_by_label("Name of the input").fill("tiny")
    button(page, "Keep").click()
    kept = page.get_by_role("button", name="Kept inputs (1)")
    expect(kept).to_be_visible()
    with page.expect_response(INPUTS):
        held[0]()
    page.evaluate("() => new Promise((done) => setTimeout(done, 200))")
    expect(kept).to_be_visible()


@pytest.mark.sandbox
@pytest.mark.torch
def test_a_case_of_the_verdict_gives_the_own_input_back(
    own_server: LiveServer, enter: PageOpener
) -> None:
    desk = Desk(page=enter(own_server.start())).open()
    page = desk.page
    desk.judge(NO_SHIFT, "WA wrong value")
    field = open_own(page, is_listed=False)
    written = "x = torch.randn(3)\nsoftmax(x)"
    field.fill(written)
    page.get_by_role("button", name="Run on this case").click()
    expect(field).not_to_have_value(written, timeout=PATIENCE_MS)
    button(page, "Undo").click()
    expect(field).to_have_value(written)
