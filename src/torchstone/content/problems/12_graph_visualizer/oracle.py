"""Know the graph of problem 12: build it from the same recipe, and read it by another walk."""

from __future__ import annotations

import functools
import math
import warnings
from pathlib import Path
from typing import Any

import torch

from torchstone.judge.kit import (
    Case,
    Exact,
    Expected,
    Holds,
    Raises,
    Want,
    bound,
    equal,
    numbers,
)
from torchstone.judge.kit.problem import load_module

ZOO = load_module(Path(__file__).with_name("probe.py"))
# Time per node of a linear walk does not grow: the exponent is 1. That of a search in a list is 2.
MOST_GROWTH = 1.3


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    truth = Truth(None, case.secret["data"], None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        truth.act()
    return truth.answer


class Truth(ZOO.Scene):  # type: ignore[misc]
    """Act out a script; each action leaves what is expected of it."""

    def look(self, outputs: Any, mode: str = "") -> None:
        """Expect every field of the description, and that nothing else happened."""
        at, given = f"{self.looks}.", self.outputs(outputs)
        self.looks += 1
        graph = read(list(given) if isinstance(given, (list, tuple)) else [given], self.names())
        fields, index = ZOO.fields_of(graph, [])
        if mode == "digest":
            whole = [fields[name] for name in ZOO.FIELDS]
            self.expect(f"{at}recursion_limit", ZOO.PYTHON_LIMIT)
            self.expect(f"{at}digest", ZOO.sha256(repr(whole).encode()).hexdigest())
            return
        # Until `layout`, bytes count only where each storage is saved once.
        if not self.data["bytes"] and not _saves_each_once(graph):
            del fields["saved_bytes"]
        if self.data["facts"] == "values":
            del fields["form_faults"]
        for name, value in fields.items():
            self.expect(f"{at}{name}", value)
        for name, value in _drawn(graph, index).items():
            self.expect(f"{at}{name}", value)
        self.answer[f"{at}drawn"] = DRAWN
        if self.data["facts"] == "all":
            for name in ("operators_run", "second_look_differs_in", "changed_by_look"):
                self.expect(f"{at}{name}", [])

    def expect(self, key: str, value: Any) -> None:
        """Expect exactly this value under a key."""
        name = key.partition(".")[2]
        aspect = "property" if name in PROPERTIES else "value"
        self.answer[key] = Exact(value, aspect=aspect)

    def gradients(self, names: list[str]) -> None:
        """Expect the gradients that a graph gives at which nobody looked."""
        super().gradients(names)
        self.answer["intact"] = INTACT
        for key, value in self.answer.items():
            if key.startswith("grad.") and isinstance(value, torch.Tensor):
                scale = value.abs().max() if value.numel() else value
                limit = bound(scale.detach().double(), 8, value.dtype)
                exact = value.detach().double()
                self.answer[key] = Want(exact, limit, value.dtype, aspect="grad")

    def backward(self, name: str, retain: bool = False) -> None:
        """Expect that it can be run."""
        super().backward(name, retain)
        self.answer["intact"] = INTACT

    def leak(self, outputs: Any) -> None:
        """Expect that nothing is kept alive."""
        self.answer["tensors_kept_alive"] = Exact([])

    def growth(self, leaf: str, length: int) -> None:
        """Expect that four times as many nodes take about four times as long."""
        self.answer["growth"] = Holds(_grows_slowly, GROWTH, takes=numbers(2), truth=[1, 4])

    def refuse(self, wrong: str, output: str, constant: str) -> None:
        """Expect a TypeError or a ValueError."""
        error = TypeError if wrong in NO_TENSORS else ValueError
        self.answer[f"{wrong}.raised"] = Raises(error)

    def draw(self, graphs: list[dict[str, Any]]) -> None:
        """Expect the drawing of descriptions that were made up."""
        for position, graph in enumerate([*graphs, graphs[0]]):
            for name, value in _drawn(graph, ZOO.fields_of(graph, [])[1]).items():
                self.expect(f"drawing{position}.{name}", value)
            self.expect(f"drawing{position}.changed_by_look", [])
            self.answer[f"drawing{position}.drawn"] = DRAWN


def read(outputs: list[torch.Tensor], names: dict[str, torch.Tensor] | None) -> dict[str, Any]:
    """Describe a graph: finish a node when all its inputs are finished."""
    ids: dict[Any, int] = {}
    edges: list[dict[str, int]] = []
    roots = [torch.autograd.graph.get_gradient_edge(output) for output in outputs]
    stack = [edge.node for edge in reversed(roots)]
    while stack:
        fn = stack[-1]
        missing = [n for n, _ in fn.next_functions if n is not None and n not in ids]
        if fn in ids or not missing:
            stack.pop()
            if fn not in ids:
                ids[fn] = len(ids)
                edges += [
                    {"src": ids[n], "dst": ids[fn], "output_nr": output_nr, "slot": slot}
                    for slot, (n, output_nr) in enumerate(fn.next_functions)
                    if n is not None
                ]
        else:
            stack += reversed(missing)
    storages: dict[int, int] = {}
    return {
        "roots": [[ids[edge.node], edge.output_nr] for edge in roots],
        "nodes": [_node(fn, number, names or {}, storages) for fn, number in ids.items()],
        "edges": edges,
        "saved_bytes": sum(storages.values()),
    }


def _node(fn: Any, number: int, names: dict[str, Any], storages: dict[int, int]) -> dict[str, Any]:
    is_leaf = type(fn).__name__ == "AccumulateGrad"
    labels = [label for label, t in names.items() if is_leaf and fn.variable is t]
    saved = []
    for name, t in sorted(_saved(fn).items()):
        saved.append({"name": name, "shape": t and t[0], "dtype": t and t[1]})
        if t:
            storages[t[2]] = t[3]
    return {
        "id": number,
        "name": fn.name(),
        "kind": "leaf" if is_leaf else "op",
        "label": labels[0] if labels else None,
        "outputs": [{"shape": list(m.shape), "dtype": _name(m.dtype)} for m in fn._input_metadata],
        "saved": saved,
    }


Found = tuple[list[int], str, int, int]


def _saved(fn: Any) -> dict[str, Found | None]:
    """Read what a node saved: shape, dtype, storage and its bytes; None if it cannot be read."""
    found: dict[str, Found | None] = {}
    for name, attribute in _attributes(type(fn)):
        try:
            value = getattr(fn, attribute)
        except RuntimeError:
            found[name] = None
            continue
        if isinstance(value, torch.Tensor):
            found[name] = _look_at(value)
        elif isinstance(value, (list, tuple)):
            tensors = [(i, t) for i, t in enumerate(value) if isinstance(t, torch.Tensor)]
            found |= {f"{name}[{i}]": _look_at(t) for i, t in tensors}
    return found


@functools.cache
def _attributes(kind: type) -> list[tuple[str, str]]:
    """List what nodes of a type may have saved, by its name and by the attribute that holds it."""
    if issubclass(kind, torch.autograd.function.BackwardCFunction):
        return [("saved_tensors", "saved_tensors")]
    return [(a.removeprefix("_saved_"), a) for a in dir(kind) if a.startswith("_saved_")]


def _look_at(t: torch.Tensor) -> Found:
    storage = t.untyped_storage()
    return list(t.shape), _name(t.dtype), storage._cdata, storage.nbytes()


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _saves_each_once(graph: dict[str, Any]) -> bool:
    """Return whether the sum over all saved tensors is the sum over storages."""
    sizes = [
        math.prod(s["shape"]) * getattr(torch, s["dtype"]).itemsize
        for node in graph["nodes"]
        for s in node["saved"]
        if s["shape"] is not None
    ]
    return sum(sizes) == graph["saved_bytes"]


def _drawn(graph: dict[str, Any], index: dict[int, int]) -> dict[str, Any]:
    """Return what a drawing must say, in canonical numbers."""
    nodes = {node["id"]: node for node in graph["nodes"]}
    labels = []
    for node in (nodes[number] for number in index):
        lines = [node["name"]] + [node["label"]] * (node["label"] is not None)
        lines += [f"{each['shape']} {each['dtype']}" for each in node["outputs"]]
        labels.append("\n".join(lines))
    edges = sorted([index[e["src"]], index[e["dst"]]] for e in graph["edges"])
    return {"dot.faults": [], "dot.labels": labels, "dot.edges": edges}


def _grows_slowly(times: list[float]) -> bool:
    return times[0] > 0 and math.log(max(times[1], 1) / times[0], 4) <= MOST_GROWTH


def _is_what_was_read(drawn: Any) -> bool:
    """Return whether the text says what was read in the process of the submission."""
    if type(drawn) is not dict or drawn.keys() != {"text", "ids", "found"}:
        return False
    text, ids = drawn["text"], drawn["ids"]
    if type(ids) is not list or any(isinstance(each, (list, dict, torch.Tensor)) for each in ids):
        return False
    found = ZOO.dot_fields(text, {each: number for number, each in enumerate(ids)})
    return equal(found, drawn["found"])


DRAWN = Holds(
    _is_what_was_read,
    {
        "en": "the labels and edges that were read must be in the text of to_dot",
        "zh": "读到的标签与边应就在 to_dot 的文本里",
    },
    aspect="value",
)
INTACT = Exact(
    True,
    note={
        "en": "backward must still be possible after a look at the graph",
        "zh": "查看之后，图应仍能反向传播",
    },
)
GROWTH = {
    "en": "a chain four times as long must take about four times as long (nanoseconds of both)",
    "zh": "链长为四倍时，耗时也应约为四倍（两次的纳秒数）",
}
NO_TENSORS = {
    "a number",
    "None",
    "text",
    "a dict",
    "a set",
    "a generator",
    "a list with a number",
    "a list with None",
    "a list in a list",
}
PROPERTIES = {"form_faults", "operators_run", "second_look_differs_in", "changed_by_look"}
