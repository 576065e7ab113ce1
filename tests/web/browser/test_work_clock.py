"""The clock beside the planned time counts work, and stops while nobody works."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.web.browser.conftest import PageOpener
from tests.web.browser.desk import PATIENCE_MS, RIGHT, Desk
from tests.web.live import LiveServer

pytestmark = [pytest.mark.browser, pytest.mark.web, pytest.mark.full]

SAY = {
    "en": {"worked": "{} min worked", "away": ", paused", "easy": "in {} of 20 planned minutes"},
    "zh": {"worked": "已做 {} 分钟", "away": "，已暂停", "easy": "用时不超过 {} 分钟"},
}
HIDE = """(state) => {
  Object.defineProperty(document, "visibilityState", { get: () => state, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""

# Answers to the page's times of work wait until a test lets them through.
HOLD = """() => {
  window.held = [];
  const ask = window.fetch;
  window.fetch = async (url, options) => {
    const answer = await ask(url, options);
    if (String(url).endsWith("/work")) await new Promise((go) => held.push(go));
    return answer;
  };
}"""


def timer(page: Page) -> Locator:
    return page.get_by_role("timer")


def enter_with_a_clock(server: LiveServer, enter: PageOpener, lang: str) -> Desk:
    """Open a problem in a page whose time passes only when a test lets it."""
    page = enter(server, lang)
    page.clock.install(time=datetime.now(UTC))
    desk = Desk(page=page, lang=lang).open()
    # Ahead of the moment at which a busy browser hears of it.
    page.clock.pause_at(datetime.now(UTC) + timedelta(seconds=30))
    return desk


def work(page: Page, minutes: int) -> None:
    """Let minutes pass with a movement of the pointer in each."""
    for at in range(minutes):
        page.mouse.move(100 + at, 200)
        page.clock.run_for(60_000)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_clock_stops_when_one_is_away(
    own_server: LiveServer, enter: PageOpener, lang: str
) -> None:
    say = SAY[lang]
    desk = enter_with_a_clock(own_server.start(), enter, lang)
    page, found = desk.page, timer(desk.page)
    work(page, 3)
    before = re.compile(f"^{say['worked'].format('[34]')}$")
    expect(found).to_have_text(before)
    shown = int(re.findall(r"\d+", found.inner_text())[0])
    # Two minutes without an input, of which the page may count two; then an hour that does not.
    page.clock.run_for(3_600_000)
    expect(found).to_have_text(
        re.compile(f"^{say['worked'].format(f'[{shown}-{shown + 2}]')}{say['away']}$")
    )
    stopped = found.inner_text()
    page.clock.run_for(600_000)
    assert found.inner_text() == stopped
    page.mouse.move(300, 300)
    page.clock.run_for(2_000)
    expect(found).not_to_contain_text(say["away"])
    # A hidden page does not count, whatever is pressed elsewhere.
    page.evaluate(HIDE, "hidden")
    expect(found).to_contain_text(say["away"])
    hidden = found.inner_text()
    work(page, 5)
    assert found.inner_text() == hidden
    page.evaluate(HIDE, "visible")
    work(page, 1)
    minutes = [int(re.findall(r"\d+", each)[0]) for each in (hidden, found.inner_text())]
    assert minutes[1] == minutes[0] + 1


def test_the_time_of_work_survives_a_reload(own_server: LiveServer, enter: PageOpener) -> None:
    desk = enter_with_a_clock(own_server.start(), enter, "en")
    work(desk.page, 4)
    expect(timer(desk.page)).to_have_text(re.compile("^[45] min worked$"))
    desk.page.clock.run_for(30_000)
    desk.page.reload()
    expect(timer(desk.page)).to_have_text(re.compile("^5 min worked"), timeout=PATIENCE_MS)
    worked = own_server.ask("GET", "/api/problems/01").json["worked_s"]
    assert 240 <= worked <= 300
    # What was sent before is not counted again.
    desk.page.reload()
    expect(timer(desk.page)).to_have_text(re.compile("^5 min worked"), timeout=PATIENCE_MS)
    assert own_server.ask("GET", "/api/problems/01").json["worked_s"] - worked <= 10


def test_late_answers_never_take_minutes_back(own_server: LiveServer, enter: PageOpener) -> None:
    desk = enter_with_a_clock(own_server.start(), enter, "en")
    page, found = desk.page, timer(desk.page)
    page.evaluate(HOLD)
    work(page, 3)
    expect(found).to_have_text(re.compile("^[34] min worked$"))
    shown = [found.inner_text()]
    # Not `wait_for_function`: the page refuses its eval.
    while not page.evaluate("held.length"):
        page.wait_for_timeout(50)
    while page.evaluate("held.length"):
        # Were there several at once, the answer to the oldest would come last.
        page.evaluate("held.pop()()")
        page.wait_for_timeout(300)
        shown.append(found.inner_text())
    assert len(shown) >= 3
    assert len(set(shown)) == 1, shown
    assert 180 <= own_server.ask("GET", "/api/problems/01").json["worked_s"] <= 240


@pytest.mark.sandbox
@pytest.mark.torch
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_rating_counts_what_the_clock_counts(
    own_server: LiveServer, enter: PageOpener, lang: str
) -> None:
    desk = enter_with_a_clock(own_server.start(), enter, lang)
    work(desk.page, 3)
    desk.page.clock.resume()
    desk.judge(RIGHT, desk.say("AC"))
    expect(desk.stone).to_contain_text(
        re.compile(SAY[lang]["easy"].format("[3-6]")), timeout=PATIENCE_MS
    )
    expect(timer(desk.page)).to_have_count(0)
