"""Questions in a browser: think first, hand in, credit, predict."""

import pytest
from playwright.sync_api import expect

from tests.web.browser.conftest import PageOpener
from tests.web.live import LiveServer

pytestmark = [pytest.mark.web, pytest.mark.browser, pytest.mark.full]

VIEW = "/questions/2.1.2.1.1"
SAID = "view never copies: it shares the storage of its input."
HAND_IN = {"en": "Hand in", "zh": "交卷"}
DID_SAY = {"en": "I did say that", "zh": "我说了"}
BY_YOU = {"en": "credited by you", "zh": "你补记的"}
PREDICT = {"en": "Change it and predict", "zh": "改一处，猜结果"}
CHECK = {"en": "Check", "zh": "核对"}
FALSE = {"en": "What becomes false:", "zh": "不再成立的是："}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_answer_is_marked_beside_the_model_answer_and_credited(
    own_server: LiveServer, enter: PageOpener, lang: str
) -> None:
    own_server.start()
    page = enter(own_server, lang, at=VIEW)
    # Nothing of the answer is in the document before there is one.
    expect(page.get_by_role("textbox")).to_be_visible()
    assert page.locator("figure").count() == 0
    page.get_by_role("textbox").fill(SAID)
    page.get_by_role("button", name=HAND_IN[lang], exact=True).click()
    expect(page.locator("mark.found").first).to_contain_text("view never copies")
    missed = page.get_by_role("button", name=DID_SAY[lang])
    before = missed.count()
    missed.first.click()
    expect(missed).to_have_count(before - 1)
    expect(page.get_by_text(BY_YOU[lang])).to_be_visible()
    cell = page.locator("figure").filter(has=page.get_by_text(PREDICT[lang])).first
    cell.get_by_text(PREDICT[lang]).click()
    cell.get_by_role("button", name=CHECK[lang], exact=True).click()
    expect(cell.get_by_text(FALSE[lang])).to_be_visible()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_questions_are_narrowed_by_chapter_and_level(
    server: LiveServer, enter: PageOpener, lang: str
) -> None:
    page = enter(server, lang, at="/questions?chapter=2")
    expect(page.locator("h2")).to_have_count(1)
    everything = page.locator("main li").count()
    page.locator("select").nth(1).select_option("4")
    assert 0 < page.locator("main li").count() < everything
    page.locator("h3 a").first.click()
    expect(page.locator("h3")).to_have_count(1)
