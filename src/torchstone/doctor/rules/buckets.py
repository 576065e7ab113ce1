"""TS-C002: gradients are exchanged individually instead of in buckets.

per_step = all-reduces / steps ≥ 50; payload = median of their bytes < 1 MB; there are no products
between them, or they belong to DistributedDataParallel, so that they could be merged; share = time
of communication not overlapped by computation / window.
"""

from __future__ import annotations

import math

import numpy as np

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.events import Ints
from torchstone.doctor.findings import Finding
from torchstone.doctor.operators import num_bytes
from torchstone.doctor.rules import collectives

_PRODUCTS = r"^aten::(mm|addmm|bmm|baddbmm|convolution|_convolution|_scaled_dot_product\w*)$"
# Minimum share of neighbours without a product between them in a loop over gradients.
_LEAST_CLOSE = 0.8


def find(case: Case) -> Finding | None:
    """Return C002 if small exchanges take enough of the window."""
    limits = thresholds("C002")
    per_step = len(collectives.all_reduces(case)) / max(1, case.num_steps)
    share = case.accounting.shares["communication"]
    calls = collectives.calls(case)
    if not case.num_steps or per_step < limits["per_step"] or share < limits["share"]:
        return None
    sizes = _payloads(case, calls)
    payload = float(np.median(sizes)) if len(sizes) else 0.0
    if not 0 < payload < limits["payload_bytes"] or not _could_be_one(case, calls):
        return None
    buckets = max(1, math.ceil(sizes.sum() / case.num_steps / limits["bucket_bytes"]))
    return Finding(
        code="TS-C002",
        bottleneck="communication",
        share=share,
        recoverable=share * max(0.0, 1 - buckets / per_step),
        margin=min(share / limits["share"], limits["payload_bytes"] / payload),
        evidence={
            "per_step": per_step,
            "payload_kb": payload / 1e3,
            "exposed_ms": share * case.window.duration / case.num_steps / 1e3,
            "buckets": float(buckets),
        },
        times=case.facts.times_of(calls),
        lane=int(case.events.lane[calls[0]]),
        fix="buckets",
    )


def _payloads(case: Case, calls: Ints) -> Ints:
    numbers, back = np.unique(case.events.shapes[calls], return_inverse=True)
    sizes = np.array([num_bytes(case.events, int(each)) for each in numbers], dtype=np.int64)
    found = sizes[back] if len(numbers) else sizes
    return found[found > 0]


def _could_be_one(case: Case, calls: Ints) -> bool:
    """Return whether the exchanges are independent of each other."""
    if len(case.events.named("DistributedDataParallel.forward")):
        return True
    products = np.sort(case.events.t0[case.facts.named(_PRODUCTS)])
    if len(calls) < 2:
        return False
    before = np.searchsorted(products, case.events.t0[calls])
    return float((np.diff(before) == 0).mean()) >= _LEAST_CLOSE
