import json
import subprocess
import sys

import pytest

from torchstone.app.interview.material import Material
from torchstone.core.errors import BadInput
from torchstone.interview.draw import Setting
from torchstone.interview.item import Kind
from torchstone.interview.levels import Level, read_level, read_minutes, share_minutes
from torchstone.interview.plan import make_plan

pytestmark = pytest.mark.plain


def setting(seed: int = 7, level: Level = Level.MID, minutes: int = 140) -> Setting:
    return Setting(seed=seed, level=level, minutes=minutes)


@pytest.mark.full
def test_equal_arguments_give_the_same_bytes_in_another_process(material: Material) -> None:
    plan = make_plan(material.pool, material.outline, setting()).plain()
    program = (
        "import json; from torchstone.app.home import find_home;"
        "from torchstone.app.interview.planning import plan_interview, read_setting;"
        "print(json.dumps(plan_interview(find_home(),"
        "read_setting(level='mid', minutes=140, seed=7))))"
    )
    other = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert other.stdout.decode().strip() == json.dumps(plan)


@pytest.mark.parametrize("level", Level)
def test_sections_of_a_full_interview_stay_inside_their_ranges(
    material: Material, level: Level
) -> None:
    for minutes in (125, 140, 155):
        shares = share_minutes(material.outline.ranges, level, minutes)
        assert abs(sum(shares) - minutes) < 0.1
        for share, (low, high) in zip(shares, material.outline.ranges, strict=True):
            assert low <= share <= high


@pytest.mark.gate("60")
@pytest.mark.parametrize("minutes", [30, 60, 140])
def test_another_seed_differs_in_most_items(material: Material, minutes: int) -> None:
    plans = []
    for seed in (7, 8, 9):
        plan = make_plan(material.pool, material.outline, setting(seed, minutes=minutes))
        plans.append({offer.item.id for offer in plan.offers})
    for other in plans[1:]:
        assert len(plans[0] - other) >= 0.6 * len(plans[0])


def test_a_full_plan_has_programs_of_three_kinds_a_prediction_and_a_discussion(
    material: Material,
) -> None:
    plan = make_plan(material.pool, material.outline, setting())
    kinds = [offer.item.kind for offer in plan.offers]
    assert plan.quotas["code"].planned == plan.quotas["code"].wanted == 3
    assert all(quota.planned >= quota.wanted for quota in plan.quotas.values())
    groups = {offer.item.group for offer in plan.offers if offer.item.kind is Kind.CODE}
    assert len(groups) == 3
    assert Kind.PREDICT in kinds
    topics = [offer.item.topic for offer in plan.offers]
    assert len(topics) == len(set(topics))


@pytest.mark.parametrize("minutes", [0, 29, 90, 124, 156, 500])
def test_a_length_without_a_format_is_refused(minutes: int) -> None:
    with pytest.raises(BadInput) as caught:
        read_minutes(minutes)
    for lang in ("en", "zh"):
        assert str(minutes) in caught.value.message(lang)
        assert "125" in caught.value.hint(lang)


def test_an_unknown_level_is_refused_and_the_levels_are_named() -> None:
    with pytest.raises(BadInput) as caught:
        read_level("principal")
    assert "principal" in caught.value.message("en")
    assert "expert" in caught.value.hint("zh")
