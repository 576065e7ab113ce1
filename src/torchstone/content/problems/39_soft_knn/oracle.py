"""Know the soft neighbours of problem 39 and their products in float64, and what memory is enough.

Tolerances. A squared distance is known to a few eps of itself: D differences and squares are
rounded once each, and the sum D times, 12 eps at D = 8. Two of them make an exponent, so a weight
is off by up to 24 eps max d / tau times w (1 - w) <= 1/4, and a difference that cancelled before
costs no more. 30 eps max d / tau are allowed, and 1e-12 or 3e-6 for the sums over the points; 0.05
at most, because ranks are clear: see GAP in the cases. From tau = 1e-9 on every weight is exactly 0
or 1, and nothing is left but the sums.

The truth is computed in float64, too. Where all distances are 1 and differ by a temperature of
1e-6, it is off by 6 eps max d / tau, and so is an answer: 12 are less than 30. The 30 are 7e-9
there; a temperature of 1e-4 in its place changes weights by 0.1.

A product with g is a sum of w (g v - mean) / tau: what is wrong with a weight, times max d / tau.
60 times as much is allowed, of the largest entry. Values far from 0 cancel in g v - mean, so their
size counts as a share of their spread.

Legend: q queries, p points, v values, d squared distances, a anchors, w weights, g cotangents.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from torchstone.judge.kit import (
    COUNT,
    EPS,
    LOADED_BYTES,
    Case,
    Exact,
    Expected,
    Holds,
    Raises,
    Want,
    numbers,
)

Tensor = torch.Tensor

BASE = {torch.float32: 3e-6, torch.float64: 1e-12}
# Of a process: what Python and torch touch for the first time, and a few chunks.
MOST_PEAK = (72 << 20) + LOADED_BYTES
# Of many chunks, by whether gradients are asked for: the first calls of a process touch more of
# what is loaded, and many queries may keep 0.4 MiB more for backward than few.
MOST_RISE = {False: 2 << 20, True: 3 << 19}


def note(en: str, zh: str) -> dict[str, str]:
    """Return a text in both languages."""
    return {"en": en, "zh": zh}


NO_WEIGHTS = note(
    "weights is None unless return_weights=True", "return_weights=True 时才有 weights，否则为 None"
)
WEIGHTS = note("three results with return_weights=True", "return_weights=True 时返回三个结果")
FINITE = note(
    "at a tie the gradient must be finite, whichever point gets it",
    "等距处的梯度归哪个点都可以，但必须有限",
)


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    return EXPECT[case.secret["op"]](case.secret)


class Truth(NamedTuple):
    """Hold the results of some queries.

    Attributes:
        neighbors: (*, N, k, C).
        distances: (*, N, k).
        weights: (*, N, k, M).
        d: (*, N, M).
        order: The points of each query by distance, the first k.
    """

    neighbors: Tensor
    distances: Tensor
    weights: Tensor
    d: Tensor
    order: Tensor


def find_truth(q: Tensor, p: Tensor, v: Tensor, tau: Tensor, k: int) -> Truth:
    """Compute the weights by their definition."""
    d = (q.unsqueeze(-2) - p.unsqueeze(-3)).square_().sum(-1)
    anchors, order = d.topk(k, dim=-1, largest=False)
    w = (anchors.unsqueeze(-1) - d.unsqueeze(-2)).abs_().div_(-tau).exp_()
    # The point that gives the anchor has exp(0): the sum is 1 at least.
    w.div_(w.sum(-1, keepdim=True))
    neighbors = torch.einsum("...jm,...mc->...jc", w.flatten(-3, -2), v)
    distances = torch.einsum("...njm,...nm->...nj", w, d)
    return Truth(neighbors.unflatten(-2, (q.shape[-2], k)), distances, w, d, order)


class Products(NamedTuple):
    """Hold the products with the cotangents, and the size of the terms of the last."""

    query: Tensor
    points: Tensor
    values: Tensor
    temperature: Tensor
    size: Tensor


def find_products(
    truth: Truth, q: Tensor, p: Tensor, v: Tensor, tau: Tensor, g: tuple[Tensor, ...]
) -> Products:
    """Differentiate by hand: softmax, then the absolute value, then the squares."""
    w, d, (of_neighbors, of_distances, *of_weights) = truth.weights, truth.d, g
    # The sums below cancel far from the origin, and the differences of points do not.
    q, p = q - p[..., :1, :], p - p[..., :1, :]
    flat = of_neighbors.flatten(-3, -2)
    of_w = (flat @ v.mT).view(w.shape).add_(of_distances.unsqueeze(-1) * d.unsqueeze(-2))
    for each in of_weights:
        of_w += each
    of_s = of_w.sub_((w * of_w).sum(-1, keepdim=True)).mul_(w)
    apart = d.gather(-1, truth.order).unsqueeze(-1) - d.unsqueeze(-2)
    # s = -|a - d| / tau
    terms = (of_s * apart.abs()).sum(-1) / tau**2
    pull = of_s.mul_(apart.sign_()).div_(tau)
    of_d = torch.einsum("...nj,...njm->...nm", of_distances, w) + pull.sum(-2)
    of_d.scatter_add_(-1, truth.order, -pull.sum(-1))
    return Products(
        query=2 * (of_d.sum(-1, keepdim=True) * q - of_d @ p),
        points=2 * (of_d.sum(-2).unsqueeze(-1) * p - of_d.mT @ q),
        values=w.flatten(-3, -2).mT @ flat,
        temperature=terms.sum(),
        size=terms.abs().sum(),
    )


# --- calls ----------------------------------------------------------------------------------------


def _wide(secret: dict[str, Any]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the inputs in float64."""
    q, p, v = (secret[name].double() for name in ("query", "points", "values"))
    return q, p, v, torch.as_tensor(secret["temperature"], dtype=torch.float64)


