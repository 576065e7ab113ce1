"""Command ``ask``: ask a question, read an answer, show what was found in it and what was not."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from torchstone.cli.command import command
from torchstone.cli.screen import Screen
from torchstone.core.errors import BadInput
from torchstone.core.verdict import ExitCode

if TYPE_CHECKING:
    from torchstone.app.home import Home
    from torchstone.app.questions.answered import Answered
    from torchstone.app.questions.asking import Given
    from torchstone.bank.questions import Question

# More than any answer that is marked; a longer one is read up to here and refused.
MAX_BYTES = 1 << 21
# What stands between the numbers that a learner types.
_BETWEEN = re.compile(r"[\s,;，、；]+")
END, SHOW = ".", "?"
_STDIN = Path("-")
_NOTHING: dict[str, Any] = {
    "question": None,
    "found": [],
    "missed": [],
    "misconceptions": [],
    "coverage": None,
    "corrections": None,
    "marker": None,
    "rating": None,
    "due": None,
    "reason": None,
}

QuestionArgument = Annotated[
    str | None, typer.Argument(metavar="ID", help="argument.asked", show_default=False)
]


def add_commands(app: typer.Typer) -> None:
    """Add the command to the application."""
    command(app, "ask")(ask)


def ask(
    screen: Screen,
    question: QuestionArgument = None,
    due: Annotated[bool, typer.Option("--due", help="option.ask_due")] = False,
    topic: Annotated[
        str | None, typer.Option("--topic", metavar="ID", help="option.ask_topic")
    ] = None,
    level: Annotated[
        int | None, typer.Option("--level", min=1, max=4, metavar="N", help="option.ask_level")
    ] = None,
    answer: Annotated[
        Path | None, typer.Option("--answer", metavar="FILE", help="option.ask_answer")
    ] = None,
    aloud: Annotated[bool, typer.Option("--aloud", help="option.ask_aloud")] = False,
) -> ExitCode:
    """Ask a question and mark the answer."""
    from torchstone.app.questions.asking import find_question
    from torchstone.app.questions.choosing import choose_question

    home = screen.home()
    if question is not None and (due or topic is not None or level is not None):
        raise BadInput("cli.ask_one_or_choose", question=question)
    if question is not None:
        chosen = find_question(home, question)[1]
    elif (found := choose_question(home, topic=topic, level=level, only_due=due)) is not None:
        chosen = found
    else:
        if screen.as_json:
            screen.answer({"ok": True, **_NOTHING})
        else:
            screen.note(screen.say("ask.none_due" if due else "ask.none"))
        return ExitCode.ACCEPTED
    return _Asking(screen, home, chosen, source=answer, aloud=aloud).run()


class _Asking:
    """One question, put to whoever sits at the terminal, or to a file."""

    def __init__(
        self, screen: Screen, home: Home, question: Question, *, source: Path | None, aloud: bool
    ) -> None:
        self._screen = screen
        self._home = home
        self._question = question
        self._source = source
        self._aloud = aloud
        self._is_interactive = screen.is_interactive and not screen.as_json and source is None

    def run(self) -> ExitCode:
        """Ask, mark and show."""
        from torchstone.app.questions import asking

        if not self._screen.as_json:
            self._put()
        given = self._given()
        if given is None:
            answered = asking.note_shown(self._home, self._question.id)
        else:
            answered = asking.hand_in(self._home, self._question.id, given)
        if self._screen.as_json:
            import msgspec

            self._screen.answer({"ok": True, **msgspec.to_builtins(answered)})
            return ExitCode.ACCEPTED
        if given is not None and given.said is None:
            self._show_marked(answered)
            if self._is_interactive:
                answered = self._corrected(answered, given)
        self._show_model(with_points=given is None)
        self._show_date(answered)
        return ExitCode.ACCEPTED

    def _put(self) -> None:
        from torchstone.cli.layout import paragraph, span
        from torchstone.cli.palette import NUMBER, SECONDARY, STRONG

        screen, question = self._screen, self._question
        facts = screen.say("ask.facts", level=question.level, minutes=f"{question.minutes:g}")
        screen.out.print(span("  ", (question.id, NUMBER), "  ", (facts, SECONDARY)))
        words = {"en": question.en, "zh": question.zh}[screen.lang]
        for line in paragraph(words, screen.columns, style=STRONG):
            screen.out.print(line)
        if self._is_interactive:
            screen.out.print()
            screen.note(screen.say("ask.how_aloud" if self._aloud else "ask.how"))

    def _given(self) -> Given | None:
        """Read the answer; None if the learner asked to see it."""
        from torchstone.app.questions.asking import Given

        if self._aloud:
            return self._ticked()
        if not self._is_interactive:
            return Given(text=_read(self._source))
        begun = time.monotonic()
        text = _typed()
        if text.strip() == SHOW:
            return None
        return Given(text=text, seconds=round(time.monotonic() - begun, 1))

    def _ticked(self) -> Given:
        from torchstone.app.questions.asking import Given

        points = self._question.key_points
        ids = [point.id for point in points]
        if not self._is_interactive:
            return Given(said=_numbered(_read(self._source), ids))
        begun = time.monotonic()
        sys.stdin.readline()
        seconds = round(time.monotonic() - begun, 1)
        self._list([{"en": point.en, "zh": point.zh} for point in points])
        return Given(said=self._chosen("ask.which_said", ids), seconds=seconds)

    def _chosen(self, key: str, ids: Sequence[str]) -> tuple[str, ...]:
        """Ask for numbers until all of them name something; none at the end of the input."""
        while True:
            sys.stdout.write(self._screen.say(key))
            sys.stdout.flush()
            try:
                return _numbered(sys.stdin.readline(), ids)
            except BadInput as error:
                self._screen.fail(error)

    def _corrected(self, answered: Answered, given: Given) -> Answered:
        """Ask which points were said after all, and rate again."""
        from torchstone.app.questions import asking
        from torchstone.app.questions.answered import Corrections

        credited: tuple[str, ...] = ()
        taken_back: tuple[str, ...] = ()
        if answered.missed:
            ids = [point.id for point in answered.missed]
            credited = self._chosen("ask.which_missed", ids)
        if answered.misconceptions:
            ids = [wrong.id for wrong in answered.misconceptions]
            taken_back = self._chosen("ask.which_not_meant", ids)
        if not credited and not taken_back:
            return answered
        made = Corrections(credited=credited, taken_back=taken_back, of=answered.corrections.of)
        if made.of is not None:
            return asking.correct(self._home, self._question.id, made)[0]
        # Practice, which is no review: the same answer again, with its corrections.
        return asking.hand_in(self._home, self._question.id, replace(given, corrections=made))

    def _show_marked(self, answered: Answered) -> None:
        screen = self._screen
        self._title(screen.say("ask.coverage", percent=round(100 * answered.coverage)))
        for point in answered.found:
            self._line("✓", point.words)
            self._aside(f"“{point.quote}”", margin=6)
        if answered.missed:
            self._title(screen.say("ask.missed"))
            self._list([point.words for point in answered.missed])
        if answered.misconceptions:
            self._title(screen.say("ask.misconceptions"))
            self._list([wrong.words for wrong in answered.misconceptions])
            for cell in (cell for wrong in answered.misconceptions for cell in wrong.cells):
                self._aside(screen.say("ask.refuted", cell=cell), margin=6)

    def _show_model(self, *, with_points: bool) -> None:
        from torchstone.app.questions.model_answer import read_model_answer
        from torchstone.cli.prose import print_markdown

        model = read_model_answer(self._home, self._question.id)
        self._title(self._screen.say("ask.model"))
        print_markdown(self._screen, model.parts[self._screen.lang].get("short", ""))
        if with_points:
            self._screen.out.print()
            self._list([point.words for point in model.points])
        if model.code:
            self._title(self._screen.say("editorial.library"))
        for lines in model.code:
            self._aside(f"{lines.name.split(':')[1]}  {lines.file}:{lines.line}")

    def _show_date(self, answered: Answered) -> None:
        screen = self._screen
        if answered.rating is None:
            self._title(screen.say("ask.practice"))
        else:
            self._title(screen.say("ask.rated", rating=screen.say(f"rating.{answered.rating}")))
        for words in (answered.reason.rating, answered.reason.date):
            if words is not None:
                self._aside(words[screen.lang])

    def _title(self, words: str) -> None:
        from torchstone.cli.layout import paragraph
        from torchstone.cli.palette import STRONG

        self._screen.out.print()
        for line in paragraph(words, self._screen.columns, style=STRONG):
            self._screen.out.print(line)

    def _aside(self, words: str, *, margin: int = 2) -> None:
        from torchstone.cli.layout import paragraph
        from torchstone.cli.palette import SECONDARY

        for line in paragraph(words, self._screen.columns, style=SECONDARY, margin=margin):
            self._screen.out.print(line)

    def _list(self, sentences: Sequence[dict[str, str]]) -> None:
        for number, words in enumerate(sentences, 1):
            self._line(f"{number}", words)

    def _line(self, mark: str, words: dict[str, str]) -> None:
        from torchstone.cli.layout import hanging

        for line in hanging(mark, 3, words[self._screen.lang], self._screen.columns, margin=2):
            self._screen.out.print(line)


def _read(source: Path | None) -> str:
    """Read an answer from a file, or from standard input."""
    from torchstone.app.judging.source import decode_text, read_content

    if source is not None and source != _STDIN:
        return decode_text(source, read_content(source, max_bytes=MAX_BYTES).data)
    return decode_text(_STDIN, sys.stdin.buffer.read(MAX_BYTES))


def _typed() -> str:
    """Read lines up to the end of the input or one with a full stop alone."""
    lines: list[str] = []
    for line in sys.stdin:
        if line.strip() == END:
            break
        lines.append(line)
        if lines == [line] and line.strip() == SHOW:
            break
    return "".join(lines)


def _numbered(words: str, ids: Sequence[str]) -> tuple[str, ...]:
    """Return what some numbers from 1 on name, such as ``1, 3``.

    Raises:
        BadInput: A word is no such number.
    """
    chosen = []
    for word in _BETWEEN.split(words.strip()):
        if not word:
            continue
        if not (word.isascii() and word.isdigit() and 1 <= int(word[:6]) <= len(ids)):
            raise BadInput("cli.ask_number", came=word[:20], most=len(ids))
        chosen.append(ids[int(word) - 1])
    return tuple(dict.fromkeys(chosen))
