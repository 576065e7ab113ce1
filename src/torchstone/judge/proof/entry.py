"""Proofs as plain data, for the terminal, for JSON and for the cache."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from torchstone.judge.proof.prover import COUNTED, Proof


def entry_of(proof: Proof) -> dict[str, Any]:
    """Return the numbers of a proof as plain data."""
    entry: dict[str, Any] = {"id": proof.problem, "holds": proof.holds, **proof.counts}
    entry["mutation_score"] = proof.mutation_score
    entry["good_ratio"], entry["lowprec_ratio"] = proof.good_ratio, proof.lowprec_ratio
    entry["median_ms"] = proof.median_ms
    entry["kills"] = proof.kills
    entry["survivors"] = proof.survivors
    entry["objections"] = [
        {
            "kind": each.kind,
            "name": each.name,
            "detail": dict(each.detail),
            "evidence": each.evidence.as_json() if each.evidence else None,
        }
        for each in proof.objections
    ]
    return entry


def sum_of(entries: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the sum of the counted numbers of all entries."""
    counted = list(entries)
    return {name: sum(entry[name] for entry in counted) for name in COUNTED}
