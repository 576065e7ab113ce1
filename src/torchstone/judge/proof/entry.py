"""``ProofEntry``: the findings of one problem's proof, for the terminal, JSON and the cache."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from torchstone.judge.messages import Words
from torchstone.judge.proof.evidence import Evidence


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """Number of findings of each kind in a proof.

    Attributes:
        rule_mutants: All mutants that were tried.
        rule_mutants_accepted: Mutants that no case refuses, whether or not explained.
    """

    good_refused: int
    wrong_accepted: int
    wrong_for_other_reason: int
    cheats_accepted: int
    null_accepted: int
    lowprec_accepted: int
    rule_mutants: int
    rule_mutants_accepted: int
    rule_mutants_unexplained: int
    parity_errors: int
    text_errors: int


COUNTED = Counts.__struct_fields__


class Objection(msgspec.Struct, frozen=True, kw_only=True):
    """A reason why a problem is not proven."""

    kind: str
    name: str
    detail: Words
    evidence: Evidence | None = None


class Survivor(msgspec.Struct, frozen=True, kw_only=True):
    """A mutant that was accepted.

    Attributes:
        file: The file of its parent, relative to the folder of the problem.
        rule: The rule of ``mutation.mutants`` that made it.
        key: Its key in ``survivors.toml``.
        before: The changed line of the parent.
        after: The same line of the mutant.
        why: The explanation in ``survivors.toml``, if there is one.
    """

    file: str
    line: int
    rule: str
    key: str
    before: str
    after: str
    why: Words | None
    source: str


class ProofEntry(Counts, frozen=True, kw_only=True):
    """The findings of one problem's proof.

    Attributes:
        id: The problem.
        mutation_score: The share of mutants that were refused.
        good_ratio: Largest error over tolerance of the model solution, except half precision.
        lowprec_ratio: Smallest such ratio of the exact result in lower precision.
        kills: Program -> verdict and group under each seed.
        cached: Whether it was read from the cache of proofs.
    """

    id: str
    holds: bool
    mutation_score: float | None
    good_ratio: float | None
    lowprec_ratio: float | None
    median_ms: float | None
    kills: dict[str, tuple[str, ...]]
    survivors: tuple[Survivor, ...]
    objections: tuple[Objection, ...]
    cached: bool = False


@dataclass(slots=True, kw_only=True)
class Proof:
    """Findings of one proof while it runs; ``entry_of`` converts them to an entry.

    Attributes:
        counts: The numbers by the names of ``COUNTED``.
        kills: Program -> verdict and group under each seed.
    """

    problem: str
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTED, 0))
    objections: list[Objection] = field(default_factory=list)
    kills: dict[str, list[str]] = field(default_factory=dict)
    survivors: list[Survivor] = field(default_factory=list)
    good_ratio: float | None = None
    lowprec_ratio: float | None = None
    median_ms: float | None = None

    @property
    def holds(self) -> bool:
        """Return whether there is no objection."""
        return not self.objections

    @property
    def mutation_score(self) -> float | None:
        """Return the share of mutants that were refused."""
        made = self.counts["rule_mutants"]
        return 1 - self.counts["rule_mutants_accepted"] / made if made else None

    def object(self, kind: str, name: str, detail: Words, evidence: Evidence | None = None) -> None:
        """Add an objection and count it."""
        self.objections.append(Objection(kind=kind, name=name, detail=detail, evidence=evidence))
        if kind in self.counts:
            self.counts[kind] += 1


def entry_of(proof: Proof) -> ProofEntry:
    """Return the entry of a finished proof."""
    found = {
        "id": proof.problem,
        "holds": proof.holds,
        **proof.counts,
        "mutation_score": proof.mutation_score,
        "good_ratio": proof.good_ratio,
        "lowprec_ratio": proof.lowprec_ratio,
        "median_ms": proof.median_ms,
        "kills": proof.kills,
        "survivors": proof.survivors,
        "objections": proof.objections,
    }
    return msgspec.convert(found, ProofEntry)


def sum_of(entries: Iterable[ProofEntry]) -> Counts:
    """Return the sums of the counts of all entries."""
    counted = list(entries)
    return Counts(**{name: sum(getattr(entry, name) for entry in counted) for name in COUNTED})
