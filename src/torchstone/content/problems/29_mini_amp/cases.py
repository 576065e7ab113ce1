"""Write the programs of problem 29, and draw the tensors that they see.

Inputs of products are near small integers: rounded to half precision they are these integers, and
everything computed of them is exact. D is the type of a region, E the other half type.
"""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request

Params = dict[str, Any]
Row = list[Any]

GROUPS = (
    "low",
    "high",
    "other",
    "nest",
    "out",
    "grad",
    "cache",
    "thread",
    "scale",
    "train",
    "protocol",
    "state",
    "underflow",
)
HALVES = ("bfloat16", "float16")

# Name: what it holds, and its shape. "near" and "small" are near integers from 4 to 7 and 1 to 3.
TENSORS: dict[str, tuple[str, list[int]]] = {
    **{"a": ("near", [3, 4]), "b": ("near", [4, 3]), "c": ("near", [3]), "d": ("near", [5])},
    **{"e": ("near", [3, 3]), "v": ("near", [4]), "w": ("near", [5, 4])},
    **{"p": ("near", [2, 3, 4]), "q": ("near", [2, 4, 3]), "r": ("near", [2, 3, 3])},
    **{"s": ("small", [3, 2]), "t": ("small", [3, 2]), "u": ("small", [5, 2, 2])},
    **{"i1": ("near", [1, 2, 5]), "k1": ("near", [3, 2, 2]), "j1": ("near", [3])},
    **{"i2": ("near", [1, 1, 4, 3]), "k2": ("near", [2, 1, 2, 2]), "i3": ("near", [1, 1, 3, 2, 3])},
    **{"k3": ("near", [2, 1, 2, 2, 1]), "ah": ("near E", [3, 4])},
    **{"n1": ("int", [3, 4]), "n2": ("int", [4, 3])},
    **{"h": ("half", [3, 4]), "h2": ("half", [3, 4]), "f": ("float", [3, 4]), "g": ("pos", [3, 4])},
    **{"he": ("half E", [3, 4]), "labels": ("label", [3]), "ones": ("ones", [70_000])},
    **{"l1": ("half", [4]), "l2": ("half", [4]), "qs": ("float", [2, 3, 4])},
    **{"ks": ("float", [2, 5, 4]), "vs": ("float", [2, 5, 4])},
    # Beyond the range of float16, where the region is bfloat16.
    **{"wide": ("wide", [3, 4]), "wh": ("wide half", [3, 4])},
    # Of a network, and of the cache: no other tensor has as many elements as m.
    **{"x": ("tiny", [4, 3]), "w1": ("tiny", [3, 3]), "b1": ("tiny", [3]), "w2": ("tiny", [3, 2])},
    **{"gy": ("tiny", [4, 2]), "m": ("near", [4, 6]), "ga": ("tiny", [3, 6])},
    **{f"m{at}": ("near", [4, 6]) for at in range(6)},
}

PRODUCTS = (
    *("torch.matmul(a, b)", "a @ b", "a.matmul(b)", "torch.matmul(input=a, other=b)"),
    *("torch.mm(a, mat2=b)", "a.mm(b)", "torch.bmm(p, q)", "p.bmm(q)", "torch.mv(a, v)"),
    *("a.mv(v)", "torch.addmm(e, a, b)", "e.addmm(a, mat2=b)", "torch.addmv(c, a, v)"),
    *("c.addmv(a, v)", "torch.baddbmm(r, p, q)", "r.baddbmm(p, q)", "b.__rmatmul__(a)"),
    *("torch.einsum('ij,jk->ik', a, b)", "torch.einsum('ij,jk', [a, b])", "torch.matmul(ah, b)"),
    "torch.matmul(wide, b)",
)
LAYERS = (
    *("F.linear(a, w, d)", "F.linear(input=a, weight=w)", "F.bilinear(s, t, u)"),
    *("torch.bilinear(s, t, u, None)", "F.conv1d(i1, k1, j1)", "torch.conv1d(i1, weight=k1)"),
    *("F.conv2d(i2, k2)", "torch.conv2d(i2, k2)", "F.conv3d(i3, k3)", "torch.conv3d(i3, k3)"),
    "layer(nn.Linear, 4, 5, weight=w, bias=d)(a)",
    "layer(nn.Conv1d, 2, 3, 2, weight=k1, bias=j1)(i1)",
    "layer(nn.Bilinear, 2, 2, 5, False, weight=u)(s, t)",
)
ATTENTION = "F.scaled_dot_product_attention(qs, ks, vs)"
NEVER = ("a.double() @ b.double()", "n1 @ n2", "F.linear(a.double(), w.double())")

