"""Submissions move only forwards, and are judged at most once."""

import itertools
import json
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.reports import given_up
from tests.store.conftest import BEGIN
from torchstone.core.errors import BadInput, NotFound
from torchstone.core.verdict import State, Verdict
from torchstone.store import Recovery, Store, open_store

pytestmark = pytest.mark.pure

AC = {"verdict": "AC", "time_ms": 3.5}
Judge = Callable[..., str]


def add(store: Store, key: str = "k") -> str:
    return store.add_submission("01", "x = 1\n", client_key=key)


def test_a_submission_is_stored_as_it_came(store: Store) -> None:
    source = 'text = "试金石 \\x00"\r\n\tπ\n'
    added = store.add_submission("07", source, kind="run", client_key="k")
    stored = store.get_submission(added)
    assert (stored.problem_id, stored.source, stored.kind) == ("07", source, "run")
    assert (stored.state, stored.verdict, stored.report) == (State.QUEUED, None, None)
    assert len(added) == 12
    assert int(added, 16) >= 0


def test_the_same_client_key_stores_once(store: Store) -> None:
    assert add(store) == add(store)
    assert len(store.submissions_of("01")) == 1


@pytest.mark.parametrize(
    ("problem_id", "source", "kind"),
    [("02", "x = 1\n", "submit"), ("01", "x = 2\n", "submit"), ("01", "x = 1\n", "run")],
)
def test_a_client_key_cannot_be_used_for_something_else(
    store: Store, problem_id: str, source: str, kind: str
) -> None:
    add(store)
    with pytest.raises(BadInput, match="client key"):
        store.add_submission(problem_id, source, kind=kind, client_key="k")  # type: ignore[arg-type]


def test_what_cannot_be_stored_is_refused(store: Store) -> None:
    with pytest.raises(ValueError, match="kind is 'exam'; expected 'submit' or 'run'"):
        store.add_submission("01", "", kind="exam", client_key="k")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not Unicode"):
        store.add_submission("01", "\ud800", client_key="k")
    with pytest.raises(ValueError, match="problem_id"):
        store.add_submission("", "", client_key="k")
    with pytest.raises(ValueError, match="client_key"):
        store.add_submission("01", "", client_key="k" * 129)
    assert store.add_submission("02", "", client_key="k" * 128)
    assert store.submissions_of("01") == []


def test_an_id_that_is_taken_is_drawn_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter(["a" * 12, "a" * 12, "b" * 12])
    monkeypatch.setattr(secrets, "token_hex", lambda _: next(drawn))
    assert add(store, "first") == "a" * 12
    assert add(store, "second") == "b" * 12


def test_threads_share_a_store(store: Store) -> None:
    with ThreadPoolExecutor(8) as threads:
        ids = list(threads.map(lambda number: add(store, f"key {number % 20}"), range(60)))
    assert len(set(ids)) == 20
    assert len(store.submissions_of("01")) == 20


def test_one_host_claims(store: Store) -> None:
    added = add(store)
    assert store.claim(added, "host-a")
    assert not store.claim(added, "host-b")
    assert store.get_submission(added).host_id == "host-a"


def test_the_first_verdict_is_the_only_one(store: Store) -> None:
    added = add(store)
    assert not store.record_verdict(added, AC, {}), "it is not running yet"
    store.claim(added, "host")
    assert store.record_verdict(added, AC, {"seed": 7})
    before = store.get_submission(added)
    assert not store.record_verdict(added, {"verdict": "WA"}, {})
    assert not store.claim(added, "host")
    assert not store.cancel(added)
    assert store.mark_interrupted(added, given_up) is State.DONE
    assert store.get_submission(added) == before
    assert (before.verdict, before.time_ms, before.receipt) == (Verdict.AC, 3.5, {"seed": 7})


@pytest.mark.parametrize(
    "report",
    [{}, {"verdict": "OK"}, {"verdict": "AC", "ratio": float("nan")}, {"verdict": "AC", "x": {1}}],
)
def test_an_unusable_report_changes_nothing(store: Store, report: dict[str, object]) -> None:
    added = add(store)
    store.claim(added, "host")
    with pytest.raises(ValueError, match=r"verdict|Verdict|JSON"):
        store.record_verdict(added, report, {})
    assert store.get_submission(added).state is State.RUNNING


