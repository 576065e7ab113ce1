"""The record of a problem is one line of words, in both languages."""

from datetime import UTC, datetime
from typing import Any

import pytest

from torchstone.app.judging.record import LastVerdict, ProblemRecord, Proof
from torchstone.cli.record import draw_record
from torchstone.cli.screen import Screen
from torchstone.core.i18n import Lang
from torchstone.core.verdict import Verdict
from torchstone.study import Status

pytestmark = pytest.mark.pure

MOMENT = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
PROOF = Proof(id="aaaaaaaaaaaa", num_passed=27, num_planned=27)


def last(verdict: str) -> LastVerdict:
    return LastVerdict(id="bbbbbbbbbbbb", verdict=Verdict(verdict), created_at=MOMENT)


def drawn(lang: Lang = "en", status: str = "tried", **more: Any) -> str:
    fields = {"attempts": 1, "num_submissions": 1, "num_runs": 2, "last": None, "run": None}
    known = ProblemRecord(status=Status(status), **(fields | {"proof": None} | more))
    return "\n".join(line.plain for line in draw_record(Screen(lang=lang), "01", known))


@pytest.mark.parametrize(
    ("fields", "en", "zh"),
    [
        ({"status": "untouched"}, "· untouched", "· 还没做过"),
        ({}, "○ begun, nothing submitted", "○ 已动手，还没有提交"),
        ({"last": last("WA")}, "○ last WA, 2026-03-01", "○ 上次 WA，2026-03-01"),
        (
            {"status": "proven", "proof": PROOF, "last": last("AC")},
            "✓ proven 27/27 ",
            "✓ 已证明 27/27 ",
        ),
        (
            {"status": "proven", "proof": PROOF, "last": last("WA")},
            "✓ proven 27/27, last WA, ",
            "✓ 已证明 27/27，上次 WA，",
        ),
        # The report of the proof is damaged.
        ({"status": "proven", "last": last("AC")}, "✓ proven ", "✓ 已证明 "),
        ({"run": last("AC")}, "▷ samples pass, 2026-03-01", "▷ 样例通过，2026-03-01"),
    ],
)
def test_the_state_is_said_in_both_languages(fields: dict[str, Any], en: str, zh: str) -> None:
    assert en in drawn("en", **fields)
    assert zh in drawn("zh", **fields)


def test_the_command_that_shows_the_report_is_named() -> None:
    assert "torchstone history 01 bbbbbbbbbbbb" in drawn(last=last("WA"))
    assert "torchstone history 01 bbbbbbbbbbbb" in drawn(run=last("AC"))
    assert "torchstone history" not in drawn()


def test_an_acceptance_is_named_once_and_a_run_is_never_called_ac() -> None:
    assert "AC" not in drawn(status="proven", proof=PROOF, last=last("AC"))
    assert "AC" not in drawn(run=last("AC"))
