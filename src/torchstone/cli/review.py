"""Output of reviews: due reviews with reasons, the log of a problem, and undo."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from torchstone.cli.layout import labelled, paragraph, span, two_sided
from torchstone.cli.palette import NUMBER, SECONDARY, STRONG
from torchstone.cli.screen import Screen

if TYPE_CHECKING:
    from torchstone.app.review.log import ReviewLine
    from torchstone.app.review.question_reviews import QuestionItem
    from torchstone.app.review.reviews import ReviewItem, ReviewList

FORECAST_WIDTH = 16


def draw_reviews(screen: Screen, found: ReviewList) -> Iterator[Text]:
    """Draw the due reviews, the later ones, and their number on each day."""
    questions = found.questions
    # Problems and questions in one queue, weakest first.
    due: list[ReviewItem | QuestionItem] = [*found.due, *questions.today]
    due.sort(key=lambda item: item.strength)
    if not (due or found.later or questions.waiting or questions.later):
        yield from paragraph(screen.say("review.none"), screen.columns)
        return
    listed: tuple[tuple[str, Sequence[ReviewItem | QuestionItem]], ...] = (
        ("review.due", due),
        ("review.later", found.later),
    )
    for title, items in listed:
        if items:
            yield Text()
            yield from paragraph(screen.say(title), screen.columns, style=STRONG)
        for item in items:
            yield from _draw_item(screen, item)
    if questions.waiting or questions.later:
        yield Text()
        count = screen.say(
            "review.questions", waiting=len(questions.waiting), later=len(questions.later)
        )
        yield from paragraph(count, screen.columns)
    yield Text()
    counts = " ".join(str(day.count) for day in found.forecast)
    yield Text("  ") + labelled(screen.say("review.forecast"), FORECAST_WIDTH, counts)


def _draw_item(screen: Screen, item: ReviewItem | QuestionItem) -> Iterator[Text]:
    line = span((item.number, NUMBER), "  ", item.title[screen.lang])
    note = f"{screen.say(f'rating.{item.rating}')}  {100 * item.strength:.0f} %"
    yield from two_sided(line, note, screen.columns)
    for words in (item.date_reason, item.reason):
        yield from paragraph(words[screen.lang], screen.columns, style=SECONDARY, margin=6)


def draw_log(screen: Screen, log: Sequence[ReviewLine]) -> Iterator[Text]:
    """Draw the reviews of a problem, newest first."""
    if not log:
        yield from paragraph(screen.say("review.none_of_it"), screen.columns)
    for each in log:
        line = span(
            (f"{each.reviewed_at.astimezone():%Y-%m-%d %H:%M}", NUMBER),
            "  ",
            screen.say(f"rating.{each.rating}"),
        )
        due = f"{each.due.astimezone():%Y-%m-%d}"
        note = screen.say("review.was_undone" if each.undone_at else "review.due_on", date=due)
        yield from two_sided(line, note, screen.columns)
        yield from paragraph(each.reason[screen.lang], screen.columns, style=SECONDARY, margin=6)


def draw_undone(
    screen: Screen,
    problem: str,
    left: ReviewItem | QuestionItem | None,
    *,
    is_question: bool = False,
) -> Iterator[Text]:
    """Draw the state of a problem or a question after an undo."""
    gone = "review.all_undone_question" if is_question else "review.all_undone"
    said = "review.undone" if left is not None else gone
    yield from paragraph(screen.say(said, problem=problem), screen.columns)
    if left is not None:
        yield from _draw_item(screen, left)
