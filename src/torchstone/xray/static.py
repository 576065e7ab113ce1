"""The dispatch tree where the hook is missing: calls are observed, their stops are computed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from torchstone.xray import private, probes, table
from torchstone.xray.limits import MAX_STOPS
from torchstone.xray.lines import LineFinder


class StaticTrace:
    """Note the operators that reach the backend; which keys they pass is read from the table."""

    def __init__(self, lines: LineFinder, *, limit: int = MAX_STOPS) -> None:
        self.calls: list[dict[str, Any]] = []
        self.num_stops = self.num_cut = 0
        self._lines, self._limit = lines, limit

    @contextmanager
    def on(self) -> Iterator[StaticTrace]:
        """Note the calls of the block."""
        trace = self

        class Mode(TorchDispatchMode):
            def __torch_dispatch__(
                self, func: Any, types: Any, args: Any = (), kwargs: Any = None
            ) -> Any:
                trace.note(func, args)
                return func(*args, **(kwargs or {}))

        with Mode():  # type: ignore[no-untyped-call]
            yield self

    def data(self, _: object = None) -> dict[str, Any]:
        """Return what was seen, as the scene has it."""
        return {
            "calls": self.calls,
            "stops": self.num_stops,
            "modes": {},
            "truncated": {"stops": self.num_cut} if self.num_cut else {},
            "not_followed": [],
        }

    def note(self, operator: Any, args: Any) -> None:
        """Note a call."""
        if self.num_stops >= self._limit:
            self.num_cut += 1
            return
        self.num_stops += 1
        name = operator.name()
        tensors = [each for each in args if isinstance(each, torch.Tensor)]
        rows = table.rows_of(name) if not probes.missing("table") else {}
        keys = {key for tensor in tensors for key in _keys(tensor)}
        asked = next((key for key in reversed(rows) if key in keys), "CPU")
        self.calls.append(
            {
                "op": name,
                "key": asked,
                "kernel": asked,
                "alias": None,
                "opaque": "computed",
                "line": self._lines.line(),
                "args": [],
                "tls": {"include": [], "exclude": []},
                "registered": rows.get(asked, {}).get("registered"),
                "skipped": [],
                "children": [],
                "raised": None,
                "stops": 1,
            }
        )


def _keys(tensor: torch.Tensor) -> tuple[str, ...]:
    return private.keys_of(tensor) if hasattr(torch._C, "_dispatch_keys") else ("CPU",)