HIGH = (
    *("torch.softmax(h, 1)", "h.softmax(-1)", "F.softmax(h, dim=1)", "layer(nn.Softmax, 1)(h)"),
    *("torch.log_softmax(h, 1)", "h.log_softmax(0)", "F.log_softmax(he, dim=1)"),
    *("layer(nn.LogSoftmax, 1)(h)", "torch.logsumexp(h, 1)", "h.logsumexp(0)"),
    *("F.layer_norm(h, (4,), l1, l2)", "torch.layer_norm(h, (4,))"),
    "layer(nn.LayerNorm, 4, weight=l1, bias=l2)(h)",
    *("F.cross_entropy(h, labels)", "nn.CrossEntropyLoss()(h, target=labels)"),
    *("F.nll_loss(h, labels)", "nn.NLLLoss()(h, labels)", "F.mse_loss(h, target=h2)"),
    *("nn.MSELoss()(h, h2)", "F.l1_loss(h, h2)", "nn.L1Loss()(h, h2)"),
)
POINTWISE = (
    *("torch.exp(h)", "h.exp()", "torch.exp(he)", "h.expm1()", "torch.log(g)", "g.log()"),
    *(
        "torch.log1p(g)",
        "g.log2()",
        "g.log10()",
        "torch.expm1(input=h)",
        "torch.log10(g)",
        "wh.log2()",
    ),
    *("torch.pow(g, 1.5)", "g.pow(h)", "h ** 2", "2 ** h", "g ** h", "torch.pow(2, h)"),
)
SUMS = (
    *("torch.sum(h)", "h.sum(1)", "h.sum(dim=0, keepdim=True)", "ones.sum()", "torch.sum(ones)"),
    *("h.prod()", "torch.prod(h, 1)", "h.cumsum(0)", "torch.cumsum(h, dim=1)", "h.cumprod(1)"),
    *("torch.norm(h)", "h.norm(dim=1)", "h.norm()", "f.sum()"),
)
# With the dtype that the call asks for.
ASKED = (
    ("torch.softmax(h, 1, dtype=torch.float64)", "float64"),
    ("h.sum(dtype=torch.float64)", "float64"),
    ("h.cumsum(0, dtype=torch.float16)", "float16"),
)
OTHER = (
    *("torch.relu(h)", "h.relu()", "F.relu(f)", "h + h2", "h + f", "f - h", "h * 2", "h * f"),
    *("torch.add(f, f)", "torch.max(h, h2)", "h.max()", "torch.cat([h, f])", "torch.cat([h, h2])"),
    *("torch.maximum(h, h2)", "h.abs()", "h.clone()", "f.t()", "n1.sum()", "n1 ** 2"),
    *("f.double().exp()", "torch.softmax(f.double(), 1)", "torch.stack([f, f])", "h > h2"),
)


def plan(group: str, draw: Draw) -> list[Params]:
    """List the parameters of a group's cases."""
    return [
        {"op": each["op"], "half": each["half"], "group": group, "number": number}
        for number, each in enumerate(_cases(group))
    ]


def build(group: str, params: Params, draw: Draw) -> Case:
    """Draw the tensors of one case."""
    return BUILDERS[params["op"]](_cases(params["group"])[params["number"]], draw)


@cache
def _cases(group: str) -> list[Params]:
    """Write the programs of a group, once: only their tensors are drawn."""
    return [_written(each) if each["op"] == "program" else each for each in PLANS[group]()]


def _program(text: str, results: list[Row], half: str, **options: Any) -> Params:
    """Describe a program.

    Args:
        text: Its lines. ``D`` is the half type of the case, ``E`` the other one.
        results: Name; the truth in float64; the type to which the inputs are rounded, or "";
            the type of the result, "" for that of the same line without a region; and the scale
            of the tolerance: 0 for the exact bits.
        half: What D is.
        options: What else is observed; ``before`` are lines that only the oracle runs.
    """
    other = HALVES[half == HALVES[0]]
    return {"op": "program", "text": text, "results": results, "half": half, "other": other} | {
        **{"leaves": [], "count": "", "alive": [], "facts": [], "before": ""},
        **options,
    }


def _table(half: str, rows: list[Row]) -> Params:
    """Put expressions into one region: text, rounded to, type, tolerance."""
    lines = [f"    y{at} = {row[0]}" for at, row in enumerate(rows)]
    results = [[f"y{at}", *row] for at, row in enumerate(rows)]
    return _program("\n".join(["with autocast(D):", *lines]), results, half)


