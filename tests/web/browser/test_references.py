"""After an acceptance: what it costs beside the programs of the bank and one's own earlier ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from playwright.sync_api import Page, expect

from tests.reports import make_counted, make_report
from tests.web.browser.conftest import PageOpener
from tests.web.browser.desk import PATIENCE_MS, Desk
from tests.web.browser.test_access import axe, find_violations
from tests.web.live import LiveServer
from torchstone.app.home import find_home
from torchstone.app.judging import timing
from torchstone.app.judging.timing import Measured
from torchstone.bank import Problem
from torchstone.core import paths
from torchstone.judge.messages import SavedBytes, plain
from torchstone.store import open_store

# Fixtures of another file.
__all__ = ["axe", "find_violations"]

Keep = Callable[[Problem, Mapping[str, Measured]], None]

pytestmark = [pytest.mark.browser, pytest.mark.web, pytest.mark.full]

NARROW = {"width": 320, "height": 800}
WIDE = {"width": 1366, "height": 768}
COSTS = {
    "solution": Measured(ms=5.0, cycles=40.0),
    "classic": Measured(ms=5.0, cycles=160.0),
    "decorative_shared": Measured(ms=5.0, cycles=8000.0),
}
FRUGAL = {
    "solution": Measured(ms=1.0, saved_bytes=49152.0, saved_ratio=0.25),
    "boolean_mask": Measured(ms=1.0, saved_bytes=196608.0, saved_ratio=1.0),
}
SAY: dict[str, dict[str, Any]] = {
    "en": {
        "title": "Estimated cost",
        "mine": "This submission",
        "earlier": "Yours, ",
        "slow": "Refused for its cost: decorative_shared",
        "why": "Reuse is loads per multiply-add",
        "compare": "Compare with Model solution",
        "saved": "Saved for backward",
        "measure": "Measure 12 programs of the bank",
        "outdated": "another version of the cost model computed their cost: 1",
    },
    "zh": {
        "title": "估计的代价",
        "mine": "这次提交",
        "earlier": "你的提交，",
        "slow": "因代价过高被拒：decorative_shared",
        "why": "复用看的是每次乘加的加载数",
        "compare": "与参考答案对比",
        "saved": "为反向传播保存的内容",
        "measure": "测量题库里的 12 份程序",
        "outdated": "代价由另一版本的代价模型算出、因而未列入的提交：1",
    },
}


def accept(data: Path, problem: str, **report: Any) -> None:
    """Record an accepted submission."""
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open_store(data / "torchstone.db") as store:
        added = store.add_submission(problem, "pass\n", client_key=str(uuid4()))
        assert store.claim(added, "host")
        assert store.record_verdict(added, plain(make_report(problem, **report)), {})


@pytest.fixture
def keep(own_server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> Keep:
    """Return what keeps measurements as the judge would, in a cache of the server's own.

    The shared cache holds what was really measured; of it the server sees all but that.
    """
    shared, cache = paths.cache_dir(), own_server.folder / "cache"
    cache.mkdir(mode=0o700, parents=True)
    for folder in shared.iterdir():
        if folder.name != "times":
            (cache / folder.name).symlink_to(folder)
    own_server.extra["TORCHSTONE_CACHE"] = str(cache)
    monkeypatch.setenv("TORCHSTONE_CACHE", str(cache))

    def keep(problem: Problem, measured: Mapping[str, Measured]) -> None:
        for program in (problem.solution, *problem.good, *problem.wrong):
            if program.name in measured:
                place = timing._place(problem, program.source)
                paths.private_dir(place.parent)
                place.write_bytes(msgspec.json.encode(measured[program.name]))

    return keep


def test_costs_of_kernels_are_rungs_from_the_highest_down(
    own_server: LiveServer,
    enter: PageOpener,
    keep: Keep,
    find_violations: Callable[[Page], list[str]],
) -> None:
    keep(find_home().problem("44"), COSTS)
    data = own_server.folder / "data"
    accept(data, "44", native=make_counted(1.0, cost_model=0))
    for cycles in (800.0, 400.0):
        accept(data, "44", native=make_counted(cycles))
    own_server.start()
    for lang, viewport in (("en", WIDE), ("zh", NARROW)):
        say, page = SAY[lang], enter(own_server, lang, at="/problems/44", viewport=viewport)
        desk = Desk(page=page, lang=lang)
        table = desk.stone.get_by_role("table", name=say["title"])
        expect(table).to_be_visible(timeout=PATIENCE_MS)
        rungs = table.locator("tbody tr")
        expect(rungs.locator("td.r")).to_have_text(["1", "0.10", "0.050", "0.020", "0.0050"])
        expect(rungs.first).to_contain_text(say["slow"])
        expect(rungs.first).to_contain_text(say["why"])
        expect(rungs.nth(1)).to_contain_text(say["earlier"])
        expect(rungs.nth(2)).to_contain_text(say["mine"])
        expect(rungs.nth(3)).to_contain_text("classic")
        expect(desk.stone).to_contain_text(say["outdated"])
        expect(desk.stone.get_by_role("button", name=say["measure"], exact=True)).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert find_violations(page) == []


# Words of a name that stand in two lines.
BROKEN = r"""(table) => [...table.querySelectorAll("tbody th")].flatMap((cell) => {
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), broken = [];
  while (texts.nextNode()) {
    const text = texts.currentNode, range = document.createRange();
    // A line may end between two hanzi.
    for (const { 0: word, index } of text.data.matchAll(/\w+/g)) {
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      if (range.getClientRects().length > 1) broken.push(word);
    }
  }
  return broken;
})"""


def test_no_word_of_a_name_is_broken_on_a_narrow_screen(
    own_server: LiveServer, enter: PageOpener, keep: Keep
) -> None:
    keep(find_home().problem("44"), COSTS)
    keep(find_home().problem("05"), FRUGAL)
    data = own_server.folder / "data"
    for problem, report in (
        ("44", {"native": make_counted(800.0)}),
        ("05", {"saved": SavedBytes(num_bytes=98_304, argument_bytes=196_608)}),
    ):
        accept(data, problem, **report)
        accept(data, problem, **report)
    own_server.start()
    for lang, problem in product(SAY, ("44", "05")):
        page = enter(own_server, lang, at=f"/problems/{problem}", viewport=NARROW)
        tables = page.locator(".programs")
        expect(tables).to_have_count(2, timeout=PATIENCE_MS)
        for table in tables.all():
            assert table.evaluate(BROKEN) == [], (lang, problem)
            # It is a table nevertheless.
            expect(table.get_by_role("rowheader").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_saved_bytes_stand_beside_the_references_where_they_are_measured(
    own_server: LiveServer,
    enter: PageOpener,
    keep: Keep,
    find_violations: Callable[[Page], list[str]],
) -> None:
    keep(find_home().problem("05"), FRUGAL)
    data = own_server.folder / "data"
    accept(data, "05")
    for num_bytes in (98_304, 393_216):
        saved = SavedBytes(num_bytes=num_bytes, argument_bytes=196_608)
        accept(data, "05", saved=saved)
    # 47op allows nothing to be saved, and a logarithm has no place for nothing.
    accept(data, "47op", saved=SavedBytes(num_bytes=0, argument_bytes=96))
    accept(data, "01")
    own_server.start()
    for lang, viewport in (("zh", WIDE), ("en", NARROW)):
        say, page = SAY[lang], enter(own_server, lang, at="/problems/05", viewport=viewport)
        stone = Desk(page=page, lang=lang).stone
        table = stone.get_by_role("table", name=say["saved"])
        expect(table).to_be_visible(timeout=PATIENCE_MS)
        cells = table.locator("tbody td")
        wanted = ["393 kB", "2 ×", "49.2 kB", "0.25 ×", "197 kB", "1 ×", "98.3 kB", "0.5 ×"]
        expect(cells).to_have_text(wanted)
        expect(table.locator("tbody th").first).to_have_text(say["mine"])
        expect(table.locator("tbody th").last).to_contain_text(say["earlier"])
        figure = stone.get_by_role("img", name=f"{say['saved']}")
        expect(figure).to_have_count(1)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert find_violations(page) == []
        page.goto(f"{own_server.url}/{lang}/problems/47op")
        expect(table.locator("tbody td").first).to_have_text("0 B", timeout=PATIENCE_MS)
        expect(figure).to_have_count(0)
        page.goto(f"{own_server.url}/{lang}/problems/01")
        expect(stone.get_by_role("button", name=say["compare"]).first).to_be_visible()
        expect(table).to_have_count(0)
