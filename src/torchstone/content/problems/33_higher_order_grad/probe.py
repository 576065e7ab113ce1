"""Build functions from their coefficients, pass them to the submission, and look at what it does.

The functions are named by family; the oracle differentiates the same ones in float64.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import torch
from torch.nn.functional import softplus

# Captured here, before a submission could replace them.
Tensor = torch.Tensor
TENSOR = vars(torch._C.TensorBase)
needs_grad, grad_of, set_grad = (
    TENSOR["requires_grad"].__get__,
    TENSOR["grad"].__get__,
    TENSOR["grad"].__set__,
)
detach, require_grad, register_hook = Tensor.detach, Tensor.requires_grad_, Tensor.register_hook
equal, no_grad = torch.equal, torch.no_grad
# From so many backward passes on a function refuses to go on, so that a loop over rows ends soon.
ENDLESS = 40


class TooManyPasses(Exception):
    """End a computation that passes through the function again and again."""


def probe(submission: Any, op: str, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Answer one operation: an entry of the problem, or ``errors``."""
    if op == "errors":
        return errors(submission, data, tools)
    return Observed(data, op, tools).answer(getattr(submission, op))


def errors(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Make calls that must raise, and describe what each of them raised."""
    found: dict[str, Any] = {}
    for name, each in data["calls"].items():
        observed = Observed(each["data"], each["op"], tools)
        state = tools.global_state()
        raised = tools.attempt(lambda o=observed, e=each: o.call(getattr(submission, e["op"])))
        same_modes(state, tools)
        observed.unchanged()
        if "raised" in raised:
            found[f"{name}.raised"] = raised["raised"]
    return found


def same_modes(before: list[Any], tools: Any) -> None:
    """Demand the modes of the caller; only the generator may move on, for a dummy may be drawn."""
    tools.same_state([*before[:-1], tools.global_state()[-1]])


class Observed:
    """Hold the tensors of a case, the function over them, and how they were before the call."""

    def __init__(self, data: dict[str, Any], op: str, tools: Any) -> None:
        self.data, self.op, self.tools = data, op, tools
        self.params = [require_grad(p, data["trains"]) for p in data["params"]]
        self.leaves, self.inputs = [], []
        for item, kind in zip(data["inputs"], data["grads"], strict=True):
            leaf = require_grad(item, kind != "none")
            self.leaves.append(leaf)
            self.inputs.append(leaf * 1 if kind == "middle" else leaf)
        self.others = [require_grad(other, data["others_train"]) for other in data["others"]]
        if data["prior"]:
            for leaf in (*self.params, *self.leaves):
                if needs_grad(leaf):
                    set_grad(leaf, detach(leaf) + 1)
        self.watched = [*self.params, *self.leaves, *self.inputs, *self.others]
        self.flags = [needs_grad(each) for each in self.watched]
        self.before = [tools.storage_snapshot(each) for each in self.watched]
        self.trainable = [*self.params, *self.leaves, *self.others]
        self.gradients = [grad_of(leaf) for leaf in self.trainable]
        self.copies = [None if g is None else tools.clone(g) for g in self.gradients]
        self.log: dict[str, Any] = {"calls": 0, "passes": 0, "same": True, "points": []}
        self.function = watch(self, self.log)

    def call(self, entry: Callable[..., Any]) -> Any:
        """Call an entry with the arguments that it takes."""
        inputs = self.inputs[0] if self.data["single"] else tuple(self.inputs)
        more = list(self.others)
        if self.op == "hvp":
            more = [more[0] if self.data["single_v"] else tuple(more)]
        elif self.op == "gradient_penalty":
            inputs, more = self.inputs[0], [self.inputs[1], *more]
        with no_grad() if self.data["under_no_grad"] else contextlib.nullcontext():
            state = self.tools.global_state()
            result = entry(self.function, inputs, *more, **self.data["options"])
            same_modes(state, self.tools)
        return result

    def unchanged(self) -> None:
        """Demand that no value was written, and no flag or strides were changed."""
        changed = map(self.tools.storage_changed, self.watched, self.before)
        if any(changed) or [needs_grad(each) for each in self.watched] != self.flags:
            raise self.tools.Fault("call_mutated")

    def answer(self, entry: Callable[..., Any]) -> dict[str, Any]:
        """Call the entry; describe its result, its derivatives, and the traces that it left."""
        found = self.once(entry)
        if "again" in self.data:
            # The same function and the same tensors, with other values.
            again = self.data["again"]
            for old, new in zip([*self.params, *self.leaves, *self.others], again, strict=True):
                self.tools.refill(old, new)
            self.before = [self.tools.storage_snapshot(each) for each in self.watched]
            self.log |= {"calls": 0, "same": True, "points": []}
            found |= {f"again:{key}": item for key, item in self.once(entry).items()}
        return found

    def once(self, entry: Callable[..., Any]) -> dict[str, Any]:
        try:
            result = self.call(entry)
        except TooManyPasses:
            return {"passes": self.log["passes"], "out": None}
        self.unchanged()
        found = {
            "calls": self.log["calls"],
            "arguments": self.log["same"],
            "traces": self.left_no_traces(),
        }
        if self.data["counts"]:
            found["passes"] = self.log["passes"]
        if self.op == "gradient_penalty" and len(self.log["points"]) == 1:
            found["point"] = self.log["points"][0]
        return found | self.describe(result)

    def left_no_traces(self) -> bool:
        """Return whether every .grad is what it was."""
        now = [grad_of(leaf) for leaf in self.trainable]
        return all(
            new is old and (old is None or self.tools.same_bits(old, copy))
            for new, old, copy in zip(now, self.gradients, self.copies, strict=True)
        )

    def describe(self, result: Any) -> dict[str, Any]:
        """Send the results, whether they have a graph, and what they are differentiated to."""
        items = list(result) if type(result) is tuple else [result]
        found: dict[str, Any] = {"tuple": type(result) is tuple, "out.len": len(items)}
        for position, item in enumerate(items):
            if not self.tools.is_plain(item):
                name = "None" if item is None else type(item).__name__
                raise self.tools.Fault("result_type", type=name)
            found[f"out.{position}"] = self.tools.sendable(item)
        found["graph"] = any(needs_grad(item) for item in items)
        cotangents = self.data["cotangents"]
        if cotangents and [c.shape for c in cotangents] == [item.shape for item in items]:
            found |= self.third(items, cotangents)
        return found

    def third(self, items: list[Tensor], cotangents: list[Tensor]) -> dict[str, Any]:
        """Differentiate the results with respect to everything that requires grad."""
        pairs = [(y, g.to(y.dtype)) for y, g in zip(items, cotangents, strict=True)]
        pairs = [pair for pair in pairs if needs_grad(pair[0])]
        names = [f"third.p{i}" for i in range(len(self.params))]
        names += [f"third.x{i}" for i in range(len(self.leaves))]
        names += [f"third.other{i}" for i in range(len(self.others))]
        wanted = [
            (name, leaf)
            for name, leaf in zip(names, self.trainable, strict=True)
            if needs_grad(leaf)
        ]
        if not pairs or not wanted:
            return {name: None for name, _ in wanted}
        ys, gs = zip(*pairs, strict=True)
        grads = self.tools.vjp(ys, [leaf for _, leaf in wanted], gs)
        return {name: self.tools.plain(g) for (name, _), g in zip(wanted, grads, strict=True)}


def watch(observed: Observed, log: dict[str, Any]) -> Callable[..., Tensor]:
    """Return the function of a case; it notes its calls and with what it was called."""
    data, params, tools = observed.data, observed.params, observed.tools
    kinds, shape_out = KINDS[observed.op], data["returns"]
    family = FAMILIES[kinds][data["family"]]

    def step(gradient: Tensor) -> None:
        log["passes"] += 1
        if log["passes"] >= ENDLESS:
            raise TooManyPasses

    def f(*points: Tensor) -> Tensor:
        log["calls"] += 1
        if kinds == "critic":
            log["points"].append(tools.plain(points[0]))
        else:
            log["same"] = log["same"] and same_points(points, observed.inputs, kinds == "rows")
        if data["counts"]:
            points = tuple(point * 1 for point in points)
            for point in points:
                if needs_grad(point):
                    register_hook(point, step)
        return reshape(family(params, *points), shape_out)

    return f


def same_points(points: tuple[Tensor, ...], inputs: list[Tensor], by_rows: bool) -> bool:
    """Return whether a function was called at the inputs; rows may be repeated or in any order."""
    if [point.dtype for point in points] != [x.dtype for x in inputs]:
        return False
    points, inputs = tuple(map(detach, points)), list(map(detach, inputs))
    if not by_rows:
        return all(equal(a, b) for a, b in zip(points, inputs, strict=True))
    (given,), (wanted,) = points, inputs
    return all(any(equal(row, other) for other in wanted) for row in given)


def reshape(y: Tensor, returns: Any) -> Tensor:
    """Give a result the shape that a case asks for."""
    if returns is None:
        return y
    if returns == "column":
        return y.unsqueeze(-1)
    if returns == "twice":
        return torch.stack([y, y], -1)
    if returns == "longer":
        return torch.cat([y, y[:1]])
    if returns == "row":
        return y.unsqueeze(0)
    if returns == "nothing":
        return y.reshape(1)[:0]
    return y.sum() if returns == "sum" else y.reshape(returns)


# One number of all inputs, seen as one vector z.
def over_all(function: Callable[[list[Tensor], Tensor], Tensor]) -> Callable[..., Tensor]:
    return lambda p, *xs: function(p, torch.cat([x.reshape(-1) for x in xs]))


NUMBER: dict[str, Callable[..., Tensor]] = {
    "quadratic": over_all(lambda p, z: z @ p[0] @ z / 2 + p[1] @ z),
    "polynomial": over_all(lambda p, z: (p[0] * z * z * z.roll(1)).sum() + (p[1] @ z) ** 3 / 6),
    "tanh": over_all(lambda p, z: p[2] @ torch.tanh(p[0] @ z + p[1])),
    "softplus": over_all(lambda p, z: p[2] @ softplus(p[0] @ z + p[1])),
    "logsumexp": over_all(lambda p, z: torch.logsumexp(p[0] @ z + p[1], 0)),
    "linear": over_all(lambda p, z: p[0] @ z),
    "chain": over_all(lambda p, z: (p[0] * z * z + p[1] * torch.tanh(z) * z.roll(1)).sum()),
    "parameters": lambda p, *xs: (p[0] * p[0]).sum(),
    "number": lambda p, *xs: torch.full((), 1.5, dtype=xs[0].dtype),
    # Of two inputs: only cross blocks; a product of powers; one of them unused, or linear.
    "cross": lambda p, x, y: x.reshape(-1) @ p[0] @ y.reshape(-1),
    "interaction": lambda p, x, y: (p[0] * x).sum() ** 2 * (p[1] * y**3).sum() + (x**4).sum(),
    "first only": lambda p, x, y: (p[0] * x**4).sum(),
    "half linear": lambda p, x, y: (p[0] * x**3).sum() + (p[1] * y).sum(),
}
# One number of each row.
ROWS: dict[str, Callable[..., Tensor]] = {
    "separable": lambda p, x: (p[0] * x**4).sum(1),
    "tanh": lambda p, x: torch.tanh(x @ p[0].T + p[1]) @ p[2],
    "softplus": lambda p, x: softplus(x @ p[0].T + p[1]) @ p[2],
    "polynomial": lambda p, x: (p[0] * x * x * x.roll(1, 1)).sum(1) + (x @ p[1]) ** 3 / 6,
    "distance": lambda p, x: (x - p[0]).square().sum(1).sqrt(),
    "linear": lambda p, x: x @ p[0],
    "parameters": lambda p, x: (p[0] * p[0]).sum().expand(len(x)),
    "number": lambda p, x: torch.full((len(x),), 1.5, dtype=x.dtype),
}
# Samples are rows, once they are flat; a sample of negative numbers has no gradient.
CRITIC: dict[str, Callable[..., Tensor]] = {
    name: lambda p, x, row=row: row(p, x.flatten(1)) for name, row in ROWS.items()
} | {"clamped": lambda p, x: x.flatten(1).clamp(min=0) ** 3 @ p[0]}

FAMILIES = {"number": NUMBER, "rows": ROWS, "critic": CRITIC}
KINDS = {"hvp": "number", "hessian": "number", "laplacian": "rows", "gradient_penalty": "critic"}
