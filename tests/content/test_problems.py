"""Every problem of the bank is proven on every change, under one fresh seed."""

from collections.abc import Iterator

import pytest

from torchstone.bank.loader import CONTENT, load_bank
from torchstone.core import paths
from torchstone.judge.proof import FAST, Prover
from torchstone.judge.workshop import Workshop

pytestmark = pytest.mark.sandbox

BANK = load_bank()


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    """Two workers for all problems."""
    with Workshop(bank_root=CONTENT, cache=paths.cache_dir(), capacity=2).running() as running:
        yield running


def test_no_folder_of_the_bank_is_broken() -> None:
    assert [str(error) for error in BANK.broken] == []
    part_one = [f"{number:02}" for number in range(1, 11)]
    assert [problem.id for problem in BANK] == [*part_one, "42", "43"]


@pytest.mark.parametrize("number", [problem.id for problem in BANK])
def test_a_problem_is_proven(workshop: Workshop, number: str) -> None:
    problem = BANK.get(number)
    proof = Prover(workshop, FAST).prove(problem)
    assert proof.objections == []
    assert len(problem.wrong) >= 8
    assert len(problem.cheats) >= 3
    assert len(problem.good) >= 1
    refused = {f"{each.shelf}/{each.name}" for each in (*problem.wrong, *problem.cheats)}
    assert set(proof.kills) == refused
