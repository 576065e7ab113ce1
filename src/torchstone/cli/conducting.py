"""An interview that a person leads: the guide in this terminal, the candidate in a window apart."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from torchstone.cli.screen import Screen
from torchstone.core.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torchstone.app.interview.guiding import Words
    from torchstone.app.interview.holding import Kept
    from torchstone.interview.session import Entry


class Desk:
    """Reads what the interviewer types; every act is kept before the next one is read."""

    def __init__(self, screen: Screen, kept: Kept) -> None:
        self._screen = screen
        self._kept = kept
        self._running = kept.running
        self._acts: dict[str, Callable[[str], None]] = {
            "text": self._text,
            "take": self._take,
            "score": self._score,
            "rescore": self._rescore,
            "note": self._note,
            "quote": self._quote,
            "next": self._next,
            "skip": self._skip,
            "swap": self._swap,
            "pause": self._pause,
            "go": self._go,
            "quiet": self._quiet,
            "plan": self._plan,
            "guide": self._guide,
        }

    def hold(self) -> bool:
        """Lead until the end; return whether the interview is over."""
        self._screen.note(self._say("desk", id=self._kept.name, acts=", ".join(self._acts)))
        self._open()
        while self._running.session.ended is None:
            typed = sys.stdin.readline()
            word, _, rest = typed.strip().partition(" ")
            if not typed or word == "quit":
                return False
            if word == "end":
                self._running.end("interviewer")
                break
            self._act(word, rest.strip())
        return True

    def _act(self, word: str, rest: str) -> None:
        try:
            act = self._acts.get(word)
            if act is None:
                if word:
                    raise BadInput(
                        "interview.act_unknown", came=word[:20], known=", ".join(self._acts)
                    )
                return
            act(rest)
        except BadInput as error:
            self._screen.fail(error)

    def _open(self) -> None:
        if self._running.next() is not None:
            self._guide("")

    def _guide(self, rest: str) -> None:
        entry = self._current()
        for line in guide_lines(self._screen, self._kept, entry):
            self._screen.out.print(line)

    def _text(self, rest: str) -> None:
        """Show what the candidate has written so far."""
        self._screen.write(self._kept.draft(self._current().item.id))

    def _take(self, rest: str) -> None:
        """Hand in what the candidate has written; a program is judged."""
        from torchstone.app.interview.guiding import take_written

        done = take_written(self._running, self._kept.draft(self._current().item.id))
        if done.mark is not None and done.mark.verdict is not None:
            self._screen.write(self._say("judged", verdict=done.mark.verdict))

    def _score(self, rest: str, reason: str = "") -> None:
        from torchstone.app.interview.guiding import propose

        number, _, evidence = rest.partition(" ")
        entry = self._last()
        if not entry.is_over:
            self._take("")
        anchor = int(number) if number.isascii() and number.isdigit() else -1
        done = self._running.score(entry.item.id, anchor, evidence, reason)
        proposed = propose(done)
        if proposed is not None:
            self._screen.write(
                self._say("proposed", anchor=proposed["anchor"], score=proposed["score"])
            )

    def _rescore(self, rest: str) -> None:
        said, _, reason = rest.partition("|")
        self._score(said.strip(), reason.strip())

    def _note(self, rest: str) -> None:
        self._running.note(rest)

    def _quote(self, rest: str) -> None:
        self._running.note(rest, is_quote=True)

    def _next(self, rest: str) -> None:
        entry = self._running.session.current
        if entry is not None:
            self._take("")
        self._open()

    def _skip(self, rest: str) -> None:
        from torchstone.app.interview.guiding import require_reason

        self._current()
        self._running.skip(require_reason(rest))
        self._open()

    def _swap(self, rest: str) -> None:
        from torchstone.app.interview.guiding import swap

        name, _, reason = rest.partition(" ")
        swap(self._running, name, reason)
        self._guide("")

    def _pause(self, rest: str) -> None:
        self._running.pause()
        self._screen.note(self._say("stopped"))

    def _go(self, rest: str) -> None:
        self._running.resume()

    def _quiet(self, rest: str) -> None:
        self._running.quiet(300)

    def _plan(self, rest: str) -> None:
        from torchstone.app.interview.guiding import remaining

        for item, minute in remaining(self._running):
            kind = self._say(f"kind.{item.kind}")
            self._screen.write(f"{minute:>6.1f}  {kind}  {item.id}")

    def _current(self) -> Entry:
        entry = self._running.session.current
        if entry is None:
            raise BadInput("interview.nothing_asked", state=self._running.session.state)
        return entry

    def _last(self) -> Entry:
        entries = self._running.session.entries
        if not entries:
            raise BadInput("interview.nothing_asked", state=self._running.session.state)
        return entries[-1]

    def _say(self, key: str, **values: object) -> str:
        return self._screen.say(f"interview.{key}", **values)


def guide_lines(screen: Screen, kept: Kept, entry: Entry) -> Iterator[object]:
    """Yield the lines of the guide to an item: what only the interviewer sees."""
    from torchstone.app.interview.guiding import guide_to
    from torchstone.app.interview.showing import show_item
    from torchstone.cli.layout import hanging, paragraph, span
    from torchstone.cli.palette import SECONDARY, STRONG

    def say(key: str, **values: object) -> str:
        return screen.say(f"interview.{key}", **values)

    def listed(key: str, rows: list[tuple[str, Words]]) -> Iterator[object]:
        if rows:
            yield span((say(key), SECONDARY))
        for mark, words in rows:
            yield from hanging(mark, 4, words[screen.lang], screen.columns, margin=2)

    material = kept.running.material
    asked, guide = show_item(material, entry), guide_to(material, entry.item)
    kind = say(f"kind.{asked.kind}")
    yield span(
        (say("item", section=asked.section, kind=kind, minutes=f"{asked.minutes:g}"), STRONG)
    )
    yield from paragraph(asked.words[screen.lang], screen.columns, style=STRONG)
    yield from listed("guide.purpose", [("·", words) for words in guide.purpose])
    if guide.answer[screen.lang]:
        yield span((say("guide.answer"), SECONDARY))
        yield from paragraph(guide.answer[screen.lang], screen.columns, margin=2)
    yield from listed("guide.points", [("□", words) for _, words, _ in guide.points])
    yield from listed("guide.misconceptions", [("!", words) for _, words in guide.misconceptions])
    yield from listed("guide.probes", [("?", question) for question, _ in guide.probes])
    yield from listed("guide.anchors", [(f"{n}", words) for n, words in enumerate(guide.anchors)])
