"""The entry of a proof: its keys in JSON are public interface."""

import tomllib
from pathlib import Path

import msgspec
import pytest

from torchstone.judge.messages import Words, plain
from torchstone.judge.proof.entry import (
    COUNTED,
    Objection,
    Proof,
    ProofEntry,
    Survivor,
    entry_of,
    sum_of,
)
from torchstone.judge.proof.evidence import Evidence

pytestmark = pytest.mark.pure

ROOT = Path(__file__).resolve().parents[3]
LISTED = tomllib.loads((ROOT / "docs/handbook/interface.toml").read_text(encoding="utf-8"))["json"]
WORDS = Words(en="It is right.", zh="它是对的。")


def survivor(why: Words | None = None) -> Survivor:
    return Survivor(
        file="good/a.py",
        line=3,
        rule="detach",
        key="k",
        before="y = x",
        after="y = x.detach()",
        why=why,
        source="y = x.detach()",
    )


def proof() -> Proof:
    found = Proof(problem="01", good_ratio=0.25, lowprec_ratio=8.0, median_ms=3.0)
    evidence = Evidence(group="small", case=2, params={"shape": [2]}, place=(0, 1), ratio="inf")
    found.object("good_refused", "solution", WORDS, evidence)
    found.object("good_refused", "a", WORDS)
    found.object("starter", "starter.py", WORDS)
    found.kills["wrong/a"] = ["WA value in small"]
    found.counts["rule_mutants"] = 4
    found.counts["rule_mutants_accepted"] = 1
    found.survivors = [survivor(), survivor(WORDS)]
    return found


def test_an_entry_has_what_the_proof_found() -> None:
    entry = entry_of(proof())
    assert (entry.id, entry.holds, entry.cached) == ("01", False, False)
    assert (entry.good_refused, entry.rule_mutants, entry.text_errors) == (2, 4, 0)
    assert entry.mutation_score == 0.75
    assert (entry.good_ratio, entry.lowprec_ratio, entry.median_ms) == (0.25, 8.0, 3.0)
    assert entry.kills == {"wrong/a": ("WA value in small",)}
    assert entry.survivors == (survivor(), survivor(WORDS))
    assert [each.kind for each in entry.objections] == ["good_refused", "good_refused", "starter"]
    assert entry.objections[1] == Objection(kind="good_refused", name="a", detail=WORDS)


def test_an_entry_cannot_be_changed() -> None:
    entry = entry_of(proof())
    with pytest.raises(AttributeError, match="immutable"):
        entry.holds = True  # type: ignore[misc]


def test_the_keys_in_json_are_those_of_the_interface() -> None:
    found = plain(entry_of(proof()))
    assert sorted(found) == LISTED["bank check: problem"]
    assert all(sorted(each) == LISTED["bank check: survivor"] for each in found["survivors"])
    assert all(sorted(each) == LISTED["bank check: objection"] for each in found["objections"])
    first, second, _ = found["objections"]
    assert sorted(first["evidence"]) == LISTED["bank check: evidence"]
    assert (first["detail"], second["evidence"]) == ({"en": WORDS.en, "zh": WORDS.zh}, None)
    assert msgspec.convert(found, ProofEntry) == entry_of(proof())


def test_a_sum_counts_over_all_entries() -> None:
    total = plain(sum_of([entry_of(proof()), entry_of(proof()), entry_of(Proof(problem="02"))]))
    assert set(total) == set(COUNTED)
    assert {name: count for name, count in total.items() if count} == {
        "good_refused": 4,
        "rule_mutants": 8,
        "rule_mutants_accepted": 2,
    }


def test_a_proof_without_mutants_has_no_score() -> None:
    assert Proof(problem="01").mutation_score is None
    assert Proof(problem="01").holds