def _low() -> list[Params]:
    cases = []
    for half in HALVES:
        cases.append(_table(half, [[text, "D", "D", 0] for text in PRODUCTS]))
        layers = [[text, "D", "D", 0] for text in LAYERS]
        never = [[text, "", "", 1e-12] for text in NEVER]
        cases.append(_table(half, [*layers, [ATTENTION, "D", "D", 8], *never]))
    return cases


def _high() -> list[Params]:
    cases = []
    for half in HALVES:
        for texts in (HIGH, POINTWISE):
            cases.append(_table(half, [[text, "", "float32", 1e-5] for text in texts]))
        sums = [[text, "", "float32", 1e-5] for text in SUMS]
        asked = [[text, "", dtype, 1e-3 if dtype == "float16" else 1e-5] for text, dtype in ASKED]
        cases.append(_table(half, [*sums, *asked]))
    return cases


def _other() -> list[Params]:
    return [_table(half, [[text, "", "", 1e-12] for text in OTHER]) for half in HALVES]


def _of(name: str, region: str) -> list[Row]:
    """Expect the product of a and b, and a power, in a region of a type; "" is none."""
    product = [name, "a @ b", region, region or "float32", 0 if region else 1e-5]
    return [product, [f"{name}h", "h ** 2", "", "float32" if region else "", 1e-5]]


def _nest() -> list[Params]:
    cases = []
    for half in HALVES:
        for text, regions in NESTS:
            lines = re.sub(r"^( *)y(\d)$", r"\1y\2 = a @ b\n\1y\2h = h ** 2", text, flags=re.M)
            results = [row for at, region in enumerate(regions) for row in _of(f"y{at}", region)]
            cases.append(_program(lines, results, half))
    default = "with autocast():\n    y0 = a @ b\n    y0h = h ** 2\n" + "".join(
        f'facts["{name}"] = raised(lambda: autocast({name}).__enter__())\n' for name in NO_HALVES
    )
    facts = [[name, "raises", ["ValueError"]] for name in NO_HALVES]
    return [*cases, _program(default, _of("y0", "bfloat16"), "bfloat16", facts=facts)]


NO_HALVES = ("torch.float32", "torch.float64", "torch.int8")
# A line "y0" stands for a product and a power; then come the regions in which they are.
NESTS = (
    (
        """
with autocast(D):
    y0
    with autocast(E):
        y1
        with autocast(D, enabled=False):
            y2
            with autocast(D):
                y3
        y4
    y5
y6
""",
        ["D", "E", "", "D", "E", "D", ""],
    ),
    (
        """
with autocast(E, enabled=False):
    y0
    with autocast(dtype=D, enabled=True):
        y1
    y2
with autocast(D):
    y3
""",
        ["", "D", "", "D"],
    ),
    (
        """
region = autocast(D)
with region:
    y0
    with region:
        y1
    y2
y3
with region:
    y4
""",
        ["D", "D", "D", "", "D"],
    ),
    (
        """
caught = []
try:
    with autocast(D):
        try:
            with autocast(E):
                raise KeyError("inner")
        except KeyError:
            caught.append(1)
        y0
        raise ValueError("outer")
except ValueError:
    caught.append(2)
if caught == [1, 2]:
    y1
""",
        ["D", ""],
    ),
    (
        """
found = {}
@autocast(D)
def work(depth, *, name):
    if depth:
        work(depth - 1, name=name)
    found[depth] = a @ b, h ** 2
    return found[depth]
y0, y0h = work(2, name="w")
y1, y1h = found[1]
y2
with autocast(E):
    y3, y3h = work(0, name="w")
    y4
""",
        ["D", "D", "", "D", "E"],
    ),
)


def _out() -> list[Params]:
    text = """
y0, y1, y2 = torch.empty(3, 3), torch.empty(3, 4, dtype=D), torch.empty(3, dtype=D)
y3, y4, y5, y6, y7 = h.clone(), h.clone(), e.clone(), r.clone(), h.clone()
with autocast(D):
    torch.matmul(a, b, out=y0)
    torch.exp(h, out=y1)
    torch.sum(h, 1, out=y2)
    y3.exp_()
    y4 **= 2
    y5.addmm_(a, b)
    y6.baddbmm_(p, q)
    torch.cumsum(y7, 1, out=y7)
    y8 = a @ b
"""
    rows = [
        ["y0", "a @ b", "", "float32", 1e-5],
        *(["y1", "h.exp()", "", "D", 2], ["y2", "h.sum(1)", "", "D", 2]),
        *(["y3", "h.exp()", "", "D", 2], ["y4", "h ** 2", "", "D", 2]),
        ["y5", "e.addmm(a, b)", "", "float32", 1e-5],
        ["y6", "r.baddbmm(p, q)", "", "float32", 1e-5],
        *(["y7", "h.cumsum(1)", "", "D", 4], ["y8", "a @ b", "D", "D", 0]),
    ]
    return [_program(text, rows, half) for half in HALVES]


