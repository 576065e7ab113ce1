"""Check of a topic with the marker: its own texts must state what they claim."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from torchstone.bank.questions.finding import Finding
from torchstone.bank.questions.topic import Topic
from torchstone.core.errors import BrokenTopic
from torchstone.core.i18n import LANGS
from torchstone.study.marking.asked import Asked
from torchstone.study.marking.marker import mark
from torchstone.study.marking.measure import Agreement, Measured, measure
from torchstone.study.marking.normal import HAN
from torchstone.study.marking.phrases import Phrases
from torchstone.study.marking.topics import Written, read_asked, read_written

# Required agreement with a person on one topic's answers; agreement between the languages is
# measured over all topics, because within one a single decision is several percent.
LEAST_OF_POINTS = {"precision": 0.97, "recall": 0.92, "kappa": 0.88}
LEAST_OF_MISCONCEPTIONS = {"precision": 0.98, "recall": 0.85}
MOST_OF_OTHERS = 0.5
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_WRAP = re.compile(rf"(?<=[{HAN}\u3000-\u303f\uff00-\uffef])\n(?=[{HAN}])")
_Spoken = Mapping[str, Mapping[str, str]]


def check_marking(topic: Topic, phrases: Phrases | None = None) -> tuple[Finding, ...]:
    """Return the marker's objections to a topic; empty if a file cannot be read.

    The phrases default to those of the package.
    """
    try:
        spoken = {question.id: _model_answers(topic, question.id) for question in topic}
        named = _check_names(topic)
    except BrokenTopic:
        return ()  # Unreadable files are reported by the check of the texts.
    if named:
        return named
    asked = read_asked(topic.path / "topic.toml")
    written = read_written(topic.path / "answers.toml")
    findings: list[Finding] = []
    for question in asked:
        own = [answer for answer in written if answer.question == question.id]
        try:
            findings += _check_question(topic, question, spoken, own, phrases)
        except ValueError as error:
            reason = {"reason": str(error)}
            findings.append(_finding(topic, "TS-Q09", "pattern_broken", question.id, **reason))
    if any(finding.key == "study.marking.pattern_broken" for finding in findings):
        return tuple(findings)
    measured = measure(written, {question.id: question for question in asked}, phrases)
    return (*findings, *_check_agreement(topic, measured))


def unwrap(markdown: str) -> str:
    """Return a text with each paragraph on one line."""
    paragraphs = _PARAGRAPH.split(markdown.strip())
    return "\n\n".join(_WRAP.sub("", each).replace("\n", " ") for each in paragraphs)


def _model_answers(topic: Topic, question: str) -> Mapping[str, str]:
    sections = {lang: topic.section(question, lang) for lang in LANGS}
    return {
        lang: unwrap(section.short)
        for lang, section in sections.items()
        if section is not None and section.short
    }


def _check_names(topic: Topic) -> tuple[Finding, ...]:
    """Return the answers with points or misconceptions that their questions do not have."""
    points = {each.id: {point.id for point in each.key_points} for each in topic}
    mistakes = {each.id: {wrong.id for wrong in each.misconceptions} for each in topic}
    found = []
    for answer in topic.answers:
        if answer.question not in points:
            return (_finding(topic, "TS-Q01", "names_none", answer.question, names="-"),)
        lost = set(answer.found) - points[answer.question]
        lost |= set(answer.misconceptions) - mistakes[answer.question]
        if lost:
            names = ", ".join(sorted(lost))
            found.append(_finding(topic, "TS-Q01", "names_none", answer.question, names=names))
    return tuple(found)


def _check_question(
    topic: Topic,
    question: Asked,
    spoken: _Spoken,
    written: Sequence[Written],
    phrases: Phrases | None,
) -> Iterator[Finding]:
    spec = next(each for each in topic if each.id == question.id)
    for lang, short in spoken[question.id].items():
        yield from _check_model_answer(topic, question, lang, short, phrases)
    for lang, words in question.words.items():
        marked = mark(words, question, phrases)
        if marked.found or marked.misconceptions:
            yield _finding(topic, "TS-Q09", "question_scores", question.id, lang=lang)
    for wrong in spec.misconceptions:
        for lang in LANGS:
            marked = mark(wrong.words.said_in(lang), question, phrases)
            if wrong.id not in {found.id for found in marked.misconceptions}:
                values = {"lang": lang, "name": wrong.id}
                yield _finding(topic, "TS-Q09", "mistake_lost", question.id, **values)
    for answer in written:
        if answer.kind == "stuffed" and mark(answer.text, question, phrases).found:
            values = {"lang": answer.lang, "text": answer.text.strip()[:60]}
            yield _finding(topic, "TS-Q09", "stuffed_scores", question.id, **values)
    others = [
        mark(short, question, phrases).coverage
        for other, answers in spoken.items()
        if other != question.id
        for short in answers.values()
    ]
    if others and (share := sum(others) / len(others)) > MOST_OF_OTHERS:
        yield _finding(topic, "TS-Q09", "others_score", question.id, share=round(100 * share))


def _check_model_answer(
    topic: Topic, question: Asked, lang: str, answer: str, phrases: Phrases | None
) -> Iterator[Finding]:
    marked = mark(answer, question, phrases)
    if marked.not_found:
        values = {"lang": lang, "names": ", ".join(marked.not_found)}
        yield _finding(topic, "TS-Q09", "point_lost", question.id, **values)
    for found in marked.misconceptions:
        values = {"lang": lang, "name": found.id, "quote": found.quote}
        yield _finding(topic, "TS-Q09", "mistake_made", question.id, **values)


def _check_agreement(topic: Topic, measured: Measured) -> Iterator[Finding]:
    whole = measured.rows["all"]
    low = {
        "points": _low(whole.points, LEAST_OF_POINTS),
        "misconceptions": _low(whole.misconceptions, LEAST_OF_MISCONCEPTIONS),
    }
    differing = {"points": measured.points, "misconceptions": measured.misconceptions}
    for what, numbers in low.items():
        if numbers:
            ids = sorted({f"{each.question} {each.id} ({each.by})" for each in differing[what]})
            values = {"numbers": ", ".join(numbers), "names": ", ".join(ids)}
            yield _finding(topic, "TS-Q12", f"disagrees_on_{what}", **values)


def _low(agreement: Agreement, least: Mapping[str, float]) -> list[str]:
    reached = {name: getattr(agreement, name) for name in least}
    return [
        f"{name} {reached[name]:.2f} < {goal:.2f}"
        for name, goal in least.items()
        if reached[name] < goal
    ]


def _finding(topic: Topic, code: str, fault: str, question: str = "", **values: object) -> Finding:
    return Finding(
        code=code, topic=topic.id, question=question, key=f"study.marking.{fault}", values=values
    )
