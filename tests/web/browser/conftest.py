"""Chromium, and pages in it whose every fault fails the test that caused it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright

from tests.web.browser.seeding import seed
from tests.web.browser.watched import Watch, unexpected
from tests.web.chromium import ARGUMENTS, NAMES, find_chromium
from tests.web.conftest import left_as_it_was
from tests.web.live import LiveServer

# An expectation waits as long as a click does: nothing is measured with it.
expect.set_options(timeout=30_000)

LOCALES = {"en": "en-GB", "zh": "zh-CN"}

Launch = Callable[..., Browser]


@pytest.fixture(scope="session")
def chromium() -> str:
    """Find a Chromium."""
    path = find_chromium()
    if path is None:
        pytest.skip(f"no Chromium here: none of {', '.join(NAMES)} is on the PATH")
    return path


# A module's, not the session's: while Playwright runs, its event loop is this thread's, and no
# other test could start one.
@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="module")
def launch(playwright: Playwright, chromium: str) -> Iterator[Launch]:
    """Start browsers; each ends with the module. Playwright hides scrollbars unless told not to."""
    started: list[Browser] = []

    def start(*arguments: str, has_scrollbars: bool = False) -> Browser:
        args = [*ARGUMENTS, *arguments]
        left_out = ["--hide-scrollbars"] if has_scrollbars else []
        started.append(
            playwright.chromium.launch(
                executable_path=chromium, args=args, ignore_default_args=left_out
            )
        )
        return started[-1]

    yield start
    for browser in started:
        browser.close()


@pytest.fixture(scope="module")
def browser(launch: Launch) -> Browser:
    """Return the browser that the tests of a module share."""
    return launch()


@pytest.fixture
def tolerated() -> list[str]:
    """Return the list of what may go wrong in this test, as patterns; each of them must."""
    return []


@dataclass(frozen=True, kw_only=True)
class PageOpener:
    """Opens pages of a server, watched from their first request on.

    Attributes:
        contexts: Makes a context that is watched and closed in the end.
    """

    contexts: Callable[..., BrowserContext]

    def __call__(
        self, server: LiveServer, lang: str = "en", *, at: str = "/", **options: Any
    ) -> Page:
        """Enter a server by a link of its own, and show the page at an address."""
        page = self.outside(server, lang, **options)
        page.goto(server.new_link())
        page.wait_for_url(f"{server.url}/{lang}/")
        if at != "/":
            page.goto(f"{server.url}/{lang}{at}")
        return page

    def outside(self, server: LiveServer, lang: str = "en", **options: Any) -> Page:
        """Return a page of a browser that has not been let in."""
        # A press and its release that a smooth scroll moves apart are no click.
        options.setdefault("reduced_motion", "reduce")
        context = self.contexts(server, locale=LOCALES[lang], **options)
        return context.new_page()


@pytest.fixture
def enter(browser: Browser, tolerated: list[str]) -> Iterator[PageOpener]:
    """Return the opener of pages; an unforeseen fault of a page fails the test in the end."""
    opened: list[BrowserContext] = []
    seen: list[str] = []

    def make(server: LiveServer, **options: Any) -> BrowserContext:
        context = browser.new_context(**options)
        opened.append(context)
        Watch(origin=server.url, seen=seen).follow(context)
        return context

    yield PageOpener(contexts=make)
    for context in opened:
        context.close()
    assert unexpected(seen, tolerated) == []


@pytest.fixture(scope="session")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """Yield a server whose learner has a history, through practised alone."""
    live = LiveServer(folder=tmp_path_factory.mktemp("practised"))
    seed(live.folder / "data")
    live.start()
    live.enter()
    yield live
    assert live.stop() == 0


@pytest.fixture
def practised(seeded: LiveServer) -> Iterator[LiveServer]:
    """Yield a server whose learner has a history; it is shared, so a test leaves it as it was."""
    with left_as_it_was(seeded) as live:
        yield live


def rows(page: Page) -> list[str]:
    """Read the numbers of the problems in the list, as they stand."""
    links = page.get_by_role("table").get_by_role("link")
    found = links.evaluate_all(
        "(all) => all.map((each) => /problems[/]([0-9]+[a-z]*)$/.exec(each.pathname)?.[1])"
    )
    return list(dict.fromkeys(filter(None, found)))
