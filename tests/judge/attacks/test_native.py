"""Every attack of native code gets an honest verdict and reaches nothing; the judge stays whole."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from _pytest.mark.structures import ParameterSet

from tests.judge.attacks.arena import Setting
from tests.judge.attacks.native.attack import OUTCOMES, Attack, read_attacks
from tests.judge.attacks.native.host import SECRET, Host, open_host, settings_here
from torchstone.core.isolation import Isolation

pytestmark = pytest.mark.attack

ATTACKS = read_attacks()
FIRST, *OTHERS = settings_here()
# What the gate tries at the strongest level; the rest is left to `full`.
GATE = frozenset("assembler dlopen_by_name include_absolute walk_to_write".split())
# Nothing of these is run, so nothing of them can be left behind.
REFUSED = ("CE", "FORBIDDEN_OP")


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


@pytest.fixture(scope="module")
def host_at() -> Iterator[Callable[[Setting], Host]]:
    """Start a judge when it is first asked for; when all is over each must still be right."""
    opened: dict[Setting, Host] = {}
    with ExitStack() as stack:

        def host_at(setting: Setting) -> Host:
            if setting not in opened:
                opened[setting] = stack.enter_context(open_host(setting))
            return opened[setting]

        yield host_at
        for setting, host in opened.items():
            assert host.judge_the_solution(("sample", "small"))["verdict"] == "AC", setting


@pytest.mark.parametrize(("setting", "attack"), _pairs())
def test_an_attack_gets_an_honest_verdict_and_nothing_else(
    host_at: Callable[[Setting], Host], setting: Setting, attack: Attack
) -> None:
    host = host_at(setting)
    # No control group is handed to nobody.
    reached = (setting.level, *([Isolation.NAMESPACES] if setting.as_nobody else []))
    assert host.isolation in reached
    report = host.face(attack)
    assert report["verdict"] in attack.outcomes, (attack.trick, report)
    assert SECRET not in json.dumps(report), attack.trick
    assert list(host.outside.iterdir()) == [], attack.trick
    if report["verdict"] not in REFUSED:
        after = host.judge_the_solution()
        assert after["verdict"] == "AC", (attack.trick, after)
        assert after["pids"] == report["pids"], "the judge's own processes have ended"


def test_the_catalogue_is_complete_and_honest() -> None:
    assert len(ATTACKS) >= 100
    assert {attack.name for attack in ATTACKS} >= GATE
    for attack in ATTACKS:
        assert attack.outcomes <= OUTCOMES, attack.name
        assert len(attack.source.encode()) <= 1 << 18, attack.name
