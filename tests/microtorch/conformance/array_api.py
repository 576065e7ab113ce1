"""How much of the array API standard, 2024.12, MicroTorch keeps, by the standard's functions.

    python -m tests.microtorch.conformance.array_api [-v] [--examples N] [name ...]

This is not ``array-api-tests``, the suite of the standard's authors, which is on no package index.
Hypothesis draws arguments that the standard gives a meaning, and NumPy 2, whose main namespace
keeps the standard, says what comes out: values, type and shape. A function is kept if all examples
agree.
"""

from __future__ import annotations

import argparse
import operator
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings

import torchstone.microtorch as micro
from tests.microtorch.conformance import array_namespace as xp
from tests.microtorch.conformance.array_calls import Call, table
from torchstone.microtorch import Tensor
from torchstone.microtorch.tensor import wrap


def ours(value: Any) -> Any:
    """Turn arrays and types into MicroTorch's."""
    if isinstance(value, np.ndarray):
        return wrap(value.copy())
    if isinstance(value, np.dtype):
        return getattr(xp, value.name)
    if isinstance(value, list | tuple):
        return type(value)(ours(each) for each in value)
    return value


def function_of(name: str, space: Any) -> Callable[..., Any]:
    """Find what a name of the table stands for, in our namespace or in NumPy's."""
    group, _, last = name.rpartition(".")
    if group == "array":
        # The standard's size is a property.
        count = (lambda x: int(np.prod(x.shape))) if last == "size" else None
        return count or (lambda x: getattr(x, last))
    if group == "python":
        return (
            operator.index
            if last == "index"
            else {"bool": bool, "int": int, "float": float, "complex": complex}[last]
        )
    if name == "operator.setitem":
        return _written
    if group == "operator":
        return getattr(operator, last)
    return getattr(getattr(space, group) if group else space, last)


def _written(x: Any, index: Any, value: Any) -> Any:
    x[index] = value
    return x


def compare(found: Any, wanted: Any) -> None:
    """Fail where results differ in type, shape or value."""
    if isinstance(wanted, tuple | list):
        assert len(found) == len(wanted), f"{len(found)} results for {len(wanted)}"
        for one, other in zip(found, wanted, strict=True):
            compare(one, other)
    elif isinstance(wanted, np.finfo | np.iinfo):
        names = ("bits", "min", "max", *(("eps",) if isinstance(wanted, np.finfo) else ()))
        for each in names:
            assert float(getattr(found, each)) == float(getattr(wanted, each)), each
    elif isinstance(wanted, np.dtype):
        assert found.name == wanted.name, f"{found} for {wanted}"
    elif isinstance(wanted, np.ndarray | np.generic):
        wanted = np.asarray(wanted)
        assert isinstance(found, Tensor), f"a {type(found).__name__}"
        assert found.dtype.name == wanted.dtype.name, f"{found.dtype} for {wanted.dtype}"
        assert tuple(found.shape) == wanted.shape, f"{tuple(found.shape)} for {wanted.shape}"
        single = wanted.dtype.name in ("float32", "complex64")
        rtol, atol = (2e-4, 1e-4) if single else (1e-9, 1e-9)
        np.testing.assert_allclose(
            found.array,
            wanted,
            rtol if wanted.dtype.kind in "fc" else 0,
            atol if wanted.dtype.kind in "fc" else 0,
        )
    else:
        assert found == wanted, f"{found} for {wanted}"


def check(name: str, strategy: Any, examples: int) -> str | None:
    """Try a function; say what is wrong with it, or None."""

    @settings(max_examples=examples, deadline=None, database=None, derandomize=True,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(strategy)
    def agrees(call: Call) -> None:
        args, kwargs = call
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            wanted = function_of(name, np)(*[_copied(each) for each in args], **kwargs)
            found = function_of(name, xp)(
                *ours(tuple(args)), **{k: ours(v) for k, v in kwargs.items()}
            )
            compare(*_comparable(name, found, wanted))

    try:
        agrees()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a failure of this function
        return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
    return None


def _comparable(name: str, found: Any, wanted: Any) -> tuple[Any, Any]:
    """Take away what the standard leaves open."""
    if name.startswith("empty"):
        return micro.zeros_like(found), np.zeros_like(wanted)
    if name == "unique_values":
        return micro.sort(found.reshape(-1))[0], np.sort(wanted)
    # Where no type is given, it is the default type, which is PyTorch's float32.
    return found, wanted.astype(np.float32) if name.endswith("freq") else wanted


def _copied(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def measure(examples: int = 100, names: list[str] | None = None) -> dict[str, str | None]:
    """Try all functions, or those named: what is wrong with each."""
    return {
        name: check(name, strategy, examples)
        for name, strategy in table().items()
        if not names or name in names
    }


def main() -> None:
    """Print the pass rate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-v", action="store_true", help="say what is wrong with each")
    parser.add_argument("--examples", type=int, default=100)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    found = measure(options.examples, options.names)
    failed = {name: each for name, each in found.items() if each is not None}
    for name, each in failed.items():
        sys.stdout.write((f"{name}: {each}" if options.v else name) + "\n")
    kept = len(found) - len(failed)
    rate = f"{kept / len(found):.1%}"
    sys.stdout.write(f"{kept} of {len(found)} functions agree with NumPy: {rate}\n")


if __name__ == "__main__":
    main()
