"""Every attack of native code gets an honest verdict and reaches nothing; the judge stays whole."""

import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from _pytest.mark.structures import ParameterSet

from tests.judge.attacks.arena import Setting
from tests.judge.attacks.native.attack import OUTCOMES, Attack, read_attacks
from tests.judge.attacks.native.host import SECRET, Host, open_host, settings_here
from tests.kept_results import JUDGE, PROBLEMS
from torchstone.core.isolation import Isolation

pytestmark = [
    pytest.mark.attack,
    pytest.mark.slow(minutes=3),
    pytest.mark.kept(*JUDGE, PROBLEMS, "tests/judge/attacks", "tests/judge/ordinary_user.py"),
]

ATTACKS = read_attacks()
FIRST, *OTHERS = settings_here()
# At the other levels on every change: one of each way to reach outside, or to hold the judge up.
CHOSEN = frozenset(
    """endless_kernel flood include_absolute memory_without_end message_bomb template_bomb
    walk_to_findings walk_to_kill walk_to_open walk_to_signals walk_to_system walk_to_threads
    walk_to_write write_everywhere""".split()
)
# Nothing of these is run, so nothing of them can be left behind.
REFUSED = ("CE", "FORBIDDEN_OP")
# A fifth of what is left is drawn by its name: all of them at all levels take a quarter of an hour.
# What is refused at once is tried whole at the strongest level.
DRAWN = 5


def _is_tried(attack: Attack, setting: Setting) -> bool:
    is_drawn = zlib.crc32(f"{attack.name} {setting}".encode()) % DRAWN == 0
    if setting == FIRST:
        return is_drawn or attack.outcomes <= {*REFUSED}
    return is_drawn and attack.name in CHOSEN


def _pairs() -> list[ParameterSet]:
    return [
        pytest.param(
            setting,
            attack,
            id=f"{setting}-{attack.name}",
        )
        for setting in (FIRST, *OTHERS)
        for attack in ATTACKS
        if _is_tried(attack, setting)
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
    assert CHOSEN <= {attack.name for attack in ATTACKS}
    for attack in ATTACKS:
        assert attack.outcomes <= OUTCOMES, attack.name
        assert len(attack.source.encode()) <= 1 << 18, attack.name