def _grad() -> list[Params]:
    # One leaf is used twice, one goes to an operation in its own type.
    text = """
with autocast(D):
    y0 = F.relu(F.linear(x, w1, b1)) @ w2
    y1 = x @ w1 + b1
y0.backward(gy.to(D))
y2, y3, y4, y5 = w1.grad, b1.grad, w2.grad, x.grad
w1.grad = b1.grad = x.grad = None
y1.sum().backward()
y6, y7, y8 = w1.grad, b1.grad, x.grad
"""
    before = """
y0 = F.relu(F.linear(x, w1, b1)) @ w2
g2, g3, g4, g5 = torch.autograd.grad(y0, [w1, b1, w2, x], gy)
g6, g8 = torch.autograd.grad((x @ w1).sum(), [w1, x])
"""
    rows = [
        ["y0", "y0", "D", "D", 0],
        *([f"y{at}", f"g{at}", "D", "float32", 0] for at in (2, 3, 4, 5, 6, 8)),
        ["y7", "torch.full((3,), 4.0)", "D", "float32", 0],
    ]
    leaves = ["x", "w1", "b1", "w2"]
    return [_program(text, rows, half, leaves=leaves, before=before) for half in HALVES]


def _cache() -> list[Params]:
    cases = []
    for half in HALVES:
        for text, rows, options in CACHES:
            cases.append(_program(text, rows, half, **({"leaves": ["m"]} | options)))
    return cases


def _is(name: str, truth: str) -> Row:
    return [name, truth, "D", "D", 0]


# Uses of the leaf m. Doubling and the change of sign are exact in every type.
CACHES: tuple[tuple[str, list[Row], Params], ...] = (
    (
        """
with autocast(D):
    for _ in range(64):
        y0 = a @ m
""",
        [_is("y0", "a @ m")],
        {"count": "m"},
    ),
    (
        """
with autocast(D):
    for _ in range(9):
        y0 = F.linear(a, m.T) if _ > 90 else a @ m
    with autocast(D):
        for _ in range(9):
            y1 = torch.mm(a, m)
    for _ in range(9):
        y2 = a.matmul(m)
""",
        [_is("y0", "a @ m"), _is("y1", "a @ m"), _is("y2", "a @ m")],
        {"count": "m"},
    ),
    (
        """
with autocast(D):
    y0 = a @ m
optimizer = SGD([m], lr=1.0)
m.grad = 2 * m.detach()
optimizer.step()
with autocast(D):
    y1 = a @ m
with torch.no_grad():
    m.mul_(-2)
with autocast(D):
    y2 = a @ m
""",
        [_is("y0", "a @ m"), _is("y1", "a @ -m"), _is("y2", "a @ (2 * m)")],
        {},
    ),
    (
        """
with autocast(D):
    y0 = a @ m
    with torch.no_grad():
        m.mul_(2)
    y1 = a @ m
    with torch.no_grad():
        m.neg_()
        y2 = a @ m
    y3 = a @ m
""",
        [
            *(_is("y0", "a @ m"), _is("y1", "a @ (2 * m)")),
            *(_is("y2", "a @ (-2 * m)"), _is("y3", "a @ (-2 * m)")),
        ],
        {},
    ),
    (
        """
given, ys = [m0, m1, m2, m3, m4, m5], []
with autocast(D):
    for each in given:
        m = leaf(each)
        ys.append((a @ m).detach())
        del m
y0, y1, y2, y3, y4, y5 = ys
""",
        [_is(f"y{at}", f"a @ m{at}") for at in range(6)],
        {"leaves": []},
    ),
    (
        """
with autocast(D):
    with torch.no_grad():
        y0 = a @ m
    y1 = a @ m
    with torch.no_grad():
        y2 = a @ m
    y3 = a @ m
if y1.requires_grad and y3.requires_grad:
    y1.backward(ga.to(D))
    y4, m.grad = m.grad, None
    y3.backward(ga.to(D))
    y5 = m.grad
facts["history"] = [y.requires_grad for y in (y0, y1, y2, y3)]
""",
        [
            *(_is(f"y{at}", "a @ m") for at in range(4)),
            *([f"y{at}", "a.T @ ga", "D", "float32", 0] for at in (4, 5)),
        ],
        {"facts": [["history", "equal", [False, True, False, True]]]},
    ),
    (
        """
region = autocast(D)
with region:
    y0 = a @ m
    with torch.no_grad():
        y1 = a @ m
with autocast(E):
    y2 = a @ m
""",
        [_is("y0", "a @ m"), ["y2", "a @ m", "E", "E", 0]],
        {"alive": ["m"]},
    ),
)


