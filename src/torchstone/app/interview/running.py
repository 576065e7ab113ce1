"""``Running``: an interview in progress. Each operation stores its events before it returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

import torchstone
from torchstone.app.interview.marking import Judge, mark_item, read_claims
from torchstone.app.interview.material import Material
from torchstone.core.errors import BadInput
from torchstone.interview.choosing import Because, Chooser, Offer, Rule
from torchstone.interview.clock import Clock
from torchstone.interview.draw import Setting
from torchstone.interview.events import Event, What, make_event
from torchstone.interview.item import Item, Kind
from torchstone.interview.levels import Mode
from torchstone.interview.plan import Plan, make_plan
from torchstone.interview.session import (
    GRACE_S,
    MOST_PAUSES,
    NUM_ANCHORS,
    Entry,
    Folder,
    Session,
)

Keep = Callable[[Event], None]
_NEEDS_EVIDENCE = (0, NUM_ANCHORS - 1)
_MOST_TEXT = 64_000


@dataclass(slots=True, kw_only=True)
class Running:
    """Interview in progress.

    Args:
        material: Content of the interview.
        plan: Plan of the interview.
        clock: Clock of the interview.
        judge: Function that judges programs.
        keep: Function that stores an event; an operation is acknowledged after it returns.
    """

    material: Material
    plan: Plan
    clock: Clock
    judge: Judge
    keep: Keep
    events: list[Event] = field(default_factory=list)
    _folder: Folder = field(init=False)
    _chooser: Chooser = field(init=False)

    def __post_init__(self) -> None:
        """Replay the existing events."""
        self._folder = Folder(self.material.pool)
        self._chooser = Chooser(setting=self.plan.setting, drawn=self.plan.drawn)
        for event in self.events:
            self._folder.add(event)

    @property
    def session(self) -> Session:
        """Return the state."""
        return self._folder.session

    @property
    def is_time_up(self) -> bool:
        """Return whether the time of the interview is over."""
        setting = self.plan.setting
        return self.clock.elapsed_ms >= 60_000 * setting.minutes * setting.factor

    def begin(self, *, label: str = "", lang: str = "en") -> None:
        """Start the interview; the header contains everything that determines the plan."""
        setting = self.plan.setting
        self._note(
            What.BEGUN,
            {
                "schema": 1,
                "seed": setting.seed,
                "level": str(setting.level),
                "minutes": setting.minutes,
                "mode": str(setting.mode),
                "excluded": list(setting.excluded),
                "factor_percent": round(100 * setting.factor),
                "bank_hash": self.plan.bank_hash,
                "plan_hash": self.plan.hash,
                "label": label,
                "lang": lang,
                "torchstone": torchstone.__version__,
            },
        )

    def next(self) -> Entry | None:
        """Return the current item, or offer the next one; None at the end."""
        session = self.session
        if session.ended is not None:
            return None
        if session.current is not None:
            return session.current
        offer = self.suggest()
        if offer is None:
            self.end("complete")
            return None
        return self._offer(offer)

    def suggest(self) -> Offer | None:
        """Return the next offer without making it; None if nothing fits into the time."""
        session = self.session
        minutes = self.clock.elapsed_ms / 60_000 / self.plan.setting.factor
        if minutes >= self.plan.setting.minutes:
            return None
        if self.plan.setting.mode is Mode.CONDUCT:
            return _next_of_form(self.plan, session, minutes)
        return self._chooser.choose(session.past, minutes)

    def take(self, name: str) -> Entry:
        """Offer an item by id, instead of the one chosen by the rules.

        Raises:
            NotFound: There is no such item.
            BadInput: The item was asked before, or the time is over.
        """
        item = self.material.pool.get(name)
        session = self.session
        if session.entry(item.id) is not None and session.current != session.entry(item.id):
            raise BadInput("interview.item_twice", item=item.id)
        if session.current is not None:
            if session.current.item.id == item.id:
                return session.current
            self.skip("replaced")
        if self.is_time_up:
            raise BadInput("interview.time_up", minutes=self.plan.setting.minutes)
        planned = next((offer for offer in self.plan.offers if offer.item.id == item.id), None)
        return self._offer(planned or Offer(item=item, rule=Rule.ADAPT, because=Because.PERSON))

    def answer(self, text: str = "", chosen: Sequence[str] | None = None) -> Entry:
        """Submit the answer to the current item, and mark it.

        Raises:
            BadInput: There is no current item, or the answer does not fit its kind.
        """
        entry = self._current()
        if len(text) > _MOST_TEXT:
            raise BadInput("interview.answer_long", item=entry.item.id, most=_MOST_TEXT)
        if entry.item.kind is Kind.PREDICT:
            chosen = read_claims(self.material, entry.item, text, chosen)
        left = self.session.item_left_s(self.clock.elapsed_ms)
        body: dict[str, Any] = {
            "item": entry.item.id,
            "text": text,
            "is_cut_off": left is not None and left < -GRACE_S,
        }
        if chosen is not None:
            body["set"] = list(chosen)
        self._note(What.ANSWERED, body)
        self.mark_pending()
        return self._entry(entry.item.id)

    def mark_pending(self) -> None:
        """Mark the submitted answers that have no mark yet; the clock stands still meanwhile."""
        pending = self.unmarked()
        if not pending:
            return
        # A judge that starts takes seconds, which are not the candidate's.
        self.clock.pause()
        try:
            for item in pending:
                self.mark(item)
        finally:
            if self.session.paused_since is None:
                self.clock.resume()

    def unmarked(self) -> tuple[Item, ...]:
        """Return the items whose answers are submitted, but not yet marked.

        There may be one after a kill. A spoken answer in a conducted interview has no text to mark.
        """
        return tuple(
            entry.item
            for entry in self.session.entries
            if entry.is_over
            and entry.mark is None
            and entry.skipped is None
            and (entry.answer or not self._is_spoken(entry.item))
        )

    def mark(self, item: Item) -> None:
        """Mark a submitted answer, whose mark may be missing after a kill."""
        entry = self._entry(item.id)
        mark = mark_item(self.material, item, entry.answer or "", entry.chosen, self.judge)
        self._note(What.MARKED, {"item": item.id, "mark": msgspec.to_builtins(mark)})

    def score(self, item: str, anchor: int, evidence: str, reason: str = "") -> Entry:
        """Store a person's score; the automatic proposal is shown only afterwards.

        Raises:
            BadInput: The anchor is not in 0 to 3, or the evidence or the reason is missing.
        """
        entry = self.session.entry(item)
        if entry is None:
            raise BadInput("interview.score_unasked", item=item[:60])
        if isinstance(anchor, bool) or anchor not in range(NUM_ANCHORS):
            raise BadInput("interview.score_anchor", came=anchor, most=NUM_ANCHORS - 1)
        if anchor in _NEEDS_EVIDENCE and not evidence.strip():
            raise BadInput("interview.score_evidence", anchor=anchor, item=item)
        if entry.scores and not reason.strip():
            raise BadInput("interview.score_reason", item=item)
        body = {"item": item, "anchor": anchor, "evidence": evidence.strip()}
        if reason.strip():
            body["reason"] = reason.strip()
        self._note(What.SCORED, body)
        return self._entry(item)

    def skip(self, reason: str) -> None:
        """Skip the current item.

        In an interview held alone, it counts as an empty answer; a person who conducts it excludes
        the item from the score.
        """
        entry = self._current()
        if self.plan.setting.mode is Mode.SELF and reason != "replaced":
            self.answer("")
            return
        self._note(What.SKIPPED, {"item": entry.item.id, "reason": reason})

    def note(self, text: str, *, is_quote: bool = False) -> None:
        """Store a note of the interviewer, with the time."""
        last = self.session.entries[-1] if self.session.entries else None
        body = {"item": last.item.id if last else "", "text": text, "is_quote": is_quote}
        self._note(What.NOTED, body)

    def pause(self) -> None:
        """Pause the clock.

        Raises:
            BadInput: The clock is paused, or both pauses were used.
        """
        session = self.session
        if session.ended is not None or session.paused_since is not None:
            raise BadInput("interview.not_running", state=session.state)
        if session.num_pauses >= MOST_PAUSES:
            raise BadInput("interview.pauses_taken", most=MOST_PAUSES)
        self.clock.pause()
        self._note(What.PAUSED, {})

    def resume(self) -> None:
        """Resume the clock.

        Raises:
            BadInput: The clock is not paused.
        """
        if self.session.paused_since is None:
            raise BadInput("interview.not_paused", state=self.session.state)
        self.clock.resume()
        self._note(What.RESUMED, {})

    def quiet(self, seconds: int) -> None:
        """Start quiet time: the interviewer leaves, and the clock runs."""
        self._note(What.QUIET, {"seconds": seconds})

    def gap(self, lost_ms: int, kind: str) -> None:
        """Record an absence of the program, in which the clock did not run."""
        self._note(What.GAP, {"lost_ms": lost_ms, "why": kind})

    def end(self, why: str) -> None:
        """End the interview; an item without an answer is excluded."""
        if self.session.ended is None:
            self._note(What.ENDED, {"why": why})

    def _offer(self, offer: Offer) -> Entry:
        self._note(
            What.OFFERED,
            {
                "item": offer.item.id,
                "rule": str(offer.rule),
                "because": str(offer.because),
                "depth": offer.depth,
                "is_follow_up": offer.is_follow_up,
            },
        )
        return self._entry(offer.item.id)

    def _is_spoken(self, item: Item) -> bool:
        """Return whether an answer may be spoken, in which case only a person scores it."""
        is_led = self.plan.setting.mode is Mode.CONDUCT
        return is_led and item.kind in (Kind.CONCEPT, Kind.OPEN)

    def _current(self) -> Entry:
        entry = self.session.current
        if entry is None:
            raise BadInput("interview.nothing_asked", state=self.session.state)
        return entry

    def _entry(self, item: str) -> Entry:
        entry = self.session.entry(item)
        assert entry is not None, "an act names an item that was offered"
        return entry

    def _note(self, kind: What, body: dict[str, Any]) -> None:
        event = make_event(
            self.events, kind, body, at=self.clock.now(), elapsed_ms=self.clock.elapsed_ms
        )
        # Write-ahead: an event that is not stored has not happened.
        self.keep(event)
        self.events.append(event)
        self._folder.add(event)


def plan_for(material: Material, setting: Setting) -> Plan:
    """Create the plan of an interview."""
    return make_plan(material.pool, material.outline, setting)


def _next_of_form(plan: Plan, session: Session, minutes: float) -> Offer | None:
    """Return the next item of the form that fits into the time: it is the same for everybody."""
    asked = {entry.item.id for entry in session.entries}
    left = plan.setting.minutes - minutes
    for offer in plan.offers:
        if offer.item.id not in asked and offer.item.minutes <= left + 1:
            return offer
    return None
