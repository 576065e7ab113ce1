"""A learner at the page of a problem: what they do, and what they see, in either language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from playwright.sync_api import Locator, Page, expect

CONTENT: Final = Path(__file__).parents[3] / "src/torchstone/content"
SOFTMAX: Final = CONTENT / "problems/01_softmax"
RIGHT: Final = (SOFTMAX / "solution.py").read_text()
STARTER: Final = (SOFTMAX / "starter.py").read_text()
NO_SHIFT: Final = (SOFTMAX / "wrong/no_shift.py").read_text()
# How long a machine may take that does other things as well; nothing is measured with it.
PATIENCE_MS: Final = 120_000

WORDS: Final[dict[str, dict[str, str]]] = {
    "en": {
        "editor": "Editor: ",
        "verdict": "Verdict",
        "submit": "Submit",
        "run": "Run samples",
        "judging": "Judging",
        "cancel": "Cancel",
        "starter": "Starter, not changed yet",
        "saved": "Draft saved",
        "offline": "Draft kept in this browser",
        "refused": "The draft cannot be saved",
        "gone": "The server is gone",
        "AC": "AC proven",
    },
    "zh": {
        "editor": "编辑器：",
        "verdict": "判定",
        "submit": "提交",
        "run": "运行样例",
        "judging": "评测中",
        "cancel": "取消",
        "starter": "起始代码，尚未改动",
        "saved": "草稿已存",
        "offline": "草稿存在这个浏览器里",
        "refused": "草稿保存不了",
        "gone": "服务已断开",
        "AC": "AC 已证明",
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """The page of a problem and whoever sits before it.

    Attributes:
        page: Where the learner has come in.
        lang: The language of the page.
    """

    page: Page
    lang: str = "en"

    def say(self, key: str) -> str:
        """Return the words of the page's language."""
        return WORDS[self.lang][key]

    def open(self, problem: str = "01") -> Desk:
        """Go to a problem by its address and wait until one can write, upon the draft as it is.

        The editor may be there before the answer of the server. What is written before it has no
        known base: after a crash it is offered instead of adopted.
        """
        origin = re.match(r"http://[^/]+", self.page.url)
        assert origin is not None, self.page.url
        draft = f"{origin[0]}/api/problems/{problem}/draft"
        with self.page.expect_response(draft, timeout=PATIENCE_MS) as answer:
            self.page.goto(f"{origin[0]}/{self.lang}/problems/{problem}")
        answer.value.finished()
        self.expect_ready()
        return self

    def expect_ready(self) -> None:
        """Wait until the editor has taken the place of the plain text area."""
        expect(self.editor).to_be_visible(timeout=PATIENCE_MS)

    @property
    def editor(self) -> Locator:
        """Return the editor, but not the plain text area that stands there before it."""
        box = self.page.get_by_role("textbox", name=self.say("editor"))
        return box.and_(self.page.locator("[contenteditable]"))

    @property
    def stone(self) -> Locator:
        """Return the region of the verdict."""
        return self.page.get_by_role("region", name=self.say("verdict"), exact=True)

    @property
    def verdict(self) -> Locator:
        """Return the line of the verdict."""
        return self.stone.get_by_role("heading", level=2)

    def button(self, key: str) -> Locator:
        """Return a button beside the text."""
        # Its shortcut follows the word.
        name = re.compile(f"^{re.escape(self.say(key))}( |$)")
        beside = self.page.get_by_role("region", name=self.say("editor"))
        return beside.get_by_role("button", name=name)

    @property
    def text(self) -> str:
        """Read what stands in the editor, which must be short enough to be drawn whole."""
        return "\n".join(self.editor.locator(".cm-line").all_text_contents())

    def expect_text(self, wanted: str) -> None:
        """Wait until this text stands in the editor."""
        expect(self.editor.locator(".cm-line")).to_have_text(
            wanted.split("\n"), timeout=PATIENCE_MS, use_inner_text=False
        )

    def write(self, text: str) -> None:
        """Paste a text in the place of what is in the editor."""
        self.editor.click()
        self.paste(text)

    def paste(self, text: str) -> None:
        """Select all and paste, where the keyboard is."""
        self.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page.evaluate("text => navigator.clipboard.writeText(text)", text)
        self.page.keyboard.press("Control+a")
        self.page.keyboard.press("Control+v")
        self.expect_text(text)

    def submit(self) -> None:
        """Hand in with the keys."""
        self.page.keyboard.press("Control+Enter")

    def expect_verdict(self, words: str | re.Pattern[str]) -> None:
        """Wait for a verdict."""
        expect(self.verdict).to_have_text(words, timeout=PATIENCE_MS)

    def expect_over(self) -> None:
        """Wait until nothing is judged any more."""
        expect(self.button("submit")).to_be_visible(timeout=PATIENCE_MS)

    def judge(self, text: str, words: str | re.Pattern[str]) -> None:
        """Write a text, hand it in, and wait for the verdict to be final."""
        self.write(text)
        self.submit()
        self.expect_verdict(words)
        self.expect_over()

    def expect_draft(self, key: str) -> None:
        """Wait for what the page says of the draft."""
        expect(self.page.get_by_text(re.compile(f"^{self.say(key)}")).first).to_be_visible(
            timeout=PATIENCE_MS
        )
