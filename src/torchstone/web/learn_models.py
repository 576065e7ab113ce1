"""Schemas of a chapter, with its texts as sanitized HTML and its figures in place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from torchstone.app.handbook.reading import ChapterPage, find_chapter
from torchstone.app.handbook.running import SECONDS
from torchstone.bank.handbook import Chapter, load_handbook, slug
from torchstone.bank.markdown import Cell, Heading
from torchstone.core.i18n import Lang
from torchstone.web import learn_schemas as shape
from torchstone.web import prose
from torchstone.web.figures import read_figures
from torchstone.web.library_lines import lines_model
from torchstone.web.reports import model_of
from torchstone.web.schemas import Words

_PAGE = re.compile(r"(?:\.\./(?P<lang>en|zh)/)?(?P<name>[a-z0-9-]+)\.md(?P<anchor>#.*)?")
_NAMED_LINK = re.compile(r"\[(?P<name>[a-z0-9-]+)\.md\](?=\((?P=name)\.md)")
_LIMITS = ("time", "memory", "output", "died")


def chapter_model(page: ChapterPage, lang: Lang) -> shape.ChapterPage:
    """Create the schema of a chapter in one language."""
    chapter = find_chapter(page.row.id)
    return shape.ChapterPage(
        row=model_of(shape.ChapterRow, page.row),
        part=Words(**page.part),
        pieces=list(_pieces(chapter, lang)),
        topics=[model_of(shape.JoinedTopic, topic) for topic in page.topics],
        problems=[
            shape.JoinedProblem(id=each.id, title=Words(**each.title)) for each in page.problems
        ],
        code=[lines_model(each) for each in page.code],
        previous=model_of(shape.ChapterRow, page.previous) if page.previous else None,
        next=model_of(shape.ChapterRow, page.next) if page.next else None,
    )


def _pieces(chapter: Chapter, lang: Lang) -> Iterator[shape.ChapterPiece]:
    figures = read_figures(chapter.folder / lang)
    taken: set[str] = set()
    sections = cells = 0
    # The page shows the title itself.
    _, *parts = chapter.parts(lang)
    for place, part in enumerate(parts):
        if isinstance(part, Heading):
            sections += 1
            yield shape.ChapterPiece(heading=_heading(part, sections, taken))
        elif isinstance(part, Cell):
            cells += 1
            yield shape.ChapterPiece(cell=_cell(chapter, part, cells))
        else:
            yield shape.ChapterPiece(
                html=prose.render(
                    _with_titles(part, lang),
                    lang=lang,
                    figures=figures,
                    prefix=f"p{place}",
                    link=_links(lang),
                )
            )


def _with_titles(markdown: str, lang: Lang) -> str:
    """Name chapters by their titles where the text names their files."""
    chapters = load_handbook().chapters

    def named(link: re.Match[str]) -> str:
        found = chapters.get(link["name"])
        return link[0] if found is None else f"[{found.title(lang)}]"

    return _NAMED_LINK.sub(named, markdown)


def _heading(heading: Heading, number: int, taken: set[str]) -> shape.ChapterHeading:
    name = slug(heading.title) or str(number)
    anchor, repeats = name, 0
    while anchor in taken:
        repeats += 1
        anchor = f"{name}-{repeats}"
    taken.add(anchor)
    return shape.ChapterHeading(
        number=number, level=heading.level, anchor=anchor, html=prose.render_inline(heading.title)
    )


def _cell(chapter: Chapter, cell: Cell, number: int) -> shape.ChapterCell:
    times = chapter.times
    seconds: float | None = None
    runs = "yes"
    if times is not None:
        seconds = round(sum(times.seconds[:number]), 1)
        if number > len(times.seconds):
            seconds, runs = None, "long" if times.end in _LIMITS else "absent"
        elif seconds > SECONDS:
            runs = "long"
    return shape.ChapterCell(
        number=number,
        source=cell.source,
        html=prose.render_code(cell.source),
        seconds=seconds,
        runs=runs,  # type: ignore[arg-type]
    )


@cache
def _links(lang: Lang) -> Callable[[str], str | None]:
    """Return the function that leads the links of a chapter to pages; other files have none."""
    known = {*load_handbook().chapters, "index"}

    def link(url: str) -> str | None:
        if url.startswith(("#", "http://", "https://")):
            return url
        page = _PAGE.fullmatch(url)
        if page is None or page["name"] not in known:
            return None
        name = "" if page["name"] == "index" else f"/{page['name']}"
        return f"/{page['lang'] or lang}/learn{name}{page['anchor'] or ''}"

    return link
