"""The page of the doctor as its reader uses it: a trace, its verdict, and the proof in charts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.web.browser.conftest import PageOpener
from tests.web.browser.test_access import AXE, TAGS
from tests.web.live import LiveServer
from tests.web.test_doctor import slow_loader

pytestmark = [pytest.mark.web, pytest.mark.browser, pytest.mark.full]

LANGS = ("en", "zh")
MANAGER = {"en": "60% of each step is spent waiting for data", "zh": "每步有 60% 的时间在等数据"}
TITLE = {"en": "The loader works in the main process", "zh": "数据加载在主进程里进行"}
EMPTY = {"en": "empty.json is empty", "zh": "empty.json"}
GAP = {"en": "the device waits 6.1 ms", "zh": "设备空等 6.1 ms"}
TIMELINE = {"en": "Timeline of the run", "zh": "这次运行的时间线"}
GAPS = {"en": "The longest gaps as a table", "zh": "最长的空隙，表格"}
SHOW = {"en": "Show its evidence", "zh": "在图上看证据"}
CLEAR = {"en": "Show without evidence", "zh": "不标证据"}
PATIENCE_MS = 120_000
# The pixels of the canvas that are of the colour of evidence, in the rows above the first account.
MARKED = """() => {
    const canvas = document.querySelector(".plot canvas");
    const ink = getComputedStyle(document.querySelector(".k-ink")).fill.match(/\\d+/g).map(Number);
    const {width, height} = canvas;
    const copy = new OffscreenCanvas(width, height).getContext("2d", {willReadFrequently: true});
    copy.drawImage(canvas, 0, 0);
    const pixels = copy.getImageData(0, 0, width, height).data;
    let count = 0;
    for (let at = 0; at < pixels.length; at += 4) {
        count += ink.every((value, part) => value === pixels[at + part]) && pixels[at + 3] === 255;
    }
    return count;
}"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("traces") / "trace.json"
    path.write_bytes(slow_loader(6))
    return path


def open_trace(page: Page, *files: Path) -> None:
    page.locator("input[type=file]").set_input_files(list(files))
    expect(page.locator(".findings > li").first).to_be_visible(timeout=PATIENCE_MS)


@pytest.mark.parametrize("lang", LANGS)
def test_the_verdict_comes_first_and_each_chart_has_a_table(
    server: LiveServer, enter: PageOpener, trace: Path, lang: str
) -> None:
    page = enter(server, lang, at="/doctor")
    open_trace(page, trace)
    expect(page.locator(".manager")).to_contain_text(MANAGER[lang])
    expect(page.locator(".findings h3").first).to_contain_text(TITLE[lang])
    for twin in page.locator("details.twin").all():
        twin.locator("summary").press("Enter")
        expect(twin.locator("tbody tr").first).to_be_visible()
    for width in (1440, 1024, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width


@pytest.mark.parametrize("lang", LANGS)
def test_a_gap_is_chosen_by_mouse_or_keyboard_and_says_why_it_is_charged_so(
    server: LiveServer, enter: PageOpener, trace: Path, lang: str
) -> None:
    page = enter(server, lang, at="/doctor")
    open_trace(page, trace)
    plot = page.get_by_role("group", name=TIMELINE[lang])
    plot.focus()
    page.keyboard.press("n")
    why = page.locator(".why")
    expect(why).to_contain_text(GAP[lang])
    expect(why).to_contain_text("cudaLaunchKernel")
    expect(why.locator("tbody tr").first).to_contain_text("DataLoader")
    page.keyboard.press("Escape")
    expect(why).to_have_count(0)
    # The middle of a step's first half, in the row of the account.
    page.keyboard.press("0")
    box = page.locator(".plot canvas").bounding_box()
    assert box is not None
    left = 116
    page.mouse.click(box["x"] + left + (box["width"] - left) * 0.05, box["y"] + 45)
    expect(why).to_contain_text(GAP[lang])
    # And by its table.
    page.keyboard.press("Escape")
    page.get_by_text(GAPS[lang]).press("Enter")
    page.locator("details.twin[open] tbody button").first.press("Enter")
    expect(why).to_contain_text(GAP[lang])


def test_the_chosen_finding_marks_its_evidence_in_all_charts(
    server: LiveServer, enter: PageOpener, trace: Path
) -> None:
    page = enter(server, at="/doctor")
    open_trace(page, trace)
    expect(page.locator(".flame .box rect.f-ink").first).to_be_visible()
    page.wait_for_function(f"({MARKED})() > 500")
    page.get_by_role("button", name=CLEAR["en"]).press("Enter")
    expect(page.locator(".flame .box rect.f-ink")).to_have_count(0)
    page.wait_for_function(f"({MARKED})() < 500")
    page.get_by_role("button", name=SHOW["en"]).first.press("Enter")
    expect(page.locator(".flame .box rect.f-ink").first).to_be_visible()


def test_wheel_and_drag_and_keys_change_what_is_shown(
    server: LiveServer, enter: PageOpener, trace: Path
) -> None:
    page = enter(server, at="/doctor")
    open_trace(page, trace)
    shown = page.locator(".tools .num").first
    plot = page.locator(".plot")
    plot.scroll_into_view_if_needed()
    whole = shown.inner_text()
    box = page.locator(".plot canvas").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 60)
    page.mouse.wheel(0, -400)
    expect(shown).not_to_have_text(whole)
    zoomed = shown.inner_text()
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 - 200, box["y"] + 60, steps=5)
    page.mouse.up()
    expect(shown).not_to_have_text(zoomed)
    # Moved, and not zoomed.
    assert shown.inner_text().split(" · ")[1] == zoomed.split(" · ")[1]
    plot.focus()
    page.keyboard.press("0")
    expect(shown).to_have_text(whole)
    page.keyboard.press("+")
    expect(shown).not_to_have_text(whole)


