"""Build graphs from recipes, let the submission describe them, and note what that changed.

What comes back is numbered anew by a walk from the roots along the slots, so that ids are free.
The oracle runs this file, too, with a reader of its own.
"""

import gc
import hashlib
import json
import math
import re
import sys
import time
from itertools import pairwise
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

# Captured here, before a submission could replace them.
run_backward = torch.autograd.backward
autograd_grad = torch.autograd.grad
read_json = json.loads
sha256 = hashlib.sha256
clock = time.thread_time_ns
recursion_limit, set_recursion_limit = sys.getrecursionlimit, sys.setrecursionlimit
collect, gc_enable, gc_disable, gc_is_enabled = gc.collect, gc.enable, gc.disable, gc.isenabled
is_grad_enabled = torch.is_grad_enabled
untyped_storage = torch.Tensor.untyped_storage
weak_storage = torch.UntypedStorage._weak_ref
is_expired = torch.UntypedStorage._expired
free_weak_storage = torch.UntypedStorage._free_weak_ref

PYTHON_LIMIT = 1000
KEYS = {
    "graph": {"roots", "nodes", "edges", "saved_bytes"},
    "node": {"id", "name", "kind", "label", "outputs", "saved"},
    "edge": {"src", "dst", "output_nr", "slot"},
    "output": {"shape", "dtype"},
    "saved": {"name", "shape", "dtype"},
}
PLAIN = {int, str, type(None)}
LISTS = {"nodes": "node", "edges": "edge", "outputs": "output", "saved": "saved"}


class Pair(torch.autograd.Function):
    """Compute two results, and save three things, one of which is None."""

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        ctx.save_for_backward(a, None, b)
        return a * b, a + b

    @staticmethod
    def backward(ctx: Any, first: Any, second: Any) -> Any:
        a, _, b = ctx.saved_tensors
        return first * b + second, first * a + second


class Bare(torch.autograd.Function):
    """Save nothing, and pass a constant next to the tensor."""

    @staticmethod
    def forward(ctx: Any, factor: float, x: Any) -> Any:
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return None, gradient * ctx.factor


def _in_place(method: str) -> Any:
    def change(x: Any, *args: Any) -> Any:
        with torch.no_grad():
            getattr(x, method)(*args)
        return x

    return change


def _diamonds(x: Any, depth: int) -> Any:
    for _ in range(depth):
        x = x.sin() + x.cos()
    return x


def _chain(x: Any, length: int) -> Any:
    for _ in range(length):
        x = -x
    return x


def _braid(x: Any, length: int) -> Any:
    # Four edges for each node: a search in a list of nodes becomes most of the work.
    for _ in range(length):
        x = torch.cat([x] * 4)
    return x


NUM_TRIES = 30
OPERATIONS: dict[str, Any] = {
    "index": lambda x, *where: x[tuple(slice(None) if i is None else i for i in where)],
    "cat": lambda *items: torch.cat(items),
    "stack": lambda *items: torch.stack(items),
    "linear": torch.nn.functional.linear,
    "layer_norm": lambda x, *rest: torch.nn.functional.layer_norm(x, x.shape[-1:], *rest),
    "tied": lambda x: x.detach().requires_grad_(),
    "parameter": lambda x: torch.nn.Parameter(x.detach()),
    "unrecorded_mul_": _in_place("mul_"),
    "gradient": lambda y, x: autograd_grad(y, x, torch.ones_like(y), create_graph=True)[0],
    "pair": Pair.apply,
    "bare": Bare.apply,
    "diamonds": _diamonds,
    "chain": _chain,
}

WRONG_OUTPUTS: dict[str, Any] = {
    "a number": lambda y, x: 3.0,
    "None": lambda y, x: None,
    "text": lambda y, x: "y",
    "a dict": lambda y, x: {"y": y},
    "a set": lambda y, x: {y},
    "a generator": lambda y, x: (each for each in [y]),
    "a list with a number": lambda y, x: [y, 3.0],
    "a list with None": lambda y, x: (None, y),
    "a list in a list": lambda y, x: [[y]],
    "an empty list": lambda y, x: [],
    "an empty tuple": lambda y, x: (),
    "a constant": lambda y, x: x,
    "a detached output": lambda y, x: y.detach(),
    "a constant in a list": lambda y, x: [y, x],
}


