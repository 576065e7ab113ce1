"""What a learner does on the pages around the problem: home, the list, reviews, settings."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, expect

from tests.web.browser.conftest import PageOpener, rows
from tests.web.browser.seeding import DUE, LATER, MARKUP, TRIED, UNTOUCHED
from tests.web.live import LiveServer

pytestmark = [pytest.mark.web, pytest.mark.browser]

PAPER = "getComputedStyle(document.documentElement).backgroundColor"


# --- home


def test_the_first_visit_names_one_thing_to_do(server: LiveServer, enter: PageOpener) -> None:
    page = enter(server)
    expect(page.get_by_role("heading", level=1)).to_have_text("Three minutes to your first proof.")
    main = page.get_by_role("main")
    # What this is, in a sentence; a verdict; the map; and what the words on it mean.
    expect(
        main.get_by_text(re.compile("^Torchstone .* what you misunderstood[.]$"))
    ).to_be_visible()
    expect(
        main.get_by_role("region", name="What the judge says of a wrong softmax")
    ).to_contain_text(re.compile("WA.*21 of 28 cases right.*exp overflows", re.DOTALL))
    expect(main.get_by_role("table").get_by_role("link", name=re.compile("^42op"))).to_be_visible()
    for term in ("AC", "proof", "streak"):
        expect(main.get_by_role("term").filter(has_text=re.compile(f"^{term}$"))).to_be_visible()
    page.get_by_role("link", name="Start with 01").click()
    expect(page).to_have_url(f"{server.url}/en/problems/01")
    page.go_back()
    expect(page.get_by_role("link", name="Start with 01")).to_be_visible()


def test_home_shows_what_is_due_and_what_was_submitted(
    practised: LiveServer, enter: PageOpener
) -> None:
    page = enter(practised)
    main = page.get_by_role("main")
    expect(main.get_by_role("heading", name="Due today")).to_be_visible()
    links = main.get_by_role("link")
    expect(links.and_(page.locator(f"[href='/en/problems/{DUE}']")).first).to_be_visible()
    latest = main.get_by_role("table", name="Latest submissions").or_(
        main.locator("section, div").filter(
            has=page.get_by_role("heading", name="Latest submissions")
        )
    )
    expect(latest.first).to_contain_text("WA")
    expect(latest.first).to_contain_text("AC")


def test_the_map_shows_what_is_known(practised: LiveServer, enter: PageOpener) -> None:
    known = enter(practised).locator("section.stone a", has_text=re.compile(r"^0 of \d+ known$"))
    # Chapters 2 to 10 have questions.
    expect(known).to_have_count(9)
    expect(known.first).to_have_attribute("href", "/en/questions")


@pytest.mark.gate("zh-1100", "en-1366")
@pytest.mark.parametrize("width", [1366, 1280, 1100])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_marks_of_a_chapter_stand_in_one_line_of_the_map(
    practised: LiveServer, enter: PageOpener, lang: str, width: int
) -> None:
    page = enter(practised, lang, viewport={"width": width, "height": 800})
    groups = page.locator("section.stone td.marks .group")
    expect(groups.first).to_be_visible()
    lines = groups.evaluate_all(
        """(all) => all.map((each) => new Set([...each.querySelectorAll("svg")]
            .map((mark) => mark.getBoundingClientRect().top)).size)"""
    )
    assert len(lines) > 20
    assert set(lines) == {1}
    # No word of a name is broken: it has two lines at most.
    names = page.locator("section.stone thead a")
    assert max(names.evaluate_all("(all) => all.map((each) => each.offsetHeight)")) <= 34
    # What the column beside the map has more is shared by its rows.
    ends = page.evaluate(
        """() => [...document.querySelectorAll("section.stone, section.stone .key")]
            .map((each) => each.getBoundingClientRect().bottom)"""
    )
    assert ends[0] - ends[1] < 32
    page.set_viewport_size({"width": 390, "height": 800})
    heads = page.locator("section.stone thead th:not(.absent)")
    lefts = heads.evaluate_all("(all) => all.map((each) => each.getBoundingClientRect().left)")
    assert len(lefts) == 6
    assert lefts[:3] == lefts[3:]


def test_home_follows_a_link_without_loading_a_document(
    practised: LiveServer, enter: PageOpener
) -> None:
    page = enter(practised)
    page.evaluate("window.same = true")
    page.get_by_role("navigation").get_by_role("link", name="Problems").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("problems")
    expect(page.get_by_role("navigation").get_by_role("link", name="Problems")).to_have_attribute(
        "aria-current", "page"
    )
    assert page.evaluate("window.same")
    # Whoever listens is told where they are.
    expect(page.locator("main")).to_be_focused()


# --- problems


def test_a_filter_stands_in_the_address_and_survives_a_reload(
    practised: LiveServer, enter: PageOpener
) -> None:
    page = enter(practised, at="/problems")
    state = page.get_by_role("group", name="State")
    state.get_by_role("link", name="Tried").click()
    expect(page).to_have_url(re.compile(r"[?&]state=tried"))
    assert rows(page) == [TRIED]
    page.reload()
    expect(state.get_by_role("link", name="Tried")).to_have_attribute("aria-current", "true")
    expect(page.get_by_role("table").get_by_role("link").first).to_be_visible()
    assert rows(page) == [TRIED]
    state.get_by_role("link", name="All").click()
    expect(page).to_have_url(f"{practised.url}/en/problems")


@pytest.mark.gate("zh-softmax-01")
@pytest.mark.parametrize(
    ("lang", "words", "found"),
    [
        ("en", "softmax", "01"),
        ("en", "layer norm", "07"),
        ("en", "07", "07"),
        ("zh", "层归一化", "07"),
        ("zh", "交叉熵", "02"),
        # In the other language than the page's.
        ("zh", "softmax", "01"),
        ("en", "交叉熵", "02"),
    ],
)
def test_a_search_finds_by_words_of_either_language(
    practised: LiveServer, enter: PageOpener, lang: str, words: str, found: str
) -> None:
    page = enter(practised, lang, at="/problems")
    expect(page.get_by_role("table").get_by_role("link").first).to_be_visible()
    box = page.get_by_role("searchbox")
    with page.expect_response(lambda answer: "/api/search" in answer.url):
        box.fill(words)
    expect(page).to_have_url(re.compile(r"[?&]q="))
    some = rows(page)
    assert found in some
    assert len(some) < len(practised.ask("GET", "/api/problems").json["problems"])
    page.reload()
    expect(box).to_have_value(words)
    expect(page.get_by_role("table").get_by_role("link").first).to_be_visible()
    assert rows(page) == some


def test_a_syllable_that_is_still_being_composed_is_not_searched_for(
    practised: LiveServer, enter: PageOpener
) -> None:
    page = enter(practised, "zh", at="/problems")
    expect(page.get_by_role("table").get_by_role("link").first).to_be_visible()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.get_by_role("searchbox").focus()
    session = page.context.new_cdp_session(page)
    session.send(
        "Input.imeSetComposition",
        {"text": "jiaochashang", "selectionStart": 12, "selectionEnd": 12},
    )
    # Longer than the page waits after a key.
    page.wait_for_timeout(500)
    assert [url for url in asked if "/api/search" in url] == []
    with page.expect_response(lambda answer: "/api/search" in answer.url):
        session.send("Input.insertText", {"text": "交叉熵"})
    assert all("jiaochashang" not in url for url in asked)


@pytest.mark.gate("zh")
@pytest.mark.parametrize(
    ("lang", "said"), [("en", "Nothing matches"), ("zh", "zzzzzz")], ids=["en", "zh"]
)
def test_nothing_found_says_which_filter_to_drop(
    practised: LiveServer, enter: PageOpener, lang: str, said: str
) -> None:
    page = enter(practised, lang, at="/problems?state=tried&q=zzzzzz")
    main = page.get_by_role("main")
    expect(main.get_by_text(said).first).to_be_visible()
    expect(page.get_by_role("table")).to_have_count(0)
    way = main.get_by_role("paragraph").get_by_role("link", name=re.compile("1")).first
    way.click()
    expect(page.get_by_role("table").get_by_role("link").first).to_be_visible()
    assert rows(page) == [TRIED]


@pytest.mark.gate("*onerror*")
@pytest.mark.parametrize("words", [MARKUP, '"><script>alert(1)</script>', "%", "\\", "' OR 1=1 --"])
def test_hostile_words_are_only_words(practised: LiveServer, enter: PageOpener, words: str) -> None:
    page = enter(practised, at="/problems")
    dialogs: list[str] = []

    def note(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", note)
    with page.expect_response(lambda answer: "/api/search" in answer.url) as answered:
        page.get_by_role("searchbox").fill(words)
    assert answered.value.status == 200
    expect(page).to_have_url(re.compile(r"[?&]q="))
    page.reload()
    expect(page.get_by_role("searchbox")).to_have_value(words)
    expect(page.locator("main img, main script")).to_have_count(0)
    assert dialogs == []


def test_the_search_of_the_bar_is_used_with_the_keyboard_alone(
    practised: LiveServer, enter: PageOpener
) -> None:
    page = enter(practised)
    expect(page.get_by_role("heading", name="Due today")).to_be_visible()
    page.keyboard.press("/")
    box = page.get_by_role("combobox")
    expect(box).to_be_focused()
    page.keyboard.type("layer norm")
    option = page.get_by_role("option", name=re.compile("07")).first
    expect(option).to_be_visible()
    for _ in range(10):
        if option.get_attribute("aria-selected") == "true":
            break
        page.keyboard.press("ArrowDown")
    active = box.get_attribute("aria-activedescendant")
    assert active == option.get_attribute("id")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{practised.url}/en/problems/07")


# --- review


def test_reviews_are_due_or_later_and_say_why(practised: LiveServer, enter: PageOpener) -> None:
    page = enter(practised, at="/review")
    main = page.get_by_role("main")
    due = main.locator("section").filter(has=page.get_by_role("heading", name="Due today"))
    later = main.locator("section").filter(has=page.get_by_role("heading", name="Later"))
    expect(due.get_by_role("listitem")).to_have_count(1)
    expect(due).to_contain_text("Softmax")
    expect(later.locator(f"#why-{LATER}")).to_be_visible()
    due.get_by_role("button", name=re.compile("Why this date")).click()
    expect(due.get_by_role("img", name=re.compile("Forgetting curve"))).to_be_visible()
    # A link can open it, and a reload keeps it.
    expect(page).to_have_url(f"{practised.url}/en/review?problem={DUE}")
    page.reload()
    expect(due.get_by_role("img", name=re.compile("Forgetting curve"))).to_be_visible()


@pytest.mark.full
def test_a_review_is_undone_after_being_asked_once(
    own_server: LiveServer, practised: LiveServer, enter: PageOpener
) -> None:
    own_server.start().enter()
    document = practised.ask("GET", "/api/export").body
    assert own_server.ask("POST", "/api/import", document).status == 200
    page = enter(own_server, at=f"/review?problem={LATER}")
    main = page.get_by_role("main")
    main.get_by_role("button", name="Undo the last review").click()
    main.get_by_role("button", name="Undo it", exact=True).click()
    expect(main.get_by_role("status").filter(has_text="The review is undone.")).to_be_visible()
    expect(main.locator(f"#why-{LATER}")).to_have_count(0)
    log = own_server.ask("GET", f"/api/reviews/{LATER}/log").json["entries"]
    assert [entry["undone_at"] is not None for entry in log] == [True]


def test_without_reviews_the_page_says_how_one_comes_to_be(
    server: LiveServer, enter: PageOpener
) -> None:
    page = enter(server, at="/review")
    expect(page.get_by_role("heading", name="Nothing to review yet")).to_be_visible()
    page.get_by_role("main").get_by_role("link", name="Choose a problem").click()
    expect(page).to_have_url(f"{server.url}/en/problems")


# --- settings


@pytest.mark.gate("Dark-dark")
@pytest.mark.parametrize(("name", "theme"), [("Dark", "dark"), ("Light", "light")])
def test_a_theme_holds_in_the_first_document_after_a_reload(
    practised: LiveServer, enter: PageOpener, name: str, theme: str
) -> None:
    other = "light" if theme == "dark" else "dark"
    page = enter(practised, at="/settings", color_scheme=other)
    page.get_by_role("radio", name=name).check()
    expect(page.locator("html")).to_have_attribute("data-theme", theme)
    chosen = page.evaluate(PAPER)
    answer = page.reload()
    assert answer is not None
    # In what the server sends, not in what a script mends afterwards: no flash.
    assert f'data-theme="{theme}"' in answer.text()
    expect(page.get_by_role("radio", name=name)).to_be_checked()
    assert page.evaluate(PAPER) == chosen
    page.get_by_role("radio", name="As the system").check()
    expect(page.locator("html")).to_have_attribute("data-theme", "system")
    assert page.evaluate(PAPER) != chosen


@pytest.mark.gate("/problems/01")
@pytest.mark.parametrize("address", ["/", "/problems?stars=1", "/problems/01", "/review"])
def test_the_other_language_shows_the_same_page_and_is_remembered(
    practised: LiveServer, enter: PageOpener, address: str
) -> None:
    page = enter(practised, at=address)
    switch = page.get_by_role("group", name="Language")
    switch.get_by_role("link", name="中").click()
    expect(page).to_have_url(f"{practised.url}/zh{address}")
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    page.goto(f"{practised.url}/")
    expect(page).to_have_url(f"{practised.url}/zh/")


def test_keys_of_the_editor_are_remembered(practised: LiveServer, enter: PageOpener) -> None:
    page = enter(practised, at="/settings")
    page.get_by_role("radio", name="Vim").check()
    page.reload()
    expect(page.get_by_role("radio", name="Vim")).to_be_checked()


@pytest.mark.full
def test_an_export_can_be_imported_on_another_machine(
    practised: LiveServer, own_server: LiveServer, enter: PageOpener, tmp_path: Path
) -> None:
    page = enter(practised, at="/settings")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    count = len(json.loads(file.read_bytes())["submissions"])
    assert count == 5
    other = enter(own_server.start(), at="/settings")
    main = other.get_by_role("main")
    main.locator("input[type=file]").set_input_files(file)
    expect(main.get_by_text(f"Added: {count} submissions")).to_be_visible()
    # Again, which adds nothing.
    main.locator("input[type=file]").set_input_files(file)
    expect(main.get_by_text("Nothing was missing here")).to_be_visible()
    other.goto(f"{own_server.url}/en/review")
    expect(other.locator(f"#why-{DUE}")).to_be_visible()


@pytest.mark.gate("no document*")
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"no document", "is not exported progress"),
        (b'{"format": "of another program"}', "Nothing was imported"),
        (b"[" * 100_000, "Nothing was imported"),
    ],
)
def test_a_file_that_is_no_export_changes_nothing(
    practised: LiveServer,
    enter: PageOpener,
    tolerated: list[str],
    tmp_path: Path,
    content: bytes,
    said: str,
) -> None:
    if content.startswith(b"{"):
        tolerated.append("status of 400")
    before = practised.ask("GET", "/api/overview").json
    file = tmp_path / f"{MARKUP.replace('/', '')}.json"
    file.write_bytes(content)
    page = enter(practised, at="/settings")
    page.get_by_role("main").locator("input[type=file]").set_input_files(file)
    expect(page.get_by_role("main").get_by_text(said).first).to_be_visible()
    expect(page.locator("main img")).to_have_count(0)
    assert practised.ask("GET", "/api/overview").json == before


# --- the frame


@pytest.mark.full
def test_a_server_that_is_gone_is_said_and_its_return_noticed(
    own_server: LiveServer, enter: PageOpener, tolerated: list[str]
) -> None:
    tolerated.append("ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET")
    page = enter(own_server.start(), at="/problems")
    expect(page.get_by_role("table").get_by_role("link").first).to_be_visible()
    port = own_server.port
    own_server.kill()
    page.get_by_role("searchbox").fill("softmax")
    expect(page.get_by_role("status").get_by_text("The server is gone")).to_be_visible()
    # What was there stays.
    assert UNTOUCHED in rows(page)
    own_server.start("--port", str(port))
    expect(page.get_by_text("The server is gone")).to_have_count(0, timeout=20_000)
