"""Ratings follow the evidence, cover all of it, and never reward more help."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.core.i18n import LANGS
from torchstone.study import Evidence, Rating, best_rating, explain_rating, rate
from torchstone.study.rating import LAST_RUNG

pytestmark = pytest.mark.pure

CLEAN = Evidence(
    accepted=True,
    tries=1,
    highest_rung=0,
    solution_seen=False,
    minutes=12.0,
    planned_minutes=20.0,
)

MINUTES = st.none() | st.floats(0, 1e4)


@st.composite
def evidences(draw: st.DrawFn) -> Evidence:
    accepted = draw(st.booleans())
    return Evidence(
        accepted=accepted,
        tries=draw(st.integers(int(accepted), 9)),
        highest_rung=draw(st.integers(0, LAST_RUNG)),
        solution_seen=draw(st.booleans()),
        minutes=draw(MINUTES),
        planned_minutes=draw(st.floats(1, 240)),
    )


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ({}, Rating.EASY),
        ({"minutes": 20.0}, Rating.EASY),
        ({"minutes": 20.1}, Rating.GOOD),
        ({"minutes": None}, Rating.GOOD),
        ({"highest_rung": 1}, Rating.GOOD),
        ({"highest_rung": 2, "tries": 2, "minutes": 90.0}, Rating.GOOD),
        ({"highest_rung": 3}, Rating.HARD),
        ({"highest_rung": 4}, Rating.HARD),
        ({"tries": 3}, Rating.HARD),
        ({"tries": 9, "highest_rung": 4}, Rating.HARD),
        ({"solution_seen": True}, Rating.AGAIN),
        ({"accepted": False, "tries": 0}, Rating.AGAIN),
        ({"accepted": False, "tries": 1}, Rating.AGAIN),
    ],
)
def test_each_rule_of_the_design(change: dict[str, object], wanted: Rating) -> None:
    assert rate(replace(CLEAN, **change)).rating is wanted  # type: ignore[arg-type]


@given(evidences())
def test_everything_that_can_happen_is_rated_and_explained(evidence: Evidence) -> None:
    rated = rate(evidence)
    assert rated.rating in Rating
    assert set(rated.reason) == set(LANGS)
    assert rated.reason["en"].endswith(".")
    assert rated.reason["zh"].endswith("。")
    assert "{" not in "".join(rated.reason.values())


@given(evidences(), st.data())
def test_more_help_never_rates_better(evidence: Evidence, data: st.DataObject) -> None:
    worse = replace(
        evidence,
        tries=data.draw(st.integers(evidence.tries, 12)),
        highest_rung=data.draw(st.integers(evidence.highest_rung, LAST_RUNG)),
        solution_seen=evidence.solution_seen or data.draw(st.booleans()),
        minutes=None
        if evidence.minutes is None
        else data.draw(st.none() | st.floats(evidence.minutes, 2e4)),
    )
    assert rate(worse).rating <= rate(evidence).rating


@given(evidences())
def test_an_acceptance_never_rates_worse_than_none(evidence: Evidence) -> None:
    given_up = replace(evidence, accepted=False)
    assert rate(given_up).rating <= rate(evidence).rating


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tries": 0}, "tries is 0; expected at least 1"),
        ({"tries": -1, "accepted": False}, "tries is -1; expected at least 0"),
        ({"highest_rung": 5}, "rung is 5; expected 0 to 4"),
        ({"highest_rung": -1}, "rung is -1; expected 0 to 4"),
        ({"minutes": float("nan")}, "minutes is nan; expected a number from 0 up"),
        ({"minutes": -1.0}, "minutes is -1.0; expected a number from 0 up"),
        ({"planned_minutes": 0.0}, "planned_minutes is 0.0; expected > 0"),
        ({"planned_minutes": float("nan")}, "planned_minutes is nan; expected > 0"),
    ],
)
def test_what_cannot_have_happened_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=f"Evidence: {message}"):
        replace(CLEAN, **change)  # type: ignore[arg-type]


def test_the_evidence_can_be_logged() -> None:
    assert Evidence(**CLEAN.as_json()) == CLEAN


@given(evidences())
def test_the_log_explains_a_rating_as_it_was_explained_then(evidence: Evidence) -> None:
    logged = json.loads(json.dumps(evidence.as_json() | {"submission": "c41e08d752ba"}))
    rated = rate(evidence)
    assert explain_rating(rated.rating, logged) == rated.reason


@pytest.mark.parametrize(
    ("rating", "change"),
    [
        # Rated by other rules than today's.
        (Rating.HARD, {}),
        (9, {}),
        (Rating.EASY, {"tries": "many"}),
        (Rating.EASY, {"tries": 0}),
        (Rating.EASY, {"minutes": [12.0]}),
        (Rating.EASY, {"planned_minutes": None}),
        (Rating.EASY, {"accepted": 1}),
    ],
)
def test_no_reason_is_made_up(rating: int, change: dict[str, object]) -> None:
    unknown = explain_rating(rating, CLEAN.as_json() | change)
    assert unknown == explain_rating(rating, {})
    assert "in an unknown form" in unknown["en"]
    assert set(unknown) == set(LANGS)


@given(evidences(), st.data())
def test_the_best_rating_is_the_most_that_can_come_of_it(
    evidence: Evidence, data: st.DataObject
) -> None:
    so_far = replace(evidence, accepted=False)
    later = replace(
        so_far,
        accepted=True,
        tries=data.draw(st.integers(so_far.tries + 1, 12)),
        highest_rung=data.draw(st.integers(so_far.highest_rung, LAST_RUNG)),
        minutes=None
        if so_far.minutes is None
        else data.draw(st.none() | st.floats(so_far.minutes, 2e4)),
    )
    assert rate(later).rating <= best_rating(so_far)
    at_once = replace(so_far, accepted=True, tries=so_far.tries + 1)
    assert rate(at_once).rating is best_rating(so_far)
