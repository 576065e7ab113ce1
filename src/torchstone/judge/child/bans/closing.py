"""Close loaded functions, methods, classes and modules through every alias.

A Python function gets another code object, a builtin another address, a C type other slots. A
closed object, when used, reports itself and ends the process. The plan of what to replace for a
name can be computed before a fork.
"""

from __future__ import annotations

import inspect
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import torch

from . import modules, surface, survey

_WRITE_RECORD = "torch._C.PyTorchFileWriter.write_record"


@dataclass(frozen=True, slots=True)
class Plan:
    """Objects to replace in order to close one name."""

    stubs: list[tuple[FunctionType, CodeType]] = field(default_factory=list)
    builtin_functions: list[tuple[Any, str]] = field(default_factory=list)
    types: list[type] = field(default_factory=list)


class Closer:
    """Closer of objects by name, with the native extension."""

    def __init__(self, native: Any) -> None:
        self._native = native
        self._functions = survey.functions_below(torch_folder())
        self._plans: dict[str, Plan] = {}

    def prepare(self, names: Iterable[str]) -> None:
        """Compute the plans of names that will be closed after the fork."""
        self._plans |= {name: self._plan(name) for name in names}

    def close(self, *names: str) -> None:
        """Close functions, classes or all functions of modules: any use ends the process.

        Raises:
            ValueError: The name is not loaded, or its object cannot be closed.
        """
        for name in names:
            plan = self._plans.get(name) or self._plan(name)
            for function, stub in plan.stubs:
                function.__code__ = stub
            self._native.close(plan.builtin_functions)
            for kind in plan.types:
                self._native.close_type(kind)

    def _plan(self, name: str) -> Plan:
        target, stop = resolve(name), self._native.stop
        if isinstance(target, ModuleType):
            functions = self._functions.get(target.__file__ or "", ())
            return Plan(
                stubs=[
                    (item, _stub(item, f"{name}.{item.__qualname__}", stop)) for item in functions
                ]
            )
        if isinstance(target, FunctionType):
            return Plan(stubs=[(target, _stub(target, name, stop))])
        if isinstance(target, type):
            members = list(_functions_of(target))
            stubs = [(item, _stub(item, f"{name}.{item.__name__}", stop)) for item in members]
            return Plan(stubs=stubs, types=[] if members else [target])
        return Plan(builtin_functions=[(target, name)])

    def _close_implementation(self, function: FunctionType) -> None:
        original = FunctionType(
            function.__code__,
            function.__globals__,
            function.__name__,
            function.__defaults__,
            function.__closure__,
        )
        original.__kwdefaults__ = function.__kwdefaults__
        native, name = self._native, f"{function.__module__}.{function.__qualname__}"
        index = native.keep_implementation(original, name)
        function.__code__ = _fill(
            _IMPLEMENTATION, function, function=native.call_implementation, name=index
        )
        # The stub passes its arguments on unchanged, so the original applies its defaults once.
        function.__defaults__ = function.__kwdefaults__ = None

    def close_implementations(self, folders: Iterable[str]) -> None:
        """Close functions below folders of torch for tensors that hold values."""
        below = tuple(f"{torch_folder()}/{folder}/" for folder in folders)
        for file, functions in self._functions.items():
            if file.startswith(below):
                for function in functions:
                    self._close_implementation(function)

    def prepare_surface(self, allowed: surface.Allowed, others: modules.AllowedModules) -> None:
        """Plan the closing of everything not allowed in torch and the packages beside it."""
        stop, beside = self._native.stop, survey.functions_below(f"{others.site}/")
        functions = {
            file: found
            for file, found in beside.items()
            if file in self._functions or not others.keeps_code(file)
        }
        self._surface = surface.plan(
            allowed, functions, lambda function, name: _stub(function, name, stop)
        )
        builtin_functions, types = others.closed_parts()
        self._surface.builtin_functions.extend(builtin_functions)
        self._surface.types.extend(types)
        self._num_stubs = self._native.keep_codes(self._surface.stubs)
        # The native extension holds them; a reference here would expose the closed functions.
        self._surface.stubs.clear()

    def close_surface(self, *, opens: Iterable[str] = ()) -> None:
        """Close everything of torch that is not allowed, in Python and in C++.

        Args:
            opens: Builtin functions that stay open because a family permits them.
        """
        self._native.exchange_codes(0, self._num_stubs)
        left = frozenset(opens)
        self._native.close(
            [each for each in self._surface.builtin_functions if each[1] not in left]
        )
        for kind in self._surface.types:
            self._native.close_type(kind)
        for function, name in self._surface.with_constants:
            self._native.open_to_constants(function, name)
        for function, name in self._surface.to_judge:
            self._native.guard(function, name)
        # torch.save writes storages with it; it also accepts an address.
        self._native.open_to_records(resolve(_WRITE_RECORD), _WRITE_RECORD)

    def close_numpy(self) -> None:
        """Close NumPy and the conversions between its arrays and tensors."""
        native = self._native
        # The driver reads bytes of tensors with these two; called without the submission they still
        # work.
        native.guard(torch.Tensor.numpy, "torch.Tensor.numpy")
        numpy = sys.modules.get("numpy")
        if numpy is None:
            return
        functions = _builtins_of(sys.modules["numpy._core._multiarray_umath"], "numpy")
        functions += [
            (vars(numpy.ufunc)[name], f"numpy.ufunc.{name}")
            for name in ("reduce", "accumulate", "reduceat", "outer", "at")
        ]
        native.close([*functions, (torch.from_numpy, "torch.from_numpy")])
        native.close_type(numpy.ufunc)
        native.close_type(numpy.ndarray)

    def close_numpy_random(self) -> None:
        """Close the Cython types of numpy.random, whose methods do not check the type of self."""
        numpy = sys.modules.get("numpy")
        drawing = vars(vars(numpy).get("random", numpy)).values() if numpy else ()
        for kind in {type(item) for item in drawing}:
            if kind.__module__.startswith("_cython_"):
                self._native.close_type(kind)

    def close_ctypes(self) -> None:
        """Close every ctypes type: function pointers reach raw memory without an audit event."""
        ctypes = sys.modules.get("_ctypes")
        if ctypes is None:
            return
        data = ctypes._SimpleCData.__base__
        waiting, seen = [data], set()
        while waiting:
            kind = waiting.pop()
            if kind not in seen:
                seen.add(kind)
                waiting += type.__subclasses__(kind)
                waiting += [type(kind)] if type(kind) is not type else []
        for kind in seen:
            self._native.close_type(kind)
        self._native.close(_builtins_of(ctypes, "ctypes"))


