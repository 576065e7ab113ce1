"""A reference that fails is an objection of the proof, not its end."""

from typing import Any

from torchstone.bank.loader import CONTENT, load_problem
from torchstone.core.verdict import Verdict
from torchstone.judge.order import JudgeFault, Order
from torchstone.judge.proof import FAST, Prover


class Failing:
    """Stand for a workshop whose references fail and whose submissions are all accepted."""

    capacity = 1

    def bench(self, order: Order) -> Any:
        raise JudgeFault("the reference process failed")

    def judge(self, order: Order, emit: Any, *, slot: int) -> dict[str, Any]:
        report: dict[str, Any] = {"verdict": Verdict.AC, "aspect": None, "group": None}
        return report | {"detail": None, "time_ms": 1.0, "cpu_s": 0.1}


def test_a_reference_that_fails_is_an_objection() -> None:
    proof = Prover(Failing(), FAST).prove(  # type: ignore[arg-type]
        load_problem(CONTENT / "problems/01_softmax")
    )
    kinds = [objection.kind for objection in proof.objections]
    assert kinds.count("judge_fault") == 2
    assert proof.counts["wrong_accepted"] > 0
    assert proof.median_ms == 1.0
