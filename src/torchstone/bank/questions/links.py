"""Links of a topic to terms, problems, code, questions, sources and files; use of its claims."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from torchstone.bank.loader import load_bank
from torchstone.bank.questions.finding import Finding
from torchstone.bank.questions.library import find_module
from torchstone.bank.questions.schema import Question
from torchstone.bank.questions.topic import Topic
from torchstone.core.i18n import LANGS

_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


def check_links(
    topic: Topic,
    *,
    terms: frozenset[str],
    problems: Mapping[str, frozenset[str]],
    syllabus: Mapping[str, int],
) -> Iterator[Finding]:
    """Yield the links that do not resolve.

    Args:
        topic: The topic.
        terms: The terms of the glossary in lower case.
        problems: Id of a problem -> the questions that its ``concepts`` name.
        syllabus: Topic -> the number of its questions, written or not.
    """
    for term in topic.spec.terms:
        if term.lower() not in terms:
            yield _finding(topic, "TS-Q11", "no_term", term=term)
    sources = {source.id for source in topic.spec.sources}
    for question in topic:
        yield from _check_problems(topic, question, problems)
        for name in question.code:
            if not _is_defined(name):
                yield _finding(topic, "TS-Q11", "no_code", question.id, name=name)
        for other in question.see:
            above, _, number = other.rpartition(".")
            if other == question.id or not 1 <= int(number) <= syllabus.get(above, 0):
                yield _finding(topic, "TS-Q11", "no_see", question.id, id=other)
        for source in sorted(question.cited - sources):
            yield _finding(topic, "TS-Q11", "no_source", question.id, id=source)
    yield from _check_text_links(topic)


def check_claims(topic: Topic) -> Iterator[Finding]:
    """Yield claims that feed nothing, are named and not made, or are made twice."""
    sources = {source.id for source in topic.spec.sources}
    for question in topic:
        made = topic.demo.claims_of(question.id)
        for claim in sorted(set(made) - question.fed):
            yield _finding(topic, "TS-Q03", "claim_unfed", question.id, claim=claim)
        named = question.fed.union(*(change.fails for change in question.changes))
        for claim in sorted(named - set(made) - sources):
            yield _finding(topic, "TS-Q03", "claim_absent", question.id, claim=claim)
        for claim in sorted({claim for claim in made if made.count(claim) > 1}):
            yield _finding(topic, "TS-Q03", "claim_twice", question.id, claim=claim)


@cache
def problem_concepts(root: Path) -> Mapping[str, frozenset[str]]:
    """Return the questions that the ``concepts`` of each problem name."""
    bank = load_bank(root, is_whole=False)
    return {problem.id: frozenset(problem.spec.concepts) for problem in bank}


def _check_problems(
    topic: Topic, question: Question, problems: Mapping[str, frozenset[str]]
) -> Iterator[Finding]:
    for number in question.problems:
        if number not in problems:
            yield _finding(topic, "TS-Q11", "no_problem", question.id, number=number)
        elif question.id in problems[number]:
            yield _finding(topic, "TS-Q11", "problem_named", question.id, number=number)


def _check_text_links(topic: Topic) -> Iterator[Finding]:
    for lang in LANGS:
        for target in _LINK.findall(topic.texts[lang].markdown):
            file = target.partition("#")[0]
            if "://" in target or (file and (topic.path / file).is_file()):
                continue
            yield _finding(topic, "TS-Q11", "no_target", lang=lang, target=target)
        for picture in re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", topic.texts[lang].markdown):
            if not (topic.path / picture).is_file():
                yield _finding(topic, "TS-Q11", "no_target", lang=lang, target=picture)


def _is_defined(name: str) -> bool:
    module, _, qualified = name.partition(":")
    path = find_module(module)
    return path is not None and qualified in _definitions(path)


@cache
def _definitions(path: Path) -> frozenset[str]:
    if not path.is_file():
        return frozenset()
    return frozenset(_names_in(ast.parse(path.read_text(encoding="utf-8")).body, ""))


def _names_in(body: list[ast.stmt], prefix: str) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield prefix + node.name
            yield from _names_in(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield prefix + node.name
        elif isinstance(node, ast.Assign):
            yield from (prefix + each.id for each in node.targets if isinstance(each, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield prefix + node.target.id


def _finding(topic: Topic, code: str, fault: str, question: str = "", **values: object) -> Finding:
    return Finding(
        code=code, topic=topic.id, question=question, key=f"bank.question_{fault}", values=values
    )
