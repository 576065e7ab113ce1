"""The page says what the judge does while it judges, each stage with its time."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.shipped import shipped_bank
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

# All that the head of the stone has said, each once, in its order.
LISTEN = """() => {
    window.said = [];
    const note = () => {
        const head = document.querySelector(".vhead");
        const words = head?.innerText.replace(/\\s+/g, " ").trim();
        if (words && words !== window.said.at(-1)) window.said.push(words);
    };
    new MutationObserver(note).observe(document.querySelector("#verdict"), {
        subtree: true, childList: true, characterData: true,
    });
}"""
TIME = r"\d+\.\d s"
STAGES = {
    "en": {"44": "Compiling", "50": "Building the wheel", "running": "Running", "why": "Looking"},
    "zh": {"44": "编译", "50": "构建 wheel", "running": "运行", "why": "查找错误"},
}


def program(problem: str) -> str:
    """Return a wrong kernel, so that the judge looks for the mistake, and a right package."""
    found = shipped_bank().get(problem)
    if problem == "50":
        return found.solution.source
    return next(wrong.source for wrong in found.wrong if wrong.name == "tail_not_cleared")


@pytest.mark.parametrize(("problem", "lang"), [("44", "en"), ("50", "zh")])
def test_every_stage_of_a_compiled_problem_is_said_with_its_time(
    own_server: LiveServer, enter: PageOpener, problem: str, lang: str
) -> None:
    words = STAGES[lang]
    own_server.start().enter()
    own_server.wait_warm()
    draft = {"text": program(problem), "base": "absent"}
    assert own_server.ask("PUT", f"/api/problems/{problem}/draft", draft).status == 200
    desk = Desk(page=enter(own_server, lang), lang=lang).open(problem)
    desk.page.evaluate(LISTEN)
    desk.submit()
    heading = desk.page.locator(".vhead h2 b")
    expect(heading).to_have_text(re.compile("^[A-Z_]{2,}$"), timeout=PATIENCE_MS)
    desk.expect_over()
    said = desk.page.evaluate("window.said")
    first = next(each for each in said if words[problem] in each)
    assert re.search(TIME, first), said
    running = [each for each in said if words["running"] in each and re.search(TIME, each)]
    assert running, said
    # What is over stays with its time while the next stage runs.
    assert any(re.search(f"{words[problem]} {TIME}", each) for each in running), said
    assert any(re.search(r"case \d+ of \d+|第 \d+ 例，共 \d+ 例", each) for each in running), said
