"""The page of distributed training as a learner uses them, by mouse and by keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.web.browser.conftest import PageOpener
from tests.web.live import LiveServer

pytestmark = [pytest.mark.web, pytest.mark.browser, pytest.mark.torch]

LANGS = ("en", "zh")
RUN = "/distributed?world=2&parallel=zero3&steps=1&link=1gbit"
SLOW = "/distributed?world=2&parallel=ddp&steps=1&link=1gbit&gflops=20&slow=1x3"
LONG = "/distributed?world=16&parallel=zero3&steps=20&link=1gbit"
# A program that starts on a busy machine.
PATIENCE_MS = 120_000
EQUAL = {"en": "Equal to one process, bit for bit", "zh": "与单进程逐位相同"}
TIMELINE = {"en": "Timeline of 2 ranks", "zh": "2 个 rank"}
RING = {"en": "A ring all-reduce, step by step", "zh": "环形 all-reduce，一步一步看"}
RANKS = {"en": "Ranks", "zh": "rank 数"}
TOO_MANY = {"en": "16 ranks at most; 99 were asked", "zh": "最多模拟 16 个 rank"}
EXCHANGED = {"en": "What is exchanged", "zh": "交换了什么"}
DOES = {"en": "What each rank does", "zh": "每个 rank 做什么"}
WAITS = {"en": "Rank 0 waits for rank 1", "zh": "rank 0 等待 rank 1"}
STEP = {"en": re.compile(r"Step \d+ of 20"), "zh": re.compile(r"第 \d+ 步，共 20 步")}
CANCEL = {"en": "Cancel", "zh": "取消"}
CANCELLED = {"en": "Cancelled", "zh": "已取消"}


@pytest.mark.full
@pytest.mark.parametrize("lang", LANGS)
def test_a_link_runs_and_the_arrows_go_through_its_collectives(
    server: LiveServer, enter: PageOpener, lang: str
) -> None:
    page = enter(server, lang, at=RUN)
    expect(page.get_by_role("heading", name=EQUAL[lang])).to_be_visible(timeout=PATIENCE_MS)
    figure = page.get_by_role("group", name=TIMELINE[lang])
    said = page.locator(".said").first
    figure.focus()
    expect(said).to_contain_text("#0")
    page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("#1")
    page.keyboard.press("End")
    expect(said).to_contain_text("all_reduce")
    page.get_by_text(EXCHANGED[lang], exact=True).click()
    rows = page.locator("details.twin").last.locator("tbody tr")
    expect(rows.first).to_contain_text("all_gather #0")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.full
@pytest.mark.parametrize("lang", LANGS)
def test_who_waits_for_a_slow_rank_is_said_and_summed(
    server: LiveServer, enter: PageOpener, lang: str
) -> None:
    page = enter(server, lang, at=SLOW)
    expect(page.locator(".said").first).to_contain_text(WAITS[lang], timeout=PATIENCE_MS)
    first, second = page.get_by_role("region", name=DOES[lang]).locator("tbody tr").all()
    cells = [row.locator("td").all_inner_texts() for row in (first, second)]
    # The bits of the clock are those of the operations: three times as long, and no wait.
    assert cells[0][0] != cells[1][0]
    assert cells[0][1] != "0"
    assert cells[1][1] == "0"


@pytest.mark.full
@pytest.mark.parametrize("lang", LANGS)
def test_steps_are_told_while_it_runs_and_cancelling_ends_it(
    server: LiveServer, enter: PageOpener, lang: str
) -> None:
    page = enter(server, lang, at=LONG)
    said = page.locator("p.state")
    expect(said).to_contain_text(STEP[lang], timeout=PATIENCE_MS)
    page.get_by_role("button", name=CANCEL[lang], exact=True).press("Enter")
    expect(said).to_contain_text(CANCELLED[lang])
    expect(page.locator("[name=steps]")).to_have_value("20")


@pytest.mark.full
@pytest.mark.parametrize("lang", LANGS)
def test_the_ring_ends_with_all_sums_on_every_rank(
    server: LiveServer, enter: PageOpener, lang: str
) -> None:
    page = enter(server, lang, at="/distributed")
    page.locator(".place").scroll_into_view_if_needed()
    ring = page.get_by_role("group", name=RING[lang])
    ring.focus()
    page.keyboard.press("ArrowRight")
    expect(ring.locator("td.new").first).to_contain_text("3+0")
    page.keyboard.press("End")
    expect(ring.locator("td.t-b")).to_have_count(16)
    expect(ring.locator("td").first).to_contain_text("0+1+2+3")


@pytest.mark.full
@pytest.mark.parametrize("lang", LANGS)
def test_what_is_refused_is_said_at_its_field_and_nothing_is_lost(
    server: LiveServer, enter: PageOpener, lang: str
) -> None:
    page = enter(server, lang, at="/distributed?world=99&parallel=ddp&steps=7&link=2gbit")
    expect(page.get_by_role("alert")).to_contain_text(TOO_MANY[lang])
    field = page.get_by_label(RANKS[lang], exact=True)
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_value("99")
    expect(page.locator("[name=link]")).to_have_value("2gbit")
