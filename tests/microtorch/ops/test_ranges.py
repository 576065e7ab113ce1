"""Numbers in a row: types, ends, and rounding."""

from typing import Any

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


@pytest.mark.parametrize(
    "arguments",
    [(5,), (1, 4), (0, 1, 0.25), (5, 0, -2), (2.0,), (0, 0), (0.1, 0.5, 0.1), (-1, 3, 2)],
)
def test_counting_gives_the_type_and_the_numbers_of_pytorch(arguments: Any) -> None:
    found, wanted = micro.arange(*arguments), torch.arange(*arguments)
    assert str(found.dtype) == str(wanted.dtype)
    np.testing.assert_allclose(found.array, wanted.numpy(), rtol=1e-6)


@pytest.mark.parametrize("steps", [0, 1, 2, 7])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_lines_end_where_they_should(steps: int, dtype: str) -> None:
    found = micro.linspace(-3, 4, steps, dtype=getattr(micro, dtype))
    wanted = torch.linspace(-3, 4, steps, dtype=getattr(torch, dtype))
    np.testing.assert_allclose(found.array, wanted.numpy(), rtol=1e-6)


def test_what_has_no_end_is_refused() -> None:
    with pytest.raises(RuntimeError, match="inconsistent with step sign"):
        micro.arange(0, 3, -1)
    with pytest.raises(RuntimeError, match="nonzero"):
        micro.arange(0, 3, 0)
    with pytest.raises(RuntimeError, match="unsupported range"):
        micro.arange(0, float("inf"))
    with pytest.raises(RuntimeError, match="non-negative"):
        micro.linspace(0, 1, -1)


def test_a_range_includes_its_end() -> None:
    assert micro.range(1, 4).tolist() == [1.0, 2.0, 3.0, 4.0]
