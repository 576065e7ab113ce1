"""Of each problem the gate judges four programs under one seed; `full` proves it whole."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from queue import SimpleQueue

import pytest

from tests.shipped import shipped_bank
from torchstone.bank.groups import declared_groups
from torchstone.bank.least import shortages
from torchstone.bank.loader import CONTENT, TASKS
from torchstone.bank.problem import Problem
from torchstone.bank.proof_record import is_recorded
from torchstone.bank.sentences import check_sentences
from torchstone.core import paths
from torchstone.core.errors import NotFound
from torchstone.core.verdict import ExitCode, Verdict
from torchstone.judge.assignment import assignment_of
from torchstone.judge.order import Order
from torchstone.judge.pool.worker_pool import WorkerPool
from torchstone.judge.proof.prover import FAST, Prover
from torchstone.judge.report import Report

pytestmark = pytest.mark.sandbox

BANK = shipped_bank()
NUMBERS = [problem.id for problem in BANK.judged]
SEED = 20


@pytest.fixture(scope="module")
def worker_pool() -> Iterator[Callable[[], WorkerPool]]:
    """Two workers for all problems, started when the first one is judged."""
    with ExitStack() as stack:

        @cache
        def start() -> WorkerPool:
            made = WorkerPool(
                bank_root=CONTENT, cache=paths.cache_dir(), capacity=2, num_kept_builds=4
            )
            return stack.enter_context(made.running())

        yield start


def test_no_folder_of_the_bank_is_broken() -> None:
    broken = [str(error) for error in BANK.broken]
    assert not broken, "\n".join([*broken, "After mending: torchstone bank check NUMBER --record"])
    for folder, loaded in (("problems", BANK.problems), (TASKS, BANK.tasks)):
        names = [path.name for path in (CONTENT / folder).iterdir() if path.name[0] != "."]
        assert sorted(problem.path.name for problem in loaded) == sorted(names)


def test_a_code_task_of_an_interview_is_found_by_the_judge_and_in_no_list() -> None:
    task = BANK.tasks[0]
    assert BANK.find(task.id) is BANK.find(task.slug) is task
    assert task.id not in {problem.id for problem in BANK}
    with pytest.raises(NotFound):
        BANK.get(task.id)


def test_every_problem_has_enough_programs() -> None:
    missing = [
        f"{problem.id} has {each.count} of {each.least} {each.kind} ({each.files}); "
        f"write them, then: torchstone bank check {problem.id} --record"
        for problem in BANK.judged
        for each in shortages(problem)
    ]
    assert not missing, "\n".join(missing)


def test_every_problem_is_as_its_record_says() -> None:
    changed = [problem.id for problem in BANK.judged if not is_recorded(problem.path)]
    assert not changed, (
        f"No proof is recorded of what these problems are now: {', '.join(changed)}. "
        "Prove them: torchstone bank check --changed --fast --record"
    )


@pytest.mark.parametrize("number", NUMBERS)
def test_a_problem_tells_right_from_wrong(
    worker_pool: Callable[[], WorkerPool], number: str
) -> None:
    """Judge the solution, the starter, the first wrong answer and the first cheat.

    Of a wrong answer whose group is stated that group alone is judged.
    """
    problem = BANK.find(number)
    variants = (problem.wrong[0], problem.cheats[0])
    programs = (
        (problem.solution.source, None),
        (problem.starter, None),
        *((variant.source, variant.group) for variant in variants),
    )
    solution, starter, *refused = judge_all(worker_pool(), problem, programs)
    assert solution.verdict is Verdict.AC, solution
    assert starter.verdict.exit_code is ExitCode.NOT_ACCEPTED, starter
    for variant, report in zip(variants, refused, strict=True):
        assert variant.accepts(report.verdict, report.aspect), (variant.name, report)
        assert variant.group in (None, report.group), (variant.name, report)


def judge_all(
    pool: WorkerPool, problem: Problem, programs: Sequence[tuple[str, str | None]]
) -> list[Report]:
    """Judge programs, in one group or in all, as many at once as the pool has slots."""
    slots: SimpleQueue[int] = SimpleQueue()
    for slot in range(pool.capacity):
        slots.put(slot)

    def judge(program: tuple[str, str | None]) -> Report:
        source, group = program
        order = Order(
            assignment=assignment_of(problem),
            source=source,
            seed=SEED,
            groups=(group,) if group else None,
            explain=False,
        )
        slot = slots.get()
        try:
            return pool.judge(order, lambda event: None, slot=slot)
        finally:
            slots.put(slot)

    with ThreadPoolExecutor(pool.capacity) as threads:
        return list(threads.map(judge, programs))


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("number", NUMBERS)
def test_a_problem_is_proven(worker_pool: Callable[[], WorkerPool], number: str) -> None:
    problem = BANK.find(number)
    proof = Prover(worker_pool(), FAST).prove(problem)
    assert proof.objections == []
    refused = {f"{each.shelf}/{each.name}" for each in (*problem.wrong, *problem.cheats)}
    assert set(proof.kills) == refused


@pytest.mark.full
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("number", NUMBERS)
def test_none_of_twenty_seeds_accepts_a_wrong_answer(
    worker_pool: Callable[[], WorkerPool], number: str
) -> None:
    how = replace(FAST, other_seeds=20)
    assert Prover(worker_pool(), how).prove(BANK.find(number)).objections == []


def test_every_problem_that_lists_its_sentences_lists_all_of_them() -> None:
    for problem in BANK.judged:
        assert check_sentences(problem) == [], problem.id


def test_the_parts_of_a_problem_are_groups_that_it_has() -> None:
    for problem in BANK.judged:
        named = [group for subtask in problem.spec.subtasks for group in subtask.groups]
        assert set(named) <= set(declared_groups(problem)), problem.id
        assert len(named) == len(set(named)), problem.id
