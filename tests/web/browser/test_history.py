"""Much of everything: hundreds of submissions, and a statement and a title without end."""

from __future__ import annotations

import itertools
import re
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.web.browser.conftest import Door
from tests.web.browser.desk import CONTENT, PATIENCE_MS, STARTER, Desk
from tests.web.live import LiveServer
from torchstone.store import open_store

pytestmark = [pytest.mark.browser, pytest.mark.web, pytest.mark.slow]

COUNT = 500
BEGIN = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
SAY = {
    "en": {
        "tab": re.compile("^Submissions"),
        "more": "Show 50 more",
        "shown": "100 of 500",
        "pick": "Compare submission {}",
        "from": "From 1 to 500",
        "show": "Submission {}: show its report and text",
        "source": "Text of submission 499",
        "past": "A report from the history",
        "away": "Put it away",
        "use": "Use this text",
        "wrong": "WA wrong value",
    },
    "zh": {
        "tab": re.compile("^提交记录"),
        "more": "再显示 50 条",
        "shown": "100 / 500",
        "pick": "对比第 {} 次",
        "from": "从第 1 次到第 500 次",
        "show": "第 {} 次：查看报告与代码",
        "source": "第 499 次提交的代码",
        "past": "这是历史提交的报告",
        "away": "收起",
        "use": "用这份代码",
        "wrong": "WA 数值错误",
    },
}


def fill(data: Path) -> None:
    """Write a long history of wrong answers, each with its number in its text."""
    data.mkdir(mode=0o700, parents=True)
    ticks = (BEGIN + timedelta(minutes=number) for number in itertools.count())
    with open_store(data / "torchstone.db", clock=lambda: next(ticks)) as store:
        for number in range(1, COUNT + 1):
            text = f"answer = {number}\n"
            added = store.add_submission("01", text, client_key=f"key {number}")
            assert store.claim(added, "host")
            assert store.record_verdict(added, report_of(number), {})


def report_of(number: int) -> dict[str, Any]:
    """Make the report of a wrong answer that tells its number."""
    case = {"index": 0, "group": "sample", "code": "WA", "aspect": "value", "ratio": 9.0, "ms": 1.0}
    sentence = f"Attempt {number} <b>differs</b>."
    return {
        "problem": "01",
        "verdict": "WA",
        "aspect": "value",
        "group": "sample",
        "isolation": "full",
        "planned": 1,
        "cases": [case],
        "failed_groups": ["sample"],
        "time_ms": float(number),
        "detail": {"en": sentence, "zh": sentence},
        "error": None,
        "forbidden": None,
        "stdout": "",
        "misconception": None,
        "smallest": None,
        "receipt": None,
        "cpu_s": None,
        "max_rss_kib": None,
    }


def rows_of(page: Page) -> Locator:
    """Give the lines of the history."""
    return page.get_by_role("tabpanel").get_by_role("row").filter(has=page.get_by_role("checkbox"))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_long_history_is_read_page_by_page(
    own_server: LiveServer, enter: Door, lang: str
) -> None:
    fill(own_server.folder / "data")
    page = enter(own_server.start(), lang)
    desk, say = Desk(page=page, lang=lang).open(), SAY[lang]
    page.get_by_role("tab", name=say["tab"]).click()
    expect(rows_of(page)).to_have_count(50, timeout=PATIENCE_MS)
    expect(rows_of(page).first.get_by_role("cell").first).to_have_text("500")
    expect_room(page)

    page.get_by_role("button", name=str(say["more"]), exact=True).click()
    expect(rows_of(page)).to_have_count(100)
    expect(page.get_by_text(str(say["shown"]), exact=True)).to_be_visible()
    for _ in range(8):
        page.get_by_role("button", name=str(say["more"]), exact=True).click()
    expect(rows_of(page)).to_have_count(COUNT, timeout=PATIENCE_MS)
    expect(page.get_by_role("button", name=str(say["more"]))).to_have_count(0)
    numbers = rows_of(page).locator("td:first-child").all_text_contents()
    assert numbers == [str(number) for number in range(COUNT, 0, -1)]

    # The older one first, whatever the order of the ticks.
    for number in (500, 1):
        page.get_by_role("checkbox", name=str(say["pick"]).format(number), exact=True).check()
    expect(page.get_by_role("heading", name=str(say["from"]), exact=True)).to_be_visible()
    panel = page.get_by_role("tabpanel")
    lines = panel.get_by_role("region").filter(has_text="answer").get_by_role("row")
    expect(lines.filter(has_text="answer = 1")).to_contain_text("−")
    expect(lines.filter(has_text="answer = 500")).to_contain_text("+")
    expect_room(page)
    expect_report(desk)


