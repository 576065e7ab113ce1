"""Stored interviews: list, show, report and delete."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from torchstone.app.home import Home
from torchstone.app.interview.holding import events_of, find_interview, is_alive
from torchstone.app.interview.marking import judge_with
from torchstone.app.interview.material import read_material
from torchstone.app.interview.reporting import report_on
from torchstone.app.interview.running import Running, plan_for
from torchstone.app.interview.showing import clocks, show_item
from torchstone.core.errors import BadInput, StoreError
from torchstone.interview.clock import VirtualClock
from torchstone.interview.events import Event, What
from torchstone.interview.session import setting_of

_DAMAGED = ("interview.events_changed", "store.interview_damaged")


def list_interviews(home: Home) -> list[dict[str, Any]]:
    """List all interviews, newest first."""
    with home.open_store() as store:
        found = []
        for each in store.interviews():
            try:
                events = events_of(store, each.id)
            except (BadInput, StoreError) as error:
                if error.code not in _DAMAGED:
                    raise
                # A damaged interview does not hide the others; `torchstone system` reports it.
                continue
            if events:
                found.append({"id": each.id, **_summary(events), "elapsed_ms": each.elapsed_ms})
    return found


def show_interview(home: Home, name: str) -> dict[str, Any]:
    """Return the state of an interview, its current item and its clocks."""
    with home.open_store() as store:
        stored = find_interview(store, name)
        events = events_of(store, stored.id)
    running = reread(home, events)
    shown = shown_of(stored.id, running)
    elapsed_ms = max(stored.elapsed_ms, _last_ms(events))
    return shown | {"clock": clocks(running.session, running.plan, elapsed_ms)}


def report_interview(home: Home, name: str) -> dict[str, Any]:
    """Return the report of an interview, which may be in progress."""
    with home.open_store() as store:
        stored = find_interview(store, name)
        events = events_of(store, stored.id)
    running = reread(home, events)
    if not running.session.entries:
        raise BadInput("interview.not_over", id=stored.id)
    return report_on(running.material, running.plan, events, name=stored.id)


def require_unheld(home: Home, name: str) -> None:
    """Check that no process holds an interview.

    Raises:
        BadInput: A process holds it.
    """
    with home.open_store() as store:
        holder = find_interview(store, name).holder
    if holder is not None and is_alive(holder):
        raise BadInput("interview.held_elsewhere", id=name)


def delete_interview(home: Home, name: str) -> str:
    """Delete an interview with its events and drafts; return its id."""
    with home.open_store() as store:
        found = find_interview(store, name)
        store.delete_interview(found.id)
    return found.id


def shown_of(name: str, running: Running) -> dict[str, Any]:
    """Return what the candidate may see of an interview."""
    session = running.session
    entry = session.current
    return {
        "id": name,
        "mode": str(session.setting.mode),
        "state": session.state,
        "section": entry.item.section if entry else None,
        "num_items": len(session.entries),
        "item": None if entry is None else asdict(show_item(running.material, entry)),
        "clock": clocks(session, running.plan, running.clock.elapsed_ms),
        "events": len(running.events),
    }


def reread(home: Home, events: list[Event]) -> Running:
    """Return an interview for reading only: no events can be added."""
    material = read_material(home)
    return Running(
        material=material,
        plan=plan_for(material, setting_of(events[0].body)),
        clock=VirtualClock(),
        judge=judge_with(material),
        keep=_refuse,
        events=events,
    )


def _refuse(event: Event) -> None:
    raise AssertionError(f"an interview that is read gets no event {event.kind}")


def _summary(events: list[Event]) -> dict[str, Any]:
    header = events[0].body
    kinds = [event.kind for event in events]
    turns = [kind for kind in kinds if kind in (What.PAUSED, What.RESUMED, What.ENDED)]
    state = {What.ENDED: "ended", What.PAUSED: "paused"}.get(turns[-1] if turns else What.BEGUN)
    return {
        "level": header["level"],
        "minutes": header["minutes"],
        "mode": header["mode"],
        "label": header["label"],
        "begun_at": events[0].at,
        "state": state or "answering",
        "num_answers": kinds.count(What.ANSWERED),
    }


def _last_ms(events: list[Event]) -> int:
    return events[-1].elapsed_ms
