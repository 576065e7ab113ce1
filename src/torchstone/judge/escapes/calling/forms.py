"""Forms of a call: every sensible arrangement of a sample's arguments for one callable."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Any

import torch

from torchstone.judge.child.protocol.records import Arguments
from torchstone.judge.escapes.calling.reach import Reached
from torchstone.judge.escapes.calling.samples import Sample

# No process maps this address, so a function that uses it as one ends with a signal.
ADDRESS = 0x5EA0_0000_0000
Form = tuple[str, tuple[Any, ...], Arguments]

_DIM = re.compile(r"^(dim|dims|axis|axes|d)$")
_FLAG = re.compile(r"^(keep_?dims?|half_to_float|inplace|is_\w+|use_\w+|training|train|.*_flag)$")
_INPUT_NAMES = ("input", "x", "self", "tensor", "logits", "data", "scores", "a")
_MISSING = object()


class Identity:
    """Stand-in for a module or a function: a call returns its first argument.

    A submission can rebind any global name of a Python function, or rebuild the function.
    """

    def __getattr__(self, name: str) -> Identity:
        """Return the stand-in itself for any attribute."""
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the first argument."""
        return args[0] if args else next(iter(kwargs.values()), None)


def fresh(value: Any) -> Any:
    """Return a copy with new tensors."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    if type(value) in (tuple, list):
        return type(value)(fresh(item) for item in value)
    return value


def forms_of(reached: Reached, sample: Sample) -> Iterator[Form]:
    """Yield the forms for one callable; the caller copies their values with `fresh`."""
    target = reached.target
    if type(target) is torch._ops.OpOverload:
        yield from _by_schema(target._schema, sample)
        return
    if type(target) is torch._ops.OpOverloadPacket:
        for name in target.overloads():
            schema = torch._C._get_schema(
                target._qualified_op_name, "" if name == "default" else name
            )
            yield from _by_schema(schema, sample)
        return
    if not reached.is_torch:
        yield from _few(sample)
        return
    if type(target) is FunctionType:
        yield from _by_names(target, sample)
    yield from _generic(sample)


def addresses() -> Iterator[Form]:
    """Yield forms with a number where a function may accept an address."""
    yield "(address)", (ADDRESS,), {}
    yield "(address, 8)", (ADDRESS, 8), {}
    yield "([address, address])", ([ADDRESS, ADDRESS],), {}
    yield "(tensor, address)", (torch.ones(4), ADDRESS), {}
    yield "(address, address, address)", (ADDRESS, ADDRESS, ADDRESS), {}


def with_stand_ins(function: FunctionType) -> Iterator[tuple[str, FunctionType]]:
    """Yield copies of a function with one of its global names replaced by a stand-in."""
    scope = function.__globals__
    for name in function.__code__.co_names:
        item = scope.get(name, _MISSING)
        if item is torch or not isinstance(item, ModuleType | FunctionType):
            continue
        copy = FunctionType(
            function.__code__,
            {**scope, name: Identity()},
            function.__name__,
            function.__defaults__,
            function.__closure__,
        )
        copy.__kwdefaults__ = function.__kwdefaults__
        yield name, copy


def wrappers(function: FunctionType, sample: Sample) -> Iterator[Form]:
    """Yield forms with each argument inside an instance of a class that the function names."""
    for name in function.__code__.co_names:
        kind: Any = function.__globals__.get(name)
        if isinstance(kind, type) and not issubclass(kind, BaseException):
            make: Any = kind
            try:
                wrapped = tuple(make(fresh(item)) for item in sample.args)
            except Exception:  # noqa: BLE001  the class does not take such an argument
                continue
            yield f"({name}(…), …)", wrapped, {}


def _few(sample: Sample) -> Iterator[Form]:
    args = sample.args
    yield "(…)", args, {}
    yield "(None, …)", (None, *args), {}
    yield "([…])", (list(args),), {}
    if sample.tails:
        yield "(…, …)", (*args, *sample.tails[0]), {}


def _generic(sample: Sample) -> Iterator[Form]:
    args, first = sample.args, sample.args[0]
    yield "(…)", args, {}
    for tail in sample.tails:
        yield f"(…, {_words(tail)})", (*args, *tail), {}
    for name in ("dim", "axis"):
        if name in sample.hints:
            yield f"(…, {name}=)", args, {name: sample.hints[name]}
    yield "([…])", (list(args),), {}
    yield "(…, keywords)", args, {k: v for k, v in sample.hints.items() if k in ("weight", "bias")}
    for name in _INPUT_NAMES:
        yield f"({name}=)", args[1:], {name: first}
    yield "(None, …)", (None, *args), {}
    for tail in sample.tails[:2]:
        yield f"(None, …, {_words(tail)})", (None, *args, *tail), {}
    if len(args) > 1:
        yield "(reversed)", tuple(reversed(args)), {}
    for tail in ((), *sample.tails[:1]):
        yield "(…, out=)", (*args, *tail), {"out": torch.empty(0)}
        yield "(out, …)", (_empty_like_result(sample), *args, *tail), {}


def _empty_like_result(sample: Sample) -> Any:
    for result in sample.results:
        if isinstance(result, torch.Tensor):
            return torch.zeros_like(result)
    return torch.zeros(3, 5)


def _words(tail: Iterable[Any]) -> str:
    return ", ".join("tensor" if isinstance(item, torch.Tensor) else repr(item) for item in tail)


def _by_names(function: FunctionType, sample: Sample) -> Iterator[Form]:
    """Fill the parameters of a Python function according to their names."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    required = names[: len(names) - len(function.__defaults__ or ())]
    keywords = code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
    open_keywords = [name for name in keywords if name not in (function.__kwdefaults__ or {})]
    for left_over in (None, 0):
        for wanted in (required, names) if len(required) < len(names) else (names,):
            args, kwargs = _fill(wanted, open_keywords, sample, left_over)
            yield f"by names, {left_over}: {', '.join(wanted)}", args, kwargs


