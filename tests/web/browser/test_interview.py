"""Interviews in a browser: half an hour alone by the keyboard, and one that a person leads."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.web import live
from tests.web.browser.conftest import PageOpener
from tests.web.live import LiveServer

pytestmark = [pytest.mark.web, pytest.mark.browser, pytest.mark.full]

PATIENCE_MS = 120_000
MOVED = Path(__file__).parent / "moved_clock"
UNREACHED = "ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET"
SAID = "A view shares the storage of its input, because only strides and offset change."


@dataclass(frozen=True, kw_only=True)
class Clock:
    """The clocks of interviews in a server, which this test moves."""

    file: Path

    def move(self, seconds: float) -> None:
        """Let seconds pass."""
        # By a rename, since the server reads the file at any time.
        moved = self.file.with_suffix(".new")
        moved.write_text(str(float(self.file.read_text()) + seconds))
        moved.replace(self.file)


@pytest.fixture
def clock(own_server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Start the server with a clock of interviews that a file moves."""
    # With the clock it imports more before it says where it is.
    monkeypatch.setattr(live, "START_SECONDS", 300.0)
    file = own_server.folder / "moved"
    file.write_text("0")
    folders = [str(MOVED), *filter(None, [os.environ.get("PYTHONPATH")])]
    own_server.extra |= {"PYTHONPATH": os.pathsep.join(folders), "MOVED_CLOCK": str(file)}
    own_server.start()
    return Clock(file=file)


def tab_to(page: Page, wanted: Locator) -> None:
    """Press Tab until something has the focus."""
    expect(wanted).to_be_visible(timeout=PATIENCE_MS)
    for _ in range(80):
        if wanted.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no Tab reaches {wanted}")


def press(page: Page, name: str) -> None:
    """Go to a button by Tab and press it."""
    tab_to(page, page.get_by_role("button", name=re.compile(f"^{name}")).first)
    page.keyboard.press("Enter")


def head(page: Page) -> Locator:
    return page.get_by_role("heading", level=1)


def answer(page: Page) -> None:
    """Answer the open item: a text, or the first claim."""
    box = page.get_by_role("textbox", name="Your answer")
    first = page.get_by_role("checkbox").first
    expect(box.or_(first)).to_be_visible()
    if box.is_visible():
        tab_to(page, box)
        page.keyboard.type(SAID)
        page.keyboard.press("Control+Enter")
    else:
        tab_to(page, first)
        page.keyboard.press("Space")
        press(page, "Hand in")


def survive(page: Page, server: LiveServer) -> None:
    """Reload the page, and kill its server, in the middle of a sentence; then pause."""
    second = head(page)
    box = page.get_by_role("textbox", name="Your answer").or_(page.get_by_role("checkbox").first)
    expect(box).to_be_visible()
    is_text = page.get_by_role("textbox", name="Your answer").is_visible()
    if is_text:
        tab_to(page, box)
        page.keyboard.type("Half a sentence")
        expect(page.get_by_text("Kept on this machine")).to_be_visible()
    asked = second.inner_text()
    page.reload()
    expect(head(page)).to_have_text(asked)
    port = server.port
    server.kill()
    if is_text:
        expect(page.get_by_role("textbox", name="Your answer")).to_have_value("Half a sentence")
        page.get_by_role("textbox", name="Your answer").focus()
        page.keyboard.press("End")
        page.keyboard.type(" more")
    server.start("--port", str(port))
    server.enter()
    if is_text:
        expect(page.get_by_text("Kept on this machine")).to_be_visible(timeout=PATIENCE_MS)
        expect(box).to_have_value("Half a sentence more")
    expect(page.get_by_role("timer").first).to_be_visible()
    press(page, "Pause")
    expect(head(page)).to_have_text("Paused")
    press(page, "Go on")
    expect(head(page)).to_have_text(asked)


def answer_to_the_end(page: Page, clock: Clock) -> None:
    """Answer each item after two minutes, and hear something of the clocks."""
    heard = 0
    over = page.get_by_role("heading", name="The interview is over")
    for _ in range(40):
        clock.move(125)
        # The page reads the clock at once, and not while an answer is typed.
        page.reload()
        expect(page.get_by_role("timer").first.or_(over)).to_be_visible(timeout=PATIENCE_MS)
        heard += bool(page.locator("[aria-live=polite]").last.inner_text())
        if over.is_visible():
            break
        before = head(page).inner_text()
        answer(page)
        expect(head(page)).not_to_have_text(before, timeout=PATIENCE_MS)
    expect(over).to_be_visible(timeout=PATIENCE_MS)
    assert heard


