"""Every solution of the bank has mutants, and each rule that makes one has its words."""

import pytest

from tests.shipped import shipped_bank
from torchstone.judge.mutation.mutants import make_mutants
from torchstone.judge.proof.survivors import rule_words

pytestmark = [pytest.mark.plain, pytest.mark.full]

BANK = shipped_bank()
# The rules of mutants are Python's, and know nothing of a kernel.
IN_PYTHON = [problem.id for problem in BANK if not problem.spec.is_built]


def rules_of(number: str) -> set[str]:
    mutants = make_mutants(BANK.get(number).solution.source)
    assert len(mutants) >= 10
    return {each.rule for each in mutants}


@pytest.mark.parametrize("number", IN_PYTHON)
def test_a_solution_has_mutants_whose_rules_are_said_in_both_languages(number: str) -> None:
    for rule in rules_of(number):
        said = rule_words(rule)
        assert not any(words.startswith("judge.") for words in (said.en, said.zh)), rule


def test_most_rules_make_a_mutant_of_a_long_solution() -> None:
    assert len(rules_of("02")) >= 15
