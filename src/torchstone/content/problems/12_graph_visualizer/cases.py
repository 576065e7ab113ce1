"""Draw recipes for problem 12: leaves, lines that build a graph, and looks at it.

A line is ``names = operation words``; a word is the name of a tensor, or else JSON. Other actions
are lists: the name of a method of the probe's scene with its arguments.
"""

from __future__ import annotations

from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request, lay_out

GROUPS = (
    "sample",
    "small",
    "edge",
    "layout",
    "names",
    "dot",
    "large",
    "random",
    "errors",
)
FACTS = {"sample": "values", "small": "plain"}
# From here on a storage that is saved twice counts once.
BYTES = ("layout", "names", "random")

WRONG_OUTPUTS = ("a number", "None", "text", "a dict", "a set", "a generator")
WRONG_OUTPUTS += ("a list with a number", "a list with None", "a list in a list", "an empty list")
WRONG_OUTPUTS += ("an empty tuple", "a constant", "a detached output", "a constant in a list")

# Labels that are no identifiers.
LABELS = (
    'the "best" w',
    "back\\slash",
    "two\nlines",
    "not\\na line",
    "w]",
    "a -> b",
    "权重",
    'end\\"',
    "layer.0.weight",
    "n0 [label=x];",
    "# x {}",
    "\\",
)


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    return [{"drawn": number} for number in range(3)] if group == "random" else PLANS[group](draw)


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw the leaves of a recipe."""
    if group == "random":
        params = _random(draw)
    leaves = []
    for name, shape, *more in params["leaves"]:
        dtype = torch.float64 if "float64" in more else torch.float32
        value = draw.uniform(shape, 0.5, 1.5, dtype)
        layout = next((each for each in more if each in ("stepped", "offset", "transposed")), None)
        leaves.append([name, lay_out(value, layout) if layout else value, "constant" not in more])
    labels = params.get("labels", [[name, name] for name, *_ in params["leaves"]])
    data = {
        "leaves": leaves,
        "labels": labels,
        "script": params["script"],
        "facts": FACTS.get(group, "all"),
        "bytes": group in BYTES,
    }
    shown = {name: value for name, value, _ in leaves}
    shown |= {"labels": str(labels), "script": str(params["script"])}
    return Case(steps=(Request(op="scene", data=data),), secret={"data": data}, shown=shown)


def _case(leaves: list[Any], *script: Any, **more: Any) -> dict[str, Any]:
    return {"leaves": leaves, "script": list(script), **more}


def _sample(draw: Draw) -> list[dict[str, Any]]:
    # One leaf, no two nodes of one name, no constant: each of these is a lesson of `small`.
    x = ["x", draw.shape(2, 2, 4)]
    first = ("a = exp x", "b = sin x", "c = add a b", "y = sum c", ["look", "y"])
    second = ("a = sigmoid x", "b = t a", "c = cos b", "d = relu c", "y = sqrt d", ["look", ["y"]])
    return [_case([x], *first), _case([["w", draw.shape(2, 2, 4)]], *(_renamed(second, "w")))]


def _renamed(script: tuple[Any, ...], leaf: str) -> list[Any]:
    return [line.replace(" x", f" {leaf}") if isinstance(line, str) else line for line in script]


def _small(draw: Draw) -> list[dict[str, Any]]:
    n, m, k = draw.shape(3, 2, 4)
    x, w = ["x", [n, m]], ["w", [m, k]]
    constant = ["c", [n, m], "constant"]
    two = ("h = mm x w", "r = relu h", "y = sum r", ["look", "y"])
    return [
        _case([x], "a = exp x", "y = exp a", ["look", "y"]),
        _case([x], "y = mul x x", ["look", "y"]),
        _case([x], "y = add x x", ["look", "y"]),
        _case([constant, x], "y = mul c x", ["look", "y"]),
        _case([constant, x], "y = mul x c", ["look", "y"]),
        _case([x], "y = mul x 2.5", ["look", "y"]),
        _case([x, w], *two),
        _case([["x", [n + 1]]], f"y = index x [0,{n},1]", ["look", ["y"]]),
        _case([x], "a = exp x", "b = tanh a", "y = mul a b", ["leak", ["y", "a"]]),
    ]


def _edge(draw: Draw) -> list[dict[str, Any]]:
    n, m = draw.shape(2, 2, 4)
    x, w, c = ["x", [n, m]], ["w", [n, m]], ["c", [n, m], "constant"]
    product = ("a = exp x", "y = mul a w")
    y, grads = ["look", "y"], ["gradients", ["y"]]
    pair = ("p q = pair x c", "s = bare 3.0 q")
    view = ("a = mul x 2.0", "v = select a 0 1", "v = mul_ v 3.0")
    return [
        _case([x], "a = exp x", ["look", "x"], ["look", ["x", "a"]]),
        _case([x, w], *product, ["look", ["y", "a", "y"]], grads, labels=[["w", "w"]]),
        _case([x, w], "a = exp x", "b = sin w", ["look", ["b", "a"]], ["gradients", ["a", "b"]]),
        _case([["x", []]], "a = mul x x", "y = log a", y, grads, labels=None),
        _case([["x", [0, m]]], "a = exp x", "y = sum a", y, grads),
        _case(
            [x],
            "t = tied x",
            "a = exp x",
            "b = sin t",
            "y = add a b",
            y,
            grads,
            labels=[["one", "x"], ["other", "t"]],
        ),
        _case(
            [x, w],
            *product,
            y,
            ["look", ["y", "w"], "keyword"],
            labels=[["second", "w"], ["value", "a"], ["x", "x"], ["again", "x"]],
        ),
        _case(
            [x, w, c],
            "p = parameter c",
            "a = mul p x",
            "y = add a w",
            y,
            grads,
            labels=[["p", "p"], ["constant", "c"]],
        ),
        _case([x], "a = mul x 2.0", "b = exp a", "a = add_ a 1.0", "y = mul a b", y, grads),
        _case([x], *view, "y = exp a", ["look", ["y", "v", "a"]], ["gradients", ["y", "v"]]),
        # What was saved cannot be read any more; the graph is still there.
        _case([x, w], *product, y, ["backward", "y"], y),
        _case([x, w], *product, ["backward", "y", True], y, grads),
        _case([x, w], *product, y, "w = unrecorded_mul_ w 2.0", y),
        _case([x], "a = exp x", "b = mul a a", "a = add_ a 1.0", "y = add a b", y),
        _case([x, c], *pair, ["look", ["p", "s"]], ["gradients", ["p", "s"]]),
        _case([x, c], *pair, "y = add p s", ["backward", "y"], ["look", ["y", "q"]]),
        _case([x], "a = exp x", "b = mul a x", "y = gradient b x", y, grads),
        # The same tensors take part in another graph, after the first one was described.
        _case([x, w], "y = mul x w", y, "y = exp y", y, "y = mul y x", y),
        _case([x, w], "p q = pair x w", "y = mul q p", ["leak", ["y"]]),
    ]


def _layout(draw: Draw) -> list[dict[str, Any]]:
    n, m = draw.shape(2, 2, 4)
    x, w = ["x", [2 * n, m]], ["w", [2 * n, m]]
    y, grads = ["look", "y"], ["gradients", ["y"]]
    norm = ("h = linear x w b", "z = layer_norm h g s", "y = tanh z")
    leaves = [["x", [n, m]], ["w", [4, m]], ["b", [4]], ["g", [4]], ["s", [4]]]
    parts = ("_ b = split x 2" if n == 2 else f"_ b = split x {n}",)
    return [
        _case([x], *parts, "y = mul b b", ["look", ["b", "y"]], grads),
        _case([["x", [3, m]]], "a _ b = unbind x 0", "y = mul b a", ["look", ["b", "y"]], grads),
        _case([x], "v _ = max x 1", "y = exp v", ["look", ["v", "y"]], grads),
        _case([["x", [3, m, 4]]], "y = index x null [0,1,1] [3,0,2]", y, grads),
        _case(
            [["x", [1, m]], w],
            f"e = expand x {[2 * n, m]}".replace(", ", ","),
            "y = mul e w",
            "z = sum y",
            ["look", ["y", "z"]],
            grads,
        ),
        _case(
            [x, w],
            "v = narrow x 0 1 2",
            "u = narrow w 0 0 2",
            "y = mul v u",
            "z = exp y",
            ["look", "z"],
            ["gradients", ["z"]],
        ),
        _case(
            [["x", [n, m], "float64"], ["w", [m, n], "float64"]],
            "a = mm x w",
            "b = float a",
            "y = mul b b",
            y,
            grads,
        ),
        _case(leaves, *norm, y, grads),
        _case(leaves[:2], "h = linear x w", "y = layer_norm h", y, grads),
        _case(
            [["x", [n, m], "stepped"], ["w", [n, m], "offset"]],
            "a = mul x w",
            "y = mul a a",
            y,
            grads,
        ),
        _case([x], "a = exp x", ["look", ["x", "a"], "no_grad"], ["look", "x", "no_grad"]),
        _case(
            [x, w],
            "y = cat x w x",
            "z = mul y y",
            "u = stack x w",
            ["look", ["z", "u"]],
            ["gradients", ["z", "u"]],
        ),
    ]


def _names(draw: Draw) -> list[dict[str, Any]]:
    labels = [LABELS[number] for number in _shuffled(len(LABELS), draw)]
    leaves = [[f"x{number}", [2]] for number in range(4)]
    script = ("a = add x0 x1", "b = mul x2 x3", "y = add a b", ["look", "y"])
    return [
        _case(leaves, *script, labels=[[label, f"x{i}"] for i, label in enumerate(chosen)])
        for chosen in (labels[:4], labels[4:8], labels[8:12])
    ]


def _shuffled(count: int, draw: Draw) -> list[int]:
    return torch.randperm(count, generator=draw.generator).tolist()


def _dot(draw: Draw) -> list[dict[str, Any]]:
    # Far apart, and in no order: the numbers of a description are free.
    ids = [number * 10**5 + draw.integer(0, 10**5 - 1) for number in _shuffled(9, draw)]
    sizes = draw.shape(3, 2, 9)
    leaf = _drawn_node(ids[0], "torch::autograd::AccumulateGrad", "", [sizes[:2]])
    named = _drawn_node(ids[1], "torch::autograd::AccumulateGrad", 'say "w"', [sizes])
    cat = _drawn_node(ids[2], 'Odd"Name\\Backward', None, [[3], [0, 2]], "float64")
    last = _drawn_node(ids[3], "LastBackward0", None, [[]])
    pairs = [(0, 2), (0, 2), (1, 2), (2, 3), (2, 3), (2, 3), (1, 3)]
    alone = _drawn_node(ids[4], "QuietBackward", None, [])
    graphs = [
        _drawn_graph([leaf, named, cat, last], pairs, ids),
        _drawn_graph([alone], [], ids[4:]),
        _drawn_graph([leaf | {"label": "权重\n" + LABELS[1]}, last], [(0, 3)], ids),
    ]
    graphs[2]["roots"] = [[ids[3], 0]]
    build = ("y = exp x", ["look", "y"])
    return [_case([["x", [2]]], *build, ["draw", graphs])]


def _drawn_node(
    number: int, name: str, label: str | None, shapes: list[list[int]], dtype: str = "float32"
) -> dict[str, Any]:
    outputs = [{"shape": shape, "dtype": dtype} for shape in shapes]
    kind = "leaf" if "Accumulate" in name else "op"
    node = {"id": number, "name": name, "kind": kind, "label": label, "outputs": outputs}
    return node | {"saved": []}


def _drawn_graph(nodes: list[Any], pairs: list[tuple[int, int]], ids: list[int]) -> dict[str, Any]:
    edges: list[dict[str, int]] = []
    for src, dst in pairs:
        slot = sum(edge["dst"] == ids[dst] for edge in edges)
        edges.append({"src": ids[src], "dst": ids[dst], "output_nr": 0, "slot": slot})
    roots = [[nodes[-1]["id"], 0]]
    return {"roots": roots, "nodes": nodes, "edges": edges, "saved_bytes": 0}


def _large(draw: Draw) -> list[dict[str, Any]]:
    length = draw.integer(1100, 1300)
    chain = (f"y = chain x {length}", ["look", "y", "digest"])
    diamonds = (f"y = diamonds x {draw.integer(62, 66)}", ["look", "y", "digest"])
    return [
        _case([["x", [2]]], *chain),
        _case([["x", [2]]], *diamonds),
        _case([["x", [0]]], ["growth", "x", 250]),
    ]


def _errors(draw: Draw) -> list[dict[str, Any]]:
    refuse = [["refuse", wrong, "y", "c"] for wrong in WRONG_OUTPUTS]
    leaves = [["x", draw.shape(2, 1, 3)], ["c", draw.shape(2, 1, 3), "constant"]]
    return [_case(leaves, "y = mul x x", *refuse, ["look", "y"])]


PLANS = {
    "sample": _sample,
    "small": _small,
    "edge": _edge,
    "layout": _layout,
    "names": _names,
    "dot": _dot,
    "large": _large,
    "errors": _errors,
}

UNARY = ("exp", "sin", "tanh", "relu", "sigmoid", "t", "neg", "square")
BINARY = ("add", "mul", "mm", "sub")


def _random(draw: Draw) -> dict[str, Any]:
    """Draw a graph of square matrices: any tensor so far may be an input of the next one."""
    n = draw.integer(2, 4)
    leaves = [["x0", [n, n]], ["x1", [n, n], "constant"], ["x2", [n, n]]]
    known, script = ["x0", "x2", "h0"], ["h0 = mul x0 x2"]
    for number in range(1, draw.integer(8, 12)):
        kind, a, b = draw.integer(0, 9), draw.choice(known), draw.choice([*known, "x1"])
        if kind < 4:
            line = f"{draw.choice(UNARY)} {a}"
        elif kind < 8:
            line = f"{draw.choice(BINARY)} {' '.join(draw.choice(((a, b), (b, a))))}"
        elif kind == 8:
            rows = ",".join(str(draw.integer(0, n - 1)) for _ in range(n))
            line = f"index {a} [{rows}]"
        else:
            line = f"pair {a} {b}"
        script.append(f"h{number}{' _' * line.startswith('pair')} = {line}")
        known.append(f"h{number}")
    roots = [each for each in known[2:] if draw.chance(0.3)]
    script.append(f"y = add {known[-1]} h0")
    return _case(leaves, *script, ["look", ["y", *roots]], ["gradients", ["y"]])
