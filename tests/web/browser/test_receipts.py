"""A receipt is shown on a page of its own, printed whole, and checked by dropping it in."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.web.browser.conftest import PageOpener
from tests.web.browser.desk import PATIENCE_MS, RIGHT, Desk
from tests.web.browser.test_access import axe, find_violations
from tests.web.browser.test_print import HIDDEN
from tests.web.browser.watched import settle
from tests.web.live import LiveServer
from torchstone.judge.receipt import receipt_hash

pytestmark = [pytest.mark.browser, pytest.mark.web, pytest.mark.full]
__all__ = ["axe", "find_violations"]

REFUSED = "status of 400"
SAY: dict[str, dict[str, str]] = {
    "en": {
        "show": "Show",
        "download": "Download the file",
        "paste": "Or paste the text of a receipt",
        "busy": "mine.json: judging it twice",
        "go": "Check the text",
        "confirmed": "Confirmed: judging again gives the same result.",
        "refuted": "Refuted: judging again contradicts the receipt.",
        "forged": "Refuted: the receipt or its program was changed.",
        "lacks": "mine.json is not a receipt with its program: it has no field id.",
        "verdict": "Verdict",
        "large": "larger than 2 MiB",
        "several": "Drop one file at a time.",
        "ends": "The pasted text is not a receipt: the text ends in line 1, column 2",
    },
    "zh": {
        "show": "查看",
        "download": "下载文件",
        "paste": "或粘贴收据的文本",
        "busy": "mine.json：正在评测两遍",
        "go": "查验这段文本",
        "confirmed": "证实：重新评测，结果相同。",
        "refuted": "不实：重新评测的结果与收据矛盾。",
        "forged": "不实：收据或其中的程序被改动过",
        "lacks": "mine.json 不是附有程序的收据：缺少字段 id。",
        "verdict": "判定",
        "large": "超过 2 MiB",
        "several": "一次只拖一个文件。",
        "ends": "粘贴的文本 不是收据：文本在第 1 行第 2 列结束",
    },
}
DROP = """([name, texts]) => {
    const files = new DataTransfer();
    for (const text of texts) files.items.add(new File([text], name, {type: "application/json"}));
    const target = document.querySelector("main");
    const make = (kind) => new DragEvent(kind, {
        dataTransfer: files, bubbles: true, cancelable: true,
    });
    const [over, drop] = [make("dragover"), make("drop")];
    target.dispatchEvent(over);
    target.dispatchEvent(drop);
    return over.defaultPrevented && drop.defaultPrevented;
}"""


def drop(page: Page, *texts: str, name: str = "mine.json") -> None:
    """Drop files beside the frame; the browser must not open them."""
    assert page.evaluate(DROP, [name, list(texts)])


@pytest.mark.sandbox
@pytest.mark.torch
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_accepted_answer_is_shown_printed_taken_home_and_confirmed(
    own_server: LiveServer, enter: PageOpener, find_violations: Any, tmp_path: Path, lang: str
) -> None:
    say = SAY[lang]
    desk = Desk(page=enter(own_server.start(), lang), lang=lang).open("01")
    desk.judge(RIGHT, desk.say("AC"))
    page = desk.page
    page.get_by_role("link", name=say["show"], exact=True).click()
    heading = page.get_by_role("heading", level=1, name=re.compile("^(Receipt|收据) [0-9a-f]{12}$"))
    expect(heading).to_be_visible()
    expect(page.locator("main")).to_contain_text("28")
    expect(page.locator("main pre")).to_have_text(RIGHT)
    settle(page)
    assert find_violations(page) == []
    with page.expect_download() as coming:
        page.get_by_role("link", name=say["download"]).click()
    coming.value.save_as(tmp_path / "mine.json")
    text = (tmp_path / "mine.json").read_text()

    page.emulate_media(media="print")
    assert page.evaluate(HIDDEN.replace("#statement *, #verdict *", "main *")) == []
    for outside in ("banner", "contentinfo", "navigation", "button"):
        expect(page.get_by_role(outside).first).not_to_be_visible()  # type: ignore[arg-type]
    assert page.pdf().startswith(b"%PDF")
    page.emulate_media(media="screen")

    page.goto(f"{own_server.url}/{lang}/receipts")
    page.locator("input[type=file]").set_input_files(tmp_path / "mine.json")
    outcome = page.locator("#checked")
    expect(outcome).to_contain_text(say["confirmed"], timeout=PATIENCE_MS)
    assert find_violations(page) == []

    # The hash is no secret: whoever forges it too is refuted by the judge, and the table says how.
    forged = json.loads(text) | {"verdict": "WA", "aspect": "value"}
    drop(page, json.dumps(forged | {"hash": receipt_hash(forged)}))
    expect(outcome).to_contain_text(say["refuted"], timeout=PATIENCE_MS)
    row = outcome.get_by_role("row").filter(has_text="WA")
    expect(row.get_by_role("rowheader")).to_have_text(say["verdict"])
    expect(row.get_by_role("cell")).to_have_text(["WA", "AC"])
    drop(page, json.dumps(forged))
    expect(outcome).to_contain_text(say["forged"], timeout=PATIENCE_MS)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_is_no_receipt_is_refused_with_what_is_wrong(
    practised: LiveServer, enter: PageOpener, tolerated: list[str], lang: str
) -> None:
    say = SAY[lang]
    tolerated.append(REFUSED)
    page = enter(practised, lang, at="/receipts")
    settle(page)
    outcome = page.locator("#checked")
    drop(page, "{}")
    expect(outcome).to_contain_text(say["lacks"])
    drop(page, "x" * ((2 << 20) + 1))
    expect(outcome).to_contain_text(say["large"])
    drop(page, "{}", "{}")
    expect(outcome).to_contain_text(say["several"])
    page.get_by_role("textbox", name=say["paste"]).fill("{")
    page.get_by_role("button", name=say["go"]).press("Enter")
    expect(outcome).to_contain_text(say["ends"])

    # While one is checked, a refusal is seen, and a screen reader hears no seconds.
    held: list[Route] = []
    page.route("**/api/receipts/verify?*", lambda route: held.append(route))
    drop(page, "{}")
    expect(outcome).to_contain_text(say["busy"])
    drop(page, "{}", "{}")
    expect(outcome).to_contain_text(say["several"])
    expect(outcome).to_contain_text(say["busy"])
    seconds = outcome.locator("[aria-hidden=true]")
    expect(seconds).to_contain_text(re.compile("[1-9]"))
    assert re.search(r"\d+ (s|秒)", outcome.aria_snapshot()) is None
    held[0].continue_()
    expect(outcome).to_contain_text(say["lacks"])


def test_a_receipt_that_does_not_exist_says_so(
    practised: LiveServer, enter: PageOpener, tolerated: list[str]
) -> None:
    tolerated.append("status of 404")
    page = enter(practised, at="/receipts/ffffffffffff")
    expect(page.get_by_role("alert")).to_contain_text("ffffffffffff")
