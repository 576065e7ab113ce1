"""Know the truth of problem 04: replay the script in float64, with a bound beside every number."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import torch

from torchstone.judge.kit import EPS, Case, Exact, Expected, Holds, Raises, Want, bound, ulp

HALF = (torch.float16, torch.bfloat16)
NO_GRAPH = {
    "en": "a parameter or a result requires grad; without autograd nothing does",
    "zh": "有参数或结果的 requires_grad 为 True；不用 autograd 时不应如此",
}
NOT_REFUSED = {
    "en": "a call with a tensor of the wrong shape did not raise",
    "zh": "传入形状错误的张量，却没有抛出异常",
}
IN_PLACE = {
    "en": "after step a parameter is another tensor; it must be updated in place",
    "zh": "step 之后参数换成了另一个张量；应当原地更新",
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret = case.secret
    if "script" in secret:
        return Replay(secret).run()
    if "chain" in secret:
        return _chain(secret["chain"])
    if "descent" in secret:
        return _descent(secret["descent"])
    if "facts" in secret:
        return _facts(secret["facts"])
    return _illegal(secret["raises"])


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Compute the same with F.linear and autograd, where the script is one forward and backward."""
    data = case.secret.get("script")
    if data is None or "after.weight_grad" not in (expected := expect(case)):
        return {}
    layer = data["layers"][0]
    name = "x1" if "x1" in data["tensors"] else "x0"
    x = data["tensors"][name].double().requires_grad_()
    leaves = [x, layer["weight"].double().requires_grad_()]
    if layer["bias"] is not None:
        leaves.append(layer["bias"].double().requires_grad_())
    y = torch.nn.functional.linear(*leaves)
    g = data["tensors"][name.replace("x", "g")].double()
    keys = (name.replace("x", "gx"), "after.weight_grad", "after.bias_grad")
    found = dict(zip(keys, torch.autograd.grad(y, leaves, g), strict=False))
    found[name.replace("x", "y")] = y.detach()
    return {key: value for key, value in found.items() if isinstance(expected[key], Want)}


@dataclass(slots=True)
class Near:
    """A float64 truth, and how far rounding may lead from it."""

    value: torch.Tensor
    limit: torch.Tensor

    def want(self, dtype: torch.dtype, aspect: str = "value") -> Want:
        """Turn into an expectation."""
        return Want(self.value, self.limit, dtype, aspect=aspect)


