"""A proof tries a beginning of the mutants, and wants its explanations to be of mutants."""

import ast
import shutil
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.reports import make_report
from torchstone.bank.loader import CONTENT, load_problem
from torchstone.bank.problem import Problem
from torchstone.judge.messages import Report, Words, plain
from torchstone.judge.mutation.mutants import make_mutants
from torchstone.judge.order import Order
from torchstone.judge.proof.entry import Proof
from torchstone.judge.proof.prover import Prover, Thoroughness
from torchstone.judge.replies import Battery

pytestmark = [pytest.mark.full, pytest.mark.pure]

ROOT = Path(__file__).resolve().parents[3]
LISTED = tomllib.loads((ROOT / "docs/handbook/interface.toml").read_text(encoding="utf-8"))


class Credulous:
    """Stand for a worker pool that accepts everything and has seen nothing run."""

    capacity = 1

    @contextmanager
    def reference(self, order: Order) -> Iterator[Any]:
        yield self

    def observe(self, source: str) -> dict[int, Any]:
        return {}

    def battery(self, seed: int) -> Battery:
        return Battery(
            null_accepted=(),
            lowprec_accepted=(),
            parity_errors=(),
            good_ratio=0.0,
            lowprec_ratio=None,
        )

    def run_cells(self, cells: list[str]) -> str:
        return ""

    def judge(self, order: Order, emit: Any, *, slot: int) -> Report:
        return make_report(time_ms=1.0, cpu_s=0.1)


def prove(problem: Problem, num_mutants: int) -> Proof:
    how = Thoroughness(good_seeds=1, other_seeds=1, mutants=num_mutants)
    return Prover(Credulous(), how).prove(problem)  # type: ignore[arg-type]


def objections(proof: Proof, kind: str) -> list[str]:
    return [each.detail.en for each in proof.objections if each.kind == kind]


@pytest.fixture
def softmax(tmp_path: Path) -> Problem:
    folder = tmp_path / "problems/01_softmax"
    shutil.copytree(CONTENT / "problems/01_softmax", folder)
    (folder / "survivors.toml").unlink()
    for path in folder.glob("good/*.py"):
        path.write_text("softmax = 1 + 2\n", encoding="utf-8")
    return load_problem(folder)


def test_fewer_mutants_are_a_part_of_more(softmax: Problem) -> None:
    few, more = (
        {survivor.key for survivor in prove(softmax, number).survivors} for number in (8, 12)
    )
    assert few < more


def test_a_survivor_is_objected_to_until_it_is_explained(softmax: Problem) -> None:
    mutant = make_mutants(softmax.solution.source)[0]
    assert len(objections(prove(softmax, 1), "rule_mutants_unexplained")) == 1 + len(softmax.good)
    explain(softmax, mutant.key)
    proof = prove(softmax, 1)
    assert len(objections(proof, "rule_mutants_unexplained")) == len(softmax.good)
    (survivor,) = [each for each in proof.survivors if each.key == mutant.key]
    assert survivor.why == Words(en="It is right.", zh="它是对的。")


def test_a_survivor_is_shown_by_the_line_that_it_changes(softmax: Problem) -> None:
    mutants = make_mutants(softmax.solution.source)
    (mutant, *_) = [each for each in mutants if each.rule == "exchange operator"]
    proof = prove(softmax, len(mutants))
    (survivor,) = [each for each in proof.survivors if each.key == mutant.key]
    assert sorted(plain(survivor)) == LISTED["json"]["bank check: survivor"]
    assert survivor.before in ast.unparse(ast.parse(softmax.solution.source))
    assert survivor.after in mutant.source
    details = objections(proof, "rule_mutants_unexplained")
    (detail,) = [each for each in details if mutant.key in each]
    assert detail.splitlines() == [
        f"solution.py, line {mutant.line}: the operator is replaced, and no case notices.",
        f"before: {survivor.before}",
        f"after:  {survivor.after}",
        f"Add a case that refuses it, or explain the key {mutant.key} in survivors.toml.",
    ]


def test_an_explanation_of_no_mutant_is_objected_to(softmax: Problem) -> None:
    last = make_mutants(softmax.solution.source)[-1]
    explain(softmax, last.key, "0123456789")
    (detail,) = objections(prove(softmax, 1), "text_errors")
    assert "0123456789" in detail, "and not the one that is merely not tried"
    assert objections(prove(softmax, 0), "text_errors") == []


def explain(problem: Problem, *keys: str) -> None:
    entry = f"""
        [[survivor]]
        keys = {list(keys)}
        why.en = "It is right."
        why.zh = "它是对的。"
    """
    (problem.path / "survivors.toml").write_text(entry, encoding="utf-8")