def torch_folder() -> str:
    """Return the folder of the imported torch package."""
    return os.path.dirname(torch.__file__)


def resolve(name: str) -> Any:
    """Return the object that a dotted name refers to; a function rather than a bound method.

    Raises:
        ValueError: The module is not loaded.
    """
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        target: Any = sys.modules.get(".".join(parts[:length]))
        if target is not None and (length == len(parts) or hasattr(target, parts[length])):
            for attribute in parts[length:]:
                # getattr would bind the attribute anew on each access; the stored object must be
                # closed.
                target = (
                    inspect.getattr_static(target, attribute)
                    if isinstance(target, type)
                    else getattr(target, attribute)
                )
            wrapped = isinstance(target, staticmethod) or type(target).__name__ == "instancemethod"
            return target.__func__ if wrapped else target
    raise ValueError(f"{name} is not loaded, so it cannot be closed.")


def _functions_of(kind: type) -> Iterator[FunctionType]:
    """Yield the Python functions of a class, including static methods such as `__new__`."""
    for item in vars(kind).values():
        parts = (item.fget, item.fset, item.fdel) if isinstance(item, property) else (item,)
        for part in parts:
            function = getattr(part, "__func__", part)
            if isinstance(function, FunctionType):
                yield function


def _compile_stub(arguments: str) -> CodeType:
    # The stub calls one constant with another; `replace` fills both in, so the stub depends on no
    # name that the submission could rebind.
    source = f"def closed(*args, **kwargs):\n    return 'function'('name'{arguments})\n"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        module = compile(source, "<closed>", "exec")
    return next(constant for constant in module.co_consts if isinstance(constant, CodeType))


_STOP, _IMPLEMENTATION = _compile_stub(""), _compile_stub(", args, kwargs")


def _fill(template: CodeType, target: FunctionType, **values: object) -> CodeType:
    return template.replace(
        co_consts=tuple(
            values.get(item, item) if isinstance(item, str) else item for item in template.co_consts
        ),
        co_freevars=target.__code__.co_freevars,
    )


def _stub(function: FunctionType, name: str, stop: Any) -> CodeType:
    return _fill(_STOP, function, function=stop, name=name)


def _builtins_of(module: ModuleType, prefix: str) -> list[tuple[Any, str]]:
    found = vars(module).items()
    return [
        (item, f"{prefix}.{name}") for name, item in found if isinstance(item, BuiltinFunctionType)
    ]
