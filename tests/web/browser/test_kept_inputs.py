"""Kept inputs: everybody can use them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.web.browser.conftest import PageOpener
from tests.web.browser.desk import Desk
from tests.web.browser.test_access import LANGS, THEMES, axe, find_violations
from tests.web.live import LiveServer

# Fixtures of another file.
__all__ = ["axe", "find_violations"]

pytestmark = [pytest.mark.web, pytest.mark.browser]

WIDTHS = ((1366, 768), (320, 800))
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


@pytest.mark.slow
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