def read_report(page: Page) -> None:
    """Go to the report, put a step into review and download the file."""
    tab_to(page, page.get_by_role("link", name="See the report"))
    page.keyboard.press("Enter")
    expect(head(page)).to_contain_text("An indication", timeout=PATIENCE_MS)
    press(page, "Into review")
    expect(page.get_by_text(re.compile("^in review"))).to_be_visible()
    with page.expect_download() as download:
        tab_to(page, page.get_by_role("link", name="One HTML file"))
        page.keyboard.press("Enter")
    assert download.value.suggested_filename.endswith(".html")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_half_an_hour_alone_by_the_keyboard(
    own_server: LiveServer, clock: Clock, enter: PageOpener, tolerated: list[str]
) -> None:
    tolerated.append(UNREACHED)
    page = enter(own_server, "en", at="/interview")
    tab_to(page, page.get_by_role("radio", name=re.compile("^60 minutes")))
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("radio", name=re.compile("^30 minutes"))).to_be_checked()
    tab_to(page, page.get_by_text("Seed and time"))
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_label("Seed", exact=False).and_(page.locator("input")))
    page.keyboard.press("Control+a")
    page.keyboard.type("7")
    press(page, "Begin")
    page.wait_for_url(re.compile("/interview/[0-9a-f]+$"), timeout=PATIENCE_MS)
    expect(page.get_by_role("timer").first).to_be_visible(timeout=PATIENCE_MS)
    first = head(page).inner_text()
    answer(page)
    expect(head(page)).not_to_have_text(first, timeout=PATIENCE_MS)
    survive(page, own_server)
    answer_to_the_end(page, clock)
    read_report(page)


def score_with_evidence(page: Page) -> None:
    """Score the last item: refused without evidence, and the proposal comes after the score."""
    form = page.locator(".middle .score")
    form.get_by_role("radio").last.check()
    assert page.get_by_text("机器建议").count() == 0
    form.get_by_role("button", name="存下评分").click()
    expect(page.get_by_role("alert").get_by_text("没有依据").first).to_be_visible()
    assert page.get_by_text("机器建议").count() == 0
    form.get_by_label("依据").fill("他说视图共享存储")
    form.get_by_role("button", name="存下评分").click()
    expect(form.get_by_text("机器建议")).to_be_visible()


def test_an_interview_that_a_person_leads_from_start_to_report(
    own_server: LiveServer, clock: Clock, enter: PageOpener, tolerated: list[str]
) -> None:
    tolerated.append("status of 400")
    page = enter(own_server, "zh", at="/interview")
    page.get_by_role("radio", name=re.compile("^30 分钟")).check()
    page.get_by_role("radio", name=re.compile("^有人主持")).check()
    page.get_by_label("候选人").fill("甲")
    page.get_by_text("种子与时间").click()
    # Of this seed the first items are questions.
    page.get_by_label("种子").and_(page.locator("input")).fill("7")
    page.get_by_role("button", name="开始").click()
    page.wait_for_url(re.compile("/interview/[0-9a-f]+$"), timeout=PATIENCE_MS)
    guide = page.get_by_role("region", name="提纲")
    expect(guide).to_be_visible(timeout=PATIENCE_MS)
    point = guide.get_by_role("checkbox").first
    point.check()
    with page.expect_popup() as opened:
        page.get_by_role("link", name="打开候选人窗口").click()
    seat = opened.value
    expect(head(seat)).to_have_text(head(page).inner_text(), timeout=PATIENCE_MS)
    # Nothing but the item: no way to another page, and nothing of the guide.
    assert seat.get_by_role("link").count() <= 1
    assert seat.get_by_text("评分等级").count() == 0
    seat.get_by_role("textbox").fill("视图与输入共享存储。")
    written = page.get_by_role("textbox", name="候选人写的内容")
    expect(written).to_have_value("视图与输入共享存储。", timeout=PATIENCE_MS)
    page.get_by_role("textbox", name="新笔记").fill("先想了很久")
    page.get_by_role("button", name="记下").click()
    expect(page.get_by_text("先想了很久")).to_be_visible()
    page.reload()
    expect(guide.get_by_role("checkbox").first).to_be_checked(timeout=PATIENCE_MS)
    page.get_by_role("button", name="收下回答").click()
    expect(head(page)).to_have_text("已提交")
    score_with_evidence(page)
    page.get_by_role("button", name="下一题").click()
    expect(head(page)).not_to_have_text("已提交", timeout=PATIENCE_MS)
    expect(head(seat)).to_have_text(head(page).inner_text(), timeout=PATIENCE_MS)
    page.get_by_role("button", name="跳过这题").click()
    page.get_by_label("理由").fill("时间不够")
    page.locator("form.change").get_by_role("button", name="跳过这题").click()
    end = page.locator(".foot-acts")
    end.get_by_role("button", name="结束面试").click()
    end.get_by_role("button", name="结束", exact=True).click()
    expect(head(page)).to_have_text("面试结束", timeout=PATIENCE_MS)
    expect(head(seat)).to_have_text("面试结束，谢谢。", timeout=PATIENCE_MS)
    page.get_by_role("link", name="查看报告").click()
    expect(page.get_by_text("他说视图共享存储")).to_be_visible(timeout=PATIENCE_MS)
    expect(page.get_by_text("先想了很久")).to_be_visible()
