"""What the standard of arrays says is kept, save where PyTorch says something else."""

import pytest

from tests.microtorch.conformance.array_api import measure

pytestmark = pytest.mark.torch
# The standard counts arrays of no dimensions like all others; PyTorch lets those with dimensions
# decide the type. Functions of the thin namespace settle that, operators can't.
OPERATORS = {
    f"operator.{name}"
    for name in """
        add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift lt le gt ge eq ne
        """.split()
}


def test_all_functions_of_the_standard_agree_with_numpy_but_for_the_operators_of_pytorch() -> None:
    found = measure(examples=15)
    assert len(found) > 200
    failed = {name: each for name, each in found.items() if each is not None}
    assert not failed.keys() - OPERATORS, failed
