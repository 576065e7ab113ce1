"""What the search of the list and of the top bar shows."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.web.browser.conftest import PageOpener, rows
from tests.web.live import LiveServer

pytestmark = [pytest.mark.web, pytest.mark.browser, pytest.mark.full]


@pytest.mark.parametrize(("lang", "words"), [("en", "tile"), ("zh", "共享内存")])
def test_the_list_of_a_search_has_the_best_first(
    practised: LiveServer, enter: PageOpener, lang: str, words: str
) -> None:
    page = enter(practised, lang, at=f"/problems?q={words}")
    table = page.get_by_role("table")
    expect(table.get_by_role("link").first).to_be_visible()
    found = practised.ask("GET", f"/api/search?q={quote(words)}&limit=100").json["hits"]
    ids = [hit["id"] for hit in found if hit["kind"] == "problem"]
    assert rows(page) == ids
    assert ids[0] == "44"
    assert ids != sorted(ids)
    # Without words, the order is that of the numbers.
    page.get_by_role("searchbox").fill("")
    expect(page).not_to_have_url(re.compile("q="))
    expect(table.get_by_role("rowgroup").nth(2)).to_be_visible()
    every = rows(page)
    assert every == sorted(every)
    assert every.index("42op") == every.index("42") + 1


@pytest.mark.parametrize(
    ("lang", "words", "said"),
    [
        ("en", "softamx", "Nothing for these letters. Results for “softmax”:"),
        ("zh", "交差熵", "没有找到。以下是“交叉熵”的结果："),
    ],
)
def test_a_misspelt_word_shows_results_at_once_and_says_of_what(
    practised: LiveServer, enter: PageOpener, lang: str, words: str, said: str
) -> None:
    page = enter(practised, lang, at=f"/problems?q={words}")
    expect(page.get_by_role("main").get_by_text(said)).to_be_visible()
    assert rows(page)[0] in ("01", "02")
    other = enter(practised, lang)
    # A key that is pressed before the page listens is lost; a field that has the focus is not.
    other.get_by_role("banner").get_by_role("combobox").click()
    other.keyboard.type(words)
    box = other.get_by_role("banner").get_by_role("option")
    expect(box.first).to_contain_text(re.compile("01|02"))
    expect(other.get_by_role("banner").get_by_text(said).last).to_be_visible()


def test_a_near_name_stands_in_the_language_of_the_page(
    practised: LiveServer, enter: PageOpener
) -> None:
    for lang, name in (("en", "stride"), ("zh", "步长")):
        page = enter(practised, lang, at="/problems?q=步常")
        near = page.get_by_role("main").get_by_role("paragraph").get_by_role("link", name=name)
        near.click()
        expect(page.get_by_role("searchbox")).to_have_value(name)
        expect(page.get_by_role("table").get_by_role("link").first).to_have_attribute(
            "href", f"/{lang}/problems/03"
        )


@pytest.mark.parametrize(
    ("lang", "words", "said"),
    [("en", "bank conflict", "bank of shared memory"), ("zh", "存储体冲突", "只能依次进行")],
)
def test_a_term_says_what_it_is_and_leads_to_its_problem(
    practised: LiveServer, enter: PageOpener, lang: str, words: str, said: str
) -> None:
    page = enter(practised, lang, at=f"/problems?q={words}")
    terms = page.get_by_role("region")
    expect(terms.get_by_text(said)).to_be_visible()
    expect(terms.get_by_role("link", name=re.compile("44"))).to_have_attribute(
        "href", f"/{lang}/problems/44"
    )


HEIGHTS = "(rows) => rows.map((each) => Math.round(each.getBoundingClientRect().height))"
MIDDLES = """(all) => all.map((each) => each.getBoundingClientRect())
    .map((box) => (box.top + box.bottom) / 2)"""


@pytest.mark.parametrize("width", [1366, 1024, 800, 390, 320])
@pytest.mark.parametrize(("lang", "words"), [("en", "shared memory"), ("zh", "共享内存")])
def test_rows_have_one_height_and_an_id_never_lies_under_a_title(
    practised: LiveServer, enter: PageOpener, lang: str, words: str, width: int
) -> None:
    for at in ("/problems", f"/problems?q={words}"):
        page = enter(practised, lang, at=at, viewport={"width": width, "height": 800})
        row = page.locator("tbody tr:not(.part)")
        expect(row.filter(has_text="47op")).to_be_visible()
        heights = row.evaluate_all(HEIGHTS)
        assert max(heights) - min(heights) <= 1, heights
        overlaps = row.evaluate_all(
            """(rows) => rows.map((each) => {
                const range = document.createRange();
                range.selectNodeContents(each.querySelector(".id"));
                return [each.querySelector(".id").textContent, range.getBoundingClientRect().right
                    - each.querySelector(".title a").getClientRects()[0].left];
            }).filter(([, gap]) => gap > 0)"""
        )
        assert overlaps == []
        assert page.evaluate(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )


# What stands on the line of a title, and on no other: the title, "due", the mark.
LINES = """(rows) => rows.map((each) => {
    const tops = [...each.querySelectorAll(".title a, .title .due, .title button")]
        .map((part) => part.getBoundingClientRect()).map((box) => (box.top + box.bottom) / 2);
    return Math.max(...tops) - Math.min(...tops);
})"""


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_whole_list_has_one_line_for_a_problem_and_keeps_the_names_of_its_columns(
    practised: LiveServer, enter: PageOpener, lang: str
) -> None:
    page = enter(practised, lang, at="/problems", viewport={"width": 1366, "height": 800})
    row = page.locator("tbody tr:not(.part)")
    expect(row.filter(has_text="47op")).to_be_visible()
    assert max(row.evaluate_all(HEIGHTS)) < 40
    assert max(row.evaluate_all(LINES)) < 4
    last = row.last.get_by_role("link")
    last.scroll_into_view_if_needed()
    names = page.locator("thead th")
    tops = names.evaluate_all("(all) => all.map((each) => each.getBoundingClientRect().top)")
    assert set(tops) == {0}
    # The focus goes back to a row above the window; it does not stop under the names.
    page.evaluate("window.scrollTo(0, 1200)")
    above = row.nth(3).get_by_role("link")
    above.focus()
    under = names.first.evaluate("(each) => each.getBoundingClientRect().bottom")
    assert above.evaluate("(each) => each.getBoundingClientRect().top") >= under


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_filters_stand_in_one_row(practised: LiveServer, enter: PageOpener, lang: str) -> None:
    page = enter(practised, lang, at="/problems", viewport={"width": 1280, "height": 800})
    controls = page.locator("main .tools :is(input, select, .row a)")
    expect(controls).to_have_count(1 + 4 + 4)
    middles = controls.evaluate_all(MIDDLES)
    assert max(middles) - min(middles) < 8
    kind = page.get_by_role("combobox").and_(page.locator("main select")).last
    kind.select_option("package")
    expect(page).to_have_url(re.compile(r"[?&]kind=package"))
    assert rows(page) == ["50"]
    page.reload()
    expect(kind).to_have_value("package")
    kind.select_option("")
    expect(page).to_have_url(f"{practised.url}/{lang}/problems")


def test_no_title_begins_with_the_name_of_a_file(practised: LiveServer) -> None:
    listed = practised.ask("GET", "/api/problems").json["problems"]
    titles = [words for row in listed for words in row["title"].values()]
    assert [title for title in titles if re.match(r"\w+\.\w+\s*[:：]", title)] == []
