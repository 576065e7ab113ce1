"""``TopicRecord``: what ``questions check --record`` proved of a topic, kept as ``proof.toml``.

As the record of a problem, it holds the hash of the folder. When a file of the folder changes, the
record no longer fits, and the topic has to be proven again.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import msgspec

from torchstone.bank.proof_record import RECORD, hash_folder

_HEAD = "# Written by `torchstone questions check --record`.\n"


class TopicRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Hold what was proven of one topic.

    Attributes:
        folder: The hash of the topic's folder.
        date: The day of the proof, ``YYYY-MM-DD``.
        torch: The version of torch.
        questions: Questions.
        cells: Cells, all run.
        claims: Claims, all true, and each false after some change.
        changes: Changes, each with exactly the named claims false.
        cpu_s: CPU seconds of the proof.
    """

    folder: str
    date: str
    torch: str
    questions: int
    cells: int
    claims: int
    changes: int
    cpu_s: float


def read_record(folder: Path) -> TopicRecord | None:
    """Return the record in a topic's folder; None where there is none that can be read."""
    try:
        return msgspec.convert(tomllib.loads((folder / RECORD).read_text("utf-8")), TopicRecord)
    except (OSError, ValueError, RecursionError):
        return None


def write_record(folder: Path, record: TopicRecord) -> None:
    """Write the record into a topic's folder, whole or not at all."""
    facts = msgspec.to_builtins(record)
    lines = [
        f'{name} = "{fact}"' if isinstance(fact, str) else f"{name} = {fact!r}"
        for name, fact in facts.items()
    ]
    beside = folder / f".{RECORD}.{os.getpid()}"
    beside.write_text(_HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    beside.replace(folder / RECORD)


def is_recorded(folder: Path) -> bool:
    """Return whether a topic's folder is as it was when its record was written."""
    record = read_record(folder)
    return record is not None and record.folder == hash_folder(folder)
