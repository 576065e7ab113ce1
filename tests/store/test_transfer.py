"""Exported progress merges: idempotent, commutative, all or nothing."""

import json
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from torchstone.core.errors import BadInput
from torchstone.core.verdict import State, Verdict
from torchstone.store import ImportSummary, Store, open_store

pytestmark = pytest.mark.pure

Judge = Callable[..., str]
MakeCard = Callable[..., str]
Clock = Callable[[], datetime]
ITEM = "problem:01"


@pytest.fixture
def other(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    """The store of another machine."""
    with open_store(tmp_path / "other.db", clock=clock) as opened:
        yield opened


@pytest.fixture
def review(make_card: MakeCard, clock: Clock) -> Callable[..., None]:
    """Review problem 01 in some store."""

    def run(where: Store, *, stability: float = 1.5) -> None:
        now = clock()
        due = now + timedelta(days=round(stability))
        before = where.review_card(ITEM)
        assert where.record_review(
            ITEM,
            previous=before.card if before else None,
            rating=3,
            evidence={"tries": 2, "reason": "第二次提交时通过。"},
            card=make_card(due, stability=stability),
            due=due,
            reviewed_at=now,
        )

    return run


@pytest.fixture
def full(store: Store, judge: Judge, review: Callable[..., None]) -> Store:
    """A store with something of everything."""
    store.start_problem("01")
    judge(verdict="WA")
    store.open_hint("01", 2)
    judge(time_ms=4)
    store.cancel(store.add_submission("02", "试金石", client_key="to cancel"))
    store.see_solution("03")
    store.keep_input("01", "small", "softmax(torch.zeros(2))")
    review(store)
    review(store, stability=3.0)
    store.undo_review(ITEM)
    return store


def facts(store: Store) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(store.export_progress().document)
    del document["exported_at"]
    return document


def test_an_import_into_an_empty_store_is_a_copy(full: Store, other: Store) -> None:
    summary = other.import_progress(full.export_progress().document)
    assert summary == ImportSummary(submissions=3, activities=3, reviews=2, inputs=1)
    assert facts(other) == facts(full)
    assert other.all_progress() == full.all_progress()
    assert other.review_cards() == full.review_cards()
    assert other.review_log() == full.review_log()
    assert other.submissions_of("01") == full.submissions_of("01")


def test_importing_again_changes_nothing(full: Store, other: Store) -> None:
    document = full.export_progress().document
    other.import_progress(document)
    before = facts(other)
    nothing = ImportSummary(submissions=0, activities=0, reviews=0, inputs=0)
    assert other.import_progress(document) == nothing
    assert full.import_progress(document) == nothing
    assert facts(other) == before


def test_a_merge_does_not_depend_on_the_direction(
    full: Store, other: Store, review: Callable[..., None]
) -> None:
    other.open_hint("01", 1)
    review(other, stability=9.0)
    here, there = full.export_progress().document, other.export_progress().document
    full.import_progress(there)
    other.import_progress(here)
    assert facts(full) == facts(other)
    assert full.review_cards() == other.review_cards()


def test_an_older_document_overwrites_nothing_newer(
    full: Store, review: Callable[..., None], judge: Judge
) -> None:
    old = full.export_progress().document
    review(full, stability=20.0)
    judge(time_ms=1)
    before = facts(full)
    full.import_progress(old)
    assert facts(full) == before


def test_an_undo_travels_and_is_never_taken_back(full: Store, other: Store) -> None:
    before_undo = full.export_progress().document
    other.import_progress(before_undo)
    assert full.undo_review(ITEM)
    other.import_progress(full.export_progress().document)
    assert other.review_card(ITEM) is None
    other.import_progress(before_undo)
    assert other.review_card(ITEM) is None


def test_an_undo_that_is_known_keeps_its_moment(full: Store, other: Store) -> None:
    other.import_progress(full.export_progress().document)
    assert full.undo_review(ITEM)
    assert other.undo_review(ITEM)
    here, there = full.last_undo(ITEM), other.last_undo(ITEM)
    assert here is not None
    assert there is not None
    assert here < there
    full.import_progress(other.export_progress().document)
    other.import_progress(full.export_progress().document)
    assert (full.last_undo(ITEM), other.last_undo(ITEM)) == (here, there)


def test_an_import_of_an_undo_undoes_that_review_alone(
    full: Store, other: Store, review: Callable[..., None]
) -> None:
    review(full, stability=9.0)
    other.import_progress(full.export_progress().document)
    assert full.undo_review(ITEM)
    other.import_progress(full.export_progress().document)
    assert [entry.undone_at for entry in other.review_log()] == [
        entry.undone_at for entry in full.review_log()
    ]
    assert other.review_card(ITEM) == full.review_card(ITEM)
    assert other.review_card(ITEM) is not None


def test_imported_submissions_stand_where_they_belong(
    store: Store, other: Store, clock: Clock
) -> None:
    ids = []
    for number, where in enumerate([store, other, store, other]):
        added = where.add_submission("01", "", client_key=f"key {number}")
        where.claim(added, "host")
        where.record_verdict(added, {"verdict": "WA"}, {})
        ids.append(added)
    store.import_progress(other.export_progress().document)
    assert [one.id for one in store.submissions_of("01")] == ids[::-1]
    assert [one.id for one in store.submissions_of("01", before=ids[2])] == ids[1::-1]
    assert store.latest_verdicts()["01"].id == ids[-1]


def test_what_is_being_judged_stays_where_it_is(store: Store, other: Store) -> None:
    added = store.add_submission("01", "", client_key="k")
    store.claim(added, "host")
    assert facts(store)["submissions"] == []
    other.import_progress(store.export_progress().document)
    assert store.get_submission(added).state is State.RUNNING


def test_an_import_never_judges_what_runs_here(store: Store, other: Store) -> None:
    added = store.add_submission("01", "", client_key="k")
    store.claim(added, "host")
    store.record_verdict(added, {"verdict": "WA"}, {})
    document = json.loads(store.export_progress().document)
    document["submissions"][0] |= {"verdict": "AC", "report": {"verdict": "AC"}}
    store.import_progress(json.dumps(document).encode())
    assert store.get_submission(added).verdict is Verdict.WA


MISSING = object()


@pytest.mark.parametrize(
    ("where", "value", "code"),
    [
        ("format", "anki", "foreign"),
        ("format", MISSING, "foreign"),
        ("version", 5, "version"),
        ("version", 0, "version"),
        ("version", "1", "invalid"),
        ("exported_at", "yesterday", "invalid"),
        ("reviews", MISSING, "invalid"),
        ("surprise", 1, "invalid"),
        ("submissions.0.id", "xyz", "invalid"),
        ("submissions.0.id", "0123456789ab\n", "invalid"),
        ("submissions.0.kind", "exam", "invalid"),
        ("submissions.0.state", "running", "invalid"),
        ("submissions.0.state", "cancelled", "invalid"),
        ("submissions.0.verdict", None, "invalid"),
        ("submissions.0.verdict", "OK", "invalid"),
        ("submissions.0.verdict", "AC", "invalid"),
        ("submissions.0.report", None, "invalid"),
        ("submissions.0.report.time_ms", 10**400, "invalid"),
        ("submissions.0.source", 7, "invalid"),
        ("submissions.0.source", "\ud800", "invalid"),
        ("submissions.0.source", "changed", "conflict"),
        ("submissions.0.created_at", "2026-03-01T09:00:00", "invalid"),
        ("submissions.0.created_at", "2126-03-01T09:00:00Z", "invalid"),
        ("submissions.0.finished_at", "1826-03-01T09:00:00Z", "invalid"),
        ("submissions.0.surprise", 1, "invalid"),
        ("submissions.2.report", {"verdict": "AC"}, "invalid"),
        ("activities.0.rung", 1, "invalid"),
        ("activities.0.kind", "hint", "invalid"),
        ("activities.1.rung", 9, "invalid"),
        ("activities.0.problem_id", "", "invalid"),
        ("activities.0.problem_id", "\ud800", "invalid"),
        ("submissions.0.problem_id", "\ud800", "invalid"),
        ("reviews.0.item", "\ud800", "invalid"),
        ("reviews.0.rating", 5, "invalid"),
        ("reviews.0.rating", 1, "conflict"),
        ("reviews.0.reviewed_at", "2126-03-01T09:00:00Z", "invalid"),
        ("reviews.0.undone_at", "2126-03-01T09:00:00Z", "invalid"),
        ("reviews.0.due", "9999-12-31T00:00:00Z", "invalid"),
        ("reviews.0.evidence", [], "invalid"),
        ("reviews.0.card", {}, "invalid"),
        ("reviews.0.card.stability", -1, "invalid"),
        ("reviews.0.card.state", 7, "invalid"),
        ("reviews.0.card.due", "soon", "invalid"),
        ("reviews.0.card.due", "2026-03-01T09:00:00", "invalid"),
        ("reviews.0.card.due", "9999-01-01T00:00:00+00:00", "invalid"),
        ("reviews.0.card.stability", None, "invalid"),
        ("reviews.0.card.difficulty", None, "invalid"),
        ("reviews.0.card.last_review", None, "invalid"),
        ("reviews.0.card.last_review", "9999-12-31T23:59:59-14:00", "invalid"),
        ("reviews.0.card.last_review", "0001-01-01T00:00:00+14:00", "invalid"),
    ],
)
def test_a_bad_document_changes_nothing(
    full: Store, judge: Judge, where: str, value: object, code: str
) -> None:
    document = json.loads(full.export_progress().document)
    # Something good and new comes first, to be left out all the same.
    document["activities"].append(document["activities"][0] | {"problem_id": "50"})
    *parents, name = where.split(".")
    place: Any = document
    for parent in parents:
        place = place[int(parent) if parent.isdigit() else parent]
    if value is MISSING:
        del place[name]
    else:
        place[name] = value
    before = facts(full)
    with pytest.raises(BadInput) as caught:
        full.import_progress(json.dumps(document).encode())
    assert caught.value.code == f"store.import_{code}"
    assert facts(full) == before


@pytest.mark.parametrize(
    "document",
    [b"", b"null", b"[]", b"\xff\xfe", b"{", b'"torchstone-progress"', b"[" * 100_000],
)
def test_what_is_no_document_is_refused(store: Store, document: bytes) -> None:
    with pytest.raises(BadInput):
        store.import_progress(document)


def with_evidence(store: Store, text: bytes) -> bytes:
    document = json.loads(store.export_progress().document)
    document["reviews"][0]["evidence"] = "here"
    return json.dumps(document).encode().replace(b'"here"', text, 1)


# The deepest ones end the parser; the depth at which it gives up differs between Pythons.
@pytest.mark.parametrize("levels", [33, 5000, 200_000])
def test_deep_evidence_is_refused(full: Store, levels: int) -> None:
    before = facts(full)
    for opening, closing in ((b'{"a":', b"}"), (b'{"a":[', b"]}")):
        with pytest.raises(BadInput):
            full.import_progress(with_evidence(full, opening * levels + b"1" + closing * levels))
    assert facts(full) == before


def test_evidence_of_some_levels_is_taken(full: Store, other: Store) -> None:
    summary = other.import_progress(with_evidence(full, b'{"a":' * 31 + b"1" + b"}" * 31))
    assert summary.reviews


def test_a_fact_that_comes_twice_is_stored_once(full: Store, other: Store) -> None:
    document = json.loads(full.export_progress().document)
    for name in ("submissions", "activities", "reviews"):
        document[name] *= 2
    other.import_progress(json.dumps(document).encode())
    assert facts(other) == facts(full)
