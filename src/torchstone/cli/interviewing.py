"""An interview at the terminal, alone against the clock."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from torchstone.cli.screen import Screen
from torchstone.core.errors import BadInput, TorchstoneError

if TYPE_CHECKING:
    from torchstone.app.interview.holding import Kept
    from torchstone.app.interview.showing import Asked
    from torchstone.interview.session import Entry

END = "."
PAUSE, SKIP, QUIT, TIME = ":pause", ":skip", ":quit", ":time"
_PROGRAMS = "interviews"


class Seat:
    """Asks item after item; every line that is typed is kept before the next one is read."""

    def __init__(self, screen: Screen, kept: Kept) -> None:
        self._screen = screen
        self._kept = kept
        self._running = kept.running

    def hold(self) -> bool:
        """Ask until the time is up; return whether the interview is over."""
        self._screen.note(self._say("how", id=self._kept.name))
        if self._running.session.paused_since is not None and not self._wait():
            return False
        while (entry := self._running.next()) is not None:
            self._show(entry)
            if not self._take(entry):
                return False
        return True

    def _take(self, entry: Entry) -> bool:
        """Read until the answer is handed in; False if the candidate leaves."""
        lines = self._kept.draft(entry.item.id).splitlines()
        for line in lines:
            self._screen.write(f"  {line}")
        while True:
            typed = sys.stdin.readline()
            word = typed.strip()
            if not typed or word == QUIT:
                return False
            if word == PAUSE:
                if not self._pause():
                    return False
            elif word == TIME:
                self._clock()
            elif word == SKIP:
                self._running.skip("candidate")
                return True
            elif word == END:
                if self._hand_in(entry, "\n".join(lines)):
                    return True
                lines = []
            else:
                lines.append(storable_line(typed))
                self._kept.save_draft(entry.item.id, "\n".join(lines))

    def _hand_in(self, entry: Entry, text: str) -> bool:
        """Hand in an answer; False if it cannot be one, which is said."""
        try:
            if str(entry.item.kind) == "code":
                text = self._file(entry).read_text(encoding="utf-8")
                self._screen.note(self._say("judging"))
            chosen = text.replace(",", " ").split() if str(entry.item.kind) == "predict" else None
            done = self._running.answer(text, chosen)
        except BadInput as error:
            self._screen.fail(error)
            return False
        if done.is_cut_off:
            self._screen.note(self._say("cut_off"))
        if done.mark is not None and done.mark.verdict is not None:
            self._screen.write(self._say("judged", verdict=done.mark.verdict))
        return True

    def _show(self, entry: Entry) -> None:
        from torchstone.app.interview.showing import show_item
        from torchstone.cli.layout import paragraph, span
        from torchstone.cli.palette import SECONDARY, STRONG

        screen = self._screen
        asked = show_item(self._running.material, entry)
        strategy = self._running.material.strategies[asked.rule]
        name = {"en": strategy.en, "zh": strategy.zh}[screen.lang]
        because = self._say(f"because.{asked.because}")
        kind = self._say(f"kind.{asked.kind}")
        head = self._say("item", section=asked.section, kind=kind, minutes=f"{asked.minutes:g}")
        screen.out.print()
        screen.out.print(span((head, STRONG)))
        screen.out.print(span((self._say("rule", name=name, because=because), SECONDARY)))
        for line in paragraph(asked.words[screen.lang], screen.columns, style=STRONG):
            screen.out.print(line)
        self._material(entry, asked)
        self._clock()

    def _material(self, entry: Entry, asked: Asked) -> None:
        screen = self._screen
        if asked.statement is not None:
            from torchstone.cli.prose import print_markdown

            print_markdown(screen, asked.statement[screen.lang])
            path = self._file(entry)
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(asked.starter or "", encoding="utf-8")
            screen.write(self._say("write_in", path=path))
        elif asked.before is not None and asked.after is not None:
            screen.write(self._say("cell"))
            screen.write(asked.before)
            screen.write(self._say("changed_to"))
            screen.write(asked.after)
            screen.write(self._say("claims"))
            for number, (claim, line) in enumerate(asked.claims, 1):
                screen.write(f"  {number}  {claim}  {line}")

    def _clock(self) -> None:
        from torchstone.app.interview.showing import clocks

        read = clocks(self._running.session, self._running.plan, self._running.clock.elapsed_ms)
        left = read["item_left_s"]
        self._screen.note(
            self._say(
                "clock",
                item=_clock_words(left if left is not None else 0),
                total=_clock_words(read["total_left_s"]),
            )
        )

    def _pause(self) -> bool:
        """Stop the clock until Enter is pressed; False if the candidate leaves meanwhile."""
        try:
            self._running.pause()
        except TorchstoneError as error:
            self._screen.fail(error)
            return True
        return self._wait()

    def _wait(self) -> bool:
        self._screen.note(self._say("paused"))
        if not sys.stdin.readline():
            return False
        self._running.resume()
        return True

    def _file(self, entry: Entry) -> Path:
        folder = self._screen.home().workspace / _PROGRAMS / self._kept.name
        suffix = self._running.material.problem(entry.item).spec.language.suffix
        return folder / f"{entry.item.id}{suffix}"

    def _say(self, key: str, **values: object) -> str:
        return self._screen.say(f"interview.{key}", **values)


def storable_line(typed: str) -> str:
    """Return a typed line without its end; bytes that are no text become question marks."""
    return typed.rstrip("\n").encode("utf-8", "replace").decode("utf-8")


def _clock_words(seconds: float) -> str:
    sign = "-" if seconds < 0 else ""
    whole = abs(round(seconds))
    return f"{sign}{whole // 60}:{whole % 60:02d}"
