"""In which type two operands meet, and what comes of it, against PyTorch."""

import operator
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import assume, example, given
from hypothesis import strategies as st

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch

DTYPES = (
    "bool", "uint8", "int8", "int32", "int64", "float16", "float32", "float64",
    "complex64", "complex128",
)  # fmt: skip
OPERATORS = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift",
    "eq", "ne", "lt", "le", "gt", "ge",
)  # fmt: skip
IN_PLACE = ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor")
FUNCTIONS = ("atan2", "fmod", "maximum", "fmin", "copysign", "hypot", "xlogy", "nextafter", "gcd")

numbers = st.one_of(
    st.booleans(),
    st.integers(-3, 5),
    st.sampled_from([-2.5, -1.0, 0.0, 0.5, 2.0, 3.25]),
    st.sampled_from([1j, 2 - 1j]),
)
tensors = st.tuples(
    st.sampled_from(DTYPES),
    st.sampled_from([(), (1,), (3,), (2, 1), (0,)]),
    st.integers(0, 4),
)
operands = st.one_of(numbers, tensors)


def build(space: Any, operand: Any) -> Any:
    if not isinstance(operand, tuple):
        return operand
    dtype, shape, first = operand
    count = int(torch.Size(shape).numel())
    values = [(first + 3 * place) % 5 for place in range(count)]
    made = space.tensor(values, dtype=getattr(space, dtype))
    return made.reshape(shape)


def outcome(space: Any, name: str, left: Any, right: Any) -> Any:
    """Compute, and say what came of it: an error counts by its class alone."""
    function = getattr(operator, name, None) or getattr(space, name)
    try:
        return function(build(space, left), build(space, right))
    except (RuntimeError, TypeError) as error:
        return RuntimeError if isinstance(error, RuntimeError) else TypeError


def assert_same(ours: Any, theirs: Any) -> None:
    if not isinstance(theirs, torch.Tensor):
        assert ours is theirs
        return
    assert isinstance(ours, micro.Tensor), ours
    assert str(ours.dtype) == str(theirs.dtype)
    assert tuple(ours.shape) == tuple(theirs.shape)
    eps = 2e-3 if theirs.dtype == torch.float16 else 1e-5
    close = np.isclose(ours.numpy(), theirs.numpy(), rtol=eps, atol=eps, equal_nan=True)
    # What a complex number divided by 0 gives, no standard says.
    assert np.all(close | (theirs.is_complex() & ~np.isfinite(theirs.numpy())))


def has_no_pytorch_type(*operands: Any) -> bool:
    """Return whether both are numbers, or would meet in complex32, which MicroTorch lacks."""
    names = [each[0] if isinstance(each, tuple) else type(each).__name__ for each in operands]
    is_half_complex = "float16" in names and any(name.startswith("complex") for name in names)
    return is_half_complex or not any(isinstance(each, tuple) for each in operands)


@given(st.sampled_from(OPERATORS), operands, operands)
@example("pow", ("int64", (3,), 1), -1)
@example("add", ("float32", (3,), 1), ("float64", (), 1))
@example("mul", ("int8", (3,), 1), 300)
@example("mul", ("float32", (3,), 1), 1j)
def test_an_operator_meets_its_operands_in_pytorchs_type(name: str, left: Any, right: Any) -> None:
    assume(not has_no_pytorch_type(left, right))
    assert_same(outcome(micro, name, left, right), outcome(torch, name, left, right))


@given(st.sampled_from(IN_PLACE), tensors, operands)
def test_an_operator_in_place_keeps_the_type_or_refuses(name: str, left: Any, right: Any) -> None:
    assume(not has_no_pytorch_type(left, right))
    assert_same(outcome(micro, name, left, right), outcome(torch, name, left, right))


@given(st.sampled_from(FUNCTIONS), operands, operands)
def test_a_function_meets_its_operands_in_pytorchs_type(name: str, left: Any, right: Any) -> None:
    assume(not has_no_pytorch_type(left, right))
    assert_same(outcome(micro, name, left, right), outcome(torch, name, left, right))
