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

pytestmark = pytest.mark.attack

ATTACKS = read_attacks()
# Three of each family, which the gate tries at the strongest level; the rest is left to `full`.
GATE = frozenset(
    """answers/cached_by_address answers/previous_answer answers/straight_through
    bans/functional bans/in_a_thread bans/replay_of_recorded_nodes
    channel/close_reports_then_builtin channel/stolen_socket channel/thread_that_answers
    escape/exec_shell escape/read_host_secret escape/write_anywhere
    introspection/frame_walk introspection/native_lifts_the_ban introspection/text_of_the_oracle
    network/tcp network/unix network/download
    poisoning/builtins poisoning/comparisons_of_torch poisoning/persist_in_modules
    resources/busy_loop resources/fork_bomb resources/memory_in_steps
    script/fork script/library_it_wrote script/write_outside
    signals/everybody signals/own_group signals/segmentation_fault""".split()
)
FIRST, *OTHERS = settings_here()


def _pairs() -> list[ParameterSet]:
    return [
        pytest.param(
            setting,
            attack,
            marks=() if setting == FIRST and attack.name in GATE else pytest.mark.full,
            id=f"{setting}-{attack.name}",
        )
        for setting in (FIRST, *OTHERS)
        for attack in ATTACKS
    ]


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


@pytest.mark.full
@pytest.mark.torch
def test_the_program_that_writes_memory_by_number_works_where_nothing_is_closed() -> None:
    """Refused it proves something only if it would write."""
    path = Path(__file__).parent / "submissions/bans/memory_by_number.py"
    done = subprocess.run([sys.executable, "-P", "-W", "ignore", str(path)], check=False)
    assert done.returncode == 0


def test_the_catalogue_is_complete_and_honest() -> None:
    assert len(ATTACKS) >= 90
    assert {attack.name for attack in ATTACKS} >= GATE
    assert {attack.family for attack in ATTACKS} == set(FAMILIES)
    for attack in ATTACKS:
        assert attack.outcomes <= OUTCOMES, attack.name