def test_an_interrupted_submission_runs_again_once(store: Store) -> None:
    added = add(store)
    store.claim(added, "host")
    assert store.mark_interrupted(added, given_up) is State.INTERRUPTED
    assert not store.record_verdict(added, AC, {}), "the host that was interrupted is too late"
    assert store.claim(added, "host")
    assert store.mark_interrupted(added, given_up) is State.DONE
    stored = store.get_submission(added)
    assert (stored.verdict, stored.interruptions) == (Verdict.IE, 2)
    assert stored.report is not None
    assert stored.report["verdict"] == "IE"
    assert "2" in stored.report["detail"]["zh"]


def test_a_submission_that_was_given_up_has_the_report_that_the_host_writes(store: Store) -> None:
    added = add(store)
    for _ in range(2):
        store.claim(added, "host")
        store.mark_interrupted(added, given_up)
    assert store.get_submission(added).report == json.loads(json.dumps(given_up("01", 2)))


def test_a_waiting_submission_cannot_be_interrupted(store: Store) -> None:
    added = add(store)
    assert store.mark_interrupted(added, given_up) is State.QUEUED
    assert store.get_submission(added).interruptions == 0


def test_a_starting_host_takes_over_what_the_dead_one_left(store: Store) -> None:
    queued, running, interrupted, own, over = (add(store, key) for key in "abcde")
    for added in (running, interrupted, over):
        store.claim(added, "dead")
    store.mark_interrupted(interrupted, given_up)
    store.record_verdict(over, AC, {})
    store.claim(own, "new")
    recovery = store.recover("new", given_up)
    assert recovery.queued == (queued, running, interrupted)
    assert recovery.failed == ()
    assert store.recover("new", given_up) == recovery, (
        "recovering twice counts no interruption twice"
    )
    assert store.get_submission(own).state is State.RUNNING

    assert store.cancel(own)
    for number, added in enumerate((running, interrupted)):
        store.claim(added, f"new {number}")
    last = store.recover("newest", given_up)
    assert last.failed == (running, interrupted), "each was the only one twice"
    assert last.queued == (queued,)
    assert "01" in store.latest_verdicts()


def test_a_death_counts_only_against_a_submission_that_ran_alone(store: Store) -> None:
    one, other = add(store, "a"), add(store, "b")
    for host in range(5):
        for added in (one, other):
            assert store.claim(added, f"host {host}")
        assert store.recover("next", given_up) == Recovery(queued=(one, other), failed=())
        assert store.get_submission(one).state is State.INTERRUPTED
        assert store.get_submission(one).interruptions == 0
    store.claim(one, "alone")
    assert store.recover("next", given_up).failed == ()
    store.claim(other, "alone")
    assert store.record_verdict(other, AC, {})
    store.claim(one, "alone again")
    assert store.recover("next", given_up).failed == (one,)
    assert store.get_submission(one).verdict is Verdict.IE
    assert store.get_submission(other).verdict is Verdict.AC


def test_a_host_that_stops_interrupts_its_own_alone(store: Store) -> None:
    one, other, foreign = (add(store, key) for key in "abc")
    for added, host in ((one, "host"), (other, "host"), (foreign, "another")):
        store.claim(added, host)
    store.interrupt_host("host", given_up)
    found = [store.get_submission(added) for added in (one, other, foreign)]
    assert [each.state for each in found] == [
        State.INTERRUPTED,
        State.INTERRUPTED,
        State.RUNNING,
    ]
    assert [each.interruptions for each in found] == [0, 0, 0]
    store.claim(one, "host")
    store.interrupt_host("host", given_up)
    assert store.get_submission(one).interruptions == 1


def test_a_host_releases_only_what_it_runs(store: Store) -> None:
    added = add(store)
    assert not store.release(added, "host")
    store.claim(added, "host")
    assert not store.release(added, "another")
    assert store.release(added, "host")
    stored = store.get_submission(added)
    assert (stored.state, stored.interruptions, stored.host_id) == (State.QUEUED, 0, None)


