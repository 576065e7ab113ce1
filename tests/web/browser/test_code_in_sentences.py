"""Names in the sentences of a verdict are shown as code, without backticks."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.web.browser.conftest import PageOpener
from tests.web.browser.desk import PATIENCE_MS, Desk
from tests.web.live import LiveServer

pytestmark = [
    pytest.mark.browser,
    pytest.mark.web,
    pytest.mark.sandbox,
    pytest.mark.torch,
    pytest.mark.full,
]

UNCHANGED = "def softmax(x, dim=-1, dtype=None):\n    return x * 1\n"
NAMELESS = "def softmin(x):\n    return x\n"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_names_in_sentences_are_code(
    used_server: LiveServer, enter: PageOpener, lang: str
) -> None:
    desk = Desk(page=enter(used_server, lang), lang=lang).open()
    desk.judge(UNCHANGED, re.compile("WA"))
    symptom = desk.stone.get_by_role("listitem").filter(has=desk.page.locator("code"))
    expect(symptom.locator("code").first).to_be_visible(timeout=PATIENCE_MS)
    expect(desk.stone).not_to_contain_text("`")
    desk.judge(NAMELESS, re.compile("CE"))
    said = desk.stone.locator(".say")
    expect(said.locator("code").first).to_have_text("softmax", timeout=PATIENCE_MS)
    expect(desk.stone).not_to_contain_text("`")
