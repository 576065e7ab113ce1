# style: graphlib orders the nodes; addresses are ids; json quotes the labels
import json
from graphlib import TopologicalSorter

import torch
from torch.autograd.graph import get_gradient_edge


def graph_of(outputs, names=None):
    starts = [get_gradient_edge(t) for t in validated(outputs)]
    inputs = {}
    frontier = {edge.node for edge in starts}
    while frontier:
        fn = frontier.pop()
        inputs[fn] = list(fn.next_functions)
        frontier |= {g for g, _ in inputs[fn] if g is not None and g not in inputs}
    sorter = TopologicalSorter({fn: {g for g, _ in row if g} for fn, row in inputs.items()})
    number = {fn: id(fn) for fn in sorter.static_order()}
    labels = {}
    for name, tensor in reversed(list((names or {}).items())):
        labels[id(tensor)] = name
    memory = {}
    graph = {"roots": [], "nodes": [], "edges": [], "saved_bytes": 0}
    for fn in number:
        tensors = read(fn)
        for tensor in tensors.values():
            if tensor is not None:
                memory[tensor.untyped_storage()._cdata] = tensor.untyped_storage().nbytes()
        leaf = type(fn).__name__ == "AccumulateGrad"
        graph["nodes"].append(
            {
                "id": number[fn],
                "name": fn.name(),
                "kind": ("op", "leaf")[leaf],
                "label": labels.get(id(fn.variable)) if leaf else None,
                "outputs": [look(meta) for meta in fn._input_metadata],
                "saved": [{"name": key} | look(tensors[key]) for key in sorted(tensors)],
            }
        )
        for slot, (producer, output_nr) in enumerate(inputs[fn]):
            if producer is not None:
                pair = {"src": number[producer], "dst": number[fn]}
                graph["edges"].append(pair | {"output_nr": output_nr, "slot": slot})
    graph["roots"] = [[number[edge.node], edge.output_nr] for edge in starts]
    graph["saved_bytes"] = sum(memory.values())
    return graph


def validated(outputs):
    match outputs:
        case torch.Tensor():
            outputs = (outputs,)
        case list() | tuple():
            if not all(isinstance(item, torch.Tensor) for item in outputs):
                raise TypeError("not all of them are tensors")
        case _:
            raise TypeError(type(outputs))
    if not outputs:
        raise ValueError("no outputs")
    if not all(item.requires_grad for item in outputs):
        raise ValueError("an output has no graph")
    return outputs


def read(fn):
    tensors = {}
    own = isinstance(fn, torch.autograd.function.BackwardCFunction)
    for attribute in ["saved_tensors"] if own else dir(fn):
        if not own and not attribute.startswith("_saved_"):
            continue
        name = attribute.removeprefix("_saved_")
        try:
            value = getattr(fn, attribute)
        except RuntimeError:
            tensors[name] = None
            continue
        if torch.is_tensor(value):
            tensors[name] = value
        if isinstance(value, (tuple, list)):
            tensors |= {f"{name}[{i}]": v for i, v in enumerate(value) if torch.is_tensor(v)}
    return tensors


def look(item):
    if item is None:
        return {"shape": None, "dtype": None}
    return {"shape": list(item.shape), "dtype": repr(item.dtype)[len("torch.") :]}


def to_dot(graph):
    parts = ["digraph G { graph [rankdir=BT] node [shape=plain]; edge [color=gray];"]
    for node in graph["nodes"]:
        lines = [node["name"], node["label"]]
        lines += [f"{out['shape']} {out['dtype']}" for out in node["outputs"]]
        label = json.dumps("\n".join(x for x in lines if x is not None), ensure_ascii=False)
        parts.append(f"n{node['id']} [label={label}];")
    parts += ["n{src} -> n{dst} [taillabel={output_nr}];".format(**edge) for edge in graph["edges"]]
    parts.append("}")
    return " ".join(parts)
