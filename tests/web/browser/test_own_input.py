"""An own input: the expected value beside the actual one, and inputs under names."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.browser.conftest import PageOpener
from tests.web.browser.desk import PATIENCE_MS, Desk
from tests.web.live import LiveServer

pytestmark = [pytest.mark.web, pytest.mark.browser, pytest.mark.full]

DOUBLE = "import torch\n\n\ndef softmax(x, dim=-1, dtype=None):\n    return x * 2"
INPUT = "x = torch.zeros(2)\nsoftmax(x)"
WORDS = {
    "en": ("Own input", "Statements of Python", "Evaluate", "Expected, from the reference"),
    "zh": ("自己的输入", "与你的代码一起运行", "求值", "期望值，来自参考实现"),
}
KEPT = {
    "en": ("Keep…", "Name of the input", "Keep", "Kept inputs (1)", "Load two zeros"),
    "zh": ("保存…", "输入的名字", "保存", "已保存的输入（1）", "载入 two zeros"),
}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_expected_value_is_beside_the_actual_one_and_the_input_is_kept(
    used_server: LiveServer, enter: PageOpener, lang: str
) -> None:
    own, label, evaluate, expected = WORDS[lang]
    keep, name, go, kept, load = KEPT[lang]
    page = enter(used_server, lang)
    desk = Desk(page=page, lang=lang).open("01")
    desk.write(DOUBLE)
    page.get_by_role("button", name=own, exact=True).click()
    field = page.get_by_label(label)
    field.fill(INPUT)
    page.get_by_role("button", name=evaluate, exact=True).click()
    values = page.locator(".tried pre")
    expect(values).to_have_text(
        ["tensor([0., 0.])\nfloat32 (2,)", "tensor([0.5000, 0.5000])\nfloat32 (2,)"],
        timeout=PATIENCE_MS,
    )
    expect(page.get_by_role("heading", name=expected)).to_be_visible()

    # Kept under a name, and what is written meanwhile survives a reload.
    page.get_by_role("button", name=keep, exact=True).click()
    page.get_by_label(name).fill("two zeros")
    page.get_by_role("button", name=go, exact=True).click()
    expect(page.get_by_role("button", name=kept)).to_be_visible()
    field.fill("softmax(torch.ones(1))")
    page.reload()
    desk.expect_ready()
    page.get_by_role("button", name=own, exact=True).click()
    expect(field).to_have_value("softmax(torch.ones(1))")
    page.get_by_role("button", name=kept).click()
    page.get_by_role("button", name=load, exact=True).click()
    expect(field).to_have_value(INPUT)


def test_kept_inputs_are_replaced_renamed_deleted_and_brought_back(
    used_server: LiveServer, enter: PageOpener, tolerated: list[str]
) -> None:
    tolerated.append("409")
    put = {"name": "tiny", "code": "softmax(torch.ones(1))"}
    assert used_server.ask("PUT", "/api/problems/04/inputs", put).status == 200
    page = enter(used_server, at="/problems/04")
    Desk(page=page).expect_ready()
    page.get_by_role("button", name="Own input", exact=True).click()
    field = page.get_by_label("Statements of Python")
    field.fill("softmax(x)")
    page.get_by_role("button", name="Kept inputs (1)").click()

    # What was written comes back.
    page.get_by_role("button", name="Load tiny", exact=True).click()
    expect(field).to_have_value(put["code"])
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(field).to_have_value("softmax(x)")

    # A name in use is replaced knowingly only.
    page.get_by_role("button", name="Keep…", exact=True).click()
    page.get_by_label("Name of the input").fill("tiny")
    page.get_by_role("button", name="Replace", exact=True).click()
    expect(page.get_by_text("Kept as tiny.")).to_be_visible()
    expect(page.get_by_role("button", name="Keep…", exact=True)).to_be_focused()

    page.get_by_role("button", name="Rename tiny", exact=True).click()
    page.get_by_label("New name of tiny").fill("small")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Delete small", exact=True).click()
    expect(page.get_by_role("button", name="Kept inputs")).to_have_count(0)
    assert used_server.ask("GET", "/api/problems/04/inputs").json == {"inputs": []}
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_role("button", name="Load small", exact=True)).to_be_visible()
    (kept,) = used_server.ask("GET", "/api/problems/04/inputs").json["inputs"]
    assert (kept["name"], kept["code"]) == ("small", "softmax(x)")

    # Of two windows, the second does not overwrite what the first kept.
    assert used_server.ask("PUT", "/api/problems/04/inputs", put).status == 200
    page.get_by_role("button", name="Keep…", exact=True).click()
    page.get_by_label("Name of the input").fill("tiny")
    with page.expect_response(lambda answer: answer.status == 409):
        page.get_by_role("button", name="Keep", exact=True).click()
    expect(
        page.get_by_text("Another input of problem 04 is kept under the name tiny")
    ).to_be_visible()
