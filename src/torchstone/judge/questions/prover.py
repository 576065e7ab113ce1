"""Prove topics: check their texts, and run their cells in a separate process."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from torchstone.bank.questions.finding import Finding
from torchstone.bank.questions.stale import torch_names
from torchstone.bank.questions.topic import Topic
from torchstone.core.child import running
from torchstone.core.errors import BrokenTopic, JudgeUnavailable
from torchstone.judge.questions.facts import Order, TopicFacts
from torchstone.judge.questions.findings import findings_of

_MODULE = "torchstone.judge.questions"
_FIGURES = "figures.py"
_FIGURES_SECONDS = 120


@dataclass(frozen=True, kw_only=True)
class TopicProof:
    """Result of proving a topic.

    Args:
        topic: The topic.
        findings: The findings.
        facts: Facts from its runs; None if it cannot be run.
    """

    topic: Topic
    findings: tuple[Finding, ...]
    facts: TopicFacts | None

    @property
    def holds(self) -> bool:
        """Return whether there are no findings."""
        return not self.findings and self.facts is not None

    @property
    def num_mutants(self) -> tuple[int, int]:
        """Return the number of mutants, and the number of those that were noticed."""
        seen = self.facts.questions if self.facts else ()
        num = sum(question.num_mutants for question in seen)
        return num, num - sum(len(question.survivors) for question in seen)


def prove(
    topics: Sequence[Topic],
    check: Callable[[Topic], Iterable[Finding]],
    *,
    jobs: int = 1,
    changes: bool = True,
    mutants: bool = False,
    on_proof: Callable[[TopicProof], None] = lambda proof: None,
) -> tuple[TopicProof, ...]:
    """Prove topics; the proofs come in the order in which they end.

    Args:
        topics: The topics.
        check: Returns the findings in a topic that need no run of its cells.
        jobs: The number of topics that run at a time.
        changes: Whether to try the changes of the topics.
        mutants: Whether to try mutants.
        on_proof: Called with each proof as it ends.

    Raises:
        JudgeUnavailable: The proving process cannot start.
    """
    texts = {str(topic.path): tuple(check(topic)) for topic in topics}
    runnable = [topic for topic in topics if _is_readable(topic)]
    proofs: list[TopicProof] = []

    def note(topic: Topic, facts: TopicFacts | None) -> None:
        found = [*texts[str(topic.path)], *_check_figures(topic)]
        found += findings_of(topic, facts) if facts is not None else ()
        proofs.append(TopicProof(topic=topic, findings=tuple(found), facts=facts))
        on_proof(proofs[-1])

    for topic in topics:
        if topic not in runnable:
            note(topic, None)
    by_folder = {str(topic.path): topic for topic in runnable}
    orders = [_order(topic, changes=changes, mutants=mutants) for topic in runnable]
    for facts in run_orders(orders, jobs):
        note(by_folder[facts.folder], facts)
    return tuple(proofs)


def run_orders(orders: Sequence[Order], jobs: int = 1) -> Iterator[TopicFacts]:
    """Run topics in a proving process; yield the facts about each, as they end.

    Raises:
        JudgeUnavailable: The process ended before it had proven all topics.
    """
    if not orders:
        return
    command = [sys.executable, "-W", "ignore", "-m", _MODULE, "--jobs", str(jobs)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with running(command, **pipes) as process:
        writer = threading.Thread(target=_write, args=(process, orders), daemon=True)
        writer.start()
        missing = len(orders)
        assert process.stdout is not None
        for line in process.stdout:
            missing -= 1
            yield msgspec.json.decode(line, type=TopicFacts)
        writer.join()
    if missing:
        raise JudgeUnavailable("judge.questions_ended", missing=missing)


def _write(process: subprocess.Popen[bytes], orders: Sequence[Order]) -> None:
    assert process.stdin is not None
    try:
        with process.stdin as pipe:
            for order in orders:
                pipe.write(msgspec.json.encode(order) + b"\n")
    except BrokenPipeError:
        pass  # The process has ended, which its reader reports.


def _order(topic: Topic, *, changes: bool, mutants: bool) -> Order:
    names = tuple(torch_names(topic))
    return Order(folder=str(topic.path), names=names, changes=changes, mutants=mutants)


def _is_readable(topic: Topic) -> bool:
    """Return whether cells and texts can be parsed; the check of texts reports errors."""
    try:
        return bool(topic.demo.cells) and bool(topic.texts)
    except BrokenTopic:
        return False


def _check_figures(topic: Topic) -> Iterator[Finding]:
    """Yield a finding if the figures differ from what their script draws."""
    script = topic.path / _FIGURES
    figures = sorted(path.name for path in topic.path.glob("figure_*.svg"))
    if not script.is_file():
        if figures:
            yield _stale_figures(topic, f"{figures[0]}: {_FIGURES}?")
        return
    done = subprocess.run(
        [sys.executable, str(script), "--check"],
        cwd=Path(topic.path),
        capture_output=True,
        text=True,
        timeout=_FIGURES_SECONDS,
        check=False,
    )
    if done.returncode:
        yield _stale_figures(topic, " ".join((done.stdout + done.stderr).split())[-200:])


def _stale_figures(topic: Topic, said: str) -> Finding:
    values: dict[str, object] = {"said": said}
    return Finding(
        code="TS-Q05", topic=topic.id, key="judge.questions.figures_differ", values=values
    )
