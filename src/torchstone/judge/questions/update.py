"""Update of the outputs recorded in ``demo.py``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from torchstone.bank.questions.demo import parse_demo
from torchstone.judge.questions.facts import Run, TopicFacts


def update_outputs(facts: TopicFacts) -> bool:
    """Write the output of a topic's cells into its ``demo.py``; return whether it changed.

    The cells of a question whose run ended early stay unchanged.
    """
    runs = [seen.run for seen in facts.questions if seen.run.failure is None]
    whole = {seen.id for seen in facts.questions if seen.run.failure is None}
    path = Path(facts.folder) / "demo.py"
    before = path.read_text(encoding="utf-8")
    after = with_outputs(before, whole, runs)
    if after != before:
        path.write_text(after, encoding="utf-8")
    return after != before


def with_outputs(text: str, questions: Iterable[str], runs: Iterable[Run]) -> str:
    """Return the text of ``demo.py`` with new outputs in the cells of some questions."""
    printed: dict[str, dict[int, tuple[str, ...]]] = {}
    for output in (output for run in runs for output in run.outputs):
        printed.setdefault(output.cell, {})[output.line] = output.lines
    wanted = set(questions)
    lines = text.splitlines(keepends=True)
    # From the end, so that line numbers of earlier cells stay valid.
    for cell in reversed(parse_demo(text).cells):
        if cell.question in wanted:
            start = cell.line - 1
            end = start + len(cell.source.splitlines())
            lines[start:end] = [cell.printing(printed.get(cell.name, {}))]
    return "".join(lines)
