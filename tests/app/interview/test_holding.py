"""Interviews that are kept: what was acknowledged is there after a kill, and so is the time."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.app.interview import holder
from torchstone.app.home import Home
from torchstone.app.interview import holding
from torchstone.app.interview.holding import begin, events_of, resume
from torchstone.app.interview.planning import read_setting
from torchstone.app.interview.reading import list_interviews, report_interview, show_interview
from torchstone.app.interview.running import Running
from torchstone.core.errors import BadInput, NotFound, StoreError
from torchstone.interview.clock import RunningClock
from torchstone.interview.events import What
from torchstone.interview.item import Item, Kind
from torchstone.store.interviews import Holder

pytestmark = pytest.mark.plain

SETTING = read_setting(level="mid", minutes=30, seed=5)


@dataclass
class Acknowledged:
    """What a process said that it has kept."""

    name: str = ""
    drafts: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    scores: dict[str, int] = field(default_factory=dict)
    elapsed_ms: int = 0

    def add(self, line: dict[str, Any]) -> None:
        self.name = line.get("id", self.name)
        self.elapsed_ms = max(self.elapsed_ms, line.get("elapsed_ms", 0))
        if "draft" in line:
            self.drafts[line["draft"]] = line["text"]
        if "note" in line:
            self.notes.append(line["note"])
        if "answer" in line:
            self.answers.append(line["answer"])
        if "score" in line:
            self.scores[line["score"]] = line["anchor"]


def kill_after(num_lines: int, seen: Acknowledged) -> None:
    """Hold the interview in a process, and kill it after some acknowledgements."""
    command = [sys.executable, holder.__file__, *([seen.name] if seen.name else [])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for number, line in enumerate(process.stdout):
            seen.add(json.loads(line))
            if number >= num_lines:
                process.send_signal(signal.SIGKILL)
                break


def require_all(home: Home, seen: Acknowledged) -> None:
    with home.open_store() as store:
        events = events_of(store, seen.name)
        for item, text in seen.drafts.items():
            assert store.interview_draft(seen.name, item) == text
    answered = [e.body["item"] for e in events if e.kind is What.ANSWERED]
    assert set(seen.answers) <= set(answered)
    assert set(seen.notes) <= {e.body["text"] for e in events if e.kind is What.NOTED}
    scored = {e.body["item"]: e.body["anchor"] for e in events if e.kind is What.SCORED}
    assert seen.scores.items() <= scored.items()
    assert [event.number for event in events] == list(range(1, len(events) + 1))


def test_nothing_that_was_acknowledged_is_lost_by_a_kill(home: Home) -> None:
    seen = Acknowledged()
    kill_after(9, seen)
    require_all(home, seen)
    clock = show_interview(home, seen.name)["clock"]
    assert 1000 * clock["elapsed_s"] >= seen.elapsed_ms - 2000
    with resume(home, seen.name):
        pass
    report = report_interview(home, seen.name)
    assert [gap["why"] for gap in report["interruptions"]] == ["kill"]


@pytest.mark.full
def test_a_hundred_kills_at_random_moments_lose_nothing(home: Home) -> None:
    drawn = random.Random(8)
    seen = Acknowledged()
    for _ in range(100):
        kill_after(drawn.randrange(1, 12), seen)
        require_all(home, seen)
        if show_interview(home, seen.name)["state"] == "ended":
            seen = Acknowledged()


def test_an_interview_goes_on_at_the_same_item_text_and_time(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = iter(range(1000))
    monkeypatch.setattr(holding, "monotonic", lambda: next(seconds))
    with begin(home, SETTING, held="terminal", label="anna") as kept:
        first = kept.running.next()
        assert first is not None
        kept.save_draft(first.item.id, "half a sent")
        name = kept.name
    before = show_interview(home, name)["clock"]["elapsed_s"]
    assert before > 0
    monkeypatch.setattr(holding, "monotonic", lambda: 5.0)
    with resume(home, name[:6]) as kept:
        entry = kept.running.next()
        assert entry is not None
        assert entry.item == first.item
        assert kept.draft(entry.item.id) == "half a sent"
        assert kept.running.clock.elapsed_ms == round(1000 * before)
    (listed,) = list_interviews(home)
    assert (listed["id"], listed["label"], listed["state"]) == (name, "anna", "answering")


def test_a_second_process_is_refused_while_the_first_is_alive(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    with begin(home, SETTING, held="terminal") as kept:
        assert holding.is_alive(holding._myself())
        assert not holding.is_alive(Holder(pid=os.getpid(), began=1))
        with monkeypatch.context() as other:
            other.setattr(holding, "_myself", lambda: Holder(pid=1, began=1))
            with pytest.raises(BadInput) as caught, resume(home, kept.name):
                pass
    assert caught.value.code == "interview.held_elsewhere"


def test_a_mark_that_a_kill_has_prevented_is_made_up_for(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    with begin(home, SETTING, held="terminal") as kept, monkeypatch.context() as killed:
        running = kept.running
        killed.setattr(type(running), "mark", lambda self, item: None)
        entry = running.next()
        while entry is not None and entry.item.kind is not Kind.CONCEPT:
            running.answer("")
            entry = running.next()
        assert entry is not None
        running.answer("It depends on the strides of the tensor.")
        name = kept.name
    with resume(home, name) as kept:
        again = kept.running.session.entry(entry.item.id)
        assert again is not None
        assert again.mark is not None


def test_the_clock_stands_still_while_answers_are_marked(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = [0.0]
    monkeypatch.setattr(holding, "monotonic", lambda: moment[0])

    def slow(self: Running, item: Item) -> None:
        moment[0] += 60.0

    with begin(home, SETTING, held="terminal") as kept:
        assert kept.running.next() is not None
        moment[0] = 5.0
        # The first marking ends without a mark, as if it had been killed.
        monkeypatch.setattr(Running, "mark", slow)
        kept.running.answer("")
        assert kept.running.clock.elapsed_ms == 5_000
        name = kept.name
    with resume(home, name) as kept:
        assert kept.running.clock.elapsed_ms == 5_000
        moment[0] += 1.0
        assert kept.running.clock.elapsed_ms == 6_000


def test_a_pause_stops_the_clock_and_there_are_two(home: Home) -> None:
    with begin(home, SETTING, held="terminal") as kept:
        for _ in range(2):
            kept.running.pause()
            kept.running.resume()
        with pytest.raises(BadInput) as caught:
            kept.running.pause()
    assert caught.value.code == "interview.pauses_taken"


def test_a_pause_keeps_what_ran_before_it_and_adds_nothing() -> None:
    seconds = 100.0
    clock = RunningClock(5_000, lambda: seconds)
    seconds = 102.0
    assert clock.elapsed_ms == 7_000
    clock.pause()
    seconds = 110.0
    assert clock.elapsed_ms == 7_000
    clock.resume()
    seconds = 111.0
    assert clock.elapsed_ms == 8_000


def test_an_unknown_interview_is_refused(home: Home) -> None:
    with pytest.raises(NotFound):
        show_interview(home, "abc")


def test_a_changed_event_is_noticed(home: Home) -> None:
    with begin(home, SETTING, held="terminal") as kept:
        kept.running.note("said it well")
        name = kept.name
    path = Path(os.environ["TORCHSTONE_DATA"])
    (database,) = [p for p in path.iterdir() if p.suffix in (".db", ".sqlite", ".sqlite3")]
    with sqlite3.connect(database) as connection:
        connection.execute(
            "UPDATE interview_events SET body = replace(body, 'well', 'badly') WHERE kind = 'noted'"
        )
    with pytest.raises(StoreError) as caught:
        show_interview(home, name)
    assert caught.value.code == "store.interview_damaged"
    assert "2" in caught.value.message("zh")
