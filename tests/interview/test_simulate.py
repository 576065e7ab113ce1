"""What the shipped items promise for simulated candidates of each level in an hour that adapts."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from torchstone.app.interview.material import Material
from torchstone.interview.levels import Level
from torchstone.interview.simulate import Design, Row, simulate

pytestmark = [pytest.mark.plain, pytest.mark.full]


@pytest.fixture(scope="module")
def rows(material: Material) -> Mapping[Level, Row]:
    designs = {level: Design(minutes=60, level=level) for level in Level}
    return {
        level: simulate(material.pool, material.outline, design, candidates=200)
        for level, design in designs.items()
    }


@pytest.mark.parametrize("level", Level)
def test_an_hour_is_hardly_biased_and_honest_about_its_error(
    rows: Mapping[Level, Row], level: Level
) -> None:
    assert abs(rows[level].bias) <= 1.5
    assert 0.62 <= rows[level].coverage <= 0.85


@pytest.mark.parametrize("level", Level)
def test_no_item_is_shown_to_more_than_half_of_the_candidates(
    rows: Mapping[Level, Row], level: Level
) -> None:
    assert rows[level].exposure <= 0.5


@pytest.mark.parametrize("level", Level)
def test_two_hours_agree_and_one_reaches_a_verdict(rows: Mapping[Level, Row], level: Level) -> None:
    assert rows[level].r_two_forms >= 0.94
    assert rows[level].verdicts >= 0.95
