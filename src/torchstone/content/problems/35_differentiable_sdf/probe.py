"""Fields of problem 35, and what a submission does with them.

A field is called with points of any leading shape and of either precision. `counted` counts its
calls and its points; the cases and the oracle compute with the same fields in float64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

Tensor = torch.Tensor
Constants = dict[str, Tensor]

length = torch.linalg.vector_norm
minimum, maximum, where = torch.minimum, torch.maximum, torch.where
stack, tanh = torch.stack, torch.tanh
is_wrapped = torch._C._functorch.is_functorch_wrapped_tensor
FIELDS_OF_RESULT = ("t", "points", "hit", "steps")


def sphere(p: Tensor, radius: Any) -> Tensor:
    """Return the distance to a sphere."""
    return length(p, dim=-1) - radius


def box(p: Tensor, half_size: Tensor) -> Tensor:
    """Return the distance to a box, negative inside."""
    q = p.abs() - half_size
    return length(q.clamp(min=0), dim=-1) + q.amax(-1).clamp(max=0)


def torus(p: Tensor, major: Any, minor: Any) -> Tensor:
    """Return the distance to a torus round the y axis."""
    from_ring = length(stack([p[..., 0], p[..., 2]], -1), dim=-1) - major
    return length(stack([from_ring, p[..., 1]], -1), dim=-1) - minor


def plane(p: Tensor, normal: Tensor, offset: Any) -> Tensor:
    """Return the signed distance to a plane."""
    return (p * normal).sum(-1) / length(normal) - offset


def capsule(p: Tensor, a: Tensor, b: Tensor, radius: Any) -> Tensor:
    """Return the distance to a segment, less a radius."""
    along, from_a = b - a, p - a
    squared = (along * along).sum()
    share = ((from_a * along).sum(-1) / where(squared > 0, squared, 1)).clamp(0, 1)
    return length(from_a - share[..., None] * along, dim=-1) - radius


def smooth_union(d1: Tensor, d2: Tensor, k: float) -> Tensor:
    """Return the quadratic smooth minimum."""
    hard = minimum(d1, d2)
    return hard - (k - (d1 - d2).abs()).clamp(min=0) ** 2 / (4 * k) if k else hard


def smooth_intersection(d1: Tensor, d2: Tensor, k: float) -> Tensor:
    """Return the quadratic smooth maximum."""
    return -smooth_union(-d1, -d2, k)


def smooth_subtraction(d1: Tensor, d2: Tensor, k: float) -> Tensor:
    """Return the first distance without the second."""
    return smooth_intersection(d1, -d2, k)


def ball(p: Tensor, c: Constants) -> Tensor:
    """Return the distance to a sphere round its centre."""
    return sphere(p - c["centre"], c["radius"])


def room(p: Tensor, c: Constants) -> Tensor:
    """Return the distance to a box and a sphere together."""
    return minimum(box(p - c["place"], c["half_size"]), ball(p, c))


def blend(p: Tensor, c: Constants) -> Tensor:
    """Return a smooth union of a torus and a capsule."""
    ring = torus(p, c["major"], c["minor"])
    return smooth_union(ring, capsule(p, c["a"], c["b"], c["radius"]), 0.3)


def carved(p: Tensor, c: Constants) -> Tensor:
    """Return a box without a sphere: smaller than the distance in places."""
    return maximum(box(p - c["place"], c["half_size"]), -ball(p, c))


def floor(p: Tensor, c: Constants) -> Tensor:
    """Return the distance to a plane."""
    return plane(p, c["normal"], c["offset"])


def corridor(p: Tensor, c: Constants) -> Tensor:
    """Return the distance to a floor and a small sphere: rays along the floor take many steps."""
    return minimum(floor(p, c), ball(p, c))


def network(p: Tensor, c: Constants) -> Tensor:
    """Return what a small network makes of the points; it is no distance."""
    return tanh(p @ c["weight_1"] + c["bias_1"]) @ c["weight_2"] + c["bias_2"]


def bowl(p: Tensor, c: Constants) -> Tensor:
    """Return a paraboloid, whose gradient is zero at its lowest point."""
    return (p * p * c["widths"]).sum(-1)


SCENES: dict[str, Callable[[Tensor, Constants], Tensor]] = {
    "ball": ball,
    "room": room,
    "blend": blend,
    "carved": carved,
    "floor": floor,
    "corridor": corridor,
    "network": network,
    "bowl": bowl,
}


class Counts:
    """What was asked of a field.

    Attributes:
        calls: How often it was called.
        points: At how many points in all.
        seen: The points, where the field keeps them.
    """

    def __init__(self) -> None:
        self.calls, self.points = 0, 0
        self.seen: list[Tensor] = []


Counted = tuple[Callable[[Tensor], Tensor], Counts]


def counted(scene: str, constants: Constants, *, keeps: bool = False) -> Counted:
    """Return a field and its counts: a plain function, which has no constants as attributes."""
    function, counts = SCENES[scene], Counts()

    def f(p: Tensor) -> Tensor:
        counts.calls += 1
        counts.points += p.numel() // 3
        # Under vmap a tensor stands for a batch of points and cannot be read.
        if keeps and not is_wrapped(p):
            counts.seen.append(p)
        return function(p, {name: c.to(p.dtype) for name, c in constants.items()})

    return f, counts


def probe(submission: Any, op: str, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Answer ``trace``, ``derive`` or ``measure``."""
    work = {"trace": trace, "derive": derive, "measure": measure}[op]
    return work(submission, data, tools)


