"""``JudgedProgram``: the judging of one program in a proof, and its outcome."""

from __future__ import annotations

from dataclasses import dataclass

from torchstone.core.i18n import LANGS, text
from torchstone.judge.messages import Report
from torchstone.judge.proof.evidence import outcome_of


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedProgram:
    """Hold the report of one judged program, and the seed that decided its cases."""

    report: Report
    seed: int


def reason_of(trial: JudgedProgram) -> dict[str, str]:
    """Say in every language what came, under which seed, and why."""
    said, kill = trial.report.detail, outcome_of(trial.report)
    return {
        lang: text(
            "judge.objection.came",
            lang,
            kill=kill,
            seed=trial.seed,
            detail=said.said_in(lang) if said else "",
        ).rstrip()
        for lang in LANGS
    }
