import pytest

from torchstone.bank import load_bank
from torchstone.bank.statement import whole_statement
from torchstone.core.i18n import LANGS, text

pytestmark = pytest.mark.pure


def test_only_a_problem_with_bans_says_what_they_include() -> None:
    for problem in load_bank():
        for lang in LANGS:
            own, whole = problem.statement.said_in(lang), whole_statement(problem, lang)
            said = text("bank.statement_bans", lang)
            wanted = f"{own.rstrip()}\n\n{said}" if problem.spec.limits_imports else own
            assert whole == wanted