class Bounds(NamedTuple):
    """Hold tolerances: of weights, of values in units of their spread, and of gradients."""

    weights: float
    neighbors: float
    distances: float
    gradients: float


def _bounds(truth: Truth, v: Tensor, tau: Tensor, dtype: torch.dtype, *, is_hard: bool) -> Bounds:
    eps, base = EPS[dtype], BASE[dtype]
    # Where no query is, or no point has a dimension.
    if not (truth.d.numel() and v.numel()):
        return Bounds(base, base, base, base)
    ratio = float(truth.d.max() / tau)
    e = base if is_hard else min(base + 30 * eps * ratio, 0.05)
    spread, largest = float(v.max() - v.min()), float(v.abs().max())
    neighbors = e * spread + 30 * eps * largest
    if is_hard:
        gradients = 60 * e
    else:
        far = min(neighbors / spread, 1.0) if spread else e
        gradients = 60 * max(e, far) * (1 + 0.1 * ratio)
    return Bounds(e, neighbors, e * float(truth.d.max()), gradients)


def _soft(secret: dict[str, Any]) -> Expected:
    dtype, (q, p, v, tau) = secret["query"].dtype, _wide(secret)
    truth = find_truth(q, p, v, tau, secret["k"])
    bounds = _bounds(truth, v, tau, dtype, is_hard=secret["is_hard"])
    expected: Expected = {
        "out.len": Exact(3, note=WEIGHTS) if secret["weights"] else Exact(2, note=NO_WEIGHTS),
        "out.0": Want(truth.neighbors, bounds.neighbors, dtype),
        "out.1": Want(truth.distances, bounds.distances, dtype),
    }
    if secret["weights"]:
        expected["out.2"] = Want(truth.weights, bounds.weights, dtype)
    if secret["op"] == "soft":
        expected |= _gradients(secret, truth, bounds)
    return expected


def _gradients(secret: dict[str, Any], truth: Truth, bounds: Bounds) -> Expected:
    q, p, v, tau = _wide(secret)
    of_neighbors, *others = secret["cotangents"]
    if of_neighbors is None:
        of_neighbors = torch.zeros_like(truth.neighbors)
    g = tuple(each.double() for each in (of_neighbors, *others))
    found = find_products(truth, q, p, v, tau, g)
    if not secret["has_values"]:
        found = found._replace(points=found.points + found.values)
    dtype, expected = secret["query"].dtype, dict[str, Any]()
    for name, key in zip(secret["wrt"], secret["keys"], strict=True):
        value: Tensor = getattr(found, name)
        if not secret["is_clear"] and name in ("query", "points"):
            expected[f"grad.{key}"] = _finite(value.shape, dtype)
            continue
        largest = value.abs().max() if value.numel() else torch.ones(())
        if name == "temperature":
            largest = found.size + 1e-9
        # No query: a gradient of zeros, or none.
        none = not q.shape[-2]
        limit = bounds.gradients * largest if largest else EPS[dtype]
        want = Want(value, limit, dtype, aspect="grad", none_is_zero=none)
        expected[f"grad.{key}"] = want
    return expected


