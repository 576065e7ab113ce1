"""The settings list what changed on the disk, and what an export leaves out."""

import re

import pytest
from playwright.sync_api import expect

from tests.web.browser.conftest import PageOpener
from tests.web.live import LiveServer
from tests.web.test_damage import damage

pytestmark = [pytest.mark.browser, pytest.mark.web, pytest.mark.full]

SAID = {
    "en": {
        "title": "Damaged data",
        "rows": ["of problem 01: the program.", "Activity 1 of problem 01. It does not count."],
        "remedies": ["Submit the damaged programs again.", "torchstone import FILE"],
        "left out": "The export leaves out what is damaged: 1 submission, 1 activity, 0 reviews, "
        "0 kept inputs.",
    },
    "zh": {
        "title": "已损坏的数据",
        "rows": ["题目 01 的提交", "题目 01 的第 1 条活动记录，不再计入。"],
        "remedies": ["请重新提交已损坏的程序。", "torchstone import FILE"],
        "left out": "导出的文件不含已损坏的数据：提交 1 条，活动 1 条，复习 0 条，输入 0 条。",
    },
}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_damaged_rows_are_shown(own_server: LiveServer, enter: PageOpener, lang: str) -> None:
    added = damage(own_server)
    page = enter(own_server.start(), lang, at="/settings")
    said, section = SAID[lang], page.locator("#damage")
    expect(section.get_by_role("heading", name=str(said["title"]))).to_be_visible()
    lines = section.get_by_role("listitem")
    expect(lines).to_have_text([re.compile(re.escape(row)) for row in said["rows"]])
    expect(lines.first).to_contain_text(added)
    for remedy in said["remedies"]:
        expect(section).to_contain_text(remedy)
    expect(page.get_by_text(str(said["left out"]))).to_be_visible()


def test_nothing_is_shown_where_nothing_is_damaged(server: LiveServer, enter: PageOpener) -> None:
    page = enter(server, at="/settings")
    expect(page.get_by_role("heading", name="Versions")).to_be_visible()
    expect(page.locator("#damage")).to_have_count(0)
