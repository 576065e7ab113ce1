from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd.graph import get_gradient_edge


def graph_of(outputs: Tensor | Sequence[Tensor], names: Mapping[str, Tensor] | None = None) -> dict:
    """Describe the autograd graph behind some outputs as plain data."""
    roots = [get_gradient_edge(output) for output in _checked(outputs)]
    order = _topological([edge.node for edge in roots])
    ids = {fn: number for number, fn in enumerate(order)}
    # What a node may have saved is known by its type; there are far fewer types than nodes.
    attributes = {kind: _saved_attributes(kind) for kind in set(map(type, order))}
    storages: dict[int, int] = {}
    return {
        "roots": [[ids[edge.node], edge.output_nr] for edge in roots],
        "nodes": [
            _describe(fn, ids[fn], names or {}, _saved(fn, attributes[type(fn)]), storages)
            for fn in order
        ],
        "edges": [
            {"src": ids[producer], "dst": ids[consumer], "output_nr": output_nr, "slot": slot}
            for consumer in order
            for slot, (producer, output_nr) in enumerate(consumer.next_functions)
            if producer is not None
        ],
        "saved_bytes": sum(storages.values()),
    }


def _checked(outputs: Tensor | Sequence[Tensor]) -> list[Tensor]:
    items = [outputs] if isinstance(outputs, Tensor) else outputs
    if not isinstance(items, (list, tuple)) or not all(isinstance(t, Tensor) for t in items):
        raise TypeError("outputs must be a tensor, or a list or tuple of tensors")
    if not items or not all(t.requires_grad for t in items):
        raise ValueError("outputs must be at least one tensor, and each must require grad")
    return list(items)


def _topological(starts: list[Any]) -> list[Any]:
    # A node is listed after all its producers: depth first, each node when its inputs are done.
    # The stack is a list of iterators, so that a long chain needs no recursion.
    order, seen = [], set()
    for start in starts:
        if start in seen:
            continue
        seen.add(start)
        stack = [(start, iter(start.next_functions))]
        while stack:
            fn, inputs = stack[-1]
            for producer, _ in inputs:
                if producer is not None and producer not in seen:
                    seen.add(producer)
                    stack.append((producer, iter(producer.next_functions)))
                    break
            else:
                order.append(fn)
                stack.pop()
    return order


def _describe(
    fn: Any,
    number: int,
    names: Mapping[str, Tensor],
    tensors: Iterator[tuple[str, Tensor | None]],
    storages: dict[int, int],
) -> dict:
    is_leaf = fn.name().endswith("::AccumulateGrad")
    matching = (label for label, t in names.items() if is_leaf and fn.variable is t)
    saved = []
    # No two names are the same, so no tensors are compared.
    for name, tensor in sorted(tensors):
        if tensor is None:
            saved.append({"name": name, "shape": None, "dtype": None})
            continue
        saved.append({"name": name, "shape": list(tensor.shape), "dtype": _dtype(tensor.dtype)})
        # One entry for each storage, however many tensors look at it.
        storage = tensor.untyped_storage()
        storages[storage.data_ptr()] = storage.nbytes()
    return {
        "id": number,
        "name": fn.name(),
        "kind": "leaf" if is_leaf else "op",
        "label": next(matching, None),
        "outputs": [{"shape": list(m.shape), "dtype": _dtype(m.dtype)} for m in fn._input_metadata],
        "saved": saved,
    }


def _saved_attributes(kind: type) -> dict[str, str]:
    """Return where nodes of a type keep what they saved, and the name of each in a description."""
    if issubclass(kind, torch.autograd.function.BackwardCFunction):
        return {"saved_tensors": "saved_tensors"}
    return {a: a.removeprefix("_saved_") for a in dir(kind) if a.startswith("_saved_")}


def _saved(fn: Any, attributes: dict[str, str]) -> Iterator[tuple[str, Tensor | None]]:
    """Yield what a node saved for backward; None stands for what can no longer be read."""
    for attribute, name in attributes.items():
        try:
            value = getattr(fn, attribute)
        except RuntimeError:
            yield name, None
            continue
        if isinstance(value, Tensor):
            yield name, value
        elif isinstance(value, (tuple, list)):
            # An entry may be None: x[:, i] has an index for the second dimension only.
            items = enumerate(value)
            yield from ((f"{name}[{i}]", item) for i, item in items if isinstance(item, Tensor))


def _dtype(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def to_dot(graph: dict) -> str:
    """Draw a description in the language of Graphviz."""
    lines = ["digraph autograd {", "  rankdir=LR;", "  node [shape=box];"]
    for node in graph["nodes"]:
        texts = [node["name"]]
        if node["label"] is not None:
            texts.append(node["label"])
        texts += [f"{output['shape']} {output['dtype']}" for output in node["outputs"]]
        label = _escape("\n".join(texts))
        lines.append(f'  n{node["id"]} [label="{label}"];')
    lines += [f"  n{edge['src']} -> n{edge['dst']};" for edge in graph["edges"]]
    return "\n".join([*lines, "}"])


def _escape(text: str) -> str:
    # The backslash first, or those that the other two bring would be doubled.
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
