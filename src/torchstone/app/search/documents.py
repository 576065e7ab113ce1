"""Searchable texts: the public part of each problem, questions, terms, chapters of the handbook.

Hints, editorials, solutions and wrong answers are excluded: a search must not show closed texts,
and a match must not reveal their content. The short answer of a question, its key points and its
colloquial descriptions are searched but never shown; its misconceptions are not searched, because
they are false.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from torchstone.app.home import Home
from torchstone.bank import Problem
from torchstone.bank.concepts import Concepts, load_concepts
from torchstone.bank.glossary import Glossary, Term
from torchstone.bank.handbook import Chapter, load_handbook
from torchstone.bank.markdown import outline
from torchstone.bank.questions import Question, Topic
from torchstone.bank.questions.said import load_said
from torchstone.core.i18n import LANGS, Lang
from torchstone.store.search_index import DocumentKind


@dataclass(frozen=True, slots=True, kw_only=True)
class FindableText:
    """Texts of a searchable item in one language.

    Args:
        title: The title.
        names: Words with the weight of the title: numbers, names in code, synonyms.
        body: The text, in Markdown; empty if the names are enough.
        keywords: Words with the weight of the text that are not shown.
        taught: The tokens of the terms that a problem teaches or a chapter explains, with the
            weight of the title.
        said: Colloquial descriptions of a question; not shown.
        topic: The name of the topic of a question.
    """

    title: str
    names: tuple[str, ...]
    body: str
    keywords: str
    taught: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    topic: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findable:
    """Searchable problem, question, term or chapter, in both languages."""

    kind: DocumentKind
    id: str
    texts: dict[Lang, FindableText]


def findables(home: Home, glossary: Glossary) -> tuple[Findable, ...]:
    """List the searchable items of a bank: problems, questions, terms.

    Items that cannot be loaded are missing.
    """
    concepts = load_concepts()
    problems = (_of_problem(problem, concepts, glossary) for problem in home.bank)
    questions = (
        _of_question(topic, question, concepts, glossary)
        for topic in home.questions.topics
        for question in topic
    )
    return (*problems, *questions, *(_of_term(term) for term in glossary))


def with_chapters(home: Home, glossary: Glossary) -> tuple[Findable, ...]:
    """List all searchable items, including the chapters of the handbook."""
    chapters = (_of_chapter(chapter, glossary) for chapter in load_handbook().chapters.values())
    return (*findables(home, glossary), *chapters)


def _of_problem(problem: Problem, concepts: Concepts, glossary: Glossary) -> Findable:
    spec = problem.spec
    names = (problem.id, problem.slug, *spec.entry.names)
    taught = tuple(term.token for term in glossary if problem.id in term.problems)
    return Findable(
        kind=DocumentKind.PROBLEM,
        id=problem.id,
        texts={
            lang: FindableText(
                title=problem.title.said_in(lang),
                names=names,
                body=problem.statement.said_in(lang),
                keywords=" ".join(
                    (spec.entry.signature, *_concept_words(spec.concepts, concepts, lang))
                ),
                taught=taught,
            )
            for lang in LANGS
        },
    )


def _of_question(
    topic: Topic, question: Question, concepts: Concepts, glossary: Glossary
) -> Findable:
    texts = {}
    people = load_said().get(question.id)
    for lang in LANGS:
        section = topic.section(question.id, lang)
        said = (
            section.short if section else "",
            *(point.words.said_in(lang) for point in question.key_points),
            *_concept_words((question.id,), concepts, lang),
        )
        texts[lang] = FindableText(
            title=question.words.said_in(lang),
            names=(question.id,),
            body="",
            keywords="\n".join(said),
            said=people.said_in(lang) if people else (),
            topic=concepts.path(question.id)[-1].name.said_in(lang),
        )
    return Findable(kind=DocumentKind.QUESTION, id=question.id, texts=texts)


def _of_chapter(chapter: Chapter, glossary: Glossary) -> Findable:
    taught = tuple(term.token for term in glossary if chapter.id in term.chapters)
    return Findable(
        kind=DocumentKind.CHAPTER,
        id=chapter.id,
        texts={
            lang: FindableText(
                title=chapter.title(lang),
                names=(chapter.id,),
                body=outline(chapter.texts[lang]).prose,
                keywords="",
                taught=taught,
            )
            for lang in LANGS
        },
    )


def _concept_words(numbers: tuple[str, ...], concepts: Concepts, lang: Lang) -> Iterator[str]:
    yield from numbers
    # Several questions share a topic, and several topics a chapter: each name occurs once.
    places = {place.id: place for number in numbers for place in concepts.path(number)}
    for place in places.values():
        yield place.name.said_in(lang)


def _of_term(term: Term) -> Findable:
    return Findable(
        kind=DocumentKind.TERM,
        id=term.id,
        texts={
            lang: FindableText(
                title=term.title.said_in(lang),
                names=term.said_in(lang)[1:],
                body="",
                keywords="",
            )
            for lang in LANGS
        },
    )
