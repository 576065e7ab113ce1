"""Record of a proof, which ``bank.proof_record`` stores beside the problem."""

from __future__ import annotations

from datetime import UTC, datetime

from torchstone.bank.problem import Problem
from torchstone.bank.proof_record import ProofRecord
from torchstone.judge.proof.entry import ProofEntry
from torchstone.judge.proof.prover import Thoroughness
from torchstone.judge.receipt import judge_hash, torch_version


def record_of(problem: Problem, entry: ProofEntry, folder: str, how: Thoroughness) -> ProofRecord:
    """Return the record of a proof that holds.

    Args:
        problem: The problem as it was proven.
        entry: The proof.
        folder: The hash of the problem's folder when it was proven.
        how: The thoroughness of the proof.
    """
    return ProofRecord(
        folder=folder,
        date=datetime.now(UTC).date().isoformat(),
        judge=judge_hash(),
        torch=torch_version(),
        good_seeds=how.good_seeds,
        other_seeds=how.other_seeds,
        right=1 + len(problem.good),
        wrong=len(problem.wrong),
        cheats=len(problem.cheats),
        mutants=entry.rule_mutants,
        mutants_killed=entry.rule_mutants - entry.rule_mutants_accepted,
        good_ratio=_rounded(entry.good_ratio),
        lowprec_ratio=_rounded(entry.lowprec_ratio),
        median_ms=_rounded(entry.median_ms),
        kills={name: ", ".join(sorted(set(outcomes))) for name, outcomes in entry.kills.items()},
    )


def _rounded(number: float | None) -> float | None:
    return None if number is None else float(f"{number:.3g}")