def test_whatever_is_not_over_can_be_cancelled(store: Store) -> None:
    queued, running, interrupted = (add(store, key) for key in "abc")
    for added in (running, interrupted):
        store.claim(added, "host")
    store.mark_interrupted(interrupted, given_up)
    for added in (queued, running, interrupted):
        assert store.cancel(added)
        assert not store.cancel(added)
        assert not store.record_verdict(added, AC, {})
        assert store.get_submission(added).state is State.CANCELLED
    assert store.recover("other", given_up).queued == ()


def test_every_move_refuses_an_unknown_submission(store: Store) -> None:
    moves: list[Callable[[], object]] = [
        lambda: store.claim("0" * 12, "host"),
        lambda: store.record_verdict("0" * 12, AC, {}),
        lambda: store.mark_interrupted("0" * 12, given_up),
        lambda: store.cancel("0" * 12),
        lambda: store.get_submission("0" * 12),
        lambda: store.submissions_of("01", before="0" * 12),
    ]
    for move in moves:
        with pytest.raises(NotFound, match="no submission"):
            move()


def test_a_submission_is_found_by_the_first_digits(store: Store) -> None:
    ids = sorted(add(store, f"key {number}") for number in range(40))
    for added in ids:
        assert store.find_submission(added).id == added
    shared = next(a[0] for a, b in itertools.pairwise(ids) if a[0] == b[0])
    with pytest.raises(BadInput, match="Several"):
        store.find_submission(shared)


@pytest.mark.parametrize("prefix", ["", "%", "_", "zz", "0" * 13, "0\n", "'"])
def test_a_prefix_that_is_none_finds_nothing(store: Store, prefix: str) -> None:
    add(store)
    with pytest.raises(NotFound):
        store.find_submission(prefix)


def test_the_history_is_newest_first_and_in_pages(store: Store) -> None:
    ids = [add(store, f"key {number}") for number in range(7)]
    store.add_submission("02", "", client_key="another problem")
    first = store.submissions_of("01", limit=3)
    second = store.submissions_of("01", limit=10, before=first[-1].id)
    assert [one.id for one in first + second] == ids[::-1]


def test_a_page_goes_on_among_submissions_of_the_same_moment(tmp_path: Path) -> None:
    with open_store(tmp_path / "torchstone.db", clock=lambda: BEGIN) as store:
        ids = [add(store, f"key {number}") for number in range(5)]
        first = store.submissions_of("01", limit=2)
        second = store.submissions_of("01", before=first[-1].id)
        assert {one.created_at for one in first + second} == {BEGIN}
        assert [one.id for one in first + second] == ids[::-1]


def test_the_latest_verdict_is_not_that_of_a_run(store: Store, judge: Judge) -> None:
    judge(verdict="WA")
    wanted = judge(verdict="TLE", time_ms=None)
    judge(verdict="AC", kind="run")
    add(store, "still queued")
    latest = store.latest_verdicts()["01"]
    assert (latest.id, latest.verdict, latest.time_ms) == (wanted, Verdict.TLE, None)


def test_each_problem_that_was_judged_has_its_latest_verdict(store: Store, judge: Judge) -> None:
    assert store.latest_verdicts() == {}
    judge("01", "AC")
    judge("01", "WA")
    judge("01", "AC", kind="run")
    judge("02", "IE")
    judge("03", "AC", kind="run")
    store.add_submission("01", "pass", client_key="queued")
    found = store.latest_verdicts()
    assert sorted(found) == ["01", "02"]
    assert [found[each].verdict for each in sorted(found)] == ["WA", "IE"]


def test_submissions_of_several_problems_are_counted_and_listed_by_kind(
    store: Store, judge: Judge
) -> None:
    ids = [judge("01"), judge("02", "WA"), judge("03")]
    run = judge("01", kind="run")
    waiting = store.add_submission("02", "pass", client_key="queued")
    both_problems = ["01", "02"]
    listed = store.recent_submissions(both_problems, kind="submit", limit=9)
    assert [one.id for one in listed] == [waiting, ids[1], ids[0]]
    assert listed[:1] == store.recent_submissions(both_problems, kind="submit", limit=1)
    runs = store.recent_submissions(both_problems, kind="run", limit=9)
    assert [one.id for one in runs] == [run]
    assert store.recent_submissions([], kind="submit", limit=9) == []
    assert store.count_submissions(both_problems, kind="submit") == 3
    assert store.count_submissions(["01"]) == 2
    assert store.count_submissions(["04"]) == 0
    assert store.count_submissions([]) == 0
