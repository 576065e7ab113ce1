"""Of two mistakes the page names the one that the case shows, and says that there is another."""

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

OVERFLOW = """\
import torch


def softmax(x, dim=-1, dtype=None):
    e = torch.exp(x)
    return e / e.sum(dim, keepdim=True)
"""
WORDS = {
    "en": {"named": "exp overflows", "else": "Something else is wrong in"},
    "zh": {"named": "溢出", "else": "还有别的错误"},
}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_case_that_is_shown_has_the_mistake_and_another_one_is_said(
    own_server: LiveServer, enter: PageOpener, lang: str
) -> None:
    desk = Desk(page=enter(own_server.start(), lang), lang=lang).open()
    desk.judge(OVERFLOW, re.compile("WA"))
    desk.expect_over()
    expect(desk.stone).to_contain_text(WORDS[lang]["named"], timeout=PATIENCE_MS)
    expect(desk.stone).to_contain_text(WORDS[lang]["else"])
    expect(desk.stone).to_contain_text("nan")
