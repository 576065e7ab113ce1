"""Authoring of questions: prove, record and scaffold topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from torchstone.app.home import Home
from torchstone.bank.proof_record import hash_folder
from torchstone.bank.questions.checks import TextCheck, broken_topic
from torchstone.bank.questions.copied import check_alike
from torchstone.bank.questions.finding import Finding
from torchstone.bank.questions.loader import load_questions
from torchstone.bank.questions.record import TopicRecord, is_recorded, write_record
from torchstone.bank.questions.scaffold import scaffold_topic
from torchstone.bank.questions.topic import QuestionBank, Topic
from torchstone.core.errors import BrokenTopic
from torchstone.judge.questions.prover import TopicProof, prove
from torchstone.judge.questions.update import update_outputs
from torchstone.study.marking.checks import check_marking

OnProof = Callable[[TopicProof], None]


@dataclass(frozen=True, kw_only=True)
class QuestionProof:
    """The result of proving topics.

    Args:
        proofs: Proof of each topic, in the order of their numbers.
        bank: Findings about several topics, and about folders that cannot be read.
        updated: The topics whose outputs were rewritten.
    """

    proofs: tuple[TopicProof, ...]
    bank: tuple[Finding, ...]
    updated: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Return whether nothing was found."""
        return not self.bank and all(proof.holds for proof in self.proofs)


def check(
    home: Home,
    names: Sequence[str],
    *,
    jobs: int = 1,
    mutants: bool = False,
    update: bool = False,
    record: bool = False,
    only_changed: bool = False,
    today: date | None = None,
    on_proof: OnProof = lambda proof: None,
) -> QuestionProof:
    """Prove topics, by default all.

    Args:
        home: The learner's home, with the bank.
        names: Numbers of topics.
        jobs: Number of topics that run concurrently.
        mutants: Whether to try systematic mutations of cells.
        update: Whether to rewrite the outputs in ``demo.py`` first.
        record: Whether to write each proof that holds into the topic's folder.
        only_changed: Whether to skip topics that match their records.
        today: Reference date of the pages; by default that of ``stale.toml``.
        on_proof: Called with the proof of every topic as it ends.

    Raises:
        NotFound: No topic has such a number.
        JudgeUnavailable: The proving process ended early.
    """
    bank = load_questions(home.bank_root)
    topics, broken = _choose(bank, names)
    if only_changed:
        topics = [topic for topic in topics if not is_recorded(topic.path)]
    texts = TextCheck(content=home.bank_root, today=today)
    updated: tuple[str, ...] = ()
    if update:
        updated = _update(topics, texts, jobs)
        bank = load_questions(home.bank_root)
        topics = [bank.topic(topic.id) for topic in topics]
    write = _recorder(topics)

    def note(proof: TopicProof) -> None:
        if record and proof.holds:
            write(proof)
        on_proof(proof)

    def check_words(topic: Topic) -> tuple[Finding, ...]:
        return (*texts.findings(topic), *check_marking(topic))

    proofs = prove(topics, check_words, jobs=jobs, mutants=mutants, on_proof=note)
    places = {topic.id: place for place, topic in enumerate(topics)}
    return QuestionProof(
        proofs=tuple(sorted(proofs, key=lambda proof: places[proof.topic.id])),
        bank=(*broken, *check_alike(bank, [topic.id for topic in topics])),
        updated=updated,
    )


def begin_topic(home: Home, number: str) -> Path:
    """Create the folder of a new topic; ``check`` then lists what is missing."""
    return scaffold_topic(home.bank_root, number)


def plain(proof: TopicProof) -> dict[str, Any]:
    """Return a proof as JSON."""
    num_mutants, num_killed = proof.num_mutants
    demo = proof.topic.demo if proof.facts else None
    return {
        "id": proof.topic.id,
        "holds": proof.holds,
        "findings": [finding.plain() for finding in proof.findings],
        "questions": len(proof.topic.questions),
        "cells": len(demo.cells) if demo else 0,
        "claims": sum(len(cell.claims) for cell in demo.cells) if demo else 0,
        "changes": sum(len(question.changes) for question in proof.topic),
        "mutants": num_mutants,
        "mutants_killed": num_killed,
        "cpu_s": proof.facts.cpu_s if proof.facts else 0.0,
    }


def _choose(bank: QuestionBank, names: Sequence[str]) -> tuple[list[Topic], tuple[Finding, ...]]:
    """Return the named topics, by default all, and findings for unreadable ones."""
    if not names:
        return list(bank.topics), tuple(broken_topic(error) for error in bank.broken)
    topics, broken = [], []
    for name in names:
        try:
            topics.append(bank.topic(name))
        except BrokenTopic as error:
            broken.append(broken_topic(error, name))
    return topics, tuple(broken)


def _update(topics: Sequence[Topic], texts: TextCheck, jobs: int) -> tuple[str, ...]:
    """Run the cells without their changes, and record their output."""
    proofs = prove(topics, texts.findings, jobs=jobs, changes=False)
    return tuple(proof.topic.id for proof in proofs if proof.facts and update_outputs(proof.facts))


def _recorder(topics: Sequence[Topic]) -> OnProof:
    """Return a function that stores a proof in the topic's folder, unless that has changed."""
    before = {topic.id: hash_folder(topic.path) for topic in topics}

    def write(proof: TopicProof) -> None:
        topic = proof.topic
        if proof.facts is None or hash_folder(topic.path) != before[topic.id]:
            return
        facts = plain(proof)
        record = TopicRecord(
            folder=before[topic.id],
            date=datetime.now(UTC).date().isoformat(),
            torch=proof.facts.torch,
            questions=facts["questions"],
            cells=facts["cells"],
            claims=facts["claims"],
            changes=facts["changes"],
            cpu_s=round(proof.facts.cpu_s, 1),
        )
        write_record(topic.path, record)

    return write
