"""Native launches, and the counters and findings of the simulator.

A request of native code is launched in several orders of threads and blocks, and once more with
detectors. Findings and counters come from the submission's own process and may be forged, so they
are parsed defensively and never make an answer right.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import torch

from torchstone.judge.child.protocol.records import LaunchData
from torchstone.judge.kit.case import Request
from torchstone.judge.kit.expect import Expectation, Expected

ORDERS = ("ascending", "descending", "random")
FAST, CHECK = "fast", "check"
# The counters if nothing was launched.
NO_COUNTERS = "[]"
# Verdict of each kind of finding, see `torchstone.cudasim.findings`. A leak, and any kind that is
# not listed here, has no verdict.
CODES = {
    "out-of-bounds": "OOB",
    "use-after-free": "OOB",
    "invalid-free": "OOB",
    "host-pointer": "OOB",
    "device-pointer": "OOB",
    "RAW": "RACE",
    "WAR": "RACE",
    "WAW": "RACE",
    "barrier-divergence": "RACE",
    "warp-divergence": "RACE",
    "invalid-mask": "RACE",
    "uninitialized": "UNINIT",
    "timeout": "TLE",
    "deadlock": "HUNG",
    "misaligned": "RTE",
    "stack-overflow": "RTE",
    "assert": "RTE",
    "trap": "RTE",
    "launch": "RTE",
}
_SUMS = (
    *("requests", "lanes", "sectors", "ideal_sectors", "fresh_sectors"),
    *("wavefronts", "ideal_wavefronts", "contention"),
)
_MOST_FINDINGS = 200
_MOST_COUNTED = 1 << 53


def launches(
    operation: str,
    values: Mapping[str, Any],
    outputs: Mapping[str, tuple[torch.dtype, Iterable[int]]],
    *,
    seed: int,
    offsets: Mapping[str, int] | None = None,
    results: Sequence[str] = (),
    orders: Iterable[str] = ORDERS,
    check: bool = True,
    counts: bool = False,
) -> tuple[Request, ...]:
    """Request a launch at full speed and, with ``check``, one with the detectors.

    Args:
        operation: Name of the entry point in the problem's launcher.
        values: Numbers and contiguous tensors by the launcher's names.
        outputs: dtype and shape of each output.
        seed: Seed of the random order.
        offsets: Bytes between an aligned address and a tensor, by name.
        results: Names of numbers that the launcher returns.
        orders: Orders in which threads and blocks start.
        check: Whether to launch with the detectors; False for large inputs.
        counts: Whether that launch also counts memory requests.
    """
    written = {name: (dtype, list(shape)) for name, (dtype, shape) in outputs.items()}

    def launch(build: str, chosen: Iterable[str], *, counted: bool) -> Request:
        data: LaunchData = {
            "operation": operation,
            "values": dict(values),
            "outputs": written,
            "offsets": dict(offsets or {}),
            "results": list(results),
            "seed": seed,
            "counts": counted,
            "build": build,
            "orders": list(chosen),
        }
        return Request(op="launch", data=data)

    fast = launch(FAST, orders, counted=False)
    return (fast, launch(CHECK, ["random"], counted=counts)) if check else (fast,)


def in_every_order(steps: Iterable[Request], expected: Mapping[str, Expectation]) -> Expected:
    """Return the same expectations for every launch order of the requests."""
    return {
        f"{step}:{order}:{key}" if step else f"{order}:{key}": expectation
        for step, request in enumerate(steps)
        for order in request.data["orders"]
        for key, expectation in expected.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Counter totals over all blocks and launches of one kernel, by kind of operation.

    Attributes:
        num_barriers: Barriers, counted once per block.
        num_store_epochs: Intervals between barriers in which a block writes its shared memory.
    """

    kernel: str
    num_threads: int
    num_blocks: int
    num_barriers: int
    num_store_epochs: int
    operations: Mapping[str, Mapping[str, int]]

    def __getitem__(self, name: str) -> int:
        """Return a sum over kinds of operation: ``"global load.sectors"``, ``"global.requests"``.

        ``bytes`` counts the bytes that lanes requested: ``"global load.bytes"``.
        """
        kind, _, what = name.rpartition(".")
        return sum(
            sums[what]
            for each, sums in self.operations.items()
            if each == kind or each.startswith(f"{kind} ")
        )


