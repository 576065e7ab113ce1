"""Each instruction set in turn."""

from collections.abc import Iterator

import pytest

from tests.compiling import built_kernels, compiled_folder, validating_distributions
from torchstone import kernels
from torchstone.kernels.build import runnable_sets
from torchstone.kernels.library import instruction_set

__all__ = ["built_kernels", "compiled_folder", "validating_distributions"]


# Below the best one. The library has them with TORCHSTONE_KERNEL_SETS=all, which `make test-all`
# sets.
OTHERS = list(runnable_sets())[:-1]


@pytest.fixture(params=("best", *(pytest.param(each, marks=pytest.mark.full) for each in OTHERS)))
def each_set(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compute with each instruction set; all of them are compiled where the variable says so."""
    assert kernels.load()
    best = instruction_set()
    if request.param != "best":
        try:
            instruction_set(request.param)
        except ValueError:
            pytest.skip(f"the library has no {request.param} here")
    try:
        yield
    finally:
        instruction_set(best)