class Layer:
    """A linear layer in float64."""

    def __init__(self, described: dict[str, Any], counts: torch.Tensor | None = None) -> None:
        self.dtype: torch.dtype = described["weight"].dtype
        self.counts = counts
        self.weight = described["weight"].double()
        self.bias = None if described["bias"] is None else described["bias"].double()
        self.pending: torch.Tensor | None = None
        self.grads: dict[str, Near | None] = {"weight_grad": None, "bias_grad": None}

    def product(self, a: torch.Tensor, b: torch.Tensor, num_terms: int) -> Near:
        """Multiply matrices; the bound is that of the same product of absolute values."""
        value = a @ b
        k = 8 + 2 * math.sqrt(num_terms)
        return Near(value, bound(a.abs() @ b.abs(), k, self.dtype, value))

    def forward(self, x: torch.Tensor) -> Want:
        """Return x W^T + b."""
        self.pending = x
        near = self.product(x.reshape(-1, x.shape[-1]), self.weight.T, x.shape[-1])
        if self.bias is not None:
            product, near.value = near.value, near.value + self.bias
            near.limit = near.limit + bound(self.bias.abs(), 8, self.dtype)
            if self.dtype in HALF:
                # The product may have been rounded before the bias was added.
                near.limit = near.limit + ulp(near.value, self.dtype) + ulp(product, self.dtype)
        shape = (*x.shape[:-1], self.weight.shape[0])
        return Near(near.value.reshape(shape), near.limit.reshape(shape)).want(self.dtype)

    def backward(self, g: torch.Tensor) -> Want:
        """Return g W, and add to the gradients of weight and bias."""
        assert self.pending is not None, "a script calls backward without forward"
        x, self.pending = self.pending, None
        rows, x_rows = g.reshape(-1, g.shape[-1]), x.reshape(-1, x.shape[-1])
        near, num_rows = self.product(rows, self.weight, g.shape[-1]), len(rows)
        if self.counts is not None:
            rows, num_rows = rows * self.counts[:, None], int(self.counts.sum())
        self.add("weight_grad", self.product(rows.T, x_rows, num_rows))
        if self.bias is not None:
            value, k = rows.sum(0), 8 + 2 * math.sqrt(num_rows)
            self.add("bias_grad", Near(value, bound(rows.abs().sum(0), k, self.dtype, value)))
        return Near(near.value.reshape(x.shape), near.limit.reshape(x.shape)).want(
            self.dtype, "grad"
        )

    def add(self, name: str, near: Near) -> None:
        """Accumulate a gradient; every addition rounds once more."""
        old = self.grads[name]
        if old is not None:
            value = old.value + near.value
            sizes = old.value.abs() + near.value.abs()
            near = Near(value, old.limit + near.limit + bound(sizes, 2, self.dtype, value))
        self.grads[name] = near

    def step(self, lr: float) -> None:
        """Subtract the gradients; done at most once with gradients in a script."""
        self.moved: dict[str, Near] = {}
        for name in ("weight", "bias"):
            old, grad = getattr(self, name), self.grads[f"{name}_grad"]
            if old is None or grad is None:
                continue
            sizes = old.abs() + lr * grad.value.abs()
            limit = lr * grad.limit + bound(sizes, 4, self.dtype, old)
            self.moved[name] = Near(old - lr * grad.value, limit)

    def weights(self) -> dict[str, Near | None]:
        """Return the parameters, exact where no step has moved them."""
        moved = getattr(self, "moved", {})
        found: dict[str, Near | None] = {}
        for name in ("weight", "bias"):
            value = getattr(self, name)
            exact = None if value is None else Near(value, torch.zeros(()))
            found[name] = moved.get(name, exact)
        return found


class Replay:
    """Run a script on float64 layers and collect what must come out."""

    def __init__(self, secret: dict[str, Any]) -> None:
        self.script = secret["script"]["script"]
        # Where few rows are met many times, each is computed once.
        self.index = secret.get("index")
        self.tensors = secret.get("rows", secret["script"]["tensors"])
        self.others = secret["script"].get("others", {})
        counts = None
        if self.index is not None:
            counts = self.index.reshape(-1).bincount(minlength=len(self.tensors["x0"]))
        self.layers = [Layer(each, counts) for each in secret["script"]["layers"]]
        self.expected: Expected = {"requires_grad": Exact(False, note=NO_GRAPH)}

    def run(self) -> Expected:
        """Follow every command."""
        for what, position, *rest in self.script:
            layer = self.layers[position]
            if what == "refused":
                self.expected["refused"] = Exact(True, note=NOT_REFUSED)
            elif what in ("forward", "backward", "recover"):
                source, key = rest
                method = layer.forward if what == "forward" else layer.backward
                want = method(self.tensors[source].double())
                self.expected[key] = want if self.index is None else _spread(want, self.index)
            elif what == "read":
                self.put(rest[0], layer, layer.grads, "grad")
            elif what == "weights":
                self.put(rest[0], layer, layer.weights(), "value")
            elif what == "overwrite":
                self.tensors = self.others
            elif what == "zero_grad":
                layer.grads = {"weight_grad": None, "bias_grad": None}
            else:
                self.expected["in_place"] = Exact(True, note=IN_PLACE)
                if any(near is not None for near in layer.grads.values()):
                    layer.step(rest[0])
        return self.expected

    def put(self, key: str, layer: Layer, found: dict[str, Near | None], aspect: str) -> None:
        """Expect tensors or None under the names of one reading."""
        for name, near in found.items():
            item = Exact(None) if near is None else near.want(layer.dtype, aspect)
            self.expected[f"{key}.{name}"] = item


def _spread(want: Want, index: torch.Tensor) -> Want:
    """Give every row of the batch what its row of the few must give."""
    return replace(want, value=want.value[index], bound=torch.as_tensor(want.bound)[index])


