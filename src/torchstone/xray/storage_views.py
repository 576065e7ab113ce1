"""Storages and their views: which cells each tensor visits, and what was written when."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from torchstone.xray import private
from torchstone.xray.limits import MAX_CELLS, MAX_EVENTS, MAX_LISTED_CELLS
from torchstone.xray.lines import LineFinder

View = dict[str, Any]
_PLAIN = (torch.Tensor, torch.nn.Parameter)


class StorageWatch:
    """Note what happens to storages, and describe those that a program has named at its end."""

    def __init__(self, lines: LineFinder, *, limit: int = MAX_EVENTS) -> None:
        self._lines, self._limit = lines, limit
        self._timeline: list[dict[str, Any]] = []
        self._num_cut = 0
        # Writes whose version is read at the next operator: it is counted after the kernel.
        self._written: list[tuple[dict[str, Any], weakref.ref[torch.Tensor]]] = []
        # The number of each storage that lives, in order of appearance.
        self._ids: dict[int, str] = {}
        self._num_storages = 0

    @contextmanager
    def on(self) -> Iterator[StorageWatch]:
        """Watch the operators of the block."""
        watch = self

        class Mode(TorchDispatchMode):
            def __torch_dispatch__(
                self, func: Any, types: Any, args: Any = (), kwargs: Any = None
            ) -> Any:
                result = func(*args, **(kwargs or {}))
                watch.note(func, args, kwargs or {}, result)
                return result

        with Mode():  # type: ignore[no-untyped-call]
            yield self

    def note(self, operator: Any, args: Any, kwargs: Any, result: Any) -> None:
        """Note what an operator has made or written."""
        self._read_versions()
        written = [
            value
            for argument, value in zip(private.schema_of(operator).arguments, args, strict=False)
            if argument.alias_info is not None and argument.alias_info.is_write
        ]
        written += [kwargs["out"]] if "out" in kwargs else []
        for tensor in tree_leaves(written):
            self._event("write", operator, tensor)
        for tensor in tree_leaves(result):
            if isinstance(tensor, torch.Tensor) and not any(tensor is each for each in written):
                is_new = _key_of(tensor) not in self._ids
                self._event("new" if is_new else "view", operator, tensor)

    def _event(self, event: str, operator: Any, tensor: Any) -> None:
        if not isinstance(tensor, torch.Tensor) or _why_opaque(tensor) is not None:
            return
        storage = self._id(tensor)
        line = self._lines.line()
        if line is None or not self._lines.is_wanted():
            return
        if len(self._timeline) >= self._limit:
            self._num_cut += 1
            return
        noted = {
            "line": line,
            "event": event,
            "op": str(operator),
            "storage": storage,
            "version": private.version_of(tensor),
        }
        self._timeline.append(noted)
        if event == "write":
            self._written.append((noted, weakref.ref(tensor)))

    def _read_versions(self) -> None:
        for event, tensor in self._written:
            found = tensor()
            event["version"] = None if found is None else private.version_of(found)
        self._written.clear()

    def _id(self, tensor: torch.Tensor) -> str:
        key = private.storage_key(tensor)
        if key not in self._ids:
            self._ids[key] = f"s{self._num_storages}"
            self._num_storages += 1
            weakref.finalize(tensor.untyped_storage(), self._ids.pop, key, None)
        return self._ids[key]

    def data(self, ran: Any = None, space: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the storages of the tensors that have a name."""
        self._read_versions()
        found = named_tensors(ran.space if ran is not None else space or {})
        storages: dict[str, dict[str, Any]] = {}
        opaque, num_uncounted = [], 0
        for name, tensor in found.items():
            why = _why_opaque(tensor)
            if why is not None:
                opaque.append({"name": name, "why": why})
                continue
            view = describe_view(name, tensor, found)
            num_uncounted += view["cells"] is None and tensor.numel() > 0
            storage = tensor.untyped_storage()
            described = storages.setdefault(
                self._id(tensor),
                {
                    "id": self._id(tensor),
                    "bytes": storage.nbytes(),
                    "resizable": storage.resizable(),
                    "shared": storage.is_shared(),
                    "cow": private.is_copy_on_write(tensor),
                    "views": [],
                },
            )
            described["views"].append(view)
        truncated = {"events": self._num_cut, "cells": num_uncounted}
        return {
            "storages": list(storages.values()),
            "opaque": opaque,
            "timeline": self._timeline,
            "truncated": {what: count for what, count in truncated.items() if count},
        }


def named_tensors(space: dict[str, Any]) -> dict[str, torch.Tensor]:
    """Return the tensors of a namespace by name, with those in its lists and modules."""
    found: dict[str, torch.Tensor] = {}
    for name, value in list(space.items()):
        if not name.startswith("__"):
            found |= {inner: each for inner, each in _within(name, value) if _is_tensor(each)}
    return found


def _within(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, list | tuple):
        yield from ((f"{name}[{index}]", each) for index, each in enumerate(value))
    elif isinstance(value, dict):
        yield from ((f"{name}[{key!r}]", each) for key, each in value.items())
    elif isinstance(value, torch.nn.Module):
        yield from ((f"{name}.{inner}", each) for inner, each in value.named_parameters())
    else:
        yield name, value


def _is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def describe_view(name: str, tensor: torch.Tensor, space: dict[str, torch.Tensor]) -> View:
    """Describe how a tensor lies in its storage; the cells are counted in elements of its dtype."""
    visited = _cells(tensor)
    base = private.base_of(tensor)
    return {
        "name": name,
        "shape": list(tensor.shape),
        "stride": list(tensor.stride()),
        "offset": tensor.storage_offset(),
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "contiguous": tensor.is_contiguous(),
        "base": next((other for other, each in space.items() if each is base), None),
        "is_view": base is not None,
        "version": private.version_of(tensor),
        "conj": tensor.is_conj(),
        "neg": tensor.is_neg(),
        "overlaps": visited is not None and len(set(visited)) < len(visited),
        "cells": visited,
    }


def _cells(tensor: torch.Tensor) -> list[int] | None:
    """Return the cells in the order in which the tensor visits them; None if there are too many."""
    num_cells = tensor.untyped_storage().nbytes() // tensor.element_size()
    if tensor.numel() == 0:
        return []
    if tensor.numel() > MAX_LISTED_CELLS or num_cells > MAX_CELLS:
        return None
    cells = torch.arange(num_cells)
    visited = torch.as_strided(cells, tensor.shape, tensor.stride(), tensor.storage_offset())
    return [int(cell) for cell in visited.flatten().tolist()]


def _why_opaque(tensor: torch.Tensor) -> str | None:
    """Return why a tensor has no cells that can be shown; None if it has."""
    if tensor.layout is not torch.strided:
        return str(tensor.layout).removeprefix("torch.")
    if type(tensor) not in _PLAIN:
        return type(tensor).__name__
    if private.is_opaque(tensor):
        return "functorch"
    if tensor.is_nested:
        return "nested"
    return tensor.device.type if tensor.device.type != "cpu" else None


def _key_of(tensor: torch.Tensor) -> int | None:
    return private.storage_key(tensor) if _why_opaque(tensor) is None else None
