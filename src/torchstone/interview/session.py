"""``Session``: the state of an interview, computed from its events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from torchstone.interview.choosing import Because, Offer, Past, Rule
from torchstone.interview.draw import Setting
from torchstone.interview.events import Event, What
from torchstone.interview.item import Item, Pool
from torchstone.interview.levels import Level, Mode
from torchstone.interview.mark import Mark

BELL_SHARE = 0.8
GRACE_S = 30.0
MOST_PAUSES = 2
MOST_PAUSE_S = 600.0
NUM_ANCHORS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonScore:
    """Score by a person: an anchor, and a quote as evidence."""

    anchor: int
    evidence: str
    reason: str = ""

    @property
    def score(self) -> float:
        """Return the score, 0 to 1."""
        return self.anchor / (NUM_ANCHORS - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Offered item, and its outcome.

    Args:
        answer: Text or program; None before submission.
        chosen: Predicted claims; None for other kinds.
        is_cut_off: Whether the item's time ran out.
        events: Numbers of its events.
    """

    offer: Offer
    begun_ms: int
    ended_ms: int | None = None
    answer: str | None = None
    chosen: tuple[str, ...] | None = None
    mark: Mark | None = None
    scores: tuple[PersonScore, ...] = ()
    skipped: str | None = None
    is_cut_off: bool = False
    events: tuple[int, ...] = ()

    @property
    def item(self) -> Item:
        """Return the item."""
        return self.offer.item

    @property
    def is_over(self) -> bool:
        """Return whether the item was answered or skipped."""
        return self.ended_ms is not None

    @property
    def person(self) -> PersonScore | None:
        """Return the valid score by a person; None if there is none."""
        return self.scores[-1] if self.scores else None

    @property
    def score(self) -> float | None:
        """Return the final score: a person's score overrides the automatic one."""
        if self.person is not None:
            return self.person.score
        return self.mark.score if self.mark else None

    @property
    def by(self) -> str:
        """Return who gave the final score."""
        if self.person is not None:
            return "human"
        return self.mark.by if self.mark else "none"

    def past(self) -> Past:
        """Return the data for the choice of the next item."""
        return Past(offer=self.offer, score=self.score, by_person=self.person is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Note of the interviewer."""

    elapsed_ms: int
    item: str
    text: str
    is_quote: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """State after a number of events."""

    setting: Setting
    header: dict[str, Any]
    entries: tuple[Entry, ...] = ()
    notes: tuple[Note, ...] = ()
    interruptions: tuple[dict[str, Any], ...] = ()
    num_pauses: int = 0
    paused_since: str | None = None
    quiet_until_ms: int = 0
    ended: str | None = None
    elapsed_ms: int = 0
    num_events: int = 0

    @property
    def current(self) -> Entry | None:
        """Return the current item; None between items."""
        last = self.entries[-1] if self.entries else None
        return last if last is not None and not last.is_over else None

    @property
    def past(self) -> tuple[Past, ...]:
        """Return the completed items."""
        return tuple(entry.past() for entry in self.entries if entry.is_over)

    @property
    def state(self) -> str:
        """Return the state as one word."""
        if self.ended is not None:
            return "ended"
        if self.paused_since is not None:
            return "paused"
        return "answering" if self.current else "between"

    def entry(self, item: str) -> Entry | None:
        """Return the entry of an item; None if it was not offered."""
        return next((entry for entry in self.entries if entry.item.id == item), None)

    def item_left_s(self, elapsed_ms: int) -> float | None:
        """Return the remaining seconds of the current item; None between items."""
        entry = self.current
        if entry is None:
            return None
        allowed = 60 * entry.item.minutes * self.setting.factor
        return allowed - (elapsed_ms - entry.begun_ms) / 1000


@dataclass(slots=True)
class Folder:
    """Reducer of events to a session; it needs the pool to look items up."""

    pool: Pool
    _session: Session | None = field(default=None)

    def fold(self, events: Sequence[Event]) -> Session:
        """Return the session after all events.

        Raises:
            ValueError: The first event does not start an interview.
        """
        for event in events:
            self.add(event)
        return self.session

    @property
    def session(self) -> Session:
        """Return the session after the events so far.

        Raises:
            ValueError: No event has started an interview.
        """
        if self._session is None:
            raise ValueError("Folder: the first event must be `begun`")
        return self._session

    def add(self, event: Event) -> Session:
        """Apply one more event."""
        if event.kind is What.BEGUN:
            self._session = _begin(event)
        session = replace(self.session, elapsed_ms=event.elapsed_ms, num_events=event.number)
        handler = _HANDLERS.get(event.kind)
        self._session = handler(session, event, self.pool) if handler else session
        return self._session


def setting_of(header: dict[str, Any]) -> Setting:
    """Return the setting in a header."""
    return Setting(
        seed=header["seed"],
        level=Level(header["level"]),
        minutes=header["minutes"],
        mode=Mode(header["mode"]),
        excluded=tuple(header.get("excluded", ())),
        factor=header.get("factor_percent", 100) / 100,
    )


def _begin(event: Event) -> Session:
    return Session(setting=setting_of(event.body), header=event.body)


def _offered(session: Session, event: Event, pool: Pool) -> Session:
    body = event.body
    offer = Offer(
        item=pool.get(body["item"]),
        rule=Rule(body["rule"]),
        because=Because(body["because"]),
        depth=body["depth"],
        is_follow_up=body["is_follow_up"],
    )
    entry = Entry(offer=offer, begun_ms=event.elapsed_ms, events=(event.number,))
    return replace(session, entries=(*session.entries, entry))


def _answered(session: Session, event: Event, pool: Pool) -> Session:
    body = event.body
    chosen = body.get("set")
    return _change(
        session,
        event,
        ended_ms=event.elapsed_ms,
        answer=body.get("text", ""),
        chosen=None if chosen is None else tuple(chosen),
        is_cut_off=body.get("is_cut_off", False),
    )


def _marked(session: Session, event: Event, pool: Pool) -> Session:
    return _change(session, event, mark=msgspec.convert(event.body["mark"], Mark))


def _scored(session: Session, event: Event, pool: Pool) -> Session:
    body = event.body
    given = PersonScore(
        anchor=body["anchor"], evidence=body["evidence"], reason=body.get("reason", "")
    )
    entry = session.entry(body["item"])
    assert entry is not None, "a score is accepted only for an item that was offered"
    return _change(session, event, scores=(*entry.scores, given))


def _skipped(session: Session, event: Event, pool: Pool) -> Session:
    return _change(session, event, ended_ms=event.elapsed_ms, skipped=event.body["reason"])


def _noted(session: Session, event: Event, pool: Pool) -> Session:
    body = event.body
    note = Note(
        elapsed_ms=event.elapsed_ms,
        item=body["item"],
        text=body["text"],
        is_quote=body["is_quote"],
    )
    return replace(session, notes=(*session.notes, note))


def _paused(session: Session, event: Event, pool: Pool) -> Session:
    return _interrupt(
        replace(session, num_pauses=session.num_pauses + 1, paused_since=event.at), event
    )


def _resumed(session: Session, event: Event, pool: Pool) -> Session:
    return replace(session, paused_since=None)


def _quiet(session: Session, event: Event, pool: Pool) -> Session:
    until = event.elapsed_ms + 1000 * int(event.body["seconds"])
    return _interrupt(replace(session, quiet_until_ms=until), event)


def _gap(session: Session, event: Event, pool: Pool) -> Session:
    return _interrupt(session, event)


def _ended(session: Session, event: Event, pool: Pool) -> Session:
    return replace(session, ended=event.body["why"])


def _interrupt(session: Session, event: Event) -> Session:
    seen = {"kind": str(event.kind), "elapsed_s": event.elapsed_ms / 1000, **event.body}
    return replace(session, interruptions=(*session.interruptions, seen))


def _change(session: Session, event: Event, **changes: Any) -> Session:
    entries = list(session.entries)
    for index in reversed(range(len(entries))):
        if entries[index].item.id == event.body["item"]:
            numbers = (*entries[index].events, event.number)
            entries[index] = replace(entries[index], events=numbers, **changes)
            break
    return replace(session, entries=tuple(entries))


_HANDLERS = {
    What.OFFERED: _offered,
    What.ANSWERED: _answered,
    What.MARKED: _marked,
    What.SCORED: _scored,
    What.SKIPPED: _skipped,
    What.NOTED: _noted,
    What.PAUSED: _paused,
    What.RESUMED: _resumed,
    What.QUIET: _quiet,
    What.GAP: _gap,
    What.ENDED: _ended,
}
