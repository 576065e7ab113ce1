"""The dispatch tree, live: each stop of each call, with the keys that led there.

The dispatcher of a release build asks Python for the kernel of every call where its Python hook is
on. The hook notes the stop and gives back the kernel that C++ would have taken, so that what runs
is what runs without it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch

from torchstone.xray import private, table
from torchstone.xray.limits import MAX_STOPS
from torchstone.xray.lines import LineFinder

Node = dict[str, Any]
# Stops of the profiler, which optimizers make.
_NOISE = ("profiler::",)
# The sentence of a schema that is given a Python number where it expects a tensor.
_NUMBER = "Expected a value of type 'Tensor'"
_OPAQUE_NUMBER = "wrapped_number"


class DispatchTrace:
    """Note the stops of the calls of one thread.

    Attributes:
        calls: The calls that the program has made, each a tree of stops.
        num_stops: How many stops are noted.
        num_cut: How many more there were.
        num_folded: Stops of the profiler, which are left out.
        num_compiling: Stops while torch.compile compiled, which are left out.
    """

    def __init__(self, lines: LineFinder, *, limit: int = MAX_STOPS) -> None:
        self.calls: list[Node] = []
        self.num_stops = self.num_cut = self.num_folded = self.num_compiling = 0
        self._lines = lines
        self._limit = limit
        self._stack: list[Node] = []
        self._thread = threading.get_ident()
        self._compiling = 0

    @contextmanager
    def on(self) -> Iterator[DispatchTrace]:
        """Trace the calls of the block."""
        with ExitStack() as entered:
            entered.enter_context(private.compilations(self._begin, self._end))
            entered.enter_context(private.graphs_called(self._compiled))
            entered.enter_context(private.hooked(self._ask))
            yield self

    def data(self, _: object = None) -> dict[str, Any]:
        """Return what was seen, as the scene has it."""
        left_out = {"compilation": self.num_compiling, "profiler": self.num_folded}
        return {
            "calls": self.calls,
            "stops": self.num_stops,
            "modes": {},
            "truncated": {"stops": self.num_cut} if self.num_cut else {},
            "not_followed": [{"what": what, "count": n} for what, n in left_out.items() if n],
        }

    def _begin(self) -> None:
        self._compiling += 1

    def _end(self) -> None:
        self._compiling -= 1

    def _ask(self, original: private.GetDispatch, operator: Any, key: Any) -> private.Kernel:
        kernel = original(operator, key)
        private.forget_kernel(operator, key)
        reached = private.resolved(operator, key)
        name, is_python = operator.name(), callable(kernel)
        if is_python and private.has_kernel(name, private.key_name(reached)):
            # A decomposition in Python must not stand in for the kernel of C++.
            kernel, is_python = reached, False

        def run(args: Any, kwargs: Any) -> Any:
            if is_python:
                return kernel(*args, **kwargs)
            return private.call_kernel(operator, kernel, args, kwargs)

        def call(*args: Any, **kwargs: Any) -> Any:
            if not self._notes(name, operator, args, kwargs):
                return self._run(operator, run, args, kwargs, None)
            node = self._enter(operator, private.key_name(key), args, kwargs)
            node["kernel"] = "python" if is_python else private.key_name(reached)
            node["alias"] = None if node["kernel"] in ("python", node["key"]) else node["kernel"]
            try:
                return self._run(operator, run, args, kwargs, node)
            except BaseException as error:
                node["raised"] = type(error).__name__
                raise
            finally:
                self._leave(node)

        return call

    def _notes(self, name: str, operator: Any, args: Any, kwargs: Any) -> bool:
        if threading.get_ident() != self._thread:
            return False
        if self._compiling:
            self.num_compiling += 1
        elif name.startswith(_NOISE):
            self.num_folded += 1
        elif not self._lines.is_wanted():
            return False
        elif self.num_stops >= self._limit:
            self.num_cut += 1
        else:
            return True
        return False

    @staticmethod
    def _run(
        operator: Any, run: Callable[[Any, Any], Any], args: Any, kwargs: Any, node: Node | None
    ) -> Any:
        try:
            return run(args, kwargs)
        except RuntimeError as error:
            # A wrapped number reaches the hook as a Python number, which this schema refuses.
            # Nothing has run yet; below the hook the number is accepted.
            if _NUMBER not in str(error):
                raise
            if node is not None:
                node["opaque"] = _OPAQUE_NUMBER
            return private.call_below(operator, args, kwargs)

    def _enter(self, operator: Any, key: str, args: Any, kwargs: Any) -> Node:
        self.num_stops += 1
        name = operator.name()
        include, exclude = private.thread_keys()
        described = _describe_args(operator, args, kwargs)
        keys = {key for arg in described for key in arg["keys"]} | set(include)
        parent = self._stack[-1] if self._stack else None
        above = parent["key"] if parent is not None and parent["op"] == name else None
        node: Node = {
            "op": name,
            "key": key,
            "kernel": "",
            "alias": None,
            "opaque": None,
            "line": self._lines.line(),
            "args": described,
            "tls": {"include": list(include), "exclude": list(exclude)},
            "registered": table.registered_at(name, key),
            # Computed from the table, not observed.
            "skipped": table.skipped(name, key, tuple(sorted(keys - set(exclude))), above),
            "children": [],
            "raised": None,
            "stops": 1,
        }
        (self.calls if parent is None else parent["children"]).append(node)
        self._stack.append(node)
        return node

    def _leave(self, node: Node) -> None:
        self._stack.pop()
        if self._stack:
            self._stack[-1]["stops"] += node["stops"]

    def _compiled(self, name: str, call: Callable[[], Any]) -> Any:
        """Note a compiled graph as one stop: its calls do not dispatch."""
        if self._compiling or threading.get_ident() != self._thread:
            return call()
        self.num_stops += 1
        node: Node = {
            "op": name,
            "key": "compiled",
            "kernel": "compiled",
            "alias": None,
            "opaque": "compiled",
            "line": self._lines.line(),
            "args": [],
            "tls": {"include": [], "exclude": []},
            "registered": None,
            "skipped": [],
            "children": [],
            "raised": None,
            "stops": 1,
        }
        (self._stack[-1]["children"] if self._stack else self.calls).append(node)
        self._stack.append(node)
        try:
            return call()
        except BaseException as error:
            node["raised"] = type(error).__name__
            raise
        finally:
            self._leave(node)


def _describe_args(operator: Any, args: Any, kwargs: Any) -> list[dict[str, Any]]:
    names = [argument.name for argument in private.schema_of(operator).arguments]
    named = [*zip(names, args, strict=False), *kwargs.items()]
    described = []
    for name, value in named:
        if isinstance(value, torch.Tensor):
            described.append(describe_tensor(name, value))
        elif isinstance(value, list | tuple):
            described += [
                describe_tensor(f"{name}[{index}]", each)
                for index, each in enumerate(value)
                if isinstance(each, torch.Tensor)
            ]
    return described


def describe_tensor(name: str, tensor: torch.Tensor) -> dict[str, Any]:
    """Describe a tensor without calling an operator; what cannot be read is null."""
    return {
        "name": name,
        "shape": _read(lambda: [_plain(size) for size in torch.Tensor.size(tensor)], tensor),
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "stride": _read(lambda: [_plain(step) for step in torch.Tensor.stride(tensor)], tensor),
        "keys": list(private.keys_of(tensor)),
    }


def _plain(size: Any) -> int | str:
    """Return a size; one that is a symbol, as under FakeTensor, by its name."""
    return size if type(size) is int else str(size)


def _read(what: Callable[[], Any], tensor: torch.Tensor) -> Any:
    # Sparse and nested tensors have no stride, or no size that can be asked.
    if tensor.layout is not torch.strided or _is_nested(tensor):
        return None
    try:
        return what()
    except (RuntimeError, NotImplementedError):
        return None


def _is_nested(tensor: torch.Tensor) -> bool:
    return bool(tensor.is_nested) if type(tensor) in (torch.Tensor, torch.nn.Parameter) else False
