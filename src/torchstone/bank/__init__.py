"""Problem bank: schema and loader of ``content/``; it never runs Python of the content."""

from torchstone.bank.loader import CONTENT, load_bank, load_problem
from torchstone.bank.markdown import Cell, python_cells
from torchstone.bank.parity import Mismatch, check_parity
from torchstone.bank.problem import Bank, Problem
from torchstone.bank.schema import Hint, Kind, Limits, ProblemSpec, Rubric, Rung, Words
from torchstone.bank.variant import Outcome, Shelf, Variant

__all__ = [
    "CONTENT",
    "Bank",
    "Cell",
    "Hint",
    "Kind",
    "Limits",
    "Mismatch",
    "Outcome",
    "Problem",
    "ProblemSpec",
    "Rubric",
    "Rung",
    "Shelf",
    "Variant",
    "Words",
    "check_parity",
    "load_bank",
    "load_problem",
    "python_cells",
]