def expect_report(desk: Desk) -> None:
    """Open an old submission: its report on the stone, its text below, and away with both."""
    say, page = SAY[desk.lang], desk.page
    page.get_by_title(str(say["show"]).format(499), exact=True).click()
    desk.expect_verdict(str(say["wrong"]))
    expect(desk.stone).to_contain_text("Attempt 499 <b>differs</b>.")
    expect(page.get_by_text(str(say["past"]))).to_be_visible()
    source = page.get_by_role("region", name=str(say["source"]), exact=True)
    expect(source).to_have_text("answer = 499\n")
    desk.expect_text(STARTER)
    page.get_by_role("tabpanel").get_by_role("button", name=str(say["use"])).click()
    desk.expect_text("answer = 499\n")
    page.get_by_role("button", name=str(say["away"]), exact=True).click()
    expect(desk.verdict).to_have_count(0)
    expect_room(page)


def expect_room(page: Page) -> None:
    """See that the page does not scroll sideways."""
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


LONG_TITLE = f"{'<b>Softmax</b> of everything ' * 7}{'unbroken' * 12}"[:300]
LONG_WORD = "x" * 4000
PARAGRAPH = f"A sentence of `code_{'y' * 300}` and $x_{{i}}$ for reading. {'Word. ' * 60}\n\n"
WIDE = f"```python\n{'a, ' * 2000}\n```\n\n| {'cell | ' * 60}\n|{'---|' * 60}\n| {'1 | ' * 60}\n\n"


@pytest.fixture
def long_bank(tmp_path: Path) -> Path:
    """Give a bank whose first problem is far too long."""
    bank = tmp_path / "bank"
    shutil.copytree(CONTENT, bank)
    (folder,) = bank.glob("problems/01_*")
    text = (folder / "problem.toml").read_text()
    for lang, title in {"en": "Softmax from scratch", "zh": "手写 Softmax"}.items():
        assert title in text
        text = text.replace(f'{lang} = "{title}"', f'{lang} = "{LONG_TITLE}"')
        statement = folder / f"statement.{lang}.md"
        body = statement.read_text()
        more = PARAGRAPH * (200_000 // len(PARAGRAPH))
        statement.write_text(f"{LONG_WORD}\n\n{WIDE}{body}\n\n{more}The very end.\n")
        assert statement.stat().st_size > 200_000
    (folder / "problem.toml").write_text(text)
    return bank


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [1440, 1024, 390, 320])
def test_a_statement_without_end_stays_inside_the_page(
    own_server: LiveServer, enter: Door, long_bank: Path, lang: str, width: int
) -> None:
    own_server.extra["TORCHSTONE_BANK"] = str(long_bank)
    page = enter(own_server.start(), lang, viewport={"width": width, "height": 800})
    for path in ("/", "/problems", "/problems/01"):
        page.goto(f"{own_server.url}/{lang}{path}")
        title = page.get_by_text(LONG_TITLE[:60]).first
        expect(title).to_be_visible(timeout=PATIENCE_MS)
        expect_room(page)
        expect(page.locator("main b", has_text=re.compile("^Softmax$"))).to_have_count(0)
    Desk(page=page, lang=lang).expect_ready()
    expect(page.get_by_role("heading", level=1)).to_have_text(LONG_TITLE)
    end = page.get_by_text("The very end.")
    end.scroll_into_view_if_needed()
    expect(end).to_be_in_viewport()
    expect_room(page)
