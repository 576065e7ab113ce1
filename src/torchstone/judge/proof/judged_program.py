"""``JudgedProgram``: the report of one program in a proof."""

from __future__ import annotations

from dataclasses import dataclass

from torchstone.core.i18n import text
from torchstone.judge.messages import Report, Words
from torchstone.judge.proof.evidence import outcome_of


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedProgram:
    """The report of one judged program, and the seed that determined its cases."""

    report: Report
    seed: int


def reason_of(trial: JudgedProgram) -> Words:
    """Return the outcome, its seed and its reason, in both languages."""
    said, kill = trial.report.detail or Words(en="", zh=""), outcome_of(trial.report)
    values = {"kill": kill, "seed": trial.seed}
    return Words(
        en=text("judge.objection.came", "en", detail=said.en, **values).rstrip(),
        zh=text("judge.objection.came", "zh", detail=said.zh, **values).rstrip(),
    )