def _thread() -> list[Params]:
    product = [
        [f"y{at}", "a @ b", region, region or "float32", 0 if region else 1e-5]
        for at, region in enumerate(("", "D", "D", "", "D", "", "D"))
    ]
    texts = (
        """
other = side()
with autocast(D):
    y0 = other(lambda: a @ b)
    y1 = a @ b
def work():
    with autocast(D):
        return a @ b
y2 = other(work)
y3 = a @ b
region = autocast(D)
other(region.__enter__)
y4 = other(lambda: a @ b)
y5 = a @ b
with autocast(D):
    y6 = a @ b
other(lambda: region.__exit__(None, None, None))
""",
        """
other, region = side(), autocast(D)
other(region.__enter__)
y0 = a @ b
y1 = other(lambda: a @ b)
with region:
    y2 = a @ b
    with autocast(E):
        y7 = other(lambda: a @ b)
y3 = a @ b
y4 = other(lambda: a @ b)
other(lambda: region.__exit__(None, None, None))
y5 = other(lambda: a @ b)
with autocast(D):
    other(lambda: None)
    y6 = a @ b
""",
    )
    rows = [product, [*product, _is("y7", "a @ b")]]
    pairs = list(zip(texts, rows, strict=True))
    return [_program(text, results, half) for half in HALVES for text, results in pairs]


def _scale() -> list[Params]:
    text = """
scaler = GradScaler(init_scale=65536.0)
y0 = scaler.scale(torch.tensor(2.0, dtype=torch.float16))
y1 = scaler.scale(torch.tensor(3.0, dtype=torch.bfloat16))
some = scaler.scale([f, (h.double(), [f])])
y2, y3, y4 = some[0], some[1][0], some[1][1][0]
facts["types"] = [type(some) is list, type(some[1]) is tuple, type(some[1][1]) is list]
y5 = torch.stack(list(scaler.scale(each for each in (f, f))))
y6 = GradScaler(init_scale=0.25).scale(h)
loss = leaf(torch.tensor(1.5))
scaler.scale(loss).backward()
y7 = loss.grad
facts["scale"] = scaler.get_scale()
facts["default"] = GradScaler().get_scale()
facts["enabled"] = scaler.is_enabled()
"""
    rows = [
        ["y0", "torch.tensor(131072.0)", "", "float32", 0],
        ["y1", "torch.tensor(196608.0)", "", "float32", 0],
        *([f"y{at}", "65536 * f", "", "float32", 0] for at in (2, 4)),
        ["y3", "65536 * h", "", "float64", 0],
        ["y5", "torch.stack([65536 * f, 65536 * f])", "", "float32", 0],
        ["y6", "0.25 * h", "", "D", 1],
        ["y7", "torch.tensor(65536.0)", "", "float32", 0],
    ]
    facts = [
        ["types", "equal", [True, True, True]],
        *(["scale", "number", 65536.0], ["default", "number", 65536.0]),
        ["enabled", "equal", True],
    ]
    programs = [_program(text, rows, half, facts=facts) for half in HALVES]
    return [*programs, *(_iterations(number) for number in (0, 1))]


# Growth factor, backoff factor, growth interval, and what is done beside: clipped, looked at, a new
# scale, saved and loaded.
ITERATIONS = (
    (2.0, 0.5, 3, False, False, False, False),
    (1.5, 0.25, 2, False, False, False, False),
    (2.0, 0.5, 4, True, True, False, False),
    (1.25, 0.75, 2, True, True, True, False),
    (2.0, 0.5, 3, False, False, False, True),
    (1.5, 0.75, 4, True, True, True, True),
)
NUM_STEPS = 30


def _iterations(number: int) -> Params:
    return {"op": "iterate", "half": "", "number": number}


def _train() -> list[Params]:
    return [{"op": "train", "half": half} for half in HALVES]


SMALL = "p = leaf(f)\nq = leaf(h2.float())\n"