def _fill(
    names: Iterable[str], keywords: Iterable[str], sample: Sample, left_over: Any
) -> tuple[tuple[Any, ...], Arguments]:
    waiting = list(sample.args)

    def value(name: str) -> Any:
        if name in sample.hints:
            return sample.hints[name]
        if _DIM.match(name):
            return -1
        if _FLAG.match(name):
            return False
        if name in ("cls", "ctx") or (name == "self" and not waiting):
            return None
        return waiting.pop(0) if waiting else left_over

    return tuple(value(name) for name in names), {name: value(name) for name in keywords}


def _by_schema(schema: Any, sample: Sample) -> Iterator[Form]:
    """Fill an operator's arguments by type: first the required ones, then all."""
    for only_needed in (True, False):
        waiting = list(sample.args)
        args: list[Any] = []
        kwargs: Arguments = {}
        for argument in schema.arguments:
            if only_needed and argument.has_default_value() and argument.name not in sample.hints:
                if not (waiting and "Tensor" in str(argument.type)):
                    continue
            value = _typed(argument, sample, waiting)
            if argument.kwarg_only or (only_needed and len(args) < len(kwargs)):
                kwargs[argument.name] = value
            else:
                args.append(value)
        yield f"by schema: {schema}", tuple(args), kwargs
    sizes = [tail for tail in sample.tails if tail and not isinstance(tail[0], torch.Tensor)]
    for tail in sizes[:4]:
        yield f"(…, {_words(tail)})", (*sample.args, *tail), {}


def _typed(argument: Any, sample: Sample, waiting: list[Any]) -> Any:
    kind = str(argument.type)
    if argument.is_out:
        return _empty_like_result(sample)
    if argument.name in sample.hints:
        return sample.hints[argument.name]
    if kind == "List[Tensor]":
        taken = [item for item in waiting if isinstance(item, torch.Tensor)]
        waiting.clear()
        return taken
    if "Tensor" in kind:
        if waiting:
            return waiting.pop(0)
        return None if kind.startswith("Optional") else sample.args[0]
    return _constant(argument.name, kind)


def _constant(name: str, kind: str) -> Any:
    if kind.startswith("Optional"):
        return None
    if kind.startswith("List"):
        return [-1] if _DIM.match(name) else [1]
    if kind == "bool":
        return False
    if kind in ("int", "SymInt"):
        return -1 if _DIM.match(name) else 1
    return {"float": 1e-5, "number": 0.0, "Scalar": 0.0, "str": "none"}.get(kind)
