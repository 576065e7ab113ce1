"""``Holding``: a persistent interview that can be resumed after a kill.

The events are the state. A heartbeat stores the clock every two seconds, so that a kill loses at
most that time; system sleep and changes of the wall clock have no effect, because intervals are
measured by the monotonic clock of the process.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import msgspec

from torchstone.app.home import Home
from torchstone.app.interview.marking import judge_with
from torchstone.app.interview.material import Material, read_material
from torchstone.app.interview.running import Running, plan_for
from torchstone.core.errors import BadInput, NotFound
from torchstone.interview.clock import HEARTBEAT_S, RunningClock
from torchstone.interview.draw import Setting
from torchstone.interview.events import Event, What, first_broken
from torchstone.interview.item import Kind
from torchstone.interview.levels import Mode
from torchstone.interview.session import setting_of

if TYPE_CHECKING:
    from torchstone.store import Store
    from torchstone.store.interviews import Holder, StoredInterview

# Time source between two events: the clock of a long-lived process, of a terminal or a page's
# server, or the wall clock between two commands.
TERMINAL, PAGE, STEPS = "terminal", "page", "steps"
_MOST_STEP_MS = 3_600_000
# The interviewer's ticks are stored beside the draft of an item.
_TICKS = "#ticks"
# Number of days for which questions with a viewed answer are not asked.
SEEN_DAYS = 7


@contextmanager
def begin(
    home: Home, setting: Setting, *, held: str, label: str = "", lang: str = "en"
) -> Iterator[Kept]:
    """Start an interview and hold it until the end of the block."""
    material = read_material(home)
    with home.open_store() as store:
        if setting.mode is Mode.SELF:
            setting = replace(setting, excluded=_seen_lately(store, material))
        name = store.begin_interview({"held": held}, _myself())
        kept = _keep(store, name, material, setting)
        with kept.beating():
            kept.running.begin(label=label, lang=lang)
            yield kept


@contextmanager
def resume(home: Home, name: str) -> Iterator[Kept]:
    """Resume an interview with its item, text and remaining time.

    Raises:
        NotFound: There is no such interview.
        BadInput: Another process holds it, or its events were modified.
    """
    material = read_material(home)
    with home.open_store() as store:
        stored = find_interview(store, name)
        if not store.hold_interview(stored.id, _myself(), is_alive=is_alive):
            raise BadInput("interview.held_elsewhere", id=stored.id)
        events = events_of(store, stored.id)
        if not events:
            raise NotFound("interview.unknown", id=name[:20])
        setting = setting_of(events[0].body)
        before_ms = stored.elapsed_ms + _between_ms(stored, events)
        kept = _keep(store, stored.id, material, setting, before_ms=before_ms, events=events)
        with kept.beating():
            kept.take_up(stored)
            yield kept


class Kept:
    """Interview held by this process.

    Attributes:
        name: Id of the interview.
        running: Operations on the interview.
    """

    def __init__(self, store: Store, name: str, running: Running) -> None:
        self.name = name
        self.running = running
        self._store = store
        self._stop = threading.Event()

    def draft(self, item: str) -> str:
        """Return the draft of an answer."""
        return self._store.interview_draft(self.name, item)

    def save_draft(self, item: str, text: str) -> None:
        """Save the draft of an answer; it is flushed to disk on return."""
        self._store.save_interview_draft(self.name, item, text)

    def ticks(self, item: str) -> list[str]:
        """Return the key points that the interviewer has ticked."""
        return self._store.interview_draft(self.name, f"{item}{_TICKS}").split()

    def save_ticks(self, item: str, points: Sequence[str]) -> None:
        """Save the ticked key points; they are notes, not events."""
        self._store.save_interview_draft(self.name, f"{item}{_TICKS}", " ".join(points))

    @contextmanager
    def beating(self) -> Iterator[None]:
        """Store the clock every two seconds during the block."""
        thread = threading.Thread(target=self._beat, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join()
            self._store.beat_interview(self.name, self.running.clock.elapsed_ms)
            self._store.leave_interview(self.name, _myself())

    def take_up(self, stored: StoredInterview) -> None:
        """Record the absence, and mark answers that were submitted before the process ended."""
        running = self.running
        session = running.session
        if session.ended is not None:
            return
        if session.paused_since is not None:
            running.clock.pause()
        elif stored.header["held"] != STEPS:
            away = datetime.now(UTC) - stored.last_seen
            # If the wall clock was set back, the absence counts as zero.
            lost_ms = max(0, round(1000 * away.total_seconds()))
            running.gap(lost_ms, "left" if stored.holder is None else "kill")
        running.mark_pending()

    def _beat(self) -> None:
        while not self._stop.wait(HEARTBEAT_S):
            self._store.beat_interview(self.name, self.running.clock.elapsed_ms)


def find_interview(store: Store, name: str) -> StoredInterview:
    """Find an interview by a prefix of its id.

    Raises:
        NotFound: No interview, or several, have this prefix.
    """
    found = [each for each in store.interviews() if each.id.startswith(name)]
    if len(found) != 1 or not name:
        raise NotFound("interview.unknown", id=name[:20])
    return found[0]


def events_of(store: Store, name: str) -> list[Event]:
    """Read the events of an interview.

    Raises:
        BadInput: The hash chain is broken.
    """
    events = [
        msgspec.convert(
            {
                "number": each.number,
                "at": each.at,
                "kind": each.kind,
                "elapsed_ms": each.elapsed_ms,
                "body": each.body,
                "previous_hash": each.previous_hash,
                "hash": each.hash,
            },
            Event,
        )
        for each in store.interview_events_of(name)
    ]
    broken = first_broken(events)
    if broken is not None:
        raise BadInput("interview.events_changed", id=name, number=broken)
    return events


def is_alive(holder: Holder) -> bool:
    """Return whether the process that holds an interview is running."""
    return _began(holder.pid) == holder.began


def _seen_lately(store: Store, material: Material) -> tuple[str, ...]:
    """Return the items about questions reviewed in the last days."""
    now = datetime.now(UTC)
    lately = {
        item
        for item, entry in store.last_reviews().items()
        if now - entry.reviewed_at < timedelta(days=SEEN_DAYS)
    }
    about = {Kind.CONCEPT, Kind.PREDICT}
    return tuple(
        item.id
        for item in material.pool
        if item.kind in about and f"question:{material.question_id(item)}" in lately
    )


def _keep(
    store: Store,
    name: str,
    material: Material,
    setting: Setting,
    *,
    before_ms: int = 0,
    events: list[Event] | None = None,
) -> Kept:
    def keep(event: Event) -> None:
        from torchstone.store.interviews import StoredEvent

        stored = StoredEvent(
            number=event.number,
            at=event.at,
            kind=str(event.kind),
            elapsed_ms=event.elapsed_ms,
            body=event.body,
            previous_hash=event.previous_hash,
            hash=event.hash,
        )
        if not store.add_interview_event(name, stored):
            raise BadInput("interview.held_elsewhere", id=name)

    plan = plan_for(material, setting)
    running = Running(
        material=material,
        plan=plan,
        # Last, because creating a plan takes time that is not the candidate's.
        clock=RunningClock(before_ms, monotonic),
        judge=judge_with(material),
        keep=keep,
        events=events or [],
    )
    return Kept(store, name, running)


def _between_ms(stored: StoredInterview, events: Sequence[Event]) -> int:
    """Return the time since the last command, for an interview held by commands.

    It is zero while the interview is paused, and if the wall clock was set back.
    """
    turns = [e.kind for e in events if e.kind in (What.PAUSED, What.RESUMED, What.ENDED)]
    if stored.header["held"] != STEPS or (turns and turns[-1] is not What.RESUMED):
        return 0
    passed = datetime.now(UTC) - stored.last_seen
    return min(max(0, round(1000 * passed.total_seconds())), _MOST_STEP_MS)


def _myself() -> Holder:
    from torchstone.store.interviews import Holder

    return Holder(pid=os.getpid(), began=_began(os.getpid()))


def _began(pid: int) -> int:
    """Return a number that identifies the start of a process since boot; 0 if it does not exist."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return 0
    # The program name in parentheses may contain blanks.
    ticks = text.rpartition(")")[2].split()[19]
    digest = hashlib.sha256(f"{ticks}@{boot}".encode()).digest()
    return int.from_bytes(digest[:7], "big")
