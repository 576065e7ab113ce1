"""Much of everything: hundreds of submissions, and a statement and a title without end."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.reports import make_case, make_report
from tests.web.browser.conftest import PageOpener
from tests.web.browser.desk import CONTENT, PATIENCE_MS, STARTER, Desk
from tests.web.live import LiveServer
from torchstone.core.verdict import Aspect
from torchstone.judge.messages import Words, plain
from torchstone.store import open_store
from torchstone.store.damage import host_hash, result_hash, source_hash

pytestmark = [pytest.mark.browser, pytest.mark.web, pytest.mark.full]

COUNT = 500
SAY: dict[str, dict[str, Any]] = {
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
        "away": "收起报告",
        "use": "用这份代码",
        "wrong": "WA 数值错误",
    },
}


def fill(data: Path) -> None:
    """Write a long history of wrong answers, each with its number in its text.

    One goes through the store; the others are copies of its row, for each move of a submission
    waits for the disk.
    """
    data.mkdir(mode=0o700, parents=True)
    path = data / "torchstone.db"
    with open_store(path) as store:
        added = store.add_submission("01", text_of(1), client_key="key 1")
        assert store.claim(added, "host")
        assert store.record_verdict(added, report_of(1), {})
    with closing(sqlite3.connect(path)) as database:
        database.row_factory = sqlite3.Row
        (first,) = map(dict, database.execute("SELECT * FROM submissions"))
        for number in range(2, COUNT + 1):
            copy = {
                "number": number,
                "id": f"{number:012x}",
                "client_key": f"key {number}",
                "source": text_of(number),
                "report": json.dumps(report_of(number)),
                "time_ms": float(number),
            }
            row = first | copy
            hashes = {"source": source_hash, "result": result_hash, "host": host_hash}
            row |= {f"{name}_hash": compute(row) for name, compute in hashes.items()}
            marks = ", ".join(f":{name}" for name in first)
            database.execute(f"INSERT INTO submissions VALUES ({marks})", row)
        database.commit()


def text_of(number: int) -> str:
    """Make a text that tells its number."""
    return f"answer = {number}\n"


def report_of(number: int) -> dict[str, Any]:
    """Make the report of a wrong answer that tells its number."""
    sentence = f"Attempt {number} <b>differs</b>."
    made = make_report(
        verdict="WA",
        cases=(make_case(code="WA", aspect=Aspect.VALUE, ratio=9.0),),
        failed_groups=("sample",),
        time_ms=float(number),
        detail=Words(en=sentence, zh=sentence),
        receipt=None,
        cpu_s=None,
        max_rss_kib=None,
    )
    return plain(made)


def rows_of(page: Page) -> Locator:
    """Return the lines of the history."""
    return page.get_by_role("tabpanel").get_by_role("row").filter(has=page.get_by_role("checkbox"))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_long_history_is_read_page_by_page(
    own_server: LiveServer, enter: PageOpener, lang: str
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
    # A click is lost on a list that is still being fetched.
    for count in range(150, COUNT + 1, 50):
        page.get_by_role("button", name=str(say["more"]), exact=True).click()
        expect(rows_of(page)).to_have_count(count)
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
    expect(source).to_have_text(text_of(499))
    desk.expect_text(STARTER)
    page.get_by_role("tabpanel").get_by_role("button", name=str(say["use"])).click()
    desk.expect_text(text_of(499))
    # The comparison on the left has a button of the same name in Chinese.
    page.locator("#verdict").get_by_role("button", name=str(say["away"]), exact=True).click()
    expect(desk.verdict).to_have_count(0)
    expect_room(page)


def expect_room(page: Page) -> None:
    """See that the page does not scroll sideways."""
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


LONG_TITLE = f"{'<b>Softmax</b> of everything ' * 7}{'unbroken' * 12}"[:296]
# A Chinese title must hold Chinese.
TITLES = {"en": f"All: {LONG_TITLE}", "zh": f"万能：{LONG_TITLE}"}
LONG_WORD = "x" * 4000
# Longer than 50 000 characters, a statement is shown as it is written.
RENDERED = 30_000
PARAGRAPH = f"A sentence of `code_{'y' * 300}` and $x_{{i}}$ for reading. {'Word. ' * 60}\n\n"
WIDE = f"```python\n{'a, ' * 2000}\n```\n\n| {'cell | ' * 60}\n|{'---|' * 60}\n| {'1 | ' * 60}\n\n"


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """Yield a server of a bank whose first problem is far too long."""
    folder = tmp_path_factory.mktemp("endless")
    bank = folder / "bank"
    shutil.copytree(CONTENT, bank)
    lengthen(bank / "problems/01_softmax", 200_000)
    lengthen(bank / "problems/02_cross_entropy", RENDERED)
    live = LiveServer(folder=folder, extra={"TORCHSTONE_BANK": str(bank)}).start()
    yield live
    assert live.stop() == 0


def lengthen(problem: Path, size: int) -> None:
    """Make the title and the statement of a problem very long."""
    spec = problem / "problem.toml"
    begin, separator, rest = spec.read_text().partition("[title]\n")
    assert separator, spec
    end = rest.partition("\n\n")[2]
    titles = "\n".join(f'{lang} = "{title}"' for lang, title in TITLES.items())
    spec.write_text(f"{begin}{separator}{titles}\n\n{end}")
    for lang in TITLES:
        statement = problem / f"statement.{lang}.md"
        more = PARAGRAPH * (size // len(PARAGRAPH))
        body = statement.read_text()
        statement.write_text(f"{LONG_WORD}\n\n{WIDE}{body}\n\n{more}The very end.\n")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [1440, 1024, 390, 320])
def test_a_statement_without_end_stays_inside_the_page(
    endless: LiveServer, enter: PageOpener, lang: str, width: int
) -> None:
    page = enter(endless, lang, viewport={"width": width, "height": 800})
    title = page.get_by_role("main").get_by_text(TITLES[lang][:60])
    for path in ("/", "/problems"):
        page.goto(f"{endless.url}/{lang}{path}")
        expect(title.first).to_be_visible(timeout=PATIENCE_MS)
        expect_room(page)
        expect(page.locator("main b", has_text=re.compile("^Softmax$"))).to_have_count(0)
    # The statement of 02 has a table of its own; that of 01 is too long to be rendered.
    for problem, num_tables in (("01", 0), ("02", 2)):
        Desk(page=page, lang=lang).open(problem)
        expect(page.get_by_role("heading", level=1)).to_have_text(TITLES[lang])
        expect(page.get_by_role("article").get_by_role("table")).to_have_count(num_tables)
        end = page.get_by_text("The very end.")
        end.scroll_into_view_if_needed()
        expect(end).to_be_in_viewport()
        expect_room(page)
