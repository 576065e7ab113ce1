"""Any sequence of operations leaves the store as a dictionary would have it."""

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, multiple, rule

from tests.reports import given_up
from torchstone.core.verdict import State
from torchstone.store import open_store

pytestmark = pytest.mark.plain

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
PROBLEMS = st.sampled_from(["01", "02"])
HOSTS = st.sampled_from(["host-a", "host-b"])
WAITING = (State.QUEUED, State.INTERRUPTED)


class StoreMachine(RuleBasedStateMachine):
    """The store beside a model of dictionaries and lists."""

    ids = Bundle("ids")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "torchstone.db"
        self.now = BEGIN
        self.store = open_store(self.path, clock=self.tick)
        self.model: dict[str, dict[str, Any]] = {}
        self.keys: dict[int, str] = {}
        self.hints: dict[str, list[int]] = {"01": [], "02": []}
        self.cards: dict[str, list[str]] = {"01": [], "02": []}

    def tick(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()

    @rule(target=ids, key=st.integers(0, 9), kind=st.sampled_from(["submit", "run"]))
    def add(self, key: int, kind: Any) -> Any:
        known = self.keys.get(key)
        # The key decides the content, so that using it again is sending again.
        problem_id = f"0{1 + key % 2}"
        kind = self.model[known]["kind"] if known else kind
        added = self.store.add_submission(problem_id, "x", kind=kind, client_key=str(key))
        if known:
            assert added == known
            return multiple()
        self.keys[key] = added
        self.model[added] = {
            "problem": problem_id,
            "kind": kind,
            "state": State.QUEUED,
            "verdict": None,
            "interruptions": 0,
            "host": None,
        }
        return added

    @rule(added=ids, host=HOSTS)
    def claim(self, added: str, host: str) -> None:
        one = self.model[added]
        is_free = one["state"] in WAITING
        assert self.store.claim(added, host) == is_free
        if is_free:
            one |= {"state": State.RUNNING, "host": host}

    @rule(added=ids, verdict=st.sampled_from(["AC", "WA", "IE"]))
    def record(self, added: str, verdict: str) -> None:
        one = self.model[added]
        is_running = one["state"] is State.RUNNING
        assert self.store.record_verdict(added, {"verdict": verdict}, {}) == is_running
        if is_running:
            one |= {"state": State.DONE, "verdict": verdict}

    @rule(added=ids)
    def cancel(self, added: str) -> None:
        one = self.model[added]
        is_over = one["state"] in (State.DONE, State.CANCELLED)
        assert self.store.cancel(added) != is_over
        if not is_over:
            one["state"] = State.CANCELLED

    @rule(added=ids)
    def interrupt(self, added: str) -> None:
        one = self.model[added]
        if one["state"] is State.RUNNING:
            self.count_interruption(one)
        assert self.store.mark_interrupted(added, given_up) is one["state"]

    @rule(host=HOSTS)
    def recover(self, host: str) -> None:
        failed = self.interrupt_all(lambda owner: owner != host)
        recovery = self.store.recover(host, given_up)
        assert recovery.failed == tuple(failed)
        assert recovery.queued == tuple(
            added for added, one in self.model.items() if one["state"] in WAITING
        )

    @rule(host=HOSTS)
    def stop_host(self, host: str) -> None:
        self.interrupt_all(lambda owner: owner == host)
        self.store.interrupt_host(host, given_up)

    @rule(added=ids, host=HOSTS)
    def release(self, added: str, host: str) -> None:
        one = self.model[added]
        is_own = one["state"] is State.RUNNING and one["host"] == host
        assert self.store.release(added, host) == is_own
        if is_own:
            one["state"] = State.QUEUED

    def interrupt_all(self, is_interrupted: Callable[[str], bool]) -> list[str]:
        running = {added: one for added, one in self.model.items() if one["state"] is State.RUNNING}
        failed = []
        num_running = Counter(one["host"] for one in running.values())
        for added, one in running.items():
            if not is_interrupted(one["host"]):
                continue
            if num_running[one["host"]] > 1:
                one["state"] = State.INTERRUPTED  # another one may have ended the host
                continue
            self.count_interruption(one)
            failed += [added] if one["verdict"] else []
        return failed

    def count_interruption(self, one: dict[str, Any]) -> None:
        one["interruptions"] += 1
        is_last = one["interruptions"] == 2
        one |= {"state": State.DONE, "verdict": "IE"} if is_last else {"state": State.INTERRUPTED}

    @rule(problem_id=PROBLEMS, rung=st.integers(1, 4))
    def open_hint(self, problem_id: str, rung: int) -> None:
        self.store.open_hint(problem_id, rung)
        if rung not in self.hints[problem_id]:
            self.hints[problem_id].append(rung)

    @rule(problem_id=PROBLEMS, stability=st.floats(0.01, 1000))
    def review(self, problem_id: str, stability: float) -> None:
        now = self.tick()
        cards = self.cards[problem_id]
        card = {"card_id": 0, "state": 2, "step": None, "stability": stability, "difficulty": 5.0}
        text = json.dumps(card | {"due": now.isoformat(), "last_review": now.isoformat()})
        assert self.store.record_review(
            f"problem:{problem_id}",
            previous=cards[-1] if cards else None,
            rating=3,
            evidence={},
            card=text,
            due=now,
            reviewed_at=now,
        )
        cards.append(text)

    @rule(problem_id=PROBLEMS)
    def undo(self, problem_id: str) -> None:
        cards = self.cards[problem_id]
        assert self.store.undo_review(f"problem:{problem_id}") == bool(cards)
        if cards:
            cards.pop()

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = open_store(self.path, clock=self.tick)

    @rule()
    def copy(self) -> None:
        with open_store(Path(self.folder.name) / "copy.db", clock=self.tick) as copy:
            copy.import_progress(self.store.export_progress().document)
            assert copy.all_progress() == self.store.all_progress()
            assert copy.review_cards() == self.store.review_cards()

    @invariant()
    def submissions_are_those_of_the_model(self) -> None:
        for problem_id in ("01", "02"):
            stored = self.store.submissions_of(problem_id)
            wanted = [item for item in self.model.items() if item[1]["problem"] == problem_id]
            assert [one.id for one in stored][::-1] == [added for added, _ in wanted]
            for one in stored:
                model = self.model[one.id]
                assert (one.state, one.verdict) == (model["state"], model["verdict"])
                assert (one.kind, one.interruptions) == (model["kind"], model["interruptions"])

    @invariant()
    def progress_is_that_of_the_model(self) -> None:
        for problem_id in ("01", "02"):
            verdicts = self.attempts(problem_id)
            progress = self.store.progress(problem_id)
            assert progress.attempts == len(verdicts)
            assert progress.is_accepted == ("AC" in verdicts)
            assert [hint.rung for hint in progress.hints] == self.hints[problem_id]
            activity = self.store.activity(problem_id)
            until = verdicts.index("AC") + 1 if "AC" in verdicts else len(verdicts)
            assert activity.tries == until

    def attempts(self, problem_id: str) -> Sequence[str]:
        return [
            one["verdict"]
            for one in self.model.values()
            if one["problem"] == problem_id
            and one["kind"] == "submit"
            and one["verdict"] in ("AC", "WA")
        ]

    @invariant()
    def cards_are_those_of_the_model(self) -> None:
        stored = {item: json.loads(card.card) for item, card in self.store.review_cards().items()}
        wanted = {f"problem:{key}": json.loads(c[-1]) for key, c in self.cards.items() if c}
        assert stored == wanted


TestStore = StoreMachine.TestCase
TestStore.settings = settings(
    max_examples=20,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
