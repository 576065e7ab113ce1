"""``JudgedProgram``: the judging of one program in a proof, and its outcome."""

from __future__ import annotations

from dataclasses import dataclass

from torchstone.core.i18n import text
from torchstone.judge.messages import Report, Words
from torchstone.judge.proof.evidence import outcome_of


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedProgram:
    """Hold the report of one judged program, and the seed that decided its cases."""

    report: Report
    seed: int


def reason_of(trial: JudgedProgram) -> Words:
    """Return in both languages what came, under which seed, and why."""
    said, kill = trial.report.detail or Words(en="", zh=""), outcome_of(trial.report)
    values = {"kill": kill, "seed": trial.seed}
    return Words(
        en=text("judge.objection.came", "en", detail=said.en, **values).rstrip(),
        zh=text("judge.objection.came", "zh", detail=said.zh, **values).rstrip(),
    )