class Watch:
    """Compare what was passed to a submission with what it was before.

    What is differentiated requires a gradient from here on; the constants of a field have an old
    ``.grad`` where ``with_grad`` says so.
    """

    def __init__(self, data: dict[str, Any], tools: Any, *names: str) -> None:
        self.tools = tools
        self.given = {name: data[name] for name in names} | data["constants"]
        for name in data["wrt"]:
            self.given[name].requires_grad_()
        if data.get("with_grad"):
            for constant in data["constants"].values():
                constant.grad = tools.clone(constant.detach())
        self.flags = self._flags()
        self.grads = [None if t.grad is None else tools.clone(t.grad) for t in self._tensors()]
        self.storages = [tools.storage_snapshot(t) for t in self._tensors()]
        self.state = tools.global_state()

    def _tensors(self) -> list[Tensor]:
        return list(self.given.values())

    def _flags(self) -> list[bool]:
        return [t.requires_grad for t in self._tensors()]

    def look(self, key: str) -> dict[str, Any]:
        """Return whether flags and ``.grad`` are as before; raise where anything else is not."""
        tools = self.tools
        tools.same_state(self.state)
        pairs = zip(self._tensors(), self.storages, strict=True)
        if any(tools.storage_changed(t, s) for t, s in pairs):
            raise tools.Fault(key)
        grads = [t.grad for t in self._tensors()]
        same = [
            old is new if old is None or new is None else tools.same_bits(old, new)
            for old, new in zip(self.grads, grads, strict=True)
        ]
        return {"flags": self._flags() == self.flags, "no_grad_left": all(same)}


