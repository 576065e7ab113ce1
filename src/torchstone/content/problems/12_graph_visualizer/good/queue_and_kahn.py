# style: breadth first to find all, then Kahn's algorithm
from collections import Counter, deque

import torch

LEAF = "torch::autograd::AccumulateGrad"


def graph_of(outputs, names=None):
    roots = [(node_of(output), output.output_nr) for output in check(outputs)]
    consumers, waiting = explore([fn for fn, _ in roots])

    ready = deque(fn for fn in consumers if waiting[fn] == 0)
    ids = {}
    while ready:
        fn = ready.popleft()
        ids[fn] = len(ids)
        for consumer in consumers[fn]:
            waiting[consumer] -= 1
            if waiting[consumer] == 0:
                ready.append(consumer)

    seen_storages, nodes, edges = {}, [], []
    for fn, number in ids.items():
        node = {"id": number, "name": fn.name(), "kind": "op", "label": None}
        if fn.name() == LEAF:
            node["kind"], node["label"] = "leaf", label_of(fn.variable, names)
        node["outputs"] = []
        for meta in fn._input_metadata:
            shape = [int(n) for n in meta.shape]
            node["outputs"].append({"shape": shape, "dtype": short(meta.dtype)})
        node["saved"] = saved_of(fn, seen_storages)
        nodes.append(node)
        for slot, (producer, output_nr) in enumerate(fn.next_functions):
            if producer is not None:
                edges.append({"src": ids[producer], "dst": number})
                edges[-1].update(output_nr=output_nr, slot=slot)
    graph = {"roots": [[ids[fn], nr] for fn, nr in roots], "nodes": nodes, "edges": edges}
    graph["saved_bytes"] = sum(seen_storages.values())
    return graph


def check(outputs):
    if isinstance(outputs, torch.Tensor):
        outputs = [outputs]
    if not isinstance(outputs, (list, tuple)):
        raise TypeError(f"outputs is a {type(outputs).__name__}")
    for output in outputs:
        if not isinstance(output, torch.Tensor):
            raise TypeError(f"an output is a {type(output).__name__}")
    if len(outputs) == 0 or any(not output.requires_grad for output in outputs):
        raise ValueError("every output must require grad, and there must be one")
    return outputs


def node_of(tensor):
    if tensor.grad_fn is not None:
        return tensor.grad_fn
    # The node of a leaf is what a view of it would hand its gradient to.
    with torch.enable_grad():
        return tensor.view_as(tensor).grad_fn.next_functions[0][0]


def explore(starts):
    """Find the consumers of each node, and count the inputs that each waits for."""
    consumers, waiting, queue = {}, Counter(), deque()
    for fn in starts:
        if fn not in consumers:
            consumers[fn] = []
            queue.append(fn)
    while queue:
        fn = queue.popleft()
        for producer, _ in fn.next_functions:
            if producer is None:
                continue
            waiting[fn] += 1
            if producer not in consumers:
                consumers[producer] = []
                queue.append(producer)
            consumers[producer].append(fn)
    return consumers, waiting


def label_of(leaf, names):
    for key, tensor in (names or {}).items():
        if tensor is leaf:
            return key
    return None


def saved_of(fn, seen_storages):
    if isinstance(fn, torch.autograd.function.BackwardCFunction):
        readers = [("saved_tensors", "saved_tensors")]
    else:
        readers = [(key[7:], key) for key in dir(fn) if key[:7] == "_saved_"]
    entries = []

    def add(name, tensor):
        storage = tensor.untyped_storage()
        seen_storages[storage._cdata] = storage.nbytes()
        entries.append({"name": name, "shape": [*tensor.shape], "dtype": short(tensor.dtype)})

    for name, key in readers:
        try:
            value = getattr(fn, key)
        except RuntimeError:
            entries.append({"name": name, "shape": None, "dtype": None})
        else:
            if isinstance(value, torch.Tensor):
                add(name, value)
            elif isinstance(value, (list, tuple)):
                for position, item in enumerate(value):
                    if isinstance(item, torch.Tensor):
                        add(f"{name}[{position}]", item)
    entries.sort(key=lambda entry: entry["name"])
    return entries


def short(dtype):
    return str(dtype).split(".")[1]


def to_dot(graph):
    text = "digraph {\n"
    for node in graph["nodes"]:
        lines = [node["name"]] + ([] if node["label"] is None else [node["label"]])
        for output in node["outputs"]:
            lines.append(f"{list(output['shape'])} {output['dtype']}")
        quoted = ""
        for character in "\n".join(lines):
            quoted += {'"': '\\"', "\\": "\\\\", "\n": "\\n"}.get(character, character)
        shape = "ellipse" if node["kind"] == "leaf" else "box"
        text += f'"n{node["id"]}" [shape={shape}, label="{quoted}"]\n'
    for edge in graph["edges"]:
        text += f"n{edge['src']} -> n{edge['dst']} [label={edge['slot']}]\n"
    return text + "}\n"