class Watch(TorchDispatchMode):
    """Note which operators run, but for views."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # Otherwise the first operator imports torch._dynamo, which takes a second.
        return False

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if not func.is_view:
            self.seen.add(str(func))
        return func(*args, **(kwargs or {}))


class Scene:
    """Act out one script: a line that assigns builds, any other action looks."""

    def __init__(self, submission: Any, data: dict[str, Any], tools: Any) -> None:
        self.submission, self.data, self.tools = submission, data, tools
        self.env = {name: own(value, grad) for name, value, grad in data["leaves"]}
        self.answer: dict[str, Any] = {}
        self.looks = 0
        self.kept: Any = None

    def act(self) -> dict[str, Any]:
        """Act out the script of the case."""
        for action in self.data["script"]:
            if isinstance(action, str):
                self.make(*action.split(" = "))
            else:
                getattr(self, action[0])(*action[1:])
        return self.answer

    def make(self, targets: str, call: str) -> None:
        """Run one operation; its words are names of tensors, or else JSON."""
        operation, *words = call.split()
        arguments = [self.env[word] if word in self.env else read_json(word) for word in words]
        result = OPERATIONS.get(operation) or getattr(torch.Tensor, operation)
        result = result(*arguments)
        names = targets.split()
        items = [result] if isinstance(result, torch.Tensor) else result
        self.env |= {name: item for name, item in zip(names, items, strict=True) if name != "_"}

    def names(self) -> dict[str, Any] | None:
        """Return the labels of the case with their tensors."""
        labels = self.data["labels"]
        return None if labels is None else {label: self.env[name] for label, name in labels}

    def outputs(self, names: Any) -> Any:
        """Return the outputs as they are given: alone, in a list or in a tuple."""
        if isinstance(names, str):
            return self.env[names]
        return type(names)(self.env[name] for name in names)

    def look(self, outputs: Any, mode: str = "") -> None:
        """Have the graph described, and with it everything that must not happen."""
        at, given = f"{self.looks}.", self.outputs(outputs)
        self.looks += 1
        if mode == "digest":
            # Deeper than Python's stack, whose limit a submission must not raise.
            set_recursion_limit(PYTHON_LIMIT)
            fields, _ = canonical(self.describe(given, mode))
            self.answer[f"{at}recursion_limit"] = recursion_limit()
            # Short where it is right; a list of a thousand names helps nobody.
            whole = [fields.get(name) for name in FIELDS]
            self.answer[f"{at}digest"] = sha256(repr(whole).encode()).hexdigest()
            return
        if self.data["facts"] != "all":
            graph = self.describe(given, mode)
            fields, index = canonical(graph)
        else:
            graph, fields, index = self.observed(at, given, mode)
        self.answer |= {f"{at}{name}": value for name, value in fields.items()}
        if index is not None:
            self.drawing(at, graph, index)

    def drawing(self, at: str, graph: Any, index: dict[Any, int]) -> None:
        """Have a description drawn; the text itself goes along, so that it can be read again."""
        text = self.submission.to_dot(graph)
        found = dot_fields(text, index)
        self.answer |= {f"{at}{name}": value for name, value in found.items()}
        whole = text if type(text) is str else ""
        self.answer[f"{at}drawn"] = {"text": whole, "ids": list(index), "found": found}

    def describe(self, given: Any, mode: str) -> Any:
        """Call the function, with its second argument in one of three ways."""
        names, graph_of = self.names(), self.submission.graph_of
        wanted = mode != "no_grad"
        arguments: list[Any] = [given] if names is None or mode == "keyword" else [given, names]
        with torch.set_grad_enabled(wanted):
            found = graph_of(*arguments, **({"names": names} if mode == "keyword" else {}))
            if is_grad_enabled() != wanted:
                raise self.tools.Fault("state.grad_mode")
        return found

    def observed(
        self, at: str, given: Any, mode: str
    ) -> tuple[Any, dict[str, Any], dict[int, int] | None]:
        """Call the function twice; note operators, changes, and a second answer that differs."""
        leaves = [item for item in self.env.values() if item.is_leaf]
        snapshots = [self.tools.storage_snapshot(item) for item in leaves]
        flags, before = self.tools.global_state(), self.state()
        watch = Watch()
        with watch:
            graph = self.describe(given, mode)
        self.tools.same_state(flags)
        self.answer[f"{at}operators_run"] = sorted(watch.seen)
        second = self.tools.attempt(lambda: canonical(self.describe(given, mode))[0])
        # After the second call, which may have changed what the first one gave.
        fields, index = canonical(graph)
        self.answer[f"{at}second_look_differs_in"] = difference(fields, second)
        after = self.state()
        self.answer[f"{at}changed_by_look"] = [
            name for name in before if before[name] != after[name]
        ]
        if any(map(self.tools.storage_changed, leaves, snapshots)):
            raise self.tools.Fault("call_mutated")
        return graph, fields, index

    def state(self) -> dict[str, Any]:
        """Read what a look must leave alone: versions, flags, gradients and hooks of tensors."""
        found: dict[str, Any] = {}
        for name, t in self.env.items():
            found[f"{name}.version"] = t._version
            found[f"{name}.requires_grad"] = t.requires_grad, t.is_leaf, t.retains_grad
            found[f"{name}.hooks"] = len(t._backward_hooks or ())
            if t.is_leaf:
                found[f"{name}.grad"] = None if t.grad is None else (id(t.grad), t.grad._version)
        return found

    def backward(self, name: str, retain: bool = False) -> None:
        """Run backward: what was saved is freed unless it is retained."""
        ones = [torch.ones_like(self.env[name])]
        self.answer["intact"] = True
        try:
            run_backward([self.env[name]], ones, retain_graph=retain)
        except RuntimeError:
            self.answer["intact"] = False

    def gradients(self, names: list[str]) -> None:
        """Differentiate the sum of some outputs: the graph must still be whole."""
        outputs = [self.env[name] for name in names]
        leaves = {k: v for k, v in self.env.items() if v.is_leaf and v.requires_grad}
        ones = [torch.ones_like(each) for each in outputs]
        self.answer["intact"] = True
        try:
            found = autograd_grad(outputs, list(leaves.values()), ones, allow_unused=True)
        except RuntimeError:
            self.answer["intact"] = False
            return
        self.answer |= {f"grad.{k}": v for k, v in zip(leaves, found, strict=True) if v is not None}

    def leak(self, outputs: Any) -> None:
        """Drop every tensor, keep the description, and note which memory is still there."""
        references = [(k, weak_storage(untyped_storage(v))) for k, v in self.env.items()]
        self.kept = self.describe(self.outputs(outputs), "")
        self.env.clear()
        if not all(is_expired(reference) for _, reference in references):
            collect()
        self.answer["tensors_kept_alive"] = [
            name for name, ref in references if not is_expired(ref)
        ]
        for _, reference in references:
            free_weak_storage(reference)

    def growth(self, leaf: str, length: int) -> None:
        """Time a chain and one four times as long in turn; the best of all tries counts for each.

        The first calls touch memory that no call has touched since the fork. Where others use the
        machine a single try of the longer chain may be slow, so a growth that looks too large is
        tried again.
        """
        chains = [_braid(self.env[leaf], length * factor) for factor in (1, 4)]
        enabled = gc_is_enabled()
        gc_disable()
        short = min(self.time(chains[0]) for _ in range(3))
        long = self.time(chains[1])
        for _ in range(NUM_TRIES):
            if math.log(long / short, 4) <= 1.15:
                break
            short = min(short, self.time(chains[0]))
            long = min(long, self.time(chains[1]))
        if enabled:
            gc_enable()
        self.answer["growth"] = [short, long]

    def time(self, output: Any) -> int:
        """Return the nanoseconds of processor time of one call."""
        started = clock()
        self.submission.graph_of(output)
        return max(clock() - started, 1)

    def refuse(self, wrong: str, output: str, constant: str) -> None:
        """Note the exception at outputs that are no outputs."""
        given = WRONG_OUTPUTS[wrong](self.env[output], self.env[constant])
        attempt = self.tools.attempt(lambda: self.submission.graph_of(given))
        if "raised" in attempt:
            self.answer[f"{wrong}.raised"] = attempt["raised"]

    def draw(self, graphs: list[dict[str, Any]]) -> None:
        """Have descriptions drawn that the submission did not make."""
        for position, graph in enumerate([*graphs, graphs[0]]):
            before, index = repr(graph), canonical(graph)[1]
            self.drawing(f"drawing{position}.", graph, index)
            self.answer[f"drawing{position}.changed_by_look"] = ["graph"] * (repr(graph) != before)


def difference(first: dict[str, Any], second: dict[str, Any]) -> list[str]:
    """Return the fields in which the second look differs, or the name of its exception."""
    if "raised" in second:
        return [second["raised"]["type"]]
    return [name for name in FIELDS if first.get(name) != second["value"].get(name)]


def own(value: Any, grad: bool) -> Any:
    """Return a tensor over a copy of the whole storage, seen in the same way."""
    storage = untyped_storage(value).clone()
    empty = torch.empty(0, dtype=value.dtype)
    copy = empty.set_(storage, value.storage_offset(), value.shape, value.stride())
    return copy.requires_grad_(grad)


FIELDS = ("form_faults", "roots", "names", "kinds", "labels", "outputs", "saved", "edges")
FIELDS += ("edges_out_of_order", "unreachable_nodes", "saved_bytes")


def canonical(graph: Any) -> tuple[dict[str, Any], dict[int, int] | None]:
    """Number the nodes by a walk from the roots along the slots.

    Return the fields of the description, and the numbers by id; None if it cannot be read.
    """
    form: list[str] = []
    graph = _plain(graph, "graph", "graph", form)
    try:
        return fields_of(graph, form)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        return {"form_faults": [*form, f"unreadable: {type(error).__name__} {error}"][:9]}, None


def fields_of(graph: Any, form: list[str]) -> tuple[dict[str, Any], dict[int, int]]:
    nodes = {node["id"]: node for node in graph["nodes"]}
    if len(nodes) != len(graph["nodes"]):
        form.append("ids are not unique")
    edges = [(e["dst"], e["slot"], e["src"], e["output_nr"]) for e in graph["edges"]]
    incoming: dict[int, list[int]] = {}
    for dst, _, src, _ in sorted(edges):
        incoming.setdefault(dst, []).append(src)
    walk = list(dict.fromkeys(node for node, _ in graph["roots"]))
    seen = set(walk)
    for node in walk:
        fresh = [src for src in dict.fromkeys(incoming.get(node, ())) if src not in seen]
        walk += fresh
        seen.update(fresh)
    unreachable = [node for node in nodes if node not in seen]
    index = {node: number for number, node in enumerate([*walk, *unreachable])}
    found = [nodes[node] for node in index]
    place = {node: number for number, node in enumerate(nodes)}
    backward = [[index[e[2]], index[e[0]]] for e in edges if place[e[2]] >= place[e[0]]]
    fields = {
        "form_faults": form[:9],
        "roots": [[index[node], output_nr] for node, output_nr in graph["roots"]],
        "names": [node["name"] for node in found],
        "kinds": [node["kind"] for node in found],
        "labels": [node["label"] for node in found],
        "outputs": [[[o["shape"], o["dtype"]] for o in node["outputs"]] for node in found],
        "saved": [[[s["name"], s["shape"], s["dtype"]] for s in n["saved"]] for n in found],
        "edges": sorted([index[e[2]], index[e[0]], e[3], e[1]] for e in edges),
        "edges_out_of_order": sorted(backward)[:9],
        "unreachable_nodes": [nodes[node]["name"] for node in unreachable],
        "saved_bytes": graph["saved_bytes"],
    }
    return fields, index


def _plain(value: Any, place: str, kind: str, form: list[str], depth: int = 0) -> Any:
    """Return a value as plain data; complain about what is none, and about other keys."""
    if type(value) in PLAIN:
        return value
    if type(value) in (list, tuple) and depth < 9:
        return [
            item if type(item) in PLAIN else _plain(item, place, kind, form, depth + 1)
            for item in value
        ]
    if type(value) is dict and depth < 9:
        if value.keys() != KEYS.get(kind, ()):
            form.append(f"{place}: the keys are {', '.join(map(str, value))}"[:200])
        return {
            str(key): item
            if type(item) in PLAIN
            else _plain(item, str(key), LISTS.get(str(key), ""), form, depth + 1)
            for key, item in value.items()
        }
    form.append(f"{place}: a {type(value).__name__}"[:200])
    return f"<{type(value).__name__}>"


def dot_fields(text: Any, index: dict[int, int] | None) -> dict[str, Any]:
    """Read a text in DOT; return labels and edges in the numbers of the graph."""
    index = index or {}
    if type(text) is not str:
        return {"dot.faults": [f"a {type(text).__name__}"]}
    try:
        statements = parse(text)
    except ValueError as error:
        return {"dot.faults": [str(error)[:200]]}
    known = {f"n{node}": number for node, number in index.items()}
    form: list[str] = []
    labels: list[Any] = [None] * len(index)
    edges = []
    for names, attributes in statements:
        unknown = [name for name in names if name not in known]
        if unknown:
            form.append(f"{unknown[0]} is no node of the graph"[:200])
        elif len(names) > 1:
            edges += [[known[a], known[b]] for a, b in pairwise(names)]
        elif labels[known[names[0]]] is not None:
            form.append(f"there are two statements for {names[0]}")
        else:
            labels[known[names[0]]] = attributes.get("label", "")
    return {"dot.faults": form[:9], "dot.labels": labels, "dot.edges": sorted(edges)}


TOKEN = re.compile(
    r"(?P<skip>\s+|//[^\n]*|\#[^\n]*|/\*.*?\*/)"
    r'|(?P<text>"(?:[^"\\]|\\.)*")'
    r"|(?P<word>[A-Za-z_\x80-\U0010ffff][A-Za-z_0-9\x80-\U0010ffff]*|-?(?:\.\d+|\d+(?:\.\d*)?))"
    r"|(?P<sign>->|[{}\[\];,=:+])",
    re.DOTALL,
).match

Statement = tuple[list[str], dict[str, str]]


def parse(text: str) -> list[Statement]:
    """Read the statements of a digraph: the nodes of each, and its attributes.

    Raises:
        ValueError: The text is no digraph.
    """
    tokens = _tokens(text)
    if [kind.lower() for kind, _ in tokens[:1]] != ["digraph"]:
        raise ValueError("the text must begin with digraph")
    at = 1 if tokens[1][0] == "{" else 2
    if tokens[at][0] != "{":
        raise ValueError("a brace must follow digraph and its name")
    found: list[Statement] = []
    depth, at = 1, at + 1
    while depth:
        kind = tokens[at][0]
        if kind in "{};,":
            depth += {"{": 1, "}": -1}.get(kind, 0)
            at += 1
        elif kind == "end":
            raise ValueError("a closing brace is missing")
        elif kind.lower() == "subgraph":
            at += 1 if tokens[at + 1][0] == "{" else 2
        else:
            at = _statement(tokens, at, found)
    if tokens[at][0] != "end":
        raise ValueError("text follows the closing brace")
    return found


def _tokens(text: str) -> list[tuple[str, str]]:
    """Split a text: each token with its kind, which for a sign or a bare word is itself."""
    found, at = [], 0
    while at < len(text):
        match = TOKEN(text, at)
        if match is None:
            raise ValueError(f"this is no DOT: {text[at : at + 30]!r}")
        at, value = match.end(), match.group()
        if match.lastgroup == "text":
            found.append(("text", _unescape(value[1:-1])))
        elif match.lastgroup != "skip":
            found.append((value, value))
    return found + [("end", "")] * 3


def _unescape(text: str) -> str:
    if "\n" in text:
        raise ValueError("a newline in a label must be escaped")
    return ESCAPE(_character, text)


def _character(found: re.Match[str]) -> str:
    part = found.group()
    if part not in ESCAPES:
        raise ValueError(f"{part} is no escape")
    return ESCAPES[part]


ESCAPE = re.compile(r"\\.?", re.DOTALL).sub
ESCAPES = {'\\"': '"', "\\\\": "\\", "\\n": "\n"}


def _statement(tokens: list[tuple[str, str]], at: int, found: list[Statement]) -> int:
    """Read one statement; return where the next one begins."""
    (kind, name), (following, _) = tokens[at], tokens[at + 1]
    if kind != "text" and not re_word(kind):
        raise ValueError(f"{name!r} begins no statement")
    if following == "=":
        return at + 3
    names, at = [name], _skip_port(tokens, at + 1)
    while tokens[at][0] == "->":
        names.append(tokens[at + 1][1])
        at = _skip_port(tokens, at + 2)
    attributes: dict[str, str] = {}
    while tokens[at][0] == "[":
        at = _attributes(tokens, at + 1, attributes)
    if tokens[at][0] in ("=", "+", ":", "]"):
        raise ValueError(f"{tokens[at][0]!r} does not belong behind {name!r}")
    if kind.lower() not in ("graph", "node", "edge"):
        found.append((names, attributes))
    return at


def re_word(kind: str) -> bool:
    """Return whether a token may name something."""
    return kind not in ("->", "end") and kind not in "{}[];,=:+"


def _skip_port(tokens: list[tuple[str, str]], at: int) -> int:
    while tokens[at][0] == ":":
        at += 2
    return at


def _attributes(tokens: list[tuple[str, str]], at: int, attributes: dict[str, str]) -> int:
    while tokens[at][0] != "]":
        (kind, name), (following, _) = tokens[at], tokens[at + 1]
        if kind in ";,":
            at += 1
            continue
        if following != "=" or not (kind == "text" or re_word(kind)):
            raise ValueError(f"an attribute is expected, not {name!r}")
        value, at = tokens[at + 2][1], at + 3
        while tokens[at][0] == "+":
            value, at = value + tokens[at + 1][1], at + 2
        attributes[name] = value
    return at + 1


def probe(submission: Any, op: str, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Act out the script of a case, the one operation of this problem."""
    assert op == "scene", f"unknown operation {op!r}"
    return Scene(submission, data, tools).act()
