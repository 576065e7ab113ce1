"""What is printed: the statement, the editorial and the receipt, each whole."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.web.browser.conftest import PageOpener
from tests.web.browser.seeding import DUE
from tests.web.browser.watched import settle
from tests.web.live import LiveServer

pytestmark = [pytest.mark.web, pytest.mark.browser, pytest.mark.full]

# What a box hides of its content, and what lies beyond the paper.
HIDDEN = """() => [...document.querySelectorAll("#statement *, #verdict *, main")]
.filter((each) => {
    const style = getComputedStyle(each);
    if (!each.checkVisibility() || each.closest(".sr, svg, math")) return false;
    return style.overflowY !== "visible" && each.scrollHeight > each.clientHeight + 1
        || each.getBoundingClientRect().right > innerWidth + 1;
}).map((each) => each.outerHTML.slice(0, 120))"""


def expect_paper(page: Page) -> None:
    """Check that the page is one column as long as its content, without what one presses."""
    assert page.evaluate(HIDDEN) == []
    for outside in ("banner", "contentinfo", "navigation", "tablist", "button", "textbox"):
        expect(page.get_by_role(outside).first).not_to_be_visible()  # type: ignore[arg-type]


@pytest.mark.parametrize("width", [1366, 720])
@pytest.mark.parametrize(("lang", "last"), [("en", "How it is judged"), ("zh", "评测方式")])
def test_a_statement_is_printed_whole(
    practised: LiveServer, enter: PageOpener, lang: str, last: str, width: int
) -> None:
    page = enter(
        practised,
        lang,
        at="/problems/44",
        viewport={"width": width, "height": 600},
        color_scheme="dark",
    )
    settle(page)
    page.emulate_media(media="print")
    expect_paper(page)
    heading = page.get_by_role("heading", name=last)
    expect(heading).to_be_visible()
    assert page.evaluate("document.documentElement.scrollHeight") > 1500
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
    expect(page.locator("#verdict")).not_to_be_visible()
    assert page.pdf().startswith(b"%PDF")


def test_an_editorial_is_printed_whole(practised: LiveServer, enter: PageOpener) -> None:
    page = enter(
        practised, at="/problems/05?tab=editorial", viewport={"width": 1366, "height": 600}
    )
    settle(page)
    article = page.locator("article.read")
    expect(article).to_be_visible()
    page.emulate_media(media="print")
    expect_paper(page)
    assert page.evaluate("document.documentElement.scrollHeight") > 1000


def test_a_receipt_is_printed_with_its_statement(practised: LiveServer, enter: PageOpener) -> None:
    page = enter(
        practised, at=f"/problems/{DUE}?tab=submissions", viewport={"width": 1366, "height": 600}
    )
    settle(page)
    page.get_by_role("tabpanel").get_by_role("button", name=re.compile("AC")).first.click()
    stone = page.locator("#verdict .verdict")
    expect(stone).to_contain_text("AC")
    page.emulate_media(media="print")
    expect_paper(page)
    expect(stone).to_contain_text("Isolation")
    assert stone.evaluate("(each) => getComputedStyle(each).backgroundImage") == "none"
