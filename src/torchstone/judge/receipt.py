"""Write receipts: what was judged, by what, under which seed, and what came of it.

A receipt is no signature. It convinces because anyone can run it again: the seed is revealed, and
everything that decides a verdict is named by its hash.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import platform
import secrets
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import torchstone
from torchstone.core.verdict import Verdict
from torchstone.cudasim.products import content_of
from torchstone.judge.order import Order

VERSION = 1
# What only functions inside the sandbox could see; values and gradients are never among it.
OBSERVED_INSIDE = ("input mutation", "aliasing", "saved bytes", "random state", "global flags")
NATIVE_INSIDE = ("input mutation", "guard bytes", "findings", "counters")


def write_receipt(order: Order, report: dict[str, Any]) -> dict[str, Any]:
    """Write the receipt of a finished job; its ``hash`` covers everything else in it."""
    cudasim = Path(__file__).parents[1] / "cudasim"
    is_native = order.assignment.native is not None
    receipt = {
        "version": VERSION,
        "id": secrets.token_hex(6),
        "problem": order.assignment.problem_id,
        "content_hash": order.assignment.content_hash,
        "judge_hash": judge_hash(),
        "torchstone": torchstone.__version__,
        "torch": _torch_version(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "isolation": report["isolation"],
        "observed_inside": list(NATIVE_INSIDE if is_native else OBSERVED_INSIDE),
        # Native code shares the memory of whoever observes it: only values are proof.
        "native": order.assignment.recipe is not None,
        "simulator_hash": content_of(cudasim) if is_native else None,
        "seed": order.seed,
        "groups": list(order.groups) if order.groups else None,
        "source_hash": text_hash(order.source),
        "verdict": report["verdict"],
        "aspect": report["aspect"],
        "group": report["group"],
        "cases": report["cases"],
        "time_ms": report["time_ms"],
        "replayable": Verdict(report["verdict"]).is_replayable,
        "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    return receipt | {"hash": receipt_hash(receipt)}


def receipt_hash(receipt: dict[str, Any]) -> str:
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


def same_result(receipt: dict[str, Any], report: dict[str, Any]) -> list[str]:
    """List what a replay of the recorded seed found different; nothing is the proof."""
    differences = [
        f"{key}: {receipt[key]} recorded, {report[key]} now"
        for key in ("verdict", "aspect", "group")
        if receipt[key] != report[key]
    ]
    # Not the ratios: another processor rounds otherwise.
    recorded, now = (
        [(case["group"], case["code"]) for case in side["cases"]] for side in (receipt, report)
    )
    if recorded != now:
        differences.append("the verdicts of single cases")
    return differences
