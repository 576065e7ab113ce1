"""Comparing results says what PyTorch says."""

from typing import Any

import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch
NAN, INF = float("nan"), float("inf")

# What is compared; a list stands for a tensor, and a tuple or a dictionary for itself.
CASES: list[tuple[Any, Any, dict[str, Any]]] = [
    ([1.0, 2.0], [1.0, 2.0 + 1e-6], {}),
    ([1.0, 2.0], [1.0, 2.5], {}),
    ([1.0, 2.0], [1.0, 2.5], {"rtol": 0.1, "atol": 0.3}),
    ([1.0, 2.0], [1.0], {}),
    ([1.0, 2.0], [1, 2], {}),
    ([1.0, 2.0], [1, 2], {"check_dtype": False}),
    ([[1, 2], [3, 4]], [[1, 2], [3, 6]], {}),
    ([True], [False], {}),
    ([NAN, INF], [NAN, INF], {}),
    ([NAN, -INF], [NAN, -INF], {"equal_nan": True}),
    (([1.0], [2.0]), ([1.0], [3.0]), {}),
    (([1.0],), ([1.0], [3.0]), {}),
    ({"a": ([1.0],)}, {"a": ([2.0],)}, {}),
    ({"a": [1.0]}, {"b": [1.0]}, {}),
    (1.0, 2.0, {}),
    (1, 1.0, {}),
    (1, 2, {}),
    (True, False, {}),
    (None, None, {}),
    (None, 1, {}),
    (([1.0], 2), ([1.0], None), {}),
    ("a", "a", {}),
    ([1.0], 1.0, {}),
    ([1.0], [1.0], {"rtol": 0.1}),
    ([1.0], [2.0], {"msg": "mine"}),
    ([1.0], [2.0], {"msg": lambda text: "before " + text}),
]


# What is compared, and its type: differences that the types themselves do not hold.
TYPED: list[tuple[tuple[list[Any], str], tuple[list[Any], str], dict[str, Any]]] = [
    (([127], "int8"), ([-128], "int8"), {"rtol": 0, "atol": 2}),
    (([1], "uint8"), ([1.5], "float32"), {"check_dtype": False}),
    (([200], "uint8"), ([-56], "int8"), {"check_dtype": False}),
]


def made(torch: Any, what: Any) -> Any:
    if isinstance(what, list):
        return torch.tensor(what)
    if isinstance(what, tuple):
        return tuple(made(torch, each) for each in what)
    return {k: made(torch, v) for k, v in what.items()} if isinstance(what, dict) else what


def verdict(torch: Any, actual: Any, expected: Any, options: Any) -> Any:
    try:
        torch.testing.assert_close(made(torch, actual), made(torch, expected), **options)
    except (AssertionError, ValueError) as error:
        return type(error), str(error)
    except TypeError as error:
        # The types have the names of their packages.
        return str(error).split("<")[0]
    return None


@pytest.mark.parametrize("case", range(len(CASES)))
def test_what_is_close_and_what_is_said_of_the_rest_is_as_in_pytorch(case: int) -> None:
    assert verdict(micro, *CASES[case]) == verdict(torch, *CASES[case])


@pytest.mark.parametrize("case", range(len(TYPED)))
def test_types_that_wrap_are_compared_as_wide_ones(case: int) -> None:
    (one, one_type), (other, other_type), options = TYPED[case]
    for lib in (micro, torch):
        actual: Any = lib.tensor(one, dtype=getattr(lib, one_type))
        expected: Any = lib.tensor(other, dtype=getattr(lib, other_type))
        with pytest.raises(AssertionError, match=r"not (close|equal)"):
            lib.testing.assert_close(actual, expected, **options)
