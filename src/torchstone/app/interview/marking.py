"""Mark the answer to an item: prose by key points, predictions as sets, programs by the judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torchstone.app.interview.material import Material
from torchstone.app.questions.marker import as_asked
from torchstone.bank import Problem
from torchstone.core.errors import BadInput
from torchstone.core.verdict import Verdict
from torchstone.interview.item import Item, Kind
from torchstone.interview.mark import (
    Mark,
    Stated,
    program_score,
    prose_score,
    set_score,
    to_points,
)
from torchstone.interview.open_item import OpenItem
from torchstone.study.marking import Asked, Point, mark

Judge = Callable[[Problem, str], tuple[str, dict[str, bool]]]


def claims_of(material: Material, item: Item) -> tuple[str, ...]:
    """Return the claims of a prediction, in the order of the question."""
    question = material.question(item)
    return tuple(
        dict.fromkeys(claim for change in question.changes for claim in sorted(change.fails))
    )


def asserted_lines(material: Material, item: Item) -> dict[str, str]:
    """Return the claims of a prediction, each with the line that asserts it."""
    question = material.question(item)
    demo = material.home.questions.topic(question.topic_id).demo
    lines: dict[str, str] = {}
    for cell in demo.of(question.id):
        rows = cell.source.splitlines()
        lines |= {
            claim: rows[number - 1].split("# claim:")[0].strip()
            for number, claim in cell.claims.items()
        }
    return {claim: lines.get(claim, claim) for claim in claims_of(material, item)}


def mark_item(
    material: Material, item: Item, text: str, chosen: Sequence[str] | None, judge: Judge
) -> Mark:
    """Mark an answer according to the kind of its item."""
    if item.kind is Kind.PREDICT:
        return _mark_set(material, item, chosen or ())
    if item.kind is Kind.CODE:
        return _mark_program(material.problem(item), text, judge)
    if item.kind is Kind.OPEN:
        opened = material.open_item(item)
        return _mark_prose(as_open(opened), text, is_unsure=True)
    return _mark_prose(as_asked(material.question(item)), text, is_unsure=False)


def as_open(item: OpenItem) -> Asked:
    """Return a discussion in the marker's form: its criteria are key points."""
    return Asked(
        id=item.id,
        words=item.words,
        points=tuple(
            Point(
                id=criterion.id,
                weight=criterion.weight,
                say={"en": criterion.say.en, "zh": criterion.say.zh},
            )
            for criterion in item.criteria
        ),
        subjects={},
    )


def _mark_prose(asked: Asked, text: str, *, is_unsure: bool) -> Mark:
    found = mark(text, asked)
    return Mark(
        points=to_points(prose_score(found.coverage, len(found.misconceptions))),
        by="marker",
        found=tuple(Stated(id=each.id, quote=each.quote) for each in found.found),
        missed=found.not_found,
        mistakes=tuple(Stated(id=each.id, quote=each.quote) for each in found.misconceptions),
        refusal=found.refusal,
        is_unsure=is_unsure,
    )


def read_claims(
    material: Material, item: Item, text: str, chosen: Sequence[str] | None
) -> list[str]:
    """Parse a predicted set: ids of claims, or their numbers from 1.

    Args:
        material: Content of the interview.
        item: The prediction.
        text: Prose; without an explicit set, the claims named in it form the set.
        chosen: Explicit set.

    Raises:
        BadInput: A word of the set is not a claim of the question.
    """
    claims = claims_of(material, item)
    words = text.replace(",", " ").split() if chosen is None else list(chosen)
    named = [claims[int(w) - 1] if _is_number(w, len(claims)) else w for w in words]
    strays = sorted(set(named) - set(claims))
    if strays and chosen is not None:
        raise BadInput(
            "interview.claim_unknown",
            item=item.id,
            came=", ".join(strays)[:80],
            known=", ".join(claims),
        )
    return sorted(set(named) & set(claims))


def _mark_set(material: Material, item: Item, chosen: Sequence[str]) -> Mark:
    claims = claims_of(material, item)
    said = frozenset(chosen)
    right = frozenset(material.change(item).fails)
    return Mark(
        points=to_points(set_score(said, right)),
        by="set",
        found=tuple(Stated(id=claim) for claim in claims if claim in right & said),
        missed=tuple(claim for claim in claims if claim in right - said),
        mistakes=tuple(Stated(id=claim) for claim in claims if claim in said - right),
    )


def _is_number(word: str, most: int) -> bool:
    return word.isascii() and word.isdigit() and 1 <= int(word[:6]) <= most


def _mark_program(problem: Problem, source: str, judge: Judge) -> Mark:
    if not source.strip():
        return Mark(points=0, by="judge", refusal="empty")
    verdict, passed = judge(problem, source)
    return Mark(
        points=to_points(program_score(verdict, passed)),
        by="judge",
        found=tuple(Stated(id=group) for group, is_passed in passed.items() if is_passed),
        missed=tuple(group for group, is_passed in passed.items() if not is_passed),
        verdict=verdict,
    )


def judge_with(material: Material) -> Judge:
    """Return a function that judges a program: its verdict, and whether each group passed."""

    def judge(problem: Problem, source: str) -> tuple[str, dict[str, bool]]:
        from torchstone.app.judging.submission import judge_text

        judged = judge_text(material.home, problem, source, lambda event: None)
        passed: dict[str, bool] = {}
        for case in judged.report.cases:
            is_right = case.code is Verdict.AC
            passed[case.group] = passed.get(case.group, True) and is_right
        for group in judged.report.failed_groups:
            passed[group] = False
        for group, _ in judged.plan:
            # Cases that were not reached count as failed.
            passed.setdefault(group, False)
        return str(judged.verdict), passed

    return judge
