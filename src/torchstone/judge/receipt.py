"""Receipts: the judged source, the judge, the seed and the result, with their hashes.

A receipt is no signature. It convinces because anyone can run it again: the seed is revealed, and
everything that decides a verdict is named by its hash.
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
from pathlib import Path

import msgspec

import torchstone
from torchstone.core.isolation import Isolation
from torchstone.core.verdict import Verdict
from torchstone.cudasim.products import content_of
from torchstone.judge.messages import Receipt, Report, plain
from torchstone.judge.order import Order

VERSION = 1
# What only functions inside the sandbox could see; values and gradients are never among it.
OBSERVED_INSIDE = ("input mutation", "aliasing", "saved bytes", "random state", "global flags")
NATIVE_INSIDE = ("input mutation", "guard bytes", "findings", "counters")


class RecordedCase(msgspec.Struct, frozen=True, kw_only=True):
    """What the comparison with a replay reads of a recorded case."""

    index: int
    group: str
    code: Verdict
    ratio: float | str | None


class RecordedReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of a receipt that verifying it depends on; others may be beside them."""

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
    """Write the receipt of a finished job; its ``hash`` covers everything else in it."""
    cudasim = Path(__file__).parents[1] / "cudasim"
    is_native = order.assignment.native is not None
    receipt = Receipt(
        version=VERSION,
        id=secrets.token_hex(6),
        problem=order.assignment.problem_id,
        content_hash=order.assignment.content_hash,
        judge_hash=judge_hash(),
        torchstone=torchstone.__version__,
        torch=_torch_version(),
        python=platform.python_version(),
        machine=platform.machine(),
        isolation=report.isolation,
        observed_inside=NATIVE_INSIDE if is_native else OBSERVED_INSIDE,
        # Native code shares the memory of whoever observes it: only values are proof.
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
    """Hash a receipt; its own ``hash`` and an attached ``source`` do not count."""
    counted = {key: item for key, item in receipt.items() if key not in ("hash", "source")}
    canonical = json.dumps(counted, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


def text_hash(source: str) -> str:
    """Hash a submitted text."""
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()


@cache
def _torch_version() -> str:
    return importlib.metadata.version("torch")


@cache
def judge_hash() -> str:
    """Hash the code that decides verdicts.

    The judge itself, what runs in the sandboxes included.
    """
    root = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if path.suffix in (".py", ".cpp", ".h", ".toml") and path.is_file():
            digest.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


def same_result(recorded: RecordedReceipt, report: Report) -> list[str]:
    """List what a replay of the recorded seed found different; nothing is the proof."""
    differences = [
        f"{key}: {getattr(recorded, key)} recorded, {getattr(report, key)} now"
        for key in ("verdict", "aspect", "group")
        if getattr(recorded, key) != getattr(report, key)
    ]
    # Not the ratios: another processor rounds otherwise.
    before, now = ([(case.group, case.code) for case in side.cases] for side in (recorded, report))
    if before != now:
        differences.append("the verdicts of single cases")
    return differences
