"""Statement of a problem as a learner reads it: on the page, in the terminal, in an export."""

from torchstone.bank.problem import Problem
from torchstone.core.i18n import Lang, text


def whole_statement(problem: Problem, lang: Lang) -> str:
    """Return the statement, with what holds in every problem that bans operators or functions."""
    statement = problem.statement.said_in(lang)
    if not problem.spec.limits_imports:
        return statement
    return f"{statement.rstrip()}\n\n{text('bank.statement_bans', lang)}"