def trace(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Trace the rays once, and once more after everything was overwritten where ``again`` is."""
    field = counted(data["scene"], data["constants"])
    watch = Watch(data, tools, "origins", "dirs")
    found = _traced(submission, field, data, tools) | watch.look("call_mutated")
    if "again" in data:
        for name, values in data["again"].items():
            tools.refill(watch.given[name], values)
        other = data | {"cotangents": data["cotangents_again"]}
        again = _traced(submission, field, other, tools)
        found |= {f"again:{key}": item for key, item in again.items()}
    return found


def _traced(submission: Any, field: Counted, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    f, counts = field
    counts.calls = counts.points = 0
    result = submission.sphere_trace(f, data["origins"], data["dirs"], **data["options"])
    return _described(result, counts, data, tools)


def _described(result: Any, counts: Counts, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Describe the result of a trace, and differentiate it."""
    calls, points = counts.calls, counts.points
    given = {"origins": data["origins"], "dirs": data["dirs"]} | data["constants"]
    names = list(getattr(result, "_fields", ())) if isinstance(result, tuple) else []
    if tuple(names) != FIELDS_OF_RESULT:
        return {"fields": [str(name) for name in names]}
    t, at, hit, steps = (result[place] for place in range(4))
    numbers = [steps, calls, points]
    found = {
        "fields": names,
        "t": tools.plain(t),
        "points": tools.plain(at),
        "hit": tools.plain(hit),
        "counts": [item if type(item) is int else tools.plain(item) for item in numbers],
    }
    found |= {
        "on_ray": [found["t"], found["points"]],
        "on_surface": [found["points"], found["hit"]],
        "at_the_end": [found["t"], found["hit"]],
    }
    return found | _products([t, at], data, given, tools)


def _products(
    outputs: list[Any], data: dict[str, Any], given: dict[str, Tensor], tools: Any
) -> dict[str, Any]:
    """Return vector-Jacobian products; None where nothing leads to a leaf."""
    wrt = data["wrt"]
    pairs = [
        (y, g)
        for y, g in zip(outputs, data["cotangents"], strict=True)
        if isinstance(y, Tensor) and y.requires_grad and y.shape == g.shape and y.dtype == g.dtype
    ]
    if not wrt:
        return {}
    products: list[Any] = [None] * len(wrt)
    if pairs:
        ys, gs = (list(each) for each in zip(*pairs, strict=True))
        products = tools.vjp(ys, [given[name] for name in wrt], gs)
    return {
        f"grad.{name}": None if product is None else tools.plain(product)
        for name, product in zip(wrt, products, strict=True)
    }


def derive(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Call ``gradient``, ``normals`` or ``eikonal_loss`` with a field.

    Where ``again`` is, everything is overwritten and the function called once more.
    """
    watch = Watch(data, tools, "p")
    field = counted(data["scene"], data["constants"], keeps=True)
    found = _derived(submission, field, data, watch, tools)
    if "again" in data:
        for name, values in data["again"].items():
            tools.refill(watch.given[name], values)
        watch.storages = [tools.storage_snapshot(t) for t in watch.given.values()]
        field[1].seen.clear()
        other = data | {"cotangents": data["cotangents_again"]}
        again = _derived(submission, field, other, watch, tools)
        for key in ("flags", "no_grad_left"):
            found[key] &= again.pop(key)
        found |= {f"again:{key}": item for key, item in again.items()}
    return found


def _derived(
    submission: Any, field: Counted, data: dict[str, Any], watch: Watch, tools: Any
) -> dict[str, Any]:
    f, counts = field
    # A point that requires a gradient need not be a leaf.
    p = data["p"] * 1 if data["through"] else data["p"]
    function = getattr(submission, data["function"])
    outside = watch.state
    with torch.set_grad_enabled(data["grad_mode"]):
        watch.state = tools.global_state()
        result = function(f, p, **data["options"])
        found = {"out": tools.plain(result)} | watch.look("call_mutated")
    watch.state = outside
    wanted = {tuple(row) for row in data["p"].detach().double().reshape(-1, 3).tolist()}
    rows = [row for seen in counts.seen for row in seen.detach().double().reshape(-1, 3).tolist()]
    found["elsewhere"] = sum(tuple(row) not in wanted for row in rows)
    found |= _products([result], data, watch.given, tools)
    return found | watch.look("backward_mutated")


def measure(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Return the bytes that a trace keeps for backward, for each limit of steps.

    The trace with the last limit is the one that is described.
    """
    watch = Watch(data, tools, "origins", "dirs")
    given = list(watch.given.values())
    kept: list[int] = []
    for max_steps in data["limits"]:
        f, counts = counted(data["scene"], data["constants"])
        options = data["options"] | {"max_steps": max_steps}

        def run(f: Any = f, options: dict[str, Any] = options) -> Any:
            return submission.sphere_trace(f, data["origins"], data["dirs"], **options)

        result, num_bytes = tools.saved_bytes(run, given)
        kept.append(num_bytes)
    return {
        "kept": kept,
        **_described(result, counts, data, tools),
        **watch.look("call_mutated"),
    }
