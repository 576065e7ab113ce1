"""Every attack gets an honest verdict, and the jobs beside it and after it never notice."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from tests.judge.attacks.arena import Arena, Setting, settings_here
from tests.judge.attacks.attack import FAMILIES, OUTCOMES, Attack, read_attacks
from tests.kept_results import JUDGE, PROBLEMS

pytestmark = [
    pytest.mark.attack,
    pytest.mark.kept(*JUDGE, PROBLEMS, "tests/judge/attacks", "tests/judge/ordinary_user.py"),
    pytest.mark.slow(minutes=6),
]

ATTACKS = read_attacks()
# CI tries the strongest level whole, and a third of the others.
FIRST, *OTHERS = settings_here()


def _pairs() -> list[ParameterSet]:
    pairs: list[ParameterSet] = []
    for setting in (FIRST, *OTHERS):
        share = pytest.mark.drawn(1 if setting == FIRST else 3)
        for attack in ATTACKS:
            pairs.append(pytest.param(setting, attack, marks=share, id=f"{setting}-{attack.name}"))
    return pairs


@pytest.mark.parametrize(("setting", "attack"), _pairs())
def test_an_attack_changes_nothing_but_its_own_verdict(
    arena_at: Callable[[Setting], Arena], setting: Setting, attack: Attack
) -> None:
    found = arena_at(setting).face(attack)
    for place in ("beside", "after"):
        assert found[place]["verdict"] == "AC", (place, found[place])
    report = found["attack"]
    # Whole: of a verdict that comes once in many runs nothing else is left.
    assert report["verdict"] in attack.outcomes, f"{attack.tries}: {json.dumps(report)}"
    assert found["same_zygotes"]


@pytest.mark.torch
def test_the_program_that_writes_memory_by_number_works_where_nothing_is_closed() -> None:
    """Refused it proves something only if it would write."""
    path = Path(__file__).parent / "submissions/bans/memory_by_number.py"
    done = subprocess.run([sys.executable, "-P", "-W", "ignore", str(path)], check=False)
    assert done.returncode == 0


def test_the_catalogue_is_complete_and_honest() -> None:
    assert len(ATTACKS) >= 90
    assert {attack.family for attack in ATTACKS} == set(FAMILIES)
    for attack in ATTACKS:
        assert attack.outcomes <= OUTCOMES, attack.name
