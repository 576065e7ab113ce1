"""``Material``: the content of interviews, read once from the bank of a home."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from torchstone.app.home import Home
from torchstone.bank import Problem
from torchstone.bank.questions import Change, Question
from torchstone.interview.item import Item, Kind, Pool
from torchstone.interview.items import Ingredients, Program, build_pool
from torchstone.interview.open_item import OpenItem, load_open_items
from torchstone.interview.outline import (
    CodeTask,
    Outline,
    Strategy,
    load_code_tasks,
    load_outline,
    load_strategies,
)


@dataclass(frozen=True, kw_only=True)
class Material:
    """Outline, pool, and the bank entry of each item."""

    home: Home
    outline: Outline
    open_items: Mapping[str, OpenItem]
    tasks: tuple[CodeTask, ...]

    @cached_property
    def pool(self) -> Pool:
        """Return all items."""
        problems = {variant.problem for task in self.tasks for variant in task.variants}
        return build_pool(
            Ingredients(
                outline=self.outline,
                questions=self.home.questions.questions,
                open_items=tuple(self.open_items.values()),
                tasks=self.tasks,
                programs={
                    problem.id: _program(problem)
                    for problem in self.home.bank.judged
                    if problem.id in problems
                },
            )
        )

    @cached_property
    def strategies(self) -> Mapping[str, Strategy]:
        """Return the strategies by id."""
        return {each.id: each for each in load_strategies(self.home.bank_root)}

    def question(self, item: Item) -> Question:
        """Return the question of a prose item or a prediction."""
        return self.home.questions.question(self.question_id(item))

    def question_id(self, item: Item) -> str:
        """Return the id of the question of a prose item or a prediction."""
        if item.kind is Kind.PREDICT:
            return item.source.rpartition(".")[0]
        return item.source

    def change(self, item: Item) -> Change:
        """Return the cell variation whose effect is to be predicted."""
        number = int(item.source.rpartition(".")[2])
        return self.question(item).changes[number - 1]

    def open_item(self, item: Item) -> OpenItem:
        """Return the open item of a discussion."""
        return self.open_items[item.source]

    def problem(self, item: Item) -> Problem:
        """Return the problem of a program item."""
        return self.home.bank.find(item.source)

    def words(self, item: Item) -> dict[str, str]:
        """Return the text of an item, in both languages."""
        if item.kind is Kind.CODE:
            title = self.problem(item).title
            return {"en": title.en, "zh": title.zh}
        if item.kind is Kind.OPEN:
            return self.open_item(item).words
        question = self.question(item)
        return {"en": question.en, "zh": question.zh}


@lru_cache(maxsize=2)
def read_material(home: Home) -> Material:
    """Read the outline, the open items and the code tasks; cached per process.

    Raises:
        TorchstoneError: A file of the interviews is invalid.
    """
    root = home.bank_root
    return Material(
        home=home,
        outline=load_outline(root),
        open_items={item.id: item for item in load_open_items(root)},
        tasks=load_code_tasks(root),
    )


def _program(problem: Problem) -> Program:
    parts = [problem.statement.en, problem.statement.zh, problem.starter]
    parts += [path.read_text(encoding="utf-8") for path in (problem.cases, problem.oracle)]
    return Program(
        id=problem.id,
        stars=problem.spec.stars,
        minutes=problem.spec.minutes.interview,
        hash=hashlib.sha256("\0".join(parts).encode()).hexdigest(),
    )
