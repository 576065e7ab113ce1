"""No script gets into the page: tried in a browser, without the policy that would stop it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.web import hostile
from tests.web.chromium import ARGUMENTS, find_chromium
from torchstone.web import prose
from torchstone.web.prose import render, render_inline

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.full, pytest.mark.browser]

COUNT = "() => { window.runs = 0; window.pwn = window.alert = () => { window.runs += 1; }; }"
# What a reader may do to an element without meaning to, and what a browser does by itself.
TOUCH = """() => {
  const events = ["mouseover", "mouseenter", "focus", "load", "error", "begin", "toggle",
    "animationstart"];
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    // Leaving the page would end the count.
    const address = link && new URL(link.href.baseVal ?? link.href, "http://page.example");
    if (address && address.protocol !== "javascript:") event.preventDefault();
  }, true);
  for (const element of document.body.querySelectorAll("*"))
    for (const name of events)
      element.dispatchEvent(new Event(name, { cancelable: true, bubbles: true }));
  // Of made events only this one follows a link.
  for (const element of document.body.querySelectorAll("*"))
    element.dispatchEvent(new MouseEvent("click", { cancelable: true, bubbles: true }));
  return new Promise((resolve) => setTimeout(() => resolve(window.runs), 300));
}"""


@pytest.fixture(scope="module")
def page() -> Iterator["Page"]:
    """Yield a page of a browser that counts the scripts that run and reaches no network."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = find_chromium()
    if chromium is None:
        pytest.skip("there is no chromium on this machine")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        page = browser.new_page(bypass_csp=True)
        page.route("**/*", lambda route: route.abort())
        yield page
        browser.close()


def whole(body: str) -> str:
    return f"<!doctype html><html lang=en><meta charset=utf-8><title>t</title><body>{body}</body>"


def outputs() -> list[str]:
    rendered = [render(text, lang="en", keep_title=True) for text in hostile.MARKDOWN]
    rendered += [render_inline(text) for text in hostile.MARKDOWN]
    rendered += [
        render("![a](figure_a.svg)", lang="zh", figures={"figure_a.svg": drawing})
        for drawing in hostile.MENDED_DRAWINGS + hostile.BROKEN_DRAWINGS
    ]
    return [f"<article>{html}</article>" for html in rendered]


def runs_when_parsed(page: "Page", html: str) -> int:
    """Count the scripts that run when a server sends the HTML."""
    page.goto("about:blank")
    page.evaluate(COUNT)
    page.set_content(whole(html))
    return int(page.evaluate(TOUCH))


def runs_when_inserted(page: "Page", html: str) -> int:
    """Count the scripts that run when a script puts the HTML into the page."""
    page.goto("about:blank")
    page.set_content(whole("<main></main>"))
    page.evaluate(COUNT)
    page.evaluate("html => { document.querySelector('main').innerHTML = html; }", html)
    return int(page.evaluate(TOUCH))


def test_the_browser_notices_a_script_that_runs(page: "Page") -> None:
    assert runs_when_parsed(page, "<p>x</p>") == runs_when_inserted(page, "<p>x</p>") == 0
    assert runs_when_parsed(page, "<script>pwn()</script>") == 1
    assert runs_when_parsed(page, "<p onmouseover=pwn()>x</p>") == 1
    assert runs_when_inserted(page, "<img src=x onerror=pwn()>") >= 1
    assert runs_when_inserted(page, "<a href='javascript:pwn()'>x</a>") >= 1
    # As they are, many of them do what they are here for.
    assert runs_when_parsed(page, "".join(hostile.MARKDOWN[:12])) >= 4


def test_no_script_runs_and_nothing_is_fetched(page: "Page") -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    html = "\n".join(outputs())
    assert runs_when_parsed(page, html) == 0
    assert runs_when_inserted(page, html) == 0
    assert [url for url in asked if not url.startswith("about:")] == []
    assert page.evaluate("document.querySelectorAll('article').length") == len(outputs())
    assert page.evaluate("document.querySelectorAll('body article article').length") == 0


def test_the_last_step_alone_lets_no_script_run(page: "Page") -> None:
    raw = hostile.MARKDOWN + hostile.MENDED_DRAWINGS + hostile.BROKEN_DRAWINGS
    html = "\n".join(prose._clean(prose._valid(text)) for text in raw if len(text) < 10_000)
    assert runs_when_parsed(page, html) == 0
    assert runs_when_inserted(page, html) == 0


def test_the_browser_reads_formulas_and_drawings_as_such(page: "Page") -> None:
    drawing = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9"/></svg>'
    text = "$\\frac{a}{b}$\n\n![a](figure_a.svg)"
    page.set_content(whole(render(text, lang="en", figures={"figure_a.svg": drawing})))
    spaces = "e => [...document.querySelectorAll(e)].map(x => x.namespaceURI.split('/').pop())"
    assert page.evaluate(spaces, "math, mfrac, mi") == ["MathML"] * 4
    assert page.evaluate(spaces, "svg, rect") == ["svg"] * 2
    assert page.evaluate("document.querySelector('svg').viewBox.baseVal.width") == 9
