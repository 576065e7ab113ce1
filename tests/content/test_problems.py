"""The problems of the bank are proven, each under one fresh seed.

`torchstone bank check` proves each with all its variants; where it has, and nothing has changed
since, its proof counts here. With CI=true nothing of an earlier run counts: each problem that has
changed is proven, and of the others a share (`tests/drawn_tests.py`). Where a program needs
processes of its own, as what is compiled does, a third of the variants is drawn, which changes with
the problem and the judge.
"""

import os
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import cache

import pytest

from tests.drawn_tests import NUM_SHARES, is_in_share
from tests.kept_results import JUDGE, PROBLEMS
from torchstone.app.problems.authoring import open_proof_cache
from torchstone.bank.groups import declared_groups
from torchstone.bank.least import shortages
from torchstone.bank.loader import CONTENT, load_bank
from torchstone.bank.problem import Problem
from torchstone.bank.schema import Kind
from torchstone.bank.variant import Shelf, Variant
from torchstone.core import paths
from torchstone.judge.pool.worker_pool import WorkerPool
from torchstone.judge.proof.entry import entry_of
from torchstone.judge.proof.prover import FAST, Prover

pytestmark = [pytest.mark.sandbox, pytest.mark.slow(minutes=8)]

BANK = load_bank()


@pytest.fixture(scope="module")
def worker_pool() -> Iterator[Callable[[], WorkerPool]]:
    """Two workers for all problems, started when the first one has to be proven."""
    with ExitStack() as stack:

        @cache
        def start() -> WorkerPool:
            made = WorkerPool(
                bank_root=CONTENT, cache=paths.cache_dir(), capacity=2, num_kept_builds=4
            )
            return stack.enter_context(made.running())

        yield start


def test_no_folder_of_the_bank_is_broken() -> None:
    assert [str(error) for error in BANK.broken] == []
    folders = [path.name for path in (CONTENT / "problems").iterdir() if path.name[0] != "."]
    assert sorted(problem.path.name for problem in BANK) == sorted(folders)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("number", [problem.id for problem in BANK])
def test_a_problem_is_proven(worker_pool: Callable[[], WorkerPool], number: str) -> None:
    problem = BANK.get(number)
    assert shortages(problem) == ()
    proofs = open_proof_cache(FAST)
    key = proofs.key(problem)
    if (entry := proofs.get(key)) is not None:
        assert set(entry.kills) == _refused(problem)
        return
    drawn = _drawn(problem)
    # What a draw has proven is kept apart: it is no proof of the whole problem.
    kept = proofs
    if drawn is not problem:
        kept = replace(proofs, folder=proofs.folder.with_name("proofs-drawn"))
    if kept.get(key) is None:
        proof = Prover(worker_pool(), FAST).prove(drawn)
        if drawn is not problem:
            # Of what is drawn there are too few.
            proof.objections = [each for each in proof.objections if each.kind != "too_few"]
        assert proof.objections == []
        assert set(proof.kills) == _refused(drawn)
        kept.put(key, entry_of(proof))


def _refused(problem: Problem) -> set[str]:
    return {f"{each.shelf}/{each.name}" for each in (*problem.wrong, *problem.cheats)}


# Of a problem whose variants have processes of their own, others each time: each takes three
# seconds or more.
DRAWN = {Shelf.GOOD: 1, Shelf.WRONG: 3, Shelf.CHEATS: 2}


def _drawn(problem: Problem) -> Problem:
    if not problem.spec.has_own_processes:
        return problem
    shelves = {Shelf.GOOD: problem.good, Shelf.WRONG: problem.wrong, Shelf.CHEATS: problem.cheats}
    draw = _share_of_ci if os.environ.get("CI") == "true" else _few
    drawn = {shelf: draw(problem, shelf, variants) for shelf, variants in shelves.items()}
    return replace(problem, read_shelf=drawn.__getitem__)


def _few(problem: Problem, shelf: Shelf, variants: tuple[Variant, ...]) -> tuple[Variant, ...]:
    is_slow = problem.spec.entry.kind is Kind.PACKAGE
    count = 1 if is_slow else min(DRAWN[shelf], len(variants))
    return tuple(random.SystemRandom().sample(variants, count))


def _share_of_ci(
    problem: Problem, shelf: Shelf, variants: tuple[Variant, ...]
) -> tuple[Variant, ...]:
    """Return a third of the variants, one at least: the same ones until a file changes."""
    files = (*JUDGE, f"{PROBLEMS}/{problem.path.name}")
    names = {each: f"{problem.id}/{shelf}/{each.name}" for each in variants}
    chosen = tuple(each for each in variants if is_in_share(names[each], files, NUM_SHARES))
    return chosen or variants[:1]


@pytest.mark.parametrize(
    "number", [problem.id for problem in BANK if problem.spec.has_own_processes]
)
def test_ci_draws_a_share_that_changes_with_the_problem(
    monkeypatch: pytest.MonkeyPatch, number: str
) -> None:
    problem = BANK.get(number)
    monkeypatch.setenv("CI", "true")
    drawn = _drawn(problem)
    for shelf in (Shelf.GOOD, Shelf.WRONG, Shelf.CHEATS):
        chosen, whole = drawn.read_shelf(shelf), problem.read_shelf(shelf)
        assert chosen == _drawn(problem).read_shelf(shelf)
        assert set(chosen) <= set(whole)
        assert bool(chosen) == bool(whole)
        assert len(chosen) <= 1 + 2 * len(whole) / NUM_SHARES


def test_the_parts_of_a_problem_are_groups_that_it_has() -> None:
    for problem in BANK:
        named = [group for subtask in problem.spec.subtasks for group in subtask.groups]
        assert set(named) <= set(declared_groups(problem)), problem.id
        assert len(named) == len(set(named)), problem.id
