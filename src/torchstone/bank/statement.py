"""Statement of a problem as a learner reads it: on the page, in the terminal, in an export."""

from torchstone.bank.problem import Problem
from torchstone.core.i18n import Lang, text

# The families that leave `TorchFunctionMode` open: `opens` in judge/native/families.toml.
OPEN_TO_FUNCTION_MODES = frozenset({"autocast"})


def whole_statement(problem: Problem, lang: Lang) -> str:
    """Return the statement, with what holds in every problem that bans operators or functions."""
    statement = problem.statement.said_in(lang)
    if not problem.spec.limits_imports:
        return statement
    is_open = OPEN_TO_FUNCTION_MODES.intersection(problem.spec.deny.families)
    modes = "bank.statement_bans_of_operator_modes" if is_open else "bank.statement_bans_of_modes"
    return f"{statement.rstrip()}\n\n{text('bank.statement_bans', lang)}{text(modes, lang)}\n"
