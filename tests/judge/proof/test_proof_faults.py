"""A reference that fails is an objection of the proof, not its end."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from msgspec.structs import replace

from tests.reports import make_report
from torchstone.bank.loader import CONTENT, load_problem
from torchstone.bank.problem import Problem
from torchstone.judge.messages import Report, Words
from torchstone.judge.order import JudgeFault, Order
from torchstone.judge.proof.entry import Proof, entry_of
from torchstone.judge.proof.prover import FAST, Prover, Thoroughness
from torchstone.judge.replies import Battery, ParityError


class Failing:
    """Stand for a worker pool whose references fail and whose submissions are all accepted."""

    capacity = 1

    def reference(self, order: Order) -> Any:
        raise JudgeFault("the reference process failed")

    def judge(self, order: Order, emit: Any, *, slot: int) -> Report:
        return make_report(time_ms=1.0, cpu_s=0.1)


@pytest.mark.full
def test_a_reference_that_fails_is_an_objection() -> None:
    proof = Prover(Failing(), FAST).prove(  # type: ignore[arg-type]
        load_problem(CONTENT / "problems/01_softmax")
    )
    kinds = [objection.kind for objection in proof.objections]
    assert kinds.count("judge_fault") == 2
    assert proof.counts["wrong_accepted"] > 0
    assert proof.median_ms == 1.0


def test_objections_are_said_in_both_languages() -> None:
    how = Thoroughness(good_seeds=1, other_seeds=1, mutants=1)
    proof = Prover(Failing(), how).prove(  # type: ignore[arg-type]
        load_problem(CONTENT / "problems/01_softmax")
    )
    for objection in entry_of(proof).objections:
        if objection.kind != "judge_fault":
            assert objection.detail.en.isascii()
            assert any("一" <= char <= "鿿" for char in objection.detail.zh)


def test_an_objection_to_a_verdict_says_what_came_and_what_was_wanted() -> None:
    problem = load_problem(CONTENT / "problems/01_softmax")
    proof = Proof(problem="01")
    prover = Prover(Mistaken(), FAST)  # type: ignore[arg-type]
    prover._try_bad(problem, problem.wrong[0], proof_with_kills(proof, problem))
    (objection,) = proof.objections
    group, wanted = problem.wrong[0].group, problem.wrong[0].outcomes[0]
    assert objection.kind == "wrong_for_other_reason"
    assert objection.detail.en.startswith(f"expected {wanted} in {group}; got RTE in edge")
    assert objection.detail.zh.startswith(f"应在 {group} 组得到 {wanted}；实际为 RTE in edge")
    assert objection.detail.en.endswith("it broke")
    assert objection.detail.zh.endswith("出错了")


class Mistaken(Failing):
    """Stand for a worker pool in which everything breaks."""

    def judge(self, order: Order, emit: Any, *, slot: int) -> Report:
        words = Words(en="it broke", zh="出错了")
        return make_report(verdict="RTE", group="edge", detail=words)


class Listening(Failing):
    """Stand for a worker pool that notes which groups are judged, and gives one verdict."""

    def __init__(self, verdict: str) -> None:
        self.verdict = verdict
        self.judged: list[tuple[str, ...] | None] = []

    def judge(self, order: Order, emit: Any, *, slot: int) -> Report:
        self.judged.append(order.groups)
        return make_report(verdict=self.verdict, group=None)


def test_a_quick_proof_judges_a_wrong_program_up_to_the_group_in_which_it_fails() -> None:
    problem = load_problem(CONTENT / "problems/01_softmax")
    variant = next(each for each in problem.wrong if each.group == "small")
    cheat = next(each for each in problem.cheats if each.group is None)
    for how, verdict, judged in (
        (FAST, "RTE", [("sample", "small")]),
        # What does not fail there may fail later, for another reason.
        (FAST, "AC", [("sample", "small"), None]),
        (Thoroughness(), "RTE", [None]),
    ):
        pool = Listening(verdict)
        prover = Prover(pool, how)  # type: ignore[arg-type]
        prover._try_bad(problem, variant, proof_with_kills(Proof(problem="01"), problem))
        assert pool.judged[: len(judged)] == judged
    pool = Listening("RTE")
    proof = Proof(problem="01", kills={f"{cheat.shelf}/{cheat.name}": []})
    Prover(pool, FAST)._try_bad(problem, cheat, proof)  # type: ignore[arg-type]
    assert pool.judged[0] is None


class Differing(Failing):
    """Stand for a worker pool whose reference finds that the oracle differs from torch."""

    @contextmanager
    def reference(self, order: Order) -> Iterator[Any]:
        yield self

    def battery(self, seed: int) -> Battery:
        error = ParityError(group="edge", index=7, regime={"n": 2}, output="out", place=(1,))
        return Battery(
            null_accepted=(),
            lowprec_accepted=(),
            parity_errors=(error, replace(error, index=8)),
            good_ratio=0.0,
            lowprec_ratio=None,
        )


def test_a_parity_objection_names_the_case_and_both_values() -> None:
    proof = Proof(problem="01")
    prover = Prover(Differing(), FAST)  # type: ignore[arg-type]
    prover._prove_truth(load_problem(CONTENT / "problems/01_softmax"), proof)
    assert proof.counts["parity_errors"] == 2
    first, second = proof.objections
    assert (first.kind, first.name) == ("parity_errors", "out")
    assert first.detail.en.startswith('Case 7 of group edge, parameters {"n": 2}: out[1] is 0.0 in')
    assert second.evidence is not None
    assert (second.evidence.group, second.evidence.case) == ("edge", 8)


def proof_with_kills(proof: Proof, problem: Problem) -> Proof:
    proof.kills = {f"{each.shelf}/{each.name}": [] for each in problem.wrong}
    return proof
