"""Each instruction set in turn."""

from collections.abc import Iterator

import pytest

from tests.compiling import built_kernels, compiled_folder, validating_distributions
from torchstone import kernels
from torchstone.kernels.library import instruction_set

__all__ = ["built_kernels", "compiled_folder", "validating_distributions"]


@pytest.fixture(params=("avx512_bf16", "avx512", "avx2", "plain"))
def each_set(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compute with each instruction set; with the best one in place of those that lack."""
    assert kernels.load()
    try:
        best = instruction_set(request.param)
    except ValueError:
        return (yield)
    try:
        yield
    finally:
        instruction_set(best)
