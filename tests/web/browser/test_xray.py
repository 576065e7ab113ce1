"""The x-ray and the map as their reader uses them: a program, its figures, lines and kernels."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.web.browser.conftest import PageOpener
from tests.web.browser.test_access import AXE, TAGS
from tests.web.live import LiveServer

pytestmark = [pytest.mark.web, pytest.mark.browser, pytest.mark.full]

LANGS = ("en", "zh")
PATIENCE_MS = 240_000
RUN = {"en": "Run", "zh": "运行"}
TABLE = {"en": "Table", "zh": "表"}
CANCEL = {"en": "Cancel", "zh": "取消"}
CODE = {"en": "Program", "zh": "程序"}
VIEWS = {"en": "Views, a layer, its backward", "zh": "视图、一层网络和它的反向"}
KERNEL = {"en": "From a line to a kernel", "zh": "从一行代码到一个内核"}
MISSING = {"en": "imports no_such (line 2)", "zh": "导入了 no_such（第 2 行）"}
PLAY = {"en": "Record and play", "zh": "记录并回放"}
NEXT = {"en": "Next", "zh": "下一步"}
CLAIM = {"en": "Claim that runs", "zh": "能运行的断言"}


def examine(page: Page, lang: str, example: str, scenes: int) -> Locator:
    """Take an example and run it; return its figures."""
    page.get_by_role("button", name=example).click()
    page.get_by_role("button", name=RUN[lang], exact=True).click()
    figures = page.locator("section.scene")
    expect(figures).to_have_count(scenes, timeout=PATIENCE_MS)
    return figures


def lit(page: Page) -> Locator:
    return page.locator(".ln .lit")


@pytest.mark.parametrize("lang", LANGS)
def test_three_figures_of_a_program_are_tied_to_its_lines(
    server: LiveServer, enter: PageOpener, lang: str
) -> None:
    page = enter(server, lang, at="/xray")
    figures = examine(page, lang, VIEWS[lang], 3)
    graph = page.locator("#figure-graph")
    # From the figure to the code.
    graph.get_by_role("group").last.focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowUp")
    expect(graph.locator(".said")).to_contain_text("TBackward0")
    expect(lit(page)).to_have_text(["11"])
    # From the code to the figures.
    page.get_by_role("textbox", name=CODE[lang], exact=True).press("Control+Home")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    expect(lit(page)).to_have_text(["4"])
    assert page.locator("#figure-dispatch .row.lit").count() > 1
    # The twin says the same as the picture.
    for figure in figures.all():
        drawn = figure.locator("[data-item]").count()
        figure.get_by_role("button", name=TABLE[lang], exact=True).press("Enter")
        assert figure.locator("tbody tr").count() == drawn
    for width in (1440, 1024, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width


def test_a_kernel_lights_up_its_lines(server: LiveServer, enter: PageOpener) -> None:
    page = enter(server, at="/xray")
    figure = examine(page, "en", KERNEL["en"], 1)
    figure.get_by_text("cpp_fused__softmax_gelu_0").locator("..").hover()
    expect(lit(page)).to_have_text(["5", "6"])
    assert figure.locator(".row.lit").filter(has_text="gelu").count() >= 1
    page.evaluate(AXE.read_text())
    found = page.evaluate("tags => axe.run(document, {runOnly: tags})", TAGS)
    assert [each["id"] for each in found["violations"]] == []


@pytest.mark.parametrize("lang", LANGS)
def test_an_error_is_its_sentence_and_the_text_is_kept(
    server: LiveServer, enter: PageOpener, lang: str
) -> None:
    page = enter(server, lang, at="/xray")
    code = page.get_by_role("textbox", name=CODE[lang], exact=True)
    expect(code).not_to_have_value("")
    code.fill("import torch\nimport no_such\n")
    code.press("Control+Enter")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text(MISSING[lang], timeout=PATIENCE_MS)
    expect(page.locator(".both .hl")).to_have_text("import no_such")
    code.fill("while True:\n    pass\n")
    code.press("Control+Enter")
    page.get_by_role("button", name=CANCEL[lang], exact=True).click()
    page.reload()
    expect(code).to_have_value("while True:\n    pass\n")


@pytest.mark.parametrize("lang", LANGS)
def test_a_call_is_played_over_the_map(server: LiveServer, enter: PageOpener, lang: str) -> None:
    page = enter(server, lang, at="/explain")
    page.get_by_role("button", name=PLAY[lang]).click()
    following = page.get_by_role("button", name=NEXT[lang])
    expect(following).to_be_visible(timeout=PATIENCE_MS)
    while following.is_enabled():
        following.click()
    expect(page.locator(".box.now")).to_contain_text("CPU kernels")
    whole = page.locator(".box").count()
    page.locator("main").get_by_role("combobox").first.select_option("autograd")
    assert page.locator(".box:not(.far)").count() < page.locator(".box").count() < whole
    page.locator(".fig").first.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".evidence")).to_contain_text(CLAIM[lang])
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
