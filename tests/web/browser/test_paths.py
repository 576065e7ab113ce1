"""A path shows its progress and its problems in order with their reasons, and is followed."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.web.browser.conftest import PageOpener, rows
from tests.web.browser.test_access import axe, find_violations
from tests.web.browser.watched import settle
from tests.web.live import LiveServer

pytestmark = [pytest.mark.web, pytest.mark.browser, pytest.mark.full]
__all__ = ["axe", "find_violations"]

CUDA = "42 42op 43 43op 45 44 46 05 10 38 47 47op 35 37 48 36 49".split()
SAY = {
    "en": {
        "first": "First week",
        "cuda": f"CUDA, 0 of {len(CUDA)} proven",
        "follow": "Follow this path",
        "leave": "Follow no path",
        "why": "Softmax is in every classifier",
        "step": f"Step 1 of {len(CUDA)} of the path CUDA.",
    },
    "zh": {
        "first": "第一周",
        "cuda": f"CUDA 核函数，{len(CUDA)} 题中已证明 0 题",
        "follow": "跟随这条路线",
        "leave": "不再跟随路线",
        "why": "分类器和注意力里都有 Softmax",
        "step": f"路线“CUDA 核函数”共 {len(CUDA)} 题，这是第 1 题。",
    },
}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_path_is_found_at_the_first_visit_followed_and_left(
    own_server: LiveServer, enter: PageOpener, find_violations: Any, lang: str
) -> None:
    say = SAY[lang]
    page: Page = enter(own_server.start(), lang)
    page.get_by_role("link", name=say["first"], exact=True).click()
    expect(page.get_by_role("table")).to_contain_text(say["why"])
    assert rows(page) == ["01", "05", "08", "03", "07", "06", "02"]
    assert page.url.endswith("?path=first-week")

    page.get_by_role("link", name=say["cuda"]).click()
    button = page.get_by_role("button", name=say["follow"])
    button.focus()
    assert rows(page) == CUDA
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name=say["leave"])).to_be_focused()
    assert find_violations(page) == []
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert find_violations(page) == []

    followed = own_server.ask("GET", "/api/overview").json["next"]
    assert followed["problem_id"] == "42"
    assert followed["reason"][lang].startswith(say["step"])
    page.reload()
    page.get_by_role("button", name=say["leave"]).click()
    expect(button).to_be_visible()
    assert own_server.ask("GET", "/api/overview").json["next"]["problem_id"] == "01"


def test_the_home_page_says_where_one_is_on_the_path(
    own_server: LiveServer, enter: PageOpener
) -> None:
    own_server.start().enter()
    own_server.ask("PUT", "/api/path", {"path": "cuda"})
    assert own_server.ask("PUT", "/api/path", {"path": "rust"}).status == 404
    page = enter(own_server)
    settle(page)
    expect(page.locator("main")).to_contain_text("42")
    progress = own_server.ask("GET", "/api/problems").json["paths"]
    assert [(path["id"], path["is_chosen"]) for path in progress] == [
        ("first-week", False),
        ("autograd", False),
        ("training", False),
        ("engineering", False),
        ("numbers", False),
        ("cuda", True),
    ]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_home_page_of_a_practised_learner_has_the_paths(
    practised: LiveServer, enter: PageOpener, find_violations: Any, lang: str
) -> None:
    heading = {"en": "Paths", "zh": "路线"}[lang]
    page: Page = enter(practised, lang)
    paths = page.get_by_role("region", name=heading, exact=True)
    found = practised.ask("GET", "/api/overview").json["paths"]
    assert found[0]["num_proven"] > 0
    items = paths.get_by_role("listitem")
    expect(items).to_have_count(len(found))
    for item, path in zip(items.all(), found, strict=True):
        proven, count = path["num_proven"], len(path["steps"])
        expect(item).to_contain_text(
            {"en": f"{proven} of {count} proven", "zh": f"{count} 题中已证明 {proven} 题"}[lang]
        )
        left = [step["problem"] for step in path["steps"] if not step["is_proven"]]
        links = item.get_by_role("link")
        expect(links).to_have_count(1 + bool(left))
        if left:
            expect(links.last).to_have_attribute("href", f"/{lang}/problems/{left[0]}")
    assert find_violations(page) == []
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    paths.get_by_role("link", name=SAY[lang]["first"], exact=True).click()
    expect(page).to_have_url(re.compile(r"\?path=first-week$"))
