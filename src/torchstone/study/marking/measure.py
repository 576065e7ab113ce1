"""Agreement of the marker with a person: precision, recall and kappa over marked answers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from torchstone.study.marking.asked import Asked
from torchstone.study.marking.marker import mark
from torchstone.study.marking.phrases import Phrases
from torchstone.study.marking.topics import Written


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Confusion table of decisions about points or misconceptions.

    Args:
        both: Found by both.
        marker_only: Found only by the marker: undue credit, or an undue misconception.
        person_only: Found only by the person.
        neither: Found by neither.
    """

    both: int = 0
    marker_only: int = 0
    person_only: int = 0
    neither: int = 0

    def __add__(self, other: "Agreement") -> "Agreement":
        """Return the sum of two tables."""
        return Agreement(
            both=self.both + other.both,
            marker_only=self.marker_only + other.marker_only,
            person_only=self.person_only + other.person_only,
            neither=self.neither + other.neither,
        )

    @property
    def precision(self) -> float:
        """Return the precision of the marker; 1 if it found nothing."""
        found = self.both + self.marker_only
        return self.both / found if found else 1.0

    @property
    def recall(self) -> float:
        """Return the recall of the marker; 1 if there is nothing to find."""
        due = self.both + self.person_only
        return self.both / due if due else 1.0

    @property
    def kappa(self) -> float:
        """Return Cohen's kappa, the agreement corrected for chance; 1 if all decisions agree.

        Source:
            Cohen, A coefficient of agreement for nominal scales (1960), eq. 1.
        """
        total = self.both + self.marker_only + self.person_only + self.neither
        if self.marker_only + self.person_only == 0:
            return 1.0
        observed = (self.both + self.neither) / total
        yes = (self.both + self.marker_only) * (self.both + self.person_only)
        no = (self.neither + self.person_only) * (self.neither + self.marker_only)
        by_chance = (yes + no) / total**2
        return (observed - by_chance) / (1 - by_chance) if by_chance < 1 else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Row of the table: answers of one language, of one kind, or all."""

    num_answers: int
    points: Agreement
    misconceptions: Agreement


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """Decision in which the marker and the person differ.

    Args:
        by: Who found it: ``marker`` or ``person``.
        quote: Quote of the marker; empty if it found nothing.
    """

    question: str
    id: str
    by: str
    text: str
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Complete measurement.

    Args:
        rows: Rows by name: ``all``, then the languages, then the kinds.
        points: Decisions about key points that differ.
        misconceptions: Decisions about misconceptions that differ.
    """

    rows: Mapping[str, Row]
    points: tuple[Disagreement, ...]
    misconceptions: tuple[Disagreement, ...]


def measure(
    answers: Iterable[Written], questions: Mapping[str, Asked], phrases: Phrases | None = None
) -> Measured:
    """Mark answers and compare with the marks of a person.

    The questions are keyed by id; the phrases default to those of the package.

    Raises:
        ValueError: An answer names a question, point or misconception that does not exist.
    """
    rows: dict[str, Row] = {"all": _row(Agreement(), Agreement(), 0)}
    points: list[Disagreement] = []
    mistakes: list[Disagreement] = []
    for answer in answers:
        if answer.question not in questions:
            raise ValueError(f"an answer is to the question {answer.question!r}, which is unknown")
        question = questions[answer.question]
        _check_ids(answer, question)
        marked = mark(answer.text, question, phrases)
        said = {found.id: found.quote for found in marked.found}
        ids = [point.id for point in question.points]
        about_points = _compare(ids, said, answer, answer.found, points)
        said = {found.id: found.quote for found in marked.misconceptions}
        ids = [mistake.id for mistake in question.mistakes]
        about_mistakes = _compare(ids, said, answer, answer.misconceptions, mistakes)
        for name in ("all", answer.lang, answer.kind):
            row = rows.get(name, _row(Agreement(), Agreement(), 0))
            rows[name] = _row(
                row.points + about_points,
                row.misconceptions + about_mistakes,
                row.num_answers + 1,
            )
    return Measured(rows=rows, points=tuple(points), misconceptions=tuple(mistakes))


def _row(points: Agreement, misconceptions: Agreement, num_answers: int) -> Row:
    return Row(num_answers=num_answers, points=points, misconceptions=misconceptions)


def _check_ids(answer: Written, question: Asked) -> None:
    lost = set(answer.found) - {point.id for point in question.points}
    lost |= set(answer.misconceptions) - {mistake.id for mistake in question.mistakes}
    if lost:
        raise ValueError(f"an answer to {question.id} names {sorted(lost)}, which it does not have")


def _compare(
    ids: Iterable[str],
    said: Mapping[str, str],
    answer: Written,
    due: Iterable[str],
    differing: list[Disagreement],
) -> Agreement:
    table = Agreement()
    wanted = set(due)
    for name in ids:
        table += Agreement(
            both=name in said and name in wanted,
            marker_only=name in said and name not in wanted,
            person_only=name not in said and name in wanted,
            neither=name not in said and name not in wanted,
        )
        if (name in said) != (name in wanted):
            differing.append(
                Disagreement(
                    question=answer.question,
                    id=name,
                    by="marker" if name in said else "person",
                    text=answer.text,
                    quote=said.get(name, ""),
                )
            )
    return table
