"""What a case asks for is answered by whom it means: the driver, or the problem's own probe."""

import pytest

from tests.shipped import shipped_bank
from torchstone.judge.child import driver
from torchstone.judge.kit import (
    Case,
    call,
    held_rows,
    load_code,
    module_call,
    refusals,
    together,
)
from torchstone.judge.kit.case import refilled

pytestmark = pytest.mark.torch

PLAIN = call("f", 1)
ONE = Case(steps=(PLAIN,))
# What the kit packs for each operation of the driver that takes cases.
PACKED = {
    "call": {
        *call("f", 1, fields=("a",), held=True).data,
        *module_call("f", 1).data,
        *refilled(ONE, ONE).steps[0].data,
    },
    "held": set(held_rows({}).data),
    "refusals": set(refusals({"f": PLAIN}).data),
    "together": set(together({"f": ONE, "g": Case(steps=(refusals({}),))}).steps[0].data),
}


@pytest.mark.gate("0?", "2?", "c0?")
@pytest.mark.parametrize("number", [problem.id for problem in shipped_bank().judged])
def test_an_operation_of_the_driver_carries_what_the_driver_reads(number: str) -> None:
    code = load_code(shipped_bank().find(number).path)
    asked = [step for planned in code.plan(1) for step in code.build(planned).steps]
    for step in asked:
        if step.op in driver.OPERATIONS:
            # A problem may add that no operator is allowed.
            assert set(step.data) - {"operators"} <= PACKED[step.op], step.op
            assert {"call": "args", "held": "keys"}.get(step.op, "calls") in step.data