def _finite(shape: torch.Size, dtype: torch.dtype) -> Holds:
    def is_finite(got: Any) -> bool:
        if not isinstance(got, Tensor) or got.shape != shape or got.dtype != dtype:
            return False
        return bool(got.isfinite().all())

    return Holds(is_finite, FINITE, aspect="grad")


def _refuse(secret: dict[str, Any]) -> Expected:
    return {f"{name}.raised": Raises(ValueError) for name in secret["calls"]}


def builtin(case: Case) -> dict[str, Tensor]:
    """Compute the same with softmax and cdist of PyTorch, and differentiate by autograd."""
    secret = case.secret
    if secret["op"] != "soft" or not secret["is_clear"] or not secret["query"].shape[-2]:
        return {}
    q, p, v, tau = (each.detach().clone().requires_grad_() for each in _wide(secret))
    d = torch.cdist(q, p, compute_mode="donot_use_mm_for_euclid_dist").square()
    anchors = d.sort(-1).values[..., : secret["k"]]
    w = torch.softmax(-(anchors[..., None] - d[..., None, :]).abs() / tau, -1)
    found = {"out.0": w @ v[..., None, :, :], "out.1": (w * d[..., None, :]).sum(-1)}
    if secret["weights"]:
        found["out.2"] = w
    pairs = [
        (y, g.double())
        for y, g in zip(found.values(), secret["cotangents"], strict=False)
        if g is not None
    ]
    leaves = {"query": q, "points": p, "values": v, "temperature": tau}
    ys, gs = (list(each) for each in zip(*pairs, strict=True))
    grads = torch.autograd.grad(ys, list(leaves.values()), gs, allow_unused=True)
    of = {
        name: torch.zeros_like(leaf) if grad is None else grad
        for (name, leaf), grad in zip(leaves.items(), grads, strict=True)
    }
    if not secret["has_values"]:
        of["points"] = of["points"] + of["values"]
    for name, key in zip(secret["wrt"], secret["keys"], strict=True):
        found[f"grad.{key}"] = of[name]
    return {key: item.detach() for key, item in found.items()}


# --- memory ---------------------------------------------------------------------------------------


def _measure(secret: dict[str, Any]) -> Expected:
    query, dtype, k = secret["query"], secret["query"].dtype, secret["k"]
    tau, rows, part = (
        secret["temperature"].double(),
        secret["compared"],
        len(secret["cotangents"][0]),
    )
    here = {**secret, "query": query[:part]}
    found, products, share = _compared(here, tau, rows[rows < part])
    points, temperature = products.points + products.values, products.temperature
    n, (m, d) = len(query), secret["points"].shape
    nothing = [torch.zeros(n, *each.shape[1:]) for each in secret["cotangents"]]
    whole, _, _ = _compared({**secret, "cotangents": nothing}, tau, rows)
    return {
        "out.len": Exact(2, note=NO_WEIGHTS),
        "out.0": found["neighbors"],
        "out.1": found["distances"],
        "grad.0": found["grad"],
        "grad.1": Want(points, share * points.abs().max(), dtype, aspect="grad"),
        "grad.3": Want(temperature, share * products.size, dtype, aspect="grad"),
        **{f"whole.{name}": whole[name] for name in ("neighbors", "distances")},
        "largest": _largest(2 * secret["chunk"] * m * max(k, d), secret["chunk"]),
        "saved.bytes": _saved(40 * (n + m) * 4 * dtype.itemsize),
    }


