import tomllib
from pathlib import Path

import pytest

from tests.shipped import shipped_bank
from torchstone.bank.statement import OPEN_TO_FUNCTION_MODES, whole_statement
from torchstone.core.i18n import LANGS, text

pytestmark = pytest.mark.pure

FAMILIES = Path(__file__).parents[2] / "src/torchstone/judge/native/families.toml"


def test_only_a_problem_with_bans_says_what_they_include() -> None:
    for problem in shipped_bank():
        for lang in LANGS:
            own, whole = problem.statement.said_in(lang), whole_statement(problem, lang)
            said = text("bank.statement_bans", lang)
            if problem.spec.limits_imports:
                assert whole.startswith(f"{own.rstrip()}\n\n{said}")
                is_closed = not OPEN_TO_FUNCTION_MODES.intersection(problem.spec.deny.families)
                assert ("`TorchFunctionMode`" in whole.removeprefix(own.rstrip())) == is_closed
                assert whole.count("`TorchDispatchMode`") == 1
            else:
                assert whole == own


def test_the_families_that_leave_function_modes_open_are_those_of_the_judge() -> None:
    families = tomllib.loads(FAMILIES.read_text(encoding="utf-8"))
    opening = {
        name
        for name, family in families.items()
        if "torch._C._push_on_torch_function_stack" in family.get("opens", ())
    }
    assert opening == OPEN_TO_FUNCTION_MODES