def _protocol() -> list[Params]:
    text = """
one, two, none = SGD([p], lr=1.0), SGD([q], lr=1.0), SGD([leaf(f)], lr=1.0)
half = SGD([leaf(h.half())], lr=1.0)
half.param_groups[0]["params"][0].grad = h.half()
def grads():
    p.grad, q.grad = 4 * f, 4 * f
scaler = GradScaler(init_scale=4.0)
scaler.scale(torch.ones(()))
facts["nothing checked"] = raised(lambda: scaler.update())
grads()
scaler.unscale_(one)
facts["unscaled twice"] = raised(lambda: scaler.unscale_(one))
y0 = p.grad.clone()
scaler.step(one)
y1 = p.detach().clone()
facts["stepped twice"] = raised(lambda: scaler.step(one))
facts["unscaled after step"] = raised(lambda: scaler.unscale_(one))
scaler.step(two)
y2 = q.detach().clone()
scaler.update()
grads()
facts["next iteration"] = raised(lambda: [scaler.unscale_(one), scaler.step(one)])
scaler.update()
facts["checked before"] = raised(lambda: scaler.update())
facts["closure"] = raised(lambda: scaler.step(one, closure=lambda: 1.0))
facts["no gradient"] = raised(lambda: scaler.step(none))
facts["float16"] = raised(lambda: scaler.unscale_(half))
"""
    rows = [
        ["y0", "f", "", "float32", 1e-6],
        ["y1", "0 * f", "", "float32", 1e-6],
        ["y2", "h2 - f", "", "float32", 1e-6],
    ]
    refused = [[name, "raises", ["RuntimeError"]] for name in REFUSED]
    facts = [
        *refused,
        ["nothing checked", "raises", ["Exception"]],
        ["checked before", "raises", ["Exception"]],
        ["next iteration", "equal", []],
        ["no gradient", "raises", ["RuntimeError", "AssertionError"]],
        ["float16", "raises", ["ValueError"]],
    ]
    value = """
scaler = GradScaler(init_scale=8.0, growth_interval=1)
scaler.scale(torch.ones(()))
loss = Loss()
p.grad = 8 * f
loss.param_groups.append({"params": [p]})
facts["value"] = scaler.step(loss, 3, "four", five=6)
facts["given"] = loss.given
scaler.update()
facts["grown"] = scaler.get_scale()
p.grad = 8 * f + torch.inf
facts["skipped"] = scaler.step(loss) is None
facts["not called"] = len(loss.given) == 1
scaler.update()
facts["backed off"] = scaler.get_scale()
scaler.update(torch.tensor(512.0))
facts["set by a tensor"] = scaler.get_scale()
scaler.update(1000.0)
facts["set by a number"] = scaler.get_scale()
for name, options in dict(growth=dict(growth_factor=1.0), shrink=dict(growth_factor=0.5),
                          keep=dict(backoff_factor=1.0), zero=dict(backoff_factor=0.0)).items():
    facts[name] = raised(lambda: GradScaler(**options))
"""
    largest = """
one = SGD([p], lr=1.0)
for start, factor in ((2.0**127, 2.0), (2.0**126, 16.0), (3e38, 1.25)):
    scaler = GradScaler(init_scale=start, growth_factor=factor, growth_interval=2)
    found = []
    for grad in (f, f, f, f + torch.inf):
        scaler.scale(torch.ones(()))
        p.grad = grad.clone()
        scaler.step(one)
        scaler.update()
        found += [scaler.get_scale() / start, float(scaler.state_dict()["_growth_tracker"])]
    for at, value in enumerate(found):
        facts[f"{factor} {at}"] = value
"""
    # It stays, and the count of good steps begins again; from there it can still back off.
    kept = [1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.5, 0.0]
    stays = [
        [f"{factor} {at}", "near", value]
        for factor in (2.0, 16.0, 1.25)
        for at, value in enumerate(kept)
    ]
    wrong = [[name, "raises", ["ValueError", "AssertionError"]] for name in WRONG_FACTORS]
    others = [
        ["value", "equal", "the value of step"],
        ["given", "equal", [[[3, "four"], [["five", 6]]]]],
        *(["skipped", "equal", True], ["not called", "equal", True], ["grown", "number", 16.0]),
        *(["backed off", "number", 8.0], ["set by a tensor", "number", 512.0]),
        ["set by a number", "number", 1000.0],
    ]
    return [
        _iterations(2),
        _iterations(3),
        _program(SMALL + text, rows, "float16", facts=facts),
        _program(SMALL + value, [], "float16", facts=[*others, *wrong]),
        _program(SMALL + largest, [], "float16", facts=stays),
    ]


REFUSED = ("unscaled twice", "stepped twice", "unscaled after step", "closure")
WRONG_FACTORS = ("growth", "shrink", "keep", "zero")


