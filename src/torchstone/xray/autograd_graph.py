"""The autograd graph of a program's backward: nodes, what they saved, and the order they ran in."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from torchstone.xray import private
from torchstone.xray.limits import MAX_NODES
from torchstone.xray.lines import LineFinder
from torchstone.xray.module_stack import ModuleNames, module_calls

Node = dict[str, Any]
Saved = dict[str, dict[str, Any]]
_VERSIONS = re.compile(r"is at version (\d+); expected version (\d+)")
# What is not known of a saved tensor that cannot be read, or must not be.
_UNREAD: dict[str, Any] = dict.fromkeys(
    ("shape", "dtype", "bytes", "storage", "storage_bytes", "version_saved", "version_now")
)


class GraphWatch:
    """Walk the graph of the first backward before it runs, and note in which order it runs.

    A program without a backward has its graph walked at its end, from the tensors that it named.
    """

    def __init__(self, lines: LineFinder, *, limit: int = MAX_NODES) -> None:
        self._lines, self._limit = lines, limit
        self._walk: _Walk | None = None
        self._order: list[int] = []
        self._num_backwards = 0
        self._modules: dict[Any, torch.nn.Module] = {}

    @contextmanager
    def on(self) -> Iterator[GraphWatch]:
        """Watch the backward of the block."""
        with (
            _noting_lines(),
            module_calls(after=self._left),
            private.backwards(self._around),
        ):
            yield self

    def data(self, ran: Any = None) -> dict[str, Any]:
        """Return the graph."""
        space = {} if ran is None else ran.space
        if self._walk is None:
            self._walk = self._walked(_roots(space))
        walk = self._walk
        names = ModuleNames(space)
        nodes = [walk.described(node, names) for node in walk.nodes]
        cut = {"nodes": walk.num_cut} if walk.num_cut else {}
        more = self._num_backwards - 1
        return {
            "nodes": nodes,
            "edges": walk.edges,
            "order": self._order,
            "totals": walk.totals(nodes),
            "truncated": cut | ({"backwards": more} if more > 0 else {}),
        }

    def look_at(self, roots: Sequence[torch.Tensor]) -> None:
        """Walk the graph that leads to some tensors."""
        self._walk = self._walked(roots)

    def _around(self, roots: Any, run: Callable[[], Any]) -> Any:
        if not self._lines.is_wanted() or self._lines.line() is None:
            return run()
        self._num_backwards += 1
        if self._num_backwards > 1:
            return run()
        found = [root for root in _tuple(roots) if isinstance(root, torch.Tensor)]
        self._walk = walk = self._walked(found)
        handles = [
            node.register_prehook(lambda _, number=number: self._order.append(number))
            for number, node in enumerate(walk.nodes)
        ]
        try:
            return run()
        finally:
            for handle in handles:
                handle.remove()

    def _walked(self, roots: Sequence[torch.Tensor]) -> _Walk:
        walk = _Walk(self._limit, self._modules)
        walk.follow([root.grad_fn for root in roots if root.grad_fn is not None])
        return walk

    def _left(self, module: torch.nn.Module, inputs: Any, outputs: Any) -> None:
        """Note which nodes a module has made: those up to its inputs that nobody claimed."""
        ends = {tensor.grad_fn for tensor in _tensors(inputs)}
        todo = [tensor.grad_fn for tensor in _tensors(outputs)]
        while todo:
            node = todo.pop()
            if node is None or node in ends or node in self._modules or _is_leaf(node):
                continue
            self._modules[node] = module
            todo += [before for before, _ in node.next_functions]


class _Walk:
    """The nodes that lead from some tensors to the leaves, each described when it is reached."""

    def __init__(self, limit: int, modules: dict[Any, torch.nn.Module]) -> None:
        self.nodes: list[Any] = []
        self.edges: list[list[int]] = []
        self.num_cut = 0
        self._limit, self._modules = limit, modules
        self._numbers: dict[Any, int] = {}
        self._found: list[Node] = []
        # The storage of each saved tensor, kept alive so that its number stays its own.
        self._storages: dict[int, tuple[int, torch.UntypedStorage]] = {}
        self._leaves: list[torch.Tensor | None] = []
        self._parameters: set[int] = set()

    def follow(self, roots: Sequence[Any]) -> None:
        """Walk from the roots, those of the last operations first."""
        todo = list(reversed(roots))
        while todo:
            node = todo.pop()
            if node in self._numbers:
                continue
            if len(self.nodes) >= self._limit:
                self.num_cut += 1
                continue
            self._numbers[node] = len(self.nodes)
            self.nodes.append(node)
            self._found.append(self._describe(node))
            todo += [before for before, _ in reversed(node.next_functions) if before is not None]
        for node in self.nodes:
            for slot, (before, index) in enumerate(node.next_functions):
                if before in self._numbers:
                    self.edges.append([self._numbers[node], slot, self._numbers[before], index])

    def _describe(self, node: Any) -> Node:
        leaf = getattr(node, "variable", None)
        self._leaves.append(leaf)
        if isinstance(leaf, torch.nn.Parameter):
            self._parameters.add(private.storage_key(leaf))
        return {
            "id": len(self.nodes) - 1,
            "name": node.name(),
            "seq": private.sequence_number(node),
            "leaf": None,
            "module": None,
            "line": _line_of(node),
            "inputs": private.input_shapes(node),
            "saved": self._saved(node),
            "scalars": private.scalars_of(node),
            "next": [],
        }

    def described(self, node: Any, names: ModuleNames) -> Node:
        """Return a node with the names that its leaf and its module have in the program."""
        number = self._numbers[node]
        found, leaf = self._found[number], self._leaves[number]
        module = self._modules.get(node)
        for saved in found["saved"].values():
            saved["is_parameter"] = saved.pop("_key", None) in self._parameters
        return found | {
            "leaf": None if leaf is None else names.of_tensor(leaf) or "leaf",
            "module": None if module is None else names.of_module(module),
            "next": [
                None if n is None else [self._numbers.get(n), i] for n, i in node.next_functions
            ],
        }

    def totals(self, nodes: Sequence[Node]) -> dict[str, int]:
        """Sum what is kept: as often as it is saved, once, and without parameters."""
        saved = [each for node in nodes for each in node["saved"].values()]
        saved = [each for each in saved if each["bytes"] is not None]
        distinct = {each["storage"]: each for each in saved if each["storage"] is not None}
        return {
            "saved_bytes": sum(each["bytes"] for each in saved),
            "distinct_bytes": sum(each["storage_bytes"] for each in distinct.values()),
            "activation_bytes": sum(
                each["storage_bytes"] for each in distinct.values() if not each["is_parameter"]
            ),
        }

    def _saved(self, node: Any) -> Saved:
        found: Saved = {}
        if isinstance(node, torch.autograd.function.BackwardCFunction):
            return self._saved_by_python(node)
        for name in private.saved_names(node):
            is_list = private.is_list_of_saved(node, name)
            for index, handle in enumerate(private.saved_handles(node, name)):
                key = f"{name}[{index}]" if is_list else name
                state = self._state(node, name, index, handle, is_list=is_list)
                if state is not None:
                    found[key] = state
        return found

    def _state(
        self, node: Any, name: str, index: int, handle: Any, *, is_list: bool
    ) -> dict[str, Any] | None:
        if private.has_hook(handle):
            # To unpack may compute again, as under checkpointing: it is left alone.
            value = private.packed(handle)
            kept = self._live(value) if isinstance(value, torch.Tensor) else _UNREAD
            return kept | {"state": "packed"}
        try:
            value = private.saved_value(node, name, index, is_list=is_list)
        except RuntimeError as error:
            return _spoiled(str(error))
        return None if value is None else self._live(value)

    def _saved_by_python(self, node: Any) -> Saved:
        try:
            values = node.saved_tensors
        except RuntimeError as error:
            return {"saved_tensors": _spoiled(str(error))}
        return {
            f"saved_tensors[{index}]": self._live(value)
            for index, value in enumerate(values)
            if value is not None
        }

    def _live(self, tensor: torch.Tensor) -> dict[str, Any]:
        version = private.version_of(tensor)
        storage, key = self._storage(tensor)
        return {
            "state": "live",
            "shape": [int(size) for size in tensor.shape] if not tensor.is_nested else None,
            "dtype": str(tensor.dtype).removeprefix("torch."),
            "bytes": tensor.numel() * tensor.element_size(),
            "storage": storage,
            "storage_bytes": tensor.untyped_storage().nbytes() if storage is not None else 0,
            # A tensor can only be read as long as both are equal.
            "version_saved": version,
            "version_now": version,
            "_key": key,
        }

    def _storage(self, tensor: torch.Tensor) -> tuple[str | None, int | None]:
        if tensor.layout is not torch.strided or tensor.is_nested:
            return None, None
        key = private.storage_key(tensor)
        number, _ = self._storages.setdefault(key, (len(self._storages), tensor.untyped_storage()))
        return f"s{number}", key


def _spoiled(words: str) -> dict[str, Any]:
    """Describe a saved tensor that cannot be read, with the sentence of PyTorch."""
    if "modified by an inplace" in words:
        found = _VERSIONS.search(words)
        now, saved = map(int, found.groups()) if found else (None, None)
        versions = {"version_saved": saved, "version_now": now}
        return _UNREAD | versions | {"state": "modified", "words": words}
    return _UNREAD | {"state": "freed", "words": words}


@contextmanager
def _noting_lines() -> Iterator[None]:
    """Have each node keep the stack on which it was made, as anomaly detection does."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Anomaly Detection has been enabled")
        detection = torch.autograd.set_detect_anomaly(True, check_nan=False)
    with detection:
        yield


def _line_of(node: Any) -> int | None:
    """Return the innermost line of the program on the stack that a node has kept."""
    stack = node.metadata.get("traceback_", ())
    own = [found for frame in stack if (found := _FRAME.match(frame)) and _is_own(found[1])]
    return int(own[-1][2]) if own else None


_FRAME = re.compile(r'\s*File "([^"]+)", line (\d+)')


def _is_own(file: str) -> bool:
    return not any(part in file for part in ("/torch/", "/torchstone/", "<frozen", "/pytest"))


def _roots(space: dict[str, Any]) -> list[torch.Tensor]:
    tensors = [each for each in list(space.values()) if isinstance(each, torch.Tensor)]
    return [each for each in reversed(tensors) if each.grad_fn is not None]


def _tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [each for item in _tuple(value) for each in _tensors(item)] if _holds(value) else []


def _holds(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) > 0


def _is_leaf(node: Any) -> bool:
    return hasattr(node, "variable")
