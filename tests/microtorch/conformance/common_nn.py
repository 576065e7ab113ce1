"""Drive PyTorch's older tests of modules and losses against MicroTorch.

``common_nn`` of the installed version lists modules with arguments and inputs, functions wrapped
into modules, and criterions with inputs and targets; all are run in float64.

Usage: ``python -m tests.microtorch.conformance.common_nn [NAME ...] [-v]``
"""

from __future__ import annotations

import argparse
import functools
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.testing._internal import common_nn

import torchstone.microtorch as micro
from tests.microtorch.conformance.convert import named, translate
from tests.microtorch.conformance.module_db import compare_modules, given
from tests.microtorch.conformance.op_db import _guarded


def ours_of(value: Any) -> Any:
    """Turn a constructor, or what it refers to, into ours."""
    if isinstance(value, functools.partial):
        return functools.partial(ours_of(value.func), *ours_of(value.args), **value.keywords)
    if isinstance(value, types.FunctionType) and value.__module__ == common_nn.__name__:
        return _rebound(value)
    if isinstance(value, types.FunctionType):
        return translate(value)
    if isinstance(value, type) and issubclass(value, torch.nn.Module):
        if value.__name__ == "FunctionalModule":
            forward = _rebound(value.forward)
            return type(value.__name__, (micro.nn.Module,), {"forward": forward})
        return named(micro.nn, value.__name__)
    if isinstance(value, dict):
        return {key: ours_of(each) for key, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(ours_of, value))
    return given(value)


def _rebound(function: types.FunctionType) -> types.FunctionType:
    """Let a function that is written in PyTorch's words find MicroTorch."""
    spaces = {**function.__globals__, "torch": micro, "nn": micro.nn, "F": micro.nn.functional}
    cells = tuple(types.CellType(ours_of(c.cell_contents)) for c in function.__closure__ or ())
    defaults = ours_of(function.__defaults__)
    made = types.FunctionType(function.__code__, spaces, function.__name__, defaults, cells)
    made.__kwdefaults__ = ours_of(function.__kwdefaults__)
    return made


def cases() -> Iterator[tuple[str, Any, bool]]:
    """Yield the name of each test, the test, and whether it is one of a criterion."""
    lists: list[tuple[Callable[..., Any], list[dict[str, Any]]]] = [
        (common_nn.NewModuleTest, common_nn.module_tests + common_nn.get_new_module_tests()),
        (common_nn.CriterionTest, common_nn.criterion_tests),
    ]
    for kind, all_parameters in lists:
        for parameters in all_parameters:
            parameters = dict(parameters)
            if "constructor" not in parameters:
                parameters["constructor"] = getattr(torch.nn, parameters.pop("module_name"))
            test = kind(**parameters)
            yield test.get_name(), test, kind is common_nn.CriterionTest


def drive(test: Any, is_criterion: bool) -> str | None:
    """Try one test; say how ours differs."""
    arguments = test.constructor_args
    torch.manual_seed(0)
    theirs = test.constructor(*arguments)
    micro.manual_seed(0)
    ours = ours_of(test.constructor)(*ours_of(arguments))
    inputs = test._get_input()
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    if is_criterion:
        inputs = (*inputs, test._get_target(), *test.extra_args)
    orders = 2 if getattr(test, "check_gradgrad", True) else 1
    return compare_modules(theirs, ours, (inputs, {}), orders=orders)


def main() -> int:
    """Drive the named tests, or all, and print what became of them."""
    parser = argparse.ArgumentParser(description="Drive common_nn against MicroTorch.")
    parser.add_argument("names", nargs="*", help="parts of names")
    parser.add_argument("-v", "--verbose", action="store_true", help="say what differs")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_default_dtype(torch.float64)
    micro.set_default_dtype(micro.float64)
    passed = count = 0
    for name, test, is_criterion in cases():
        if arguments.names and not any(each in name for each in arguments.names):
            continue
        found = _guarded(lambda t=test, c=is_criterion: drive(t, c))
        count += 1
        passed += found is None
        if found is not None and (arguments.verbose or arguments.names):
            print(f"FAIL {name}: {found[:300]}")
    print(f"{passed} of {count}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
