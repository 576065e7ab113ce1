"""Candidate's seat: the current item, and verdicts on the samples."""

from __future__ import annotations

from dataclasses import dataclass

from torchstone.app.home import Home
from torchstone.app.interview.guiding import require_conduct
from torchstone.app.interview.holding import Kept, events_of, find_interview
from torchstone.app.interview.material import Material, read_material
from torchstone.app.interview.reading import reread
from torchstone.app.interview.showing import Asked, clocks, show_item
from torchstone.app.interview.viewing import SeatView, language_of, open_entry
from torchstone.app.judging.submission import judge_text
from torchstone.interview.item import Kind
from torchstone.interview.session import Entry, Folder, Session


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateSeat:
    """Seat in an interview; it writes only drafts, and adds no events."""

    home: Home
    material: Material
    name: str

    @property
    def is_over(self) -> bool:
        """Return whether the interview has ended."""
        return self._session().ended is not None

    def open_item(self) -> Asked | None:
        """Return the current item; None between items."""
        entry = self._entry()
        return None if entry is None else show_item(self.material, entry)

    def write(self, item: str, text: str) -> None:
        """Save the draft; it is flushed to disk on return."""
        with self.home.open_store() as store:
            store.save_interview_draft(self.name, item, text)

    def read(self, item: str) -> str:
        """Return the draft."""
        with self.home.open_store() as store:
            return store.interview_draft(self.name, item)

    def run_samples(self, text: str) -> str | None:
        """Judge a program on the samples; None if the current item is not a program."""
        entry = self._entry()
        if entry is None or entry.item.kind is not Kind.CODE:
            return None
        problem = self.material.problem(entry.item)
        judged = judge_text(self.home, problem, text, lambda event: None, groups=("sample",))
        return str(judged.verdict)

    def _entry(self) -> Entry | None:
        return self._session().current

    def _session(self) -> Session:
        with self.home.open_store() as store:
            events = events_of(store, self.name)
        return Folder(self.material.pool).fold(events)


def find_seat(home: Home, name: str) -> CandidateSeat:
    """Find the seat of an interview that a person conducts.

    Raises:
        NotFound: There is no such interview.
        BadInput: The interview is held alone.
    """
    with home.open_store() as store:
        stored = find_interview(store, name)
        events = events_of(store, stored.id)
    require_conduct(reread(home, events), stored.id)
    return CandidateSeat(home=home, material=read_material(home), name=stored.id)


def view_seat(home: Home, name: str, kept: Kept | None) -> SeatView:
    """Return the contents of the candidate's window.

    Args:
        home: The learner's home.
        name: The interview.
        kept: The interview, if this process holds it.

    Raises:
        NotFound: There is no such interview.
        BadInput: The interview is held alone.
    """
    if kept is None:
        with home.open_store() as store:
            stored = find_interview(store, name)
            events = events_of(store, stored.id)
        running, elapsed_ms, found = reread(home, events), stored.elapsed_ms, stored.id
        drafts = CandidateSeat(home=home, material=running.material, name=found).read
    else:
        running, found, drafts = kept.running, kept.name, kept.draft
        elapsed_ms = running.clock.elapsed_ms
    require_conduct(running, found)
    session = running.session
    entry = open_entry(session)
    read = clocks(session, running.plan, elapsed_ms)
    return SeatView(
        id=found,
        state=session.state,
        item_left_s=read["item_left_s"],
        total_left_s=read["total_left_s"],
        item=None if entry is None else show_item(running.material, entry),
        language=None if entry is None else language_of(running.material, entry.item),
        draft=None if entry is None else drafts(entry.item.id) or None,
    )
