"""Every solution of the bank has mutants, and each rule that makes one has its words."""

import pytest

from torchstone.bank.loader import load_bank
from torchstone.judge.proof.mutants import make_mutants
from torchstone.judge.proof.survivors import rule_words

pytestmark = [pytest.mark.plain, pytest.mark.full]


def test_every_solution_has_mutants_and_every_rule_is_said_in_both_languages() -> None:
    rules: set[str] = set()
    for problem in load_bank():
        if problem.spec.is_built:
            continue  # the rules are Python's, and know nothing of a kernel
        mutants = make_mutants(problem.solution.source)
        assert len(mutants) >= 10, problem.id
        rules |= {each.rule for each in mutants}
    assert len(rules) >= 15
    for rule in rules:
        said = rule_words(rule)
        assert not any(words.startswith("judge.") for words in (said.en, said.zh)), rule
