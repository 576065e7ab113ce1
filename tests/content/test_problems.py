"""Every problem of the bank is proven on every change, under one fresh seed.

`torchstone bank check` proves each with all its variants.
"""

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from torchstone.bank.groups import declared_groups
from torchstone.bank.least import shortages
from torchstone.bank.loader import CONTENT, load_bank
from torchstone.bank.problem import Problem
from torchstone.bank.schema import Kind
from torchstone.bank.variant import Shelf
from torchstone.core import paths
from torchstone.judge.proof import FAST, Prover
from torchstone.judge.workshop import Workshop

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]

BANK = load_bank()


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    """Two workers for all problems."""
    with Workshop(bank_root=CONTENT, cache=paths.cache_dir(), capacity=2).running() as running:
        yield running


def test_no_folder_of_the_bank_is_broken() -> None:
    assert [str(error) for error in BANK.broken] == []
    folders = [path.name for path in (CONTENT / "problems").iterdir() if path.name[0] != "."]
    assert sorted(problem.path.name for problem in BANK) == sorted(folders)


@pytest.mark.parametrize("number", [problem.id for problem in BANK])
def test_a_problem_is_proven(workshop: Workshop, number: str) -> None:
    problem = BANK.get(number)
    assert shortages(problem) == ()
    problem = _drawn(problem)
    proof = Prover(workshop, FAST).prove(problem)
    # Of what is drawn there are too few.
    assert [each for each in proof.objections if each.kind != "too_few"] == []
    refused = {f"{each.shelf}/{each.name}" for each in (*problem.wrong, *problem.cheats)}
    assert set(proof.kills) == refused


# Of a problem whose variants are compiled, others each time: all of them take half an hour.
DRAWN = {Shelf.GOOD: 1, Shelf.WRONG: 3, Shelf.CHEATS: 2}


def _drawn(problem: Problem) -> Problem:
    if not problem.spec.is_built:
        return problem
    draw, is_slow = random.SystemRandom(), problem.spec.entry.kind is Kind.PACKAGE
    shelves = {Shelf.GOOD: problem.good, Shelf.WRONG: problem.wrong, Shelf.CHEATS: problem.cheats}
    counts = {shelf: 1 if is_slow else min(DRAWN[shelf], len(shelves[shelf])) for shelf in shelves}
    return replace(
        problem,
        **{shelf.value: tuple(draw.sample(shelves[shelf], counts[shelf])) for shelf in shelves},
    )


def test_the_parts_of_a_problem_are_groups_that_it_has() -> None:
    for problem in BANK:
        named = [group for subtask in problem.spec.subtasks for group in subtask.groups]
        assert set(named) <= set(declared_groups(problem)), problem.id
        assert len(named) == len(set(named)), problem.id