def _leaves(described: dict[str, Any]) -> list[torch.Tensor]:
    return [described[name].double().requires_grad_() for name in ("weight", "bias")]


def _chain(data: dict[str, Any]) -> Expected:
    (w0, b0), (w1, b1) = (_leaves(each) for each in data["layers"])
    x = data["x"].double().requires_grad_()
    y = torch.tanh(x @ w0.T + b0) @ w1.T + b1
    gradients = torch.autograd.grad(y, [x, w0, b0, w1, b1], data["g"].double())
    keys = ("gx", "0.weight_grad", "0.bias_grad", "1.weight_grad", "1.bias_grad")
    dtype = data["x"].dtype
    expected: Expected = {"y": _close(y.detach(), dtype, "value")}
    for key, gradient in zip(keys, gradients, strict=True):
        expected[key] = _close(gradient, dtype, "grad")
    return expected


def _close(value: torch.Tensor, dtype: torch.dtype, aspect: str) -> Want:
    size = 160 * EPS[dtype] * (1 + float(value.abs().max()))
    return Want(value, size, dtype, aspect=aspect)


def _descent(data: dict[str, Any]) -> Expected:
    weight, bias = (data["layers"][0][name].double() for name in ("weight", "bias"))
    x, target, losses = data["x"].double(), data["target"].double(), []
    for _ in range(data["num_steps"]):
        error = x @ weight.T + bias - target
        losses.append(error.square().mean())
        g = error * (2 / error.numel())
        weight, bias = weight - data["lr"] * (g.T @ x), bias - data["lr"] * g.sum(0)
    found = {"losses": torch.stack(losses), "weight": weight, "bias": bias}
    dtype = data["x"].dtype
    return {key: _close(value, dtype, "value") for key, value in found.items()}


def _facts(facts: dict[str, Any]) -> Expected:
    (in_features, out_features), dtype = facts["sizes"], facts["dtype"]
    shapes = {"weight": (out_features, in_features), "bias": (out_features,)}
    if not facts["bias"]:
        del shapes["bias"]
    expected: Expected = {
        "requires_grad": Exact(False, note=NO_GRAPH),
        "weight_grad": Exact(None),
        "bias_grad": Exact(None),
        "repeats": Exact(True),
        "varies": Exact(True),
        "global untouched": Exact(True),
    }
    if not facts["bias"]:
        expected["bias"] = Exact(None)
    for name, shape in shapes.items():
        expected[name] = Holds(_drawn(shape, dtype, in_features), _distribution(name))
    return expected


def _drawn(shape: tuple[int, ...], dtype: torch.dtype, in_features: int) -> Any:
    limit = 1 / math.sqrt(in_features)

    def holds(got: Any) -> bool:
        if not isinstance(got, torch.Tensor) or got.shape != shape or got.dtype != dtype:
            return False
        wide = got.double()
        # Six standard errors, so that a right draw is refused once in a hundred million times.
        mean = 6 * limit / math.sqrt(3 * wide.numel())
        spread = 6 * math.sqrt(0.8 / wide.numel())
        rounding = 2 * torch.finfo(dtype).eps
        inside = float(wide.abs().max()) <= limit * (1 + rounding)
        variance = float(wide.square().mean()) / (limit**2 / 3)
        centred = abs(float(wide.mean())) <= mean and abs(variance - 1) <= spread + rounding
        # Numbers that all fit into half precision have lost digits on the way.
        sharp = dtype in HALF or bool((got.half().to(dtype) != got).any())
        return inside and centred and sharp

    return holds


def _distribution(name: str) -> dict[str, str]:
    return {
        "en": f"{name} is not uniform on (-1/sqrt(in), 1/sqrt(in)) with the wanted shape and dtype",
        "zh": f"{name} 的形状、类型或分布不对：应在 (−1/√in, 1/√in) 上均匀分布",
    }


def _illegal(kind: str) -> Expected:
    if kind in ("in 0", "out 0", "in negative"):
        return {"raised": Raises(ValueError)}
    idle = ("no forward", "consumed", "consumed latest")
    wanted = (RuntimeError,) if kind in idle else (ValueError, RuntimeError)
    return {"raised": Raises(*wanted), "legal": Exact(True), "kept": Exact(True)}
