"""TS-K002: products and convolutions run in float32 without tensor cores.

share = time of kernels whose names indicate float32 multiplication on vector units (``sgemm``,
``ffma``, ``scudnn``; see ``roofline.kernels``) / time of all compute kernels, on a device with
tensor cores. Names suffice, so that a trace without shapes is diagnosed as well. Products in TF32
and half precision do not count, nor other kernels than products of two matrices.
"""

from __future__ import annotations

import re

import numpy as np

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.findings import Finding
from torchstone.doctor.roofline.kernels import multiplies_float32
from torchstone.doctor.roofline.origins import moments

# Turing devices without tensor cores have the same compute capability as those with.
_WITHOUT = re.compile(r"GTX 16|MX ?[45]50|\bT[456]00\b")


def find(case: Case) -> Finding | None:
    """Return K002 if float32 products take enough of the computation."""
    limits = thresholds("K002")
    if case.device.capability < limits["capability"] or _WITHOUT.search(case.device.name):
        return None
    if not case.time(case.kernels):
        return None
    names = case.events.names
    used = [int(name) for name in np.unique(case.events.name[case.kernels])]
    slow = [name for name in used if multiplies_float32(names[name])]
    is_slow = np.isin(case.events.name[case.kernels], slow)
    rows = case.kernels[is_slow]
    of_compute = case.time(rows) / max(1e-9, case.time(case.kernels))
    share = of_compute * case.accounting.shares["compute"]
    if of_compute < limits["share"] or share < limits["least"]:
        return None
    operators = np.unique(case.operator_of[is_slow])
    return Finding(
        code="TS-K002",
        bottleneck="compute",
        share=share,
        recoverable=share * (1 - 1 / limits["gain"]),
        margin=of_compute / limits["share"],
        evidence={
            "of_compute": of_compute,
            "kernel_ms": case.time(rows) / max(1, case.num_steps) / 1e3,
            "capability": case.device.capability,
        },
        times=moments(case.events, operators[operators >= 0]),
        fix="autocast",
    )
