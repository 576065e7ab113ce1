"""Read chapters of the handbook, as facts like all activities.

The section that was reached last counts, and the last of ``finish`` and ``reopen``: to look into a
chapter again does not make it unread.
"""

from abc import ABC

from sqlalchemy import select

from torchstone.store.damage import is_intact
from torchstone.store.progress import ProgressSection
from torchstone.store.records import Reading
from torchstone.store.schema import activities

MAX_SECTION = 3_600


class Chapters(ProgressSection, ABC):
    """The section of the store with what the learner has read."""

    def reach_section(self, chapter_id: str, section: int) -> None:
        """Record the section that the learner reads; without a change nothing is recorded.

        Raises:
            ValueError: No text has so many sections.
        """
        if not 0 <= section <= MAX_SECTION:
            raise ValueError(f"reach_section: {section}; expected 0 to {MAX_SECTION}.")
        known = self.readings().get(chapter_id)
        if known is None or known.section != section:
            self._note(chapter_id, kind="read", rung=section)

    def finish_chapter(self, chapter_id: str, *, is_done: bool) -> None:
        """Record that a chapter is read, or not yet; without a change nothing is recorded."""
        known = self.readings().get(chapter_id)
        if (known is not None and known.is_done) != is_done:
            self._note(chapter_id, kind="finish" if is_done else "reopen", rung=0)

    def readings(self) -> dict[str, Reading]:
        """Read what is known of each chapter that the learner has opened, by its id."""
        query = select(activities).where(activities.c.kind.in_(("read", "finish", "reopen")))
        ordered = query.order_by(activities.c.ordered_at, activities.c.number)
        with self._reading() as connection:
            rows = connection.execute(ordered).all()
        found: dict[str, Reading] = {}
        for row in rows:
            if is_intact("activities", row):
                before = found.get(row.problem_id)
                is_place = row.kind == "read"
                found[row.problem_id] = Reading(
                    chapter_id=row.problem_id,
                    section=row.rung if is_place else before.section if before else 0,
                    is_done=row.kind == "finish"
                    if not is_place
                    else bool(before and before.is_done),
                    read_at=row.happened_at,
                )
        return found
