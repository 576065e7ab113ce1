# style: sorted by the longest path to a leaf
import re
from operator import itemgetter

import torch
from torch import Tensor


def graph_of(outputs, names=None):
    tensors = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    if any(not isinstance(t, Tensor) for t in tensors):
        raise TypeError("outputs: a tensor, or a list or tuple of tensors")
    if len(tensors) < 1 or not all(t.requires_grad for t in tensors):
        raise ValueError("outputs: at least one, all of which require grad")
    heads = [torch.autograd.graph.get_gradient_edge(t) for t in tensors]
    depth = depths([head.node for head in heads])
    order = sorted(reversed(depth), key=depth.__getitem__)
    ids = {fn: place for place, fn in enumerate(order, 1)}
    nodes, storages = [], {}
    for fn in order:
        saved = [(name, t) for name, t in pieces(fn)]
        storages.update(
            (t.untyped_storage()._cdata, t.untyped_storage()) for _, t in saved if t is not None
        )
        node = {"id": ids[fn], "name": fn.name(), "kind": "op", "label": None}
        if node["name"] == "torch::autograd::AccumulateGrad":
            node["kind"] = "leaf"
            owners = [label for label in (names or ()) if names[label] is fn.variable]
            node["label"] = owners[0] if owners else None
        node["outputs"] = [
            {"shape": list(m.shape), "dtype": word(m.dtype)} for m in fn._input_metadata
        ]
        node["saved"] = sorted((entry(*each) for each in saved), key=itemgetter("name"))
        nodes.append(node)
    edges = [
        {"src": ids[source], "dst": ids[fn], "output_nr": nr, "slot": slot}
        for fn in order
        for slot, (source, nr) in enumerate(fn.next_functions)
        if source is not None
    ]
    return {
        "roots": [[ids[head.node], head.output_nr] for head in heads],
        "nodes": nodes,
        "edges": edges,
        "saved_bytes": sum(storage.nbytes() for storage in storages.values()),
    }


def depths(starts):
    """Return the length of the longest path from each node to a leaf."""
    depth, stack = {}, list(starts)
    while stack:
        fn = stack[-1]
        sources = [source for source, _ in fn.next_functions if source is not None]
        open_ones = [source for source in sources if source not in depth]
        if open_ones:
            stack.extend(open_ones)
        else:
            depth[fn] = 1 + max((depth[source] for source in sources), default=-1)
            stack.pop()
    return depth


def pieces(fn):
    if isinstance(fn, torch.autograd.function.BackwardCFunction):
        names = {"saved_tensors"}
    else:
        names = {each for each in dir(fn) if re.match("_saved_", each)}
    for attribute in names:
        name = re.sub("^_saved_", "", attribute)
        try:
            value = getattr(fn, attribute)
        except RuntimeError:
            yield name, None
            continue
        if isinstance(value, Tensor):
            yield name, value
        elif isinstance(value, tuple | list):
            for i in range(len(value)):
                if isinstance(value[i], Tensor):
                    yield f"{name}[{i}]", value[i]


def entry(name, tensor):
    if tensor is None:
        return dict(name=name, shape=None, dtype=None)
    return dict(name=name, shape=list(tensor.shape), dtype=word(tensor.dtype))


def word(dtype):
    return re.search(r"\.(.*)", str(dtype)).group(1)


def to_dot(graph):
    result = ["// the forward graph", "digraph forward", "{"]
    for node in graph["nodes"]:
        lines = [node["name"], *([node["label"]] if isinstance(node["label"], str) else [])]
        lines.extend(str(list(o["shape"])) + " " + o["dtype"] for o in node["outputs"])
        label = "\\n".join(re.sub(r'(["\\])', r"\\\1", line).replace("\n", r"\n") for line in lines)
        result.append(f'    n{node["id"]} [style=filled; fillcolor="#eeeeee"; label="{label}"];')
    for src, dst in map(itemgetter("src", "dst"), graph["edges"]):
        result.append(f"    n{src} -> n{dst};")
    return "\n".join([*result, "}"])
