"""Lines of a report are marked while the text that was judged is in the editor, and only then."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from msgspec.structs import replace
from playwright.sync_api import Page, expect

from tests.reports import make_report
from tests.web.browser.conftest import PageOpener
from tests.web.browser.desk import CONTENT, PATIENCE_MS, Desk
from tests.web.browser.test_hazards import letters, program
from tests.web.live import LiveServer
from torchstone.judge.hazard import Hazard, HazardParty, MissingBarrier
from torchstone.judge.messages import NativeReport, Raised, Words, plain
from torchstone.store import open_store

pytestmark = [pytest.mark.browser, pytest.mark.web, pytest.mark.full]

SAY = {
    "en": {"line": "Go to line 20 in the editor", "found": "Detector findings"},
    "zh": {"line": "在编辑器中转到第 20 行", "found": "检测器发现的问题"},
}
RACY = program("44", "wrong/no_barrier_before_next_load.cu")
RAISES = "import torch\n\n\ndef softmax(x, dim=-1):\n    return x.missing()\n"


def party(line: int, *, is_write: bool) -> HazardParty:
    place: dict[str, Any] = {"block": (0, 0, 0), "thread": (line, 1, 0), "warp": 1, "lane": line}
    return HazardParty(line=line, text="", is_write=is_write, **place)


def race(**changes: Any) -> NativeReport:
    """Make the report of a race between line 20, which reads, and line 16, which writes."""
    found: dict[str, Any] = dict(
        figure="race", finding=0, kind="WAR", space="shared", kernel="matmul_kernel", array="a",
        index=(3, 1), shape=(16, 16), offset=196, allocation_bytes=1024, access_bytes=4, count=1,
        hint=Words(en="h", zh="提示"), size=(16, 16, 1), at=party(16, is_write=True),
        other=party(20, is_write=False), barrier=18,
        missing=MissingBarrier(line=22, call="__syncthreads();"), arrived=(), left=None,
    )  # fmt: skip
    drawn = Words(en="found", zh="发现")
    fields: dict[str, Any] = {"stars": (), "found": (), "counters": (), "profile": None}
    return NativeReport(**fields, drawn=drawn, nvcc=None, hazards=(Hazard(**found | changes),))


def judged(server: LiveServer, problem: str, name: str, source: str, **report: Any) -> None:
    """Record a verdict on a text, and leave the text in the workspace."""
    data, workspace = server.folder / "data", server.folder / "workspace"
    data.mkdir(mode=0o700, exist_ok=True)
    workspace.mkdir(exist_ok=True)
    (workspace / name).write_text(source)
    with open_store(data / "torchstone.db") as store:
        added = store.add_submission(problem, source, client_key=str(uuid4()))
        assert store.claim(added, "host")
        assert store.record_verdict(added, plain(make_report(problem, **report)), {})


def reload(page: Page, desk: Desk) -> None:
    """Load the page again, and wait until the verdict and the editor are there."""
    page.reload()
    desk.expect_ready()
    expect(desk.verdict).to_be_visible(timeout=PATIENCE_MS)


def test_the_letters_of_a_finding_are_there_after_a_reload_if_the_text_is_the_same(
    own_server: LiveServer, enter: PageOpener
) -> None:
    judged(own_server, "44", "44_tiled_matmul.cu", RACY, verdict="RACE", native=race())
    own_server.start()
    page = enter(own_server, "en", at="/problems/44", viewport={"width": 1366, "height": 768})
    desk, link = Desk(page=page), page.get_by_role("button", name=SAY["en"]["line"])
    for _ in range(2):
        assert letters(page) == ["W", "R"]
        expect(page.locator(".cm-missing")).to_contain_text("__syncthreads();")
        expect(link).to_be_visible()
        reload(page, desk)
    # Marks follow their lines.
    expect(page.locator(".cm-found")).to_have_count(2, timeout=PATIENCE_MS)
    marked = page.locator(".cm-found").all_inner_texts()
    desk.editor.focus()
    page.keyboard.press("Control+Home")
    page.keyboard.type("// a line more\n")
    expect(page.locator(".cm-found")).to_have_text(marked, use_inner_text=True)
    expect(page.get_by_text("Draft saved")).to_be_visible(timeout=PATIENCE_MS)
    # After a reload the lines of this text are not those that were judged.
    reload(page, desk)
    expect(desk.stone.get_by_role("table")).to_be_visible()
    expect(page.locator(".cm-found, .cm-missing, .cm-letters")).to_have_count(0)
    expect(link).to_have_count(0)
    # The text that was judged, written again, has them.
    desk.editor.focus()
    page.keyboard.press("Control+Home")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Delete")
    assert letters(page) == ["W", "R"]
    expect(link).to_be_visible()


def test_the_line_of_an_exception_is_marked_after_a_reload(
    own_server: LiveServer, enter: PageOpener
) -> None:
    error = Raised(type="AttributeError", message="no attribute 'missing'", line=5, text="")
    judged(own_server, "01", "01_softmax.py", RAISES, verdict="RTE", error=error)
    own_server.start()
    for lang in ("en", "zh"):
        page = enter(own_server, lang, at="/problems/01")
        expect(page.locator(".cm-marked")).to_have_text("    return x.missing()")
        page.get_by_role("textbox").locator("visible=true").first.wait_for()
    Path(own_server.folder / "workspace/01_softmax.py").write_text(f"# another text\n{RAISES}")
    reload(page, desk := Desk(page=page, lang="zh"))
    desk.expect_text(f"# another text\n{RAISES}")
    expect(page.locator(".cm-marked, .cm-mark-note")).to_have_count(0)


# The longest names: no subscripts, no array, the highest numbers.
FAR = replace(party(120, is_write=True), block=(1023, 15, 7), thread=(1023, 0, 0), warp=31)
FIGURES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("RACE", {}),
    ("RACE", {"array": "", "index": (), "offset": 16_380, "at": party(120, is_write=True)}),
    ("RACE", {"space": "global", "array": "partial_sums", "index": (1234,), "other": FAR}),
    ("RACE", {"barrier": 118, "missing": MissingBarrier(line=122, call="__syncthreads();")}),
    ("OOB", {"figure": "bounds", "other": None, "index": (16, 3), "offset": 1036}),
    ("OOB", {"figure": "bounds", "other": None, "array": "", "index": (), "offset": -16_384}),
    ("UNINIT", {"figure": "unwritten", "other": None, "array": "", "index": (), "shape": ()}),
)
# What is outside of the figure, and what another label covers.
CUT = """svg => {
  const box = svg.getBoundingClientRect(), all = [...svg.querySelectorAll("text")];
  const rects = all.map(each => [each.textContent, each.getBoundingClientRect()]);
  const cut = rects.filter(([, r]) => r.left < box.left - 1 || r.right > box.right + 1);
  const under = rects.filter(([, r], i) => rects.some(([, o], j) => i < j &&
    r.left < o.right && o.left < r.right && r.top + 3 < o.bottom - 3 && o.top + 3 < r.bottom - 3));
  return [...cut, ...under].map(([text]) => text);
}"""


def test_no_label_of_a_figure_is_cut_or_covered_on_a_narrow_screen(
    own_server: LiveServer, enter: PageOpener
) -> None:
    own_server.start()
    for lang in ("en", "zh"):
        page = enter(own_server, lang, viewport={"width": 320, "height": 800})
        for number, (verdict, changes) in enumerate(FIGURES):
            source = f"// {number}\n"
            native = race(**changes)
            judged(own_server, "44", "44_tiled_matmul.cu", source, verdict=verdict, native=native)
            page.goto(f"{own_server.url}/{lang}/problems/44")
            figure = Desk(page=page, lang=lang).stone.locator(".hazard svg")
            expect(figure).to_be_visible(timeout=PATIENCE_MS)
            assert figure.evaluate(CUT) == [], (lang, number)
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_findings_are_text_where_their_figures_do_not_come(
    own_server: LiveServer, enter: PageOpener, tolerated: list[str], lang: str
) -> None:
    tolerated.append("ERR_FAILED")
    judged(own_server, "44", "44_tiled_matmul.cu", RACY, verdict="RACE", native=race())
    own_server.start()
    page = enter(own_server, lang, viewport={"width": 320, "height": 800})
    manifest = CONTENT.parent / "web/page/manifest.json"
    chunk = json.loads(manifest.read_text())["src/parts/verdict/Hazards.svelte"]
    page.route(f"**/{chunk['file']}", lambda route: route.abort())
    page.goto(f"{own_server.url}/{lang}/problems/44")
    text = page.get_by_role("region", name=SAY[lang]["found"])
    expect(text).to_have_text({"en": "found", "zh": "发现"}[lang], timeout=PATIENCE_MS)
    expect(text).to_have_css("max-height", "320px")
    text.focus()
    expect(text).to_be_focused()


def line_five(source: str) -> dict[str, Any]:
    """Make the error of line 5 of a text."""
    text = source.splitlines()[4]
    return {"error": Raised(type="ValueError", message="no", line=5, text=text)}


def test_the_marks_of_an_earlier_verdict_go_when_another_text_has_a_verdict(
    own_server: LiveServer, enter: PageOpener
) -> None:
    other = RAISES.replace("import torch", "import math")
    judged(own_server, "01", "01_softmax.py", other, verdict="RTE", **line_five(other))
    judged(own_server, "01", "01_softmax.py", RAISES, verdict="RTE", **line_five(RAISES))
    own_server.start()
    page = enter(own_server, at="/problems/01")
    desk = Desk(page=page)
    marked = page.locator(".cm-marked, .cm-mark-note")
    expect(marked).to_have_count(2)
    # It follows its line.
    desk.editor.focus()
    page.keyboard.press("Control+Home")
    page.keyboard.type("# a line more\n")
    expect(page.locator(".cm-marked")).to_have_text("    return x.missing()")
    page.get_by_role("tab", name="Submissions").click()
    page.get_by_role("row").last.get_by_role("button").click()
    expect(page.get_by_text("the editor may hold another text")).to_be_visible()
    expect(marked).to_have_count(0)


@pytest.mark.sandbox
@pytest.mark.torch
def test_a_text_that_changes_while_it_is_judged_gets_no_marks(
    own_server: LiveServer, enter: PageOpener
) -> None:
    desk = Desk(page=enter(own_server.start(), "en")).open()
    desk.write(RAISES)
    page = desk.page
    page.keyboard.press("Control+Home")
    desk.submit()
    page.keyboard.press("Enter")
    desk.expect_verdict("RTE error while running")
    desk.expect_over()
    expect(page.locator(".cm-marked, .cm-mark-note")).to_have_count(0)
    page.keyboard.press("Backspace")
    expect(page.locator(".cm-marked")).to_have_text("    return x.missing()")