def _state() -> list[Params]:
    text = """
scaler = GradScaler(init_scale=32.0, growth_factor=4.0, backoff_factor=0.125, growth_interval=7)
one = SGD([p], lr=1.0)
for _ in range(3):
    scaler.scale(torch.ones(()))
    p.grad = f.clone()
    scaler.step(one)
    scaler.update()
state = scaler.state_dict()
facts["keys"] = sorted(state)
for key in sorted(state):
    facts["state " + key] = float(state[key])
other = GradScaler()
other.load_state_dict(state)
again = other.state_dict()
for key in sorted(again):
    facts["loaded " + key] = float(again[key])
facts["loaded scale too"] = other.get_scale()
facts["empty"] = raised(lambda: GradScaler().load_state_dict({}))
"""
    state = {"_growth_tracker": 3, "backoff_factor": 0.125, "growth_factor": 4.0}
    state |= {"growth_interval": 7, "scale": 32.0}
    facts = [
        ["keys", "equal", sorted(state)],
        *([f"state {key}", "number", float(value)] for key, value in state.items()),
        *([f"loaded {key}", "number", float(value)] for key, value in state.items()),
        *(["loaded scale too", "number", 32.0], ["empty", "raises", ["RuntimeError"]]),
    ]
    disabled = """
scaler = GradScaler(enabled=False)
some = [f, (h,)]
facts["itself"] = [scaler.scale(f) is f, scaler.scale(some) is some]
one, loss = SGD([p], lr=1.0), Loss()
p.grad = torch.full_like(f, torch.inf)
scaler.unscale_(one)
y0 = p.grad
p.grad = f.clone()
scaler.step(one)
y1 = p
facts["value"] = scaler.step(loss, 1, two=2)
facts["given"] = loss.given
scaler.update()
facts["scale"] = scaler.get_scale()
facts["state"] = scaler.state_dict()
facts["enabled"] = scaler.is_enabled()
"""
    rows = [["y0", "f + torch.inf", "", "float32", 0], ["y1", "0 * f", "", "float32", 0]]
    others = [
        *(["itself", "equal", [True, True]], ["value", "equal", "the value of step"]),
        *(["given", "equal", [[[1], [["two", 2]]]]], ["scale", "number", 1.0]),
        *(["state", "equal", {}], ["enabled", "equal", False]),
    ]
    return [
        _iterations(4),
        _iterations(5),
        _program(SMALL + text, [], "float16", facts=facts),
        _program(SMALL + disabled, rows, "float16", facts=others),
    ]


def _underflow() -> list[Params]:
    text = """
scaler, optimizer = GradScaler(init_scale=SCALE), SGD([m], lr=1.0)
with autocast(torch.float16):
    loss = ((a @ m).float() * 1e-8).sum()
scaler.scale(loss).backward()
scaler.unscale_(optimizer)
y0 = m.grad
"""
    truth = "1e-8 * a.T @ torch.ones(3, 6).double()"
    return [
        _program(
            text.replace("SCALE", str(2.0**power)),
            [["y0", truth, "float16", "float32", 4e-3]],
            "float16",
            leaves=["m"],
        )
        for power in (16, 20)
    ]


PLANS = {
    **{"low": _low, "high": _high, "other": _other, "nest": _nest, "out": _out, "grad": _grad},
    **{"cache": _cache, "thread": _thread, "scale": _scale, "train": _train},
    **{"protocol": _protocol, "state": _state, "underflow": _underflow},
}


def _written(params: Params) -> Params:
    """Name the types of a program, and the tensors that it reads."""
    names = {"D": f"torch.{params['half']}", "E": f"torch.{params['other']}"}
    text = re.sub(r"\b[DE]\b", lambda match: names[match[0]], params["text"]).strip("\n")
    said = " ".join([text, *(str(row[1]) for row in params["results"]), params["before"]])
    read = set(re.findall(r"\b\w+\b(?! *=[^=])", said))
    # Rounded to each type that the program casts to, the value is the integer.
    finest = "float16" if re.search(r"\bE\b", params["text"]) else params["half"]
    used = [name for name in TENSORS if name in read]
    return params | {"written": text, "used": used, "finest": finest}


def _draw_program(params: Params, draw: Draw) -> Case:
    text = params["written"]
    tensors = {name: _tensor(*TENSORS[name], params, draw) for name in params["used"]}
    data = {
        "program": text,
        "tensors": tensors,
        "leaves": [name for name in params["leaves"] if name in tensors],
        "results": [row[0] for row in params["results"]],
        "count": params["count"],
        "alive": params["alive"],
    }
    shown = {f"line {at}": line for at, line in enumerate(text.splitlines(), 1)}
    secret = {**params, "tensors": tensors}
    return Case(steps=(Request(op="program", data=data),), secret=secret, shown=shown | tensors)


