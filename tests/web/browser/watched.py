"""What a page does that no page of ours may: the log that each test is judged by."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request

# Chromium names a violation on the console as well, but not always with what was blocked.
TELL_VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} refused ${event.blockedURI}`));
"""
INSIDE = ("data:", "blob:", "about:", "chrome-error:")


@dataclass(kw_only=True)
class Watch:
    """Everything wrong that the pages of one context did.

    Attributes:
        origin: The only place that may be asked.
        seen: What went wrong, one line each.
    """

    origin: str
    seen: list[str] = field(default_factory=list)

    def follow(self, context: BrowserContext) -> None:
        """Watch every page of a context, those that it opens later included."""
        context.add_init_script(TELL_VIOLATIONS)
        context.on("console", self._hear)
        context.on("weberror", lambda error: self.seen.append(f"exception: {error.error}"))
        context.on("request", self._note_request)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.seen.append(f"{message.type}: {message.text} ({message.location['url']})")

    def _note_request(self, request: Request) -> None:
        is_inside = request.url.startswith((f"{self.origin}/", *INSIDE))
        if not is_inside:
            self.seen.append(f"asked elsewhere: {request.method} {request.url}")


def unexpected(seen: list[str], tolerated: list[str]) -> list[str]:
    """Name what went wrong that a test did not foresee, and what it foresaw in vain."""
    known = [re.compile(pattern) for pattern in tolerated]
    found = [line for line in seen if not any(pattern.search(line) for pattern in known)]
    in_vain = [each for each in known if not any(each.search(line) for line in seen)]
    return found + [f"foreseen, but it did not happen: {each.pattern}" for each in in_vain]


def settle(page: Page) -> None:
    """Wait until a page has all that it asks for."""
    page.locator("main h1").first.wait_for(state="attached")
    page.wait_for_load_state("networkidle")
