"""What a learner lives through, from a first visit to a proof; by mouse, by keys and by thumb."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.web.browser.conftest import PageOpener
from tests.web.browser.desk import NO_SHIFT, PATIENCE_MS, RIGHT, SOFTMAX, STARTER, Desk
from tests.web.live import LiveServer

pytestmark = [
    pytest.mark.browser,
    pytest.mark.web,
    pytest.mark.sandbox,
    pytest.mark.torch,
]

PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}
# More Tabs than any page has places to stop at.
MANY = 120
SAY: dict[str, dict[str, Any]] = {
    "en": {
        "begin": "Start with 01",
        "not begun": "RTE error while running",
        "value": "WA wrong value",
        "grad": "WA wrong gradient",
        "reveal": "Reveal the first",
        "next hint": "Next hint: 1 of 4",
        "price": "Hint 1 costs nothing",
        "nudge": "Which of the three surprises you?",
        "expected": "expected",
        "actual": "actual",
        "difference": "difference",
        "smallest": "Smallest failing case",
        "table": "Table",
        "figure": "Figure",
        "next": "Next",
        "review": "Review",
        "open": re.compile(r"^Editorial and \d+ solutions are open$"),
        "editorial": "Editorial",
        "solutions": re.compile(r"^\d+ model solutions$"),
        "home proven": re.compile(r"^01 Softmax from scratch: proven"),
        "problems proven": "1 proven, 0 tried",
        "places": "Places on this page",
        "code": "Code",
    },
    "zh": {
        "begin": "从 01 开始",
        "not begun": "RTE 运行出错",
        "value": "WA 数值错误",
        "grad": "WA 梯度错误",
        "reveal": "揭开第一级",
        "next hint": "看下一级提示（第 1 级，共 4 级）",
        "price": "看第 1 级提示不影响评级",
        "nudge": "哪一个结果出乎意料？",
        "expected": "期望",
        "actual": "得到",
        "difference": "差",
        "smallest": "最小的失败用例",
        "table": "表",
        "figure": "图",
        "next": "接下来",
        "review": "复习",
        "open": re.compile(r"^题解与 \d+ 种解法已打开$"),
        "editorial": "题解",
        "solutions": re.compile(r"^\d+ 份参考答案$"),
        "home proven": re.compile(r"^01 手写 Softmax：已证明"),
        "problems proven": "已证明 1，试过 0",
        "places": "页内位置",
        "code": "代码",
    },
}


@pytest.mark.parametrize("lang", ["en", pytest.param("zh", marks=pytest.mark.full)])
def test_a_first_visit_ends_in_a_proof(
    own_server: LiveServer, enter: PageOpener, lang: str
) -> None:
    page = enter(own_server.start(), lang)
    desk, say = Desk(page=page, lang=lang), SAY[lang]
    page.get_by_role("main").get_by_role("link", name=str(say["begin"])).click()
    desk.expect_ready()
    desk.expect_text(STARTER)

    desk.button("run").click()
    desk.expect_verdict(str(say["not begun"]))
    expect(desk.stone).to_contain_text("NotImplementedError")
    desk.expect_over()

    desk.judge(RIGHT, desk.say("AC"))
    expect_aftermath(desk)
    desk.stone.get_by_role("button", name=say["open"]).click()
    expect_solutions(desk)

    page.get_by_role("banner").get_by_role("link").first.click()
    proven = page.get_by_role("main").get_by_role("link", name=say["home proven"])
    expect(proven.first).to_be_visible(timeout=PATIENCE_MS)
    page.goto(f"{own_server.url}/{lang}/problems")
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name="Softmax")).first
    expect(row).to_contain_text("AC", timeout=PATIENCE_MS)
    expect(page.get_by_role("main")).to_contain_text(str(say["problems proven"]))


def expect_aftermath(desk: Desk) -> Locator:
    """See what a proof leads to, and give the link to the next problem."""
    say = SAY[desk.lang]
    for heading in ("next", "review"):
        title = desk.stone.get_by_role("heading", name=str(say[heading]), exact=True)
        expect(title).to_be_visible(timeout=PATIENCE_MS)
    # The marks of the assay: the problem, and every case.
    expect(desk.stone.get_by_role("img", name="01").first).to_be_visible()
    link = desk.stone.get_by_role("link", name=re.compile(r"^\d\d \S"))
    expect(link).to_have_attribute("href", re.compile(rf"^/{desk.lang}/problems/\d\d$"))
    return link


def expect_solutions(desk: Desk) -> None:
    """See that the editorial and the solutions are open, and that the tab says so."""
    say = SAY[desk.lang]
    tab = desk.page.get_by_role("tab", name=str(say["editorial"]), exact=True)
    expect(tab).to_have_attribute("aria-selected", "true", timeout=PATIENCE_MS)
    expect(desk.page.get_by_role("heading", name=say["solutions"])).to_be_visible()
    panel = desk.page.get_by_role("tabpanel")
    expect(panel.get_by_role("article")).not_to_be_empty()
    expect(panel.get_by_role("region").first).to_contain_text("def softmax")


def sentence_of(wrong: str, lang: str) -> str:
    """Read the sentence of a known misconception, without the marks of its Markdown."""
    text = (SOFTMAX / f"wrong/{wrong}.py").read_text()
    found = re.search(rf"^# {lang}: (.+)$", text, re.MULTILINE)
    assert found is not None, wrong
    return found[1].replace("`", "")


@pytest.mark.full
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    ("wrong", "aspect"), [("no_shift", "value"), ("detached_denominator", "grad")]
)
def test_a_wrong_answer_names_its_misconception_and_leads_to_a_proof(
    own_server: LiveServer, enter: PageOpener, lang: str, wrong: str, aspect: str
) -> None:
    desk = Desk(page=enter(own_server.start(), lang), lang=lang).open()
    say = SAY[lang]
    desk.judge((SOFTMAX / f"wrong/{wrong}.py").read_text(), str(say[aspect]))

    sentence = sentence_of(wrong, lang)
    expect(desk.stone).to_contain_text(sentence, timeout=PATIENCE_MS)
    read = desk.stone.inner_text()
    assert read.index(sentence) < read.index(wrong) < read.index(str(say["smallest"]))
    expect_comparison(desk)
    expect_hint(desk)
    desk.judge(RIGHT, desk.say("AC"))
    expect_aftermath(desk)


def expect_comparison(desk: Desk) -> None:
    """See what was expected, what came, and their difference, as a figure and as a table."""
    say = SAY[desk.lang]
    for side in ("expected", "actual"):
        numbers = desk.stone.get_by_role("group", name=str(say[side]), exact=True).first
        expect(numbers.get_by_role("cell").first).to_have_text(re.compile(r"\S"))
    grid = desk.stone.get_by_role("grid", name=str(say["difference"]), exact=True).first
    cell = grid.get_by_role("gridcell").and_(desk.page.locator("[aria-label]")).first
    told = cell.get_attribute("aria-label") or ""
    assert all(str(say[word]) in told for word in ("expected", "actual", "difference"))
    # Hidden from a screen reader, which reads the cell itself.
    reading = desk.stone.get_by_text(told, exact=True)
    expect(reading).to_have_count(0)
    cell.hover()
    expect(reading).to_be_visible()
    desk.page.mouse.move(0, 0)
    expect(reading).to_have_count(0)
    cell.focus()
    expect(reading).to_be_visible()

    case = desk.stone.get_by_role("region", name=str(say["smallest"]), exact=True)
    last = case.get_by_role("button", name=str(say["table"]), exact=True).last
    last.click()
    table = case.get_by_role("table").last
    for side in ("expected", "actual", "difference"):
        expect(table.get_by_role("columnheader", name=str(say[side]), exact=True)).to_be_visible()
    expect(table.get_by_role("rowheader").first).to_have_text(re.compile(r"^\[\d"))


def expect_hint(desk: Desk) -> None:
    """See the price of the next hint, and open it."""
    say = SAY[desk.lang]
    expect(desk.page.get_by_text(str(say["nudge"]))).to_have_count(0)
    offer = desk.stone.get_by_role("button", name=str(say["next hint"]))
    expect(offer).to_be_visible(timeout=PATIENCE_MS)
    expect(desk.stone).to_contain_text(str(say["price"]))
    reveal = desk.page.get_by_role("button", name=str(say["reveal"]))
    expect(reveal).to_have_accessible_description(re.compile(re.escape(str(say["price"]))))
    offer.click()
    expect(desk.page.get_by_text(str(say["nudge"]))).to_be_visible(timeout=PATIENCE_MS)


@pytest.mark.full
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_first_visit_on_a_phone_ends_in_a_proof(
    own_server: LiveServer, enter: PageOpener, lang: str
) -> None:
    page = enter(own_server.start(), lang, **PHONE)
    desk, say = Desk(page=page, lang=lang), SAY[lang]
    page.get_by_role("main").get_by_role("link", name=str(say["begin"])).tap()
    desk.expect_ready()
    places = page.get_by_role("navigation", name=str(say["places"]))
    places.get_by_role("link", name=str(say["code"])).tap()
    desk.button("run").tap()
    desk.expect_verdict(str(say["not begun"]))
    desk.expect_over()

    desk.editor.tap()
    desk.paste(RIGHT)
    desk.button("submit").tap()
    # The stone comes into view by itself.
    expect(desk.verdict).to_be_in_viewport(timeout=PATIENCE_MS)
    desk.expect_verdict(desk.say("AC"))
    desk.expect_over()
    expect_no_sideways_scroll(page)
    following = expect_aftermath(desk)
    desk.stone.get_by_role("button", name=say["open"]).tap()
    expect_solutions(desk)
    expect_no_sideways_scroll(page)
    following.tap()
    expect(page).to_have_url(re.compile(r"/problems/(?!01)\d\d$"), timeout=PATIENCE_MS)


def expect_no_sideways_scroll(page: Page) -> None:
    """See that the page is as wide as the window."""
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.full
def test_a_first_visit_without_a_mouse_ends_in_a_proof(
    own_server: LiveServer, enter: PageOpener
) -> None:
    page = enter(own_server.start())
    desk, say = Desk(page=page), SAY["en"]
    begin = page.get_by_role("main").get_by_role("link", name=str(say["begin"]))
    expect(begin).to_be_visible(timeout=PATIENCE_MS)
    tab_to(page, begin)
    page.keyboard.press("Enter")
    desk.expect_ready()
    desk.expect_text(STARTER)

    tab_to(page, desk.editor)
    desk.paste(RIGHT)
    # Inside the editor Tab indents; after Esc it moves on, and there is no trap.
    page.keyboard.press("Control+Home")
    page.keyboard.press("Tab")
    expect(desk.editor).to_be_focused()
    assert desk.text.startswith("    import torch")
    page.keyboard.press("Control+z")
    desk.expect_text(RIGHT)
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(desk.editor).not_to_be_focused()
    desk.expect_text(RIGHT)
    tab_to(page, desk.button("submit"))
    page.keyboard.press("Enter")
    desk.expect_verdict(desk.say("AC"))
    desk.expect_over()
    # The focus is where it was, for whoever goes on from there.
    expect(desk.button("submit")).to_be_focused()
    following = expect_aftermath(desk)
    tab_to(page, following)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/problems/(?!01)\d\d$"), timeout=PATIENCE_MS)
    expect(page.get_by_role("heading", level=1)).not_to_have_text("Softmax from scratch")
    desk.expect_ready()
    tab_to(page, desk.editor)


def tab_to(page: Page, wanted: Locator) -> int:
    """Press Tab until something has the focus; give how often it took."""
    for pressed in range(1, MANY):
        page.keyboard.press("Tab")
        if wanted.evaluate("element => element === document.activeElement"):
            return pressed
    raise AssertionError("the keyboard does not reach it")


@pytest.mark.full
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_shortcut_fires_while_a_word_is_composed(
    own_server: LiveServer, enter: PageOpener, lang: str
) -> None:
    desk = Desk(page=enter(own_server.start(), lang), lang=lang).open()
    sent: list[str] = []
    desk.page.on(
        "request", lambda request: sent.append(request.url) if is_submission(request.url) else None
    )
    desk.page.evaluate(
        "addEventListener('keydown', ({key, isComposing}) =>"
        " (window.composing ??= []).push([key, isComposing]), true)"
    )
    desk.write(NO_SHIFT)
    desk.page.keyboard.press("Control+End")
    keyboard = desk.page.context.new_cdp_session(desk.page)
    keyboard.send(
        "Input.imeSetComposition", {"text": "zhu", "selectionStart": 3, "selectionEnd": 3}
    )
    for keys in ("Control+Enter", "Control+Shift+Enter", "Control+'"):
        desk.page.keyboard.press(keys)
    pressed = desk.page.evaluate("window.composing")
    assert ["Enter", True] in pressed, pressed
    assert ["Enter", False] not in pressed, pressed
    keyboard.send("Input.insertText", {"text": "# 注"})
    expect(desk.editor).to_contain_text("# 注")
    assert sent == []

    desk.submit()
    desk.expect_verdict(str(SAY[lang]["value"]))
    assert len(sent) == 1
    desk.expect_over()


def is_submission(url: str) -> bool:
    """Return whether a program is handed in."""
    return url.endswith("/submissions")
