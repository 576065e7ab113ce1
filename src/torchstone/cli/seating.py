"""The candidate's own window: the open item, a place to write, Run and its verdict; no more."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from torchstone.cli.interviewing import storable_line
from torchstone.cli.screen import Screen
from torchstone.core.verdict import ExitCode

if TYPE_CHECKING:
    from torchstone.app.interview.showing import Asked

RUN, SHOW, LEAVE, END = ":run", ":item", ":quit", "."


class CandidateWindow:
    """Writes the candidate's lines into the draft of the open item, which the interviewer takes."""

    def __init__(self, screen: Screen, interview: str) -> None:
        from torchstone.app.interview.seating import find_seat

        self._screen = screen
        self._seat = find_seat(screen.home(), interview)
        self._shown: str | None = None
        self._lines: list[str] = []

    def hold(self) -> ExitCode:
        """Read lines until the candidate leaves or the interview ends."""
        self._screen.note(self._screen.say("interview.seat_how"))
        while True:
            asked = self._seat.open_item()
            self._turn_to(asked)
            typed = sys.stdin.readline()
            word = typed.strip()
            if not typed or word == LEAVE or self._seat.is_over:
                return ExitCode.ACCEPTED
            now = self._seat.open_item()
            if now is None or now.id != self._shown:
                # The interviewer went on meanwhile; the line belongs to no open item.
                continue
            if word == RUN:
                self._run()
            elif word == SHOW:
                self._shown = None
            elif word == END:
                self._screen.note(self._screen.say("interview.seat_done"))
            else:
                self._lines.append(storable_line(typed))
                self._seat.write(now.id, "\n".join(self._lines))

    def _turn_to(self, asked: Asked | None) -> None:
        if asked is None or asked.id == self._shown:
            return
        from torchstone.cli.layout import paragraph
        from torchstone.cli.palette import STRONG
        from torchstone.cli.prose import print_markdown

        screen = self._screen
        self._shown = asked.id
        self._lines = self._seat.read(asked.id).splitlines()
        for line in paragraph(asked.words[screen.lang], screen.columns, style=STRONG):
            screen.out.print(line)
        if asked.statement is not None:
            print_markdown(screen, asked.statement[screen.lang])
            screen.write(asked.starter or "")
        if asked.before is not None and asked.after is not None:
            screen.write(screen.say("interview.cell"))
            screen.write(asked.before)
            screen.write(screen.say("interview.changed_to"))
            screen.write(asked.after)
            screen.write(screen.say("interview.claims"))
            for number, (claim, proof) in enumerate(asked.claims, 1):
                screen.write(f"  {number}  {claim}  {proof}")

    def _run(self) -> None:
        """Judge the samples with what is written."""
        verdict = self._seat.run_samples("\n".join(self._lines) + "\n")
        if verdict is not None:
            self._screen.write(self._screen.say("interview.judged", verdict=verdict))
