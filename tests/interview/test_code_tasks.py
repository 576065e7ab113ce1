"""The five families of code tasks: two proven variants each, and plans that draw them."""

import pytest

from torchstone.app.interview.material import Material
from torchstone.bank.groups import declared_groups
from torchstone.bank.proof_record import is_recorded
from torchstone.interview.draw import Setting, draw
from torchstone.interview.item import Kind
from torchstone.interview.levels import Level
from torchstone.interview.mark import GROUP_WEIGHTS

pytestmark = pytest.mark.plain

MINUTES = {"c-linear": 10, "c-dataset": 10, "c-resnet": 20, "c-loop": 18, "c-schedule-clip": 15}


def test_each_family_has_two_proven_variants_that_stand_in_no_list(material: Material) -> None:
    bank = material.home.bank
    assert {task.family for task in material.tasks} == set(MINUTES)
    for task in material.tasks:
        variants = [bank.find(variant.problem) for variant in task.variants]
        assert len(variants) >= 2
        assert bank.get(task.practice)
        for each in variants:
            assert each in bank.tasks
            assert is_recorded(each.path), each.id
            assert each.spec.minutes.interview == MINUTES[task.family]
            assert len(each.rubric.followups) >= 4
            # What a program scores that is partly right has a weight for each group.
            assert set(declared_groups(each)) <= set(GROUP_WEIGHTS), each.id
    named = [variant.problem for task in material.tasks for variant in task.variants]
    assert sorted(named) == [each.id for each in bank.tasks]


def test_plans_draw_every_variant(material: Material) -> None:
    drawn: set[str] = set()
    for seed in range(60):
        setting = Setting(seed=seed, level=Level.MID, minutes=140)
        programs = draw(material.pool, material.outline.ranges, setting).programs.values()
        assert len({item.group for item in programs}) == 3
        drawn |= {item.source for item in programs}
    assert drawn == {item.source for item in material.pool if item.kind is Kind.CODE}
    assert drawn == {each.id for each in material.home.bank.tasks}
