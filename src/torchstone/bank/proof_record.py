"""``ProofRecord``: what ``bank check --record`` proved of a problem, kept as ``proof.toml``.

A record states what was proven and of which files: it holds the hash of the problem's folder. When
a file of the folder changes, the record no longer fits, and the problem has to be proven again.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from pathlib import Path

import msgspec

RECORD = "proof.toml"
_LEFT_BY_PYTHON = "__pycache__"
_HEAD = "# Written by `torchstone bank check --record`.\n"


class ProofRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Hold what was proven of one problem.

    Attributes:
        folder: The hash of the problem's folder.
        date: The day of the proof, ``YYYY-MM-DD``.
        judge: The hash of the judge's code.
        torch: The version of torch.
        good_seeds: Fresh seeds for every right answer.
        other_seeds: Fresh seeds for every wrong answer and cheat.
        right: Right answers, all accepted.
        wrong: Wrong answers, all refused for the stated reason.
        cheats: Cheats, all refused.
        mutants: Right answers that were changed by rule.
        mutants_killed: Mutants that were refused; the others are explained in ``survivors.toml``.
        good_ratio: The largest error of the solution as a share of the tolerance.
        lowprec_ratio: The smallest such share of the exact result in the next lower precision.
        median_ms: The median time of a judgement of the solution, in milliseconds.
        kills: Program -> verdict and group, those of all seeds.
    """

    folder: str
    date: str
    judge: str
    torch: str
    good_seeds: int
    other_seeds: int
    right: int
    wrong: int
    cheats: int
    mutants: int
    mutants_killed: int
    good_ratio: float | None = None
    lowprec_ratio: float | None = None
    median_ms: float | None = None
    kills: dict[str, str]


def read_record(folder: Path) -> ProofRecord | None:
    """Return the record in a problem's folder; None where there is none that can be read."""
    try:
        return msgspec.convert(tomllib.loads((folder / RECORD).read_text("utf-8")), ProofRecord)
    except (OSError, ValueError, RecursionError):
        return None


def write_record(folder: Path, record: ProofRecord) -> None:
    """Write the record into a problem's folder, whole or not at all."""
    facts = msgspec.to_builtins(record)
    kills = facts.pop("kills")
    lines = [f"{name} = {_toml(fact)}" for name, fact in facts.items() if fact is not None]
    lines += ["", "[kills]", *(f'"{name}" = {_toml(kills[name])}' for name in sorted(kills))]
    beside = folder / f".{RECORD}.{os.getpid()}"
    beside.write_text(_HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    beside.replace(folder / RECORD)


def is_recorded(folder: Path) -> bool:
    """Return whether a problem's folder is as it was when its record was written."""
    record = read_record(folder)
    return record is not None and record.folder == hash_folder(folder)


def hash_folder(folder: Path) -> str:
    """Hash the names and contents of all files below a folder, but for its record."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        hidden = any(part.startswith(".") or part == _LEFT_BY_PYTHON for part in inside.parts)
        if hidden or inside == Path(RECORD) or not path.is_file():
            continue
        name, content = os.fsencode(inside), path.read_bytes()
        # Each with its length, so that no part can run into the next one.
        digest.update(b"%d:%s%d:%s" % (len(name), name, len(content), content))
    return digest.hexdigest()


def _toml(fact: str | float) -> str:
    return f'"{fact}"' if isinstance(fact, str) else repr(fact)
