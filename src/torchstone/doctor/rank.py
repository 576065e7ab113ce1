"""Rank what the rules find: by the time that a cure could win, and say how sure it is."""

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
# What was not measured again is never quite sure.
_MOST_SURE = 0.95
# What no single step shows.
_OF_ALL_STEPS = {
    *("TS-W001", "TS-D003", "TS-L004", "TS-C003", "TS-C004", "TS-M001", "TS-M002", "TS-M003"),
}
# Of steps that are judged one by one, no more than these.
_MOST_STEPS = 12
# A device that computes for this share of the time leaves little to win.
_HEALTHY = 0.85
# What the host did says little if the profiler made it so much slower.
_OF_HOST = {"loading", "launch", "host"}
# These say where the time goes, even of a run with which nothing is wrong.
_TELLING = {"TS-K001", "TS-K003"}
# A cause that wins less than this share of the window does not explain where the time goes.
_LEAST_CAUSE = 0.05
# What is not known well enough to be judged is not half sure.
_UNSURE = 0.45


def rank(case: Case) -> list[Finding]:
    """Return what all rules find, what wins most first; a verdict is always there."""
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
    """Return how much the recording is worth, between 0 and 1."""
    steps = case.num_steps
    quality = 1.0 if steps >= thresholds("U001")["steps"] else 0.75 if steps else 0.7
    if case.launches.found < 0.95:
        quality *= case.launches.found
    return quality


def _ranked(case: Case) -> list[Finding]:
    """Return what all rules find, in order.

    What only tells where the time goes comes behind what names a cause of it in the same kernels.
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
    """Leave L001 of a processor out where D004 names the line of most of the same Python."""
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
    """Return the share of the steps in which the same finding comes first, of those of the whole.

    What a single step shows and the whole does not was chance.
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
        # Nothing says whether the kernels, which have most of the time, are good ones.
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
        # Of a card without known peaks, nothing says how good its kernels are; and a device that
        # idles without a reason that a rule knows is not quite healthy.
        confidence=quality
        * (0.8 if case.roofline.peaks or not case.kernels.size else _UNSURE)
        * min(1.0, compute / _HEALTHY),
    )
