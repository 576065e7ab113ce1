"""Receipts: the judged source, the judge, the seed and the result, with their hashes.

A receipt is not a signature. It is evidence because everyone can run it again: it has the seed, and
the hash of everything that determines a verdict.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import platform
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Final, Literal

import msgspec

import torchstone
from torchstone.core.isolation import Isolation
from torchstone.core.verdict import Verdict
from torchstone.cudasim.products import content_of
from torchstone.judge.messages import Receipt, Report, plain
from torchstone.judge.order import Order

VERSION = 1
# Properties that only functions inside the sandbox can observe. Values and gradients are not among
# them, because the reference process checks these.
OBSERVED_INSIDE = ("input mutation", "aliasing", "saved bytes", "random state", "global flags")
_COMPARED: Final = ("verdict", "aspect", "group")
NATIVE_INSIDE = ("input mutation", "guard bytes", "findings", "counters")


class RecordedCase(msgspec.Struct, frozen=True, kw_only=True):
    """Fields of a recorded case that the comparison with a replay needs."""

    index: int
    group: str
    code: Verdict
    ratio: float | str | None


class RecordedReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """Fields of a receipt that its verification needs; a receipt may have others."""

    id: str
    hash: str
    problem: str
    content_hash: str
    judge_hash: str
    torch: str
    isolation: Isolation
    seed: int
    source_hash: str
    verdict: Verdict
    aspect: str | None
    group: str | None
    cases: list[RecordedCase]
    replayable: bool
    groups: list[str] | None = None


def write_receipt(order: Order, report: Report) -> Receipt:
    """Return the receipt of a finished job; its ``hash`` covers all its other fields."""
    cudasim = Path(__file__).parents[1] / "cudasim"
    is_native = order.assignment.native is not None
    receipt = Receipt(
        version=VERSION,
        id=secrets.token_hex(6),
        problem=order.assignment.problem_id,
        content_hash=order.assignment.content_hash,
        judge_hash=judge_hash(),
        torchstone=torchstone.__version__,
        torch=torch_version(),
        python=platform.python_version(),
        machine=platform.machine(),
        isolation=report.isolation,
        observed_inside=NATIVE_INSIDE if is_native else OBSERVED_INSIDE,
        # Native code shares the memory of the observing code, so only values are evidence.
        native=order.assignment.recipe is not None,
        simulator_hash=content_of(cudasim) if is_native else None,
        seed=order.seed,
        groups=order.groups or None,
        source_hash=text_hash(order.source),
        verdict=report.verdict,
        aspect=report.aspect,
        group=report.group,
        cases=report.cases,
        time_ms=report.time_ms,
        replayable=report.verdict.is_replayable,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    return msgspec.structs.replace(receipt, hash=receipt_hash(plain(receipt)))


def receipt_hash(receipt: Mapping[str, object]) -> str:
    """Return the hash of a receipt without its ``hash`` and an attached ``source``."""
    counted = {key: item for key, item in receipt.items() if key not in ("hash", "source")}
    canonical = json.dumps(counted, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


def text_hash(source: str) -> str:
    """Return the hash of a submitted text."""
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()


@cache
def torch_version() -> str:
    """Return the version of torch, without importing it."""
    return importlib.metadata.version("torch")


@cache
def judge_hash() -> str:
    """Return the hash of the code that determines verdicts, including that of the sandboxes."""
    root = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if path.suffix in (".py", ".cpp", ".h", ".toml") and path.is_file():
            digest.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One difference between a recorded result and its replay.

    Args:
        field: The field that differs.
        case: The number of the case, from 1; None if a field of the whole result differs.
        recorded: The value in the receipt; None if it has none.
        now: The value in the replay; None if it has none.
    """

    field: Literal["verdict", "aspect", "group", "case"]
    case: int | None = None
    recorded: str | None
    now: str | None


def same_result(recorded: RecordedReceipt, report: Report) -> list[Difference]:
    """Return the differences between a recorded result and its replay; empty if it is confirmed."""
    differences = [
        Difference(field=key, recorded=getattr(recorded, key), now=getattr(report, key))
        for key in _COMPARED
        if getattr(recorded, key) != getattr(report, key)
    ]
    # The ratios are not compared, because they depend on the processor's rounding.
    sides = ([f"{case.group} {case.code}" for case in side.cases] for side in (recorded, report))
    for number, (before, now) in enumerate(zip_longest(*sides), 1):
        if before != now:
            differences.append(Difference(field="case", case=number, recorded=before, now=now))
    return differences
