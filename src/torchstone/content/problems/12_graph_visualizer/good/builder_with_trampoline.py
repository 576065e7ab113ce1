# style: a builder whose visit is a generator, driven by a loop
from dataclasses import asdict, dataclass, field

import torch


@dataclass
class Output:
    shape: list
    dtype: str


@dataclass
class Saved:
    name: str
    shape: list | None = None
    dtype: str | None = None


@dataclass
class Entry:
    id: int
    name: str
    kind: str = "op"
    label: str | None = None
    outputs: list = field(default_factory=list)
    saved: list = field(default_factory=list)


@dataclass
class Edge:
    src: int
    dst: int
    output_nr: int
    slot: int


class Builder:
    def __init__(self, names):
        self.names = [] if names is None else list(names.items())
        self.numbers = {}
        self.entries, self.edges = [], []
        self.storages = set()
        self.num_bytes = 0

    def run(self, start):
        stack = [self.visit(start)]
        while stack:
            try:
                stack.append(self.visit(next(stack[-1])))
            except StopIteration:
                stack.pop()

    def visit(self, fn):
        if fn in self.numbers:
            return
        # Reserved at once, so that no second visit begins; the graph has no cycles.
        self.numbers[fn] = None
        for producer, _ in fn.next_functions:
            if producer is not None:
                yield producer
        number = self.numbers[fn] = len(self.entries)
        self.entries.append(self.entry(fn, number))
        slot = 0
        for producer, output_nr in fn.next_functions:
            if producer is not None:
                self.edges.append(Edge(self.numbers[producer], number, output_nr, slot))
            slot += 1

    def entry(self, fn, number):
        entry = Entry(number, fn.name())
        if entry.name.split("::")[-1] == "AccumulateGrad":
            entry.kind = "leaf"
            entry.label = next((k for k, t in self.names if t is fn.variable), None)
        entry.outputs = [Output(list(m.shape), self.dtype(m)) for m in fn._input_metadata]
        if issubclass(type(fn), torch.autograd.function.BackwardCFunction):
            self.read(fn, "saved_tensors", "saved_tensors", entry.saved)
        else:
            for attribute in sorted(dir(fn)):
                if attribute.startswith("_saved_"):
                    self.read(fn, attribute, attribute.split("_saved_", 1)[1], entry.saved)
        entry.saved.sort(key=lambda saved: saved.name)
        return entry

    def read(self, fn, attribute, name, found):
        try:
            value = getattr(fn, attribute)
        except RuntimeError:
            found.append(Saved(name))
            return
        items = value if type(value) in (tuple, list) else [value]
        for position, item in enumerate(items):
            if not isinstance(item, torch.Tensor):
                continue
            where = name if items is not value else f"{name}[{position}]"
            found.append(Saved(where, list(item.size()), self.dtype(item)))
            storage = item.untyped_storage()
            if storage._cdata not in self.storages:
                self.storages.add(storage._cdata)
                self.num_bytes += storage.nbytes()

    @staticmethod
    def dtype(item):
        return str(item.dtype)[6:]


def graph_of(outputs, names=None):
    if isinstance(outputs, torch.Tensor):
        outputs = [outputs]
    elif type(outputs) not in (list, tuple):
        raise TypeError("neither a tensor nor a list or tuple")
    if {True} != {isinstance(item, torch.Tensor) for item in outputs} and len(outputs):
        raise TypeError("something in it is no tensor")
    if not (outputs and all([item.requires_grad for item in outputs])):
        raise ValueError("nothing to differentiate")
    builder, roots = Builder(names), []
    for item in outputs:
        edge = torch.autograd.graph.get_gradient_edge(item)
        builder.run(edge[0])
        roots.append([builder.numbers[edge[0]], edge[1]])
    return {
        "roots": roots,
        "nodes": [asdict(entry) for entry in builder.entries],
        "edges": [asdict(edge) for edge in builder.edges],
        "saved_bytes": builder.num_bytes,
    }


TABLE = str.maketrans({'"': '\\"', "\\": "\\\\", "\n": "\\n"})


def to_dot(graph):
    def statements():
        for node in graph["nodes"]:
            text = node["name"]
            if node["label"] is not None:
                text += "\n" + node["label"]
            for output in node["outputs"]:
                shape = ", ".join(map(str, output["shape"]))
                text += f"\n[{shape}] {output['dtype']}"
            yield f'n{node["id"]} [label="{text.translate(TABLE)}"]'
        for edge in graph["edges"]:
            yield f"n{edge['src']} -> n{edge['dst']}"

    return "digraph graph_of_autograd {\n\t" + ";\n\t".join(statements()) + "\n}"