def read_totals(text: object) -> tuple[Totals, ...]:
    """Parse the counters of a runtime; return an empty tuple if they are malformed."""
    try:
        raw = json.loads(text) if isinstance(text, str) else []
        # A launch that failed at once has no counted block.
        return tuple(_read_kernel(each) for each in raw if each["counted_blocks"])
    except (ValueError, TypeError, KeyError, AttributeError, ZeroDivisionError, RecursionError):
        return ()


def where_counted(
    predicate: Callable[[tuple[Totals, ...]], bool],
) -> Callable[[object], bool]:
    """Return a predicate of a runtime's counters that is true if they are malformed."""

    def holds(text: object) -> bool:
        kernels = read_totals(text)
        is_counted = bool(kernels) or text == NO_COUNTERS
        return predicate(kernels) if is_counted else True

    return holds


def _read_kernel(raw: Mapping[str, Any]) -> Totals:
    (x, y, z), (tx, ty, tz) = map(_count, raw["grid"]), map(_count, raw["block"])
    num_blocks = x * y * z * _count(raw["launches"])
    scale = Fraction(num_blocks, _count(raw["counted_blocks"]))
    operations: dict[str, dict[str, int]] = {}
    for place in raw["places"]:
        sums = operations.setdefault(str(place["what"]), dict.fromkeys((*_SUMS, "bytes"), 0))
        for name in _SUMS:
            sums[name] += round(_count(place[name]) * scale)
        sums["bytes"] += round(_count(place["lanes"]) * _count(place["bytes"]) * scale)
    return Totals(
        kernel=str(raw["kernel"]),
        num_threads=tx * ty * tz * num_blocks,
        num_blocks=num_blocks,
        num_barriers=round(_count(raw["barriers"]) * scale),
        num_store_epochs=round(_count(raw["store_epochs"]) * scale),
        operations=operations,
    )


def _count(number: object) -> int:
    """Return a valid count, bounded so that products of a few counts fit in a float."""
    if type(number) is not int or not 0 <= number <= _MOST_COUNTED:
        raise ValueError(f"{str(number)[:20]} is no count")
    return number


def facts_found(text: object) -> list[tuple[str, ...]]:
    """Return each kind of finding once, with the names of the facts of races."""
    races = ("RAW", "WAR", "WAW")
    facts: dict[str, set[str]] = {kind: set() for kind in kinds_found(text)}
    for each in _read_found(text):
        kind, detail = each.get("kind"), each.get("detail")
        if kind in races and isinstance(detail, list):
            facts[kind] |= {str(fact.get("say")) for fact in detail if isinstance(fact, dict)}
    return [(kind, *sorted(names)) for kind, names in facts.items()]


def kinds_found(text: object) -> list[str]:
    """Return each kind of finding once; malformed findings are ignored."""
    kinds = [each.get("kind") for each in _read_found(text)]
    return list(dict.fromkeys(kind for kind in kinds if isinstance(kind, str) and kind in CODES))


def _read_found(text: object) -> list[Mapping[str, object]]:
    try:
        raw = json.loads(text) if isinstance(text, str) else []
    except (ValueError, RecursionError):
        return []
    if not isinstance(raw, list):
        return []
    return [each for each in raw[:_MOST_FINDINGS] if isinstance(each, dict)]


def code_of(kinds: Iterable[str]) -> dict[str, str]:
    """Return the verdict of each kind of finding.

    A deadlock gives ``HUNG`` also for the barrier findings at which the threads wait.
    """
    kinds = list(kinds)
    hung = "deadlock" in kinds
    waiting = ("barrier-divergence", "warp-divergence")
    return {kind: "HUNG" if hung and kind in waiting else CODES[kind] for kind in kinds}