def _compared(
    data: dict[str, Any], tau: Tensor, rows: Tensor
) -> tuple[dict[str, Want], Products, float]:
    """Expect the results of some queries, and anything finite of the others.

    A row of the gradient belongs to one query. Return the products, and the share of the largest
    entry of a gradient that it may be off by, too.
    """
    q, p, dtype, k = data["query"].double(), data["points"].double(), data["query"].dtype, data["k"]
    truth = find_truth(q[rows], p, p, tau, k)
    g = data["cotangents"][0][rows].double(), data["cotangents"][1][rows].double()
    products = find_products(truth, q[rows], p, p, tau, g)
    bounds = _bounds(truth, p, tau, dtype, is_hard=False)
    largest = float(products.query.abs().max())
    sizes = {
        "neighbors": (truth.neighbors, bounds.neighbors),
        "distances": (truth.distances, bounds.distances),
        "grad": (products.query, bounds.gradients * largest),
    }
    expected = {}
    for key, (value, limit) in sizes.items():
        whole = torch.zeros(len(q), *value.shape[1:], dtype=torch.float64)
        bound = torch.full_like(whole, torch.inf)
        whole[rows], bound[rows] = value, limit
        aspect = "grad" if key == "grad" else "value"
        expected[key] = Want(whole, bound, dtype, aspect=aspect)
    return expected, products, bounds.gradients


def _largest(most: int, chunk: int) -> Holds:
    """Limit the elements of a tensor, and say how many there were."""
    en = f"no tensor has more than 2 c M max(k, D) = {most:,} elements with chunk_size={chunk}"
    zh = f"chunk_size={chunk} 时，任何张量都不超过 2·c·M·max(k, D) = {most:,} 个元素"
    words = note(en, zh)

    def is_small(value: list[float]) -> bool:
        forward, both, bare = (f"{count:,}" for count in value)
        words.update(
            note(
                f"{en}; measured: {forward} in forward, {both} with backward, {bare} under no_grad",
                f"{zh}；实测：前向 {forward}，连同反向 {both}，no_grad 下 {bare}",
            )
        )
        return max(value) <= most

    return Holds(is_small, words, takes=numbers(3), is_fault_in_words=True)


def _saved(most: int) -> Holds:
    return _at_most(
        most,
        2**10,
        f"at most 40 (N + M) 4 itemsize = {most / 2**10:,.0f} KiB are kept for backward",
        f"为反向至多保留 40·(N+M)·4·itemsize = {most / 2**10:,.0f} KiB",
    )


def _at_most(most: int, unit: int, en: str, zh: str) -> Holds:
    """Limit what was measured, and say what it was."""
    words = note(en, zh)
    name = {2**10: "KiB", 2**20: "MiB"}[unit]

    def is_small(value: int) -> bool:
        size = f"{value / unit:,.1f} {name}"
        words.update(note(f"{en}; measured: {size}", f"{zh}；实测 {size}"))
        return value <= most

    return Holds(is_small, words, takes=COUNT, is_fault_in_words=True)


def _alone(secret: dict[str, Any]) -> Expected:
    expected: Expected = {}
    for step, (data, rows) in enumerate(zip(secret["steps"], secret["compared"], strict=True)):
        prefix = f"{step}:" if step else ""
        tau = torch.tensor(data["temperature"], dtype=torch.float64)
        found, _, _ = _compared(data, tau, rows)
        is_asked = {"grad": data["is_grad"]}
        expected |= {
            f"{prefix}{key}": item for key, item in found.items() if is_asked.get(key, True)
        }
    # Few queries and then many, without gradients and then with them.
    for step in range(1, len(secret["steps"]), 2):
        few, many = secret["steps"][step - 1 : step + 1]
        sizes = f"M = {len(many['points']):,}, chunk_size={many['chunk_size']}"
        first, second, most = len(few["query"]), len(many["query"]), MOST_RISE[many["is_grad"]]
        mib = f"{most / 2**20:g} MiB"
        en, zh = ("with", "求梯度") if many["is_grad"] else ("without", "不求梯度")
        expected[f"{step}:peak.rise"] = _at_most(
            most,
            2**20,
            f"N = {second} takes at most {mib} more than N = {first} {en} gradients: {sizes}",
            f"{zh}、{sizes} 时，N = {second} 比 N = {first} 至多多占 {mib}",
        )
    expected[f"{len(secret['steps']) - 1}:peak.bytes"] = _at_most(
        MOST_PEAK,
        2**20,
        f"the peak memory of the process that answers all of them is at most {MOST_PEAK >> 20} MiB",
        f"依次回答这些调用的进程，内存峰值至多 {MOST_PEAK >> 20} MiB",
    )
    return expected


EXPECT = {
    "soft": _soft,
    "without_gradients": _soft,
    "refuse": _refuse,
    "measure": _measure,
    "alone": _alone,
}
