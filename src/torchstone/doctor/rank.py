"""Ranking of findings by recoverable time, with a confidence for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.findings import Finding
from torchstone.doctor.rules import (
    allocation,
    attention_scores,
    bandwidth,
    buckets,
    casts,
    checkpointing,
    collector,
    communication,
    compute_bound,
    copies_for_nothing,
    debugging,
    download,
    float64,
    fragmentation,
    growth,
    interpreter,
    launch,
    loader,
    loader_restart,
    materialised,
    micro_batches,
    optimizer_steps,
    oversubscription,
    pageable_copies,
    poor_access,
    preparation,
    recompilation,
    small_kernels,
    small_operators,
    straggler,
    synchronisation,
    tensor_cores,
    unexplained,
    upload,
    warm_up,
    whole_table,
    writing,
)

Rule = Callable[[Case], Finding | None]

RULES: tuple[Rule, ...] = (
    warm_up.find,
    loader.find,
    loader_restart.find,
    preparation.find,
    pageable_copies.find,
    upload.find,
    download.find,
    synchronisation.find,
    launch.find,
    interpreter.find,
    optimizer_steps.find,
    small_operators.find,
    recompilation.find,
    tensor_cores.find,
    compute_bound.find,
    bandwidth.find,
    poor_access.find,
    small_kernels.find,
    attention_scores.find,
    whole_table.find,
    materialised.find,
    copies_for_nothing.find,
    communication.find,
    buckets.find,
    straggler.find,
    micro_batches.find,
    allocation.find,
    fragmentation.find,
    growth.find,
    checkpointing.find,
    oversubscription.find,
    collector.find,
    debugging.find,
    writing.find,
    float64.find,
    casts.find,
    unexplained.find,
)
# Maximum confidence without a second measurement.
_MOST_SURE = 0.95
# Findings that no single step shows.
_OF_ALL_STEPS = {
    *("TS-W001", "TS-D003", "TS-L004", "TS-C003", "TS-C004", "TS-M001", "TS-M002", "TS-M003"),
}
# Maximum number of steps that are diagnosed separately.
_MOST_STEPS = 12
# Above this share of computation, little time is recoverable.
_HEALTHY = 0.85
# Bottlenecks on the host, whose times are unreliable if the profiler slows the host down.
_OF_HOST = {"loading", "launch", "host"}
# Findings that describe where the time goes, also for a healthy run.
_TELLING = {"TS-K001", "TS-K003"}
# A cause with a smaller recoverable share does not explain where the time goes.
_LEAST_CAUSE = 0.05
# Maximum confidence if the evidence is insufficient for a diagnosis.
_UNSURE = 0.45


def rank(case: Case) -> list[Finding]:
    """Return the findings of all rules, sorted by recoverable time; there is always a verdict."""
    found = _without_repeats(_ranked(case))
    steady = _steadiness(case, found) if found else 1.0
    quality = quality_of(case)
    if not found:
        return [_healthy_or_unknown(case, quality)]
    sure = [
        replace(each, confidence=_confidence(case, each, quality, steady if at == 0 else 1.0))
        for at, each in enumerate(found)
    ]
    if all(_wins_nothing(each) for each in found):
        return [_healthy_or_unknown(case, quality), *sure]
    return sure


def quality_of(case: Case) -> float:
    """Return the quality of the recording, between 0 and 1."""
    steps = case.num_steps
    quality = 1.0 if steps >= thresholds("U001")["steps"] else 0.75 if steps else 0.7
    if case.launches.found < 0.95:
        quality *= case.launches.found
    return quality


def _ranked(case: Case) -> list[Finding]:
    """Return the findings of all rules, sorted.

    A finding that only describes where the time goes ranks below one that names a cause in the same
    kernels.
    """
    found = sorted((each for rule in RULES if (each := rule(case)) is not None), key=_order)
    causes = [at for at, each in enumerate(found) if _names_a_cause(each)]
    if not causes:
        return found
    until = causes[-1] + 1
    before = [each for each in found[:until] if each.code not in _TELLING]
    telling = [each for each in found[:until] if each.code in _TELLING]
    return before + telling + found[until:]


def _without_repeats(found: list[Finding]) -> list[Finding]:
    """Remove L001 without a device if D004 names the line of most of the same Python."""
    prepared = next((each.share for each in found if each.code == "TS-D004"), 0.0)
    return [
        each
        for each in found
        if (each.code, each.variant) != ("TS-L001", "processor") or each.share >= 2 * prepared
    ]


def _names_a_cause(finding: Finding) -> bool:
    is_of_kernels = finding.code.startswith("TS-K") and finding.code not in _TELLING
    return is_of_kernels and finding.recoverable >= _LEAST_CAUSE


def _order(finding: Finding) -> tuple[float, str]:
    return -finding.recoverable, finding.code


def _steadiness(case: Case, whole: list[Finding]) -> float:
    """Return the share of single steps that agree with the first finding of the whole window.

    A finding of the whole window that no single step shows is due to chance.
    """
    code, codes = whole[0].code, {each.code for each in whole}
    steps = case.window.parts()[:_MOST_STEPS]
    if len(steps) < 3 or code in _OF_ALL_STEPS:
        return 1.0
    first: Counter[str] = Counter()
    for window in steps:
        found = _ranked(replace(case, window=window))
        found = [each for each in found if each.code in codes]
        first[found[0].code if found else ""] += 1
    share = first[code] / len(steps)
    return 1.0 if share >= 0.8 else share


def _confidence(case: Case, finding: Finding, quality: float, steady: float) -> float:
    margin = min(1.0, 0.6 + 0.4 * (finding.margin - 1.0))
    sure = quality * margin * steady
    limit = thresholds("U001")["dilation"]
    if case.dilation is not None and case.dilation > limit and finding.bottleneck in _OF_HOST:
        sure *= limit / case.dilation
    return max(0.0, min(_MOST_SURE, sure))


def _wins_nothing(finding: Finding) -> bool:
    if finding.code not in _TELLING:
        return False
    return finding.recoverable < thresholds(finding.code.removeprefix("TS-"))["least"]


def _healthy_or_unknown(case: Case, quality: float) -> Finding:
    compute = case.accounting.shares["compute"]
    limits = thresholds("U001")
    modelled = case.roofline.modelled or 0.0
    if compute >= limits["compute"] and modelled < limits["modelled"]:
        # The quality of the kernels, which take most of the time, is unknown.
        return Finding(
            code="TS-U001",
            bottleneck="inconclusive",
            share=compute,
            recoverable=0.0,
            margin=1.0,
            evidence={"compute": compute, "modelled": modelled},
            confidence=min(_UNSURE, quality),
            variant="modelled",
        )
    return Finding(
        code="TS-H001",
        bottleneck="healthy",
        share=compute,
        recoverable=0.0,
        margin=1.0,
        evidence={"compute": compute, "idle": case.accounting.idle},
        # Without known peaks, the quality of the kernels is unknown; and a device that idles for an
        # unknown reason is not healthy.
        confidence=quality
        * (0.8 if case.roofline.peaks or not case.kernels.size else _UNSURE)
        * min(1.0, compute / _HEALTHY),
    )