def _tensor(kind: str, shape: list[int], params: Params, draw: Draw) -> torch.Tensor:
    half, other = getattr(torch, params["half"]), getattr(torch, params["other"])
    if kind in NEAR:
        eps = torch.finfo(getattr(torch, params["finest"])).eps
        low, high = NEAR[kind]
        size = draw.integers(shape, low, high, torch.float64)
        sign, away = 2.0 * draw.integers([2, *shape], 0, 1, torch.float64) - 1
        value = (size * sign * (1 + 0.2 * eps * away)).float()
        if kind.startswith("wide"):
            value = value * (2.0**40 if half == torch.bfloat16 else 1.0)
            return value.abs().to(half) if kind.endswith("half") else value
        return value.to(other) if kind.endswith("E") else value
    if kind in ("int", "label"):
        return draw.integers(shape, -5, 5) if kind == "int" else draw.integers(shape, 0, 3)
    if kind == "ones":
        return torch.ones(shape, dtype=half)
    if kind == "pos":
        return draw.uniform(shape, 0.3, 3.0).to(half)
    value = draw.normal(shape)
    return value if kind == "float" else value.to(other if kind.endswith("E") else half)


NEAR = {
    **{"near": (4, 7), "near E": (4, 7), "small": (1, 3), "tiny": (1, 2)},
    **{"wide": (4, 7), "wide half": (4, 7)},
}


def _draw_iterations(params: Params, draw: Draw) -> Case:
    growth, backoff, interval, clips, looks, renews, loads = ITERATIONS[params["number"]]
    shapes: list[list[Any]] = [[([2, 3], torch.float32), ([3], torch.float32)]]
    shapes.append([([2], torch.float64), ([4], torch.float32), ([2], torch.float32)])
    start = [[draw.normal(shape, dtype) for shape, dtype in group] for group in shapes]
    # One is bad each time, so that it shows whether the other one steps.
    bad = {2: (0, math.nan), 6: (1, math.inf), 11: (0, -math.inf), 15: (1, math.nan)}
    steps = [
        {
            "gradients": _gradients(start, bad.get(number), draw),
            "unscale": [draw.chance(0.5), number % 2 == 0],
            "clip": 0.7 if clips else 0.0,
            "new": _new_scale(number) if renews else None,
        }
        for number in range(NUM_STEPS)
    ]
    options = {"init_scale": 1024.0, "growth_factor": growth, "backoff_factor": backoff}
    data = {
        "start": start,
        "momentum": [0.0, 0.9],
        "options": options | {"growth_interval": interval},
        "steps": steps,
        # Some good steps are counted when it is saved, and many follow.
        "save": 18 if loads else -1,
        "load": 21 if loads else -1,
        "look": looks,
    }
    shown: dict[str, Any] = dict(options) | {"growth_interval": interval}
    return Case(
        steps=(Request(op="iterate", data=data),), secret={"op": "iterate", **data}, shown=shown
    )


def _new_scale(number: int) -> Any:
    return {8: 1000.0, 23: torch.tensor(768.0)}.get(number)


def _gradients(start: list[Any], bad: tuple[int, float] | None, draw: Draw) -> list[Any]:
    """Draw the gradients of both optimizers; one element may be bad, and one gradient None."""
    drawn = [[draw.normal(list(x.shape), x.dtype, scale=1024.0) for x in group] for group in start]
    if bad is not None:
        group, value = bad
        x = drawn[group][draw.integer(0, 1)]
        x.view(-1)[draw.integer(0, x.numel() - 1)] = value
    elif draw.chance(0.3):
        drawn[1][2] = None
    return drawn


def _draw_training(params: Params, draw: Draw) -> Case:
    prototypes, labels = draw.normal([4, 16]), draw.integers([48], 0, 3)
    data = {
        "x": prototypes[labels] + draw.normal([48, 16], scale=0.7),
        "y": labels,
        "weights": [
            draw.normal([12, 16], scale=0.25),
            torch.zeros(12),
            draw.normal([4, 12], scale=0.3),
            torch.zeros(4),
        ],
        **{"lr": 0.4, "steps": 12, "clip": 1.0, "dtype": getattr(torch, params["half"])},
        "options": {"init_scale": 4096.0},
    }
    shown = {"dtype": params["half"], "lr": data["lr"], "steps": data["steps"]}
    return Case(
        steps=(Request(op="train", data=data),), secret={"op": "train", **data}, shown=shown
    )


BUILDERS = {"program": _draw_program, "iterate": _draw_iterations, "train": _draw_training}
