"""API of a problem's ``cases.py`` and ``oracle.py`` (needs torch)."""

from torchstone.judge.child.protocol.wire import Product
from torchstone.judge.kit.case import (
    Case,
    Request,
    call,
    held_rows,
    module_call,
    refusals,
    together,
)
from torchstone.judge.kit.draw import LAYOUTS, Draw, derive_seed, lay_out
from torchstone.judge.kit.expect import (
    EPS,
    Exact,
    Expectation,
    Expected,
    Gate,
    Holds,
    Maybe,
    OneOf,
    Raises,
    Star,
    Want,
    bound,
    ulp,
)
from torchstone.judge.kit.forms import COUNT, Form, equal, numbers
from torchstone.judge.kit.grade import Finding, Grade, error_ratios, grade, merge_answers
from torchstone.judge.kit.loaded import LOADED_BYTES
from torchstone.judge.kit.native import in_every_order, launches, read_totals
from torchstone.judge.kit.opaque_function import OpaqueFunction
from torchstone.judge.kit.preview import preview
from torchstone.judge.kit.problem import ProblemCode, load_code
from torchstone.judge.kit.shrink import shrink

__all__ = [
    "COUNT",
    "EPS",
    "LAYOUTS",
    "LOADED_BYTES",
    "Case",
    "Draw",
    "Exact",
    "Expectation",
    "Expected",
    "Finding",
    "Form",
    "Gate",
    "Grade",
    "Holds",
    "Maybe",
    "OneOf",
    "OpaqueFunction",
    "ProblemCode",
    "Product",
    "Raises",
    "Request",
    "Star",
    "Want",
    "bound",
    "call",
    "derive_seed",
    "equal",
    "error_ratios",
    "grade",
    "held_rows",
    "in_every_order",
    "launches",
    "lay_out",
    "load_code",
    "merge_answers",
    "module_call",
    "numbers",
    "preview",
    "read_totals",
    "refusals",
    "shrink",
    "together",
    "ulp",
]