@pytest.mark.parametrize("lang", LANGS)
def test_a_file_that_is_no_trace_has_its_sentence_and_what_was_open_stays(
    server: LiveServer,
    enter: PageOpener,
    tolerated: list[str],
    trace: Path,
    tmp_path: Path,
    lang: str,
) -> None:
    page = enter(server, lang, at="/doctor")
    open_trace(page, trace)
    tolerated.append("status of 400")
    (tmp_path / "empty.json").touch()
    page.locator("input[type=file]").set_input_files(tmp_path / "empty.json")
    expect(page.get_by_role("alert").first).to_contain_text(EMPTY[lang], timeout=PATIENCE_MS)
    expect(page.locator(".manager")).to_contain_text(MANAGER[lang])
    expect(page.locator(".plot canvas")).to_be_visible()


def test_a_dropped_file_is_opened_and_the_address_shows_it_again(
    server: LiveServer, enter: PageOpener, trace: Path
) -> None:
    page = enter(server, at="/doctor")
    expect(page.locator(".drop")).to_be_visible()
    page.evaluate(
        """(text) => {
            const held = new DataTransfer();
            held.items.add(new File([text], "dropped.json"));
            const options = {dataTransfer: held, bubbles: true, cancelable: true};
            document.querySelector(".drop").dispatchEvent(new DragEvent("drop", options));
        }""",
        trace.read_text(),
    )
    expect(page.locator(".findings > li").first).to_be_visible(timeout=PATIENCE_MS)
    expect(page.locator(".facts")).to_contain_text("dropped.json")
    page.reload()
    expect(page.locator(".facts")).to_contain_text("dropped.json", timeout=PATIENCE_MS)
    expect(page.locator(".manager")).to_contain_text(MANAGER["en"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_an_opened_run(
    server: LiveServer, enter: PageOpener, trace: Path, scheme: Any
) -> None:
    page = enter(server, at="/doctor", color_scheme=scheme)
    open_trace(page, trace)
    page.locator(".plot").focus()
    page.keyboard.press("n")
    expect(page.locator(".why")).to_be_visible()
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("(tags) => axe.run({runOnly: tags})", TAGS)
    assert [
        (each["id"], [node["html"] for node in each["nodes"]]) for each in found["violations"]
    ] == []


def test_a_picture_of_a_large_trace_holds_no_more_than_its_columns(
    server: LiveServer, enter: PageOpener, tmp_path: Path
) -> None:
    large = tmp_path / "large.json"
    command = [sys.executable, "-m", "torchstone.doctor", "simulate", "--disease", "loader"]
    subprocess.run(
        [*command, "--out", str(large), "--megabytes", "224"], check=True, capture_output=True
    )
    page = enter(server, at="/doctor")
    page.locator("input[type=file]").set_input_files(large)
    expect(page.locator(".plot canvas")).to_be_visible(timeout=PATIENCE_MS)
    expect(page.locator(".findings > li").first).to_be_visible(timeout=PATIENCE_MS)
    expect(page.locator(".facts")).to_contain_text("762 135")
    page.locator(".plot").focus()
    for key in ("0", "+", "ArrowRight", "-", "n"):
        page.keyboard.press(key)
    expect(page.locator(".why")).to_be_visible()
    # So what is drawn in a frame does not grow with the trace.
    drawn = page.evaluate(
        """async () => {
            const trace = new URLSearchParams(location.search).get("trace");
            const at = `/api/doctor/traces/${trace}/picture?begin=0&end=1e8&columns=1200`;
            const {rows} = await (await fetch(at)).json();
            return rows.map((row) => row.wide.length / 4 + row.runs.length / 4);
        }"""
    )
    assert len(drawn) > 5
    assert max(drawn) <= 2400
