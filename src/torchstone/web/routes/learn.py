"""Routes of the chapters: list, read, note how far, run a cell."""

from __future__ import annotations

from fastapi import APIRouter

from torchstone.app.handbook import reading, running
from torchstone.app.home import Home
from torchstone.core.i18n import Lang
from torchstone.web import learn_schemas as shape
from torchstone.web.learn_models import chapter_model
from torchstone.web.reports import model_of

_ADDRESS = "/learn/{chapter_id}"


def add_learn(router: APIRouter, home: Home) -> None:
    """Add the routes."""

    @router.get("/learn", operation_id="list_chapters")
    def chapters() -> shape.ChapterList:
        return model_of(shape.ChapterList, reading.list_chapters(home))

    @router.get(_ADDRESS, operation_id="read_chapter")
    def read(chapter_id: shape.ChapterId, lang: Lang = "en") -> shape.ChapterPage:
        return chapter_model(reading.show_chapter(home, chapter_id), lang)

    @router.post(f"{_ADDRESS}/reading", operation_id="note_reading")
    def note(chapter_id: shape.ChapterId, body: shape.NoteReading) -> shape.ChapterRow:
        row = reading.note_reading(home, chapter_id, section=body.section, is_done=body.is_done)
        return model_of(shape.ChapterRow, row)

    @router.post(f"{_ADDRESS}/run", operation_id="run_chapter_cell")
    def run(chapter_id: shape.ChapterId, body: shape.RunChapterCell) -> shape.ChapterRun:
        edited = {each.cell: each.source for each in body.edited}
        return model_of(shape.ChapterRun, running.run_chapter_cell(chapter_id, body.cell, edited))
