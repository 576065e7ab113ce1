from pathlib import Path

import pytest

from torchstone.bank.proof_record import RECORD, hash_folder
from torchstone.bank.questions import load_questions
from torchstone.bank.questions.record import TopicRecord, is_recorded, read_record, write_record

pytestmark = pytest.mark.pure

PROVE = "prove it: torchstone questions check --changed --record"


def test_every_topic_is_as_its_record_says() -> None:
    topics = load_questions().topics
    changed = {topic.id for topic in topics if not is_recorded(topic.path)}
    assert not changed, PROVE
    for topic in topics:
        record = read_record(topic.path)
        if record is not None:
            assert record.torch == topic.spec.torch
            assert record.changes == sum(len(question.changes) for question in topic)


def test_a_record_fits_until_a_file_changes(views: Path) -> None:
    (views / RECORD).unlink(missing_ok=True)
    assert read_record(views) is None
    record = TopicRecord(
        folder=hash_folder(views),
        date="2026-11-28",
        torch="2.13.0",
        questions=4,
        cells=13,
        claims=29,
        changes=21,
        cpu_s=0.5,
    )
    write_record(views, record)
    assert read_record(views) == record
    assert is_recorded(views)
    (views / "zh.md").write_text("# 视图\n", encoding="utf-8")
    assert not is_recorded(views)
