"""Modes hold where PyTorch has them hold."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


def seen_by_a_generator(lib: Any) -> list[Any]:
    seen: list[Any] = []

    @lib.no_grad()
    def steps() -> Iterator[bool]:
        try:
            seen.append((yield lib.is_grad_enabled()))
            yield lib.is_grad_enabled()
        except KeyError:
            seen.append(lib.is_grad_enabled())
            yield lib.is_grad_enabled()
        finally:
            seen.append(lib.is_grad_enabled())

    for end in ("send", "throw", "close"):
        made: Any = steps()
        seen += [next(made), lib.is_grad_enabled()]
        if end == "send":
            seen += [made.send("sent"), *made]
        elif end == "throw":
            seen.append(made.throw(KeyError()))
        made.close()
        seen.append(lib.is_grad_enabled())
    return seen


# torch itself passes on an exception in the three arguments that Python 3.12 deprecates.
@pytest.mark.filterwarnings(r"ignore:the \(type, exc, tb\) signature:DeprecationWarning")
def test_a_generator_is_in_the_mode_while_it_runs_and_its_caller_is_not() -> None:
    assert seen_by_a_generator(micro) == seen_by_a_generator(torch)


def seen_by_a_function(lib: Any) -> list[bool]:
    @lib.set_grad_enabled(False)
    def inside() -> bool:
        return bool(lib.is_grad_enabled())

    return [lib.is_grad_enabled(), inside(), lib.is_grad_enabled()]


def test_a_decorator_that_sets_the_mode_leaves_that_of_the_module_alone() -> None:
    assert seen_by_a_function(micro) == seen_by_a_function(torch) == [True, False, True]
