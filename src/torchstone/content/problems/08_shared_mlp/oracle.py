"""Know the truth of problem 08 in float64, with the shared weight as one variable."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchstone.judge.kit import COUNT, EPS, Case, Exact, Expected, Holds, Raises, Want

TIED = {
    "en": "fc1.weight and fc2.weight are not one registered Parameter object",
    "zh": "fc1.weight 与 fc2.weight 不是同一个已注册的 Parameter 对象",
}
AS_BUILT = {
    "en": "a new model does not have the dtype it was built with: models share something",
    "zh": "新建的模型类型与构造时要求的不符：模型之间共享了东西",
}
HONEST = {
    "en": "the class replaces what reports or what assigns its parameters",
    "zh": "类改写了报告自身参数或给属性赋值的方法",
}
PATCHED = {
    "en": "an attribute of PyTorch's own classes was replaced",
    "zh": "PyTorch 自己的类的属性被替换了",
}
NAMES = ["fc1.weight", "fc1.bias", "fc2.bias"]
FROZEN = ("frozen weight", "fc1.weight")
KEYS = ["fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"]
State = dict[str, torch.Tensor]


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret = case.secret
    kind = secret["kind"]
    if kind == "error":
        sizes = secret["raises"].startswith("features")
        return {"raised": Raises(ValueError) if sizes else Raises(ValueError, RuntimeError)}
    if kind == "facts":
        return _facts(secret["facts"])
    if kind == "count":
        return _count(secret["count"])
    record = secret["record"]
    if kind == "call":
        keys = {"out": "out", "x": "grad.0"} | {name: f"grad.state.{name}" for name in NAMES}
        return _wants(record, keys, record["x"], record["cotangent"])
    if kind in ("accumulate", "sgd", "adam", "frozen weight", "partial load"):
        return _training(kind, record)
    return _life(kind, record)


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Compute value and gradients with F.linear and autograd."""
    if case.secret["kind"] != "call":
        return {}
    record = case.secret["record"]
    leaves = {name: value.double().requires_grad_() for name, value in record["state"].items()}
    x = record["x"].double().requires_grad_()
    y = _forward(leaves, x)
    every = [x, *leaves.values()]
    gradients = torch.autograd.grad(y, every, record["cotangent"].double())
    names = ["grad.0", *(f"grad.state.{name}" for name in leaves)]
    return {"out": y.detach()} | dict(zip(names, gradients, strict=True))


def _forward(state: State, x: torch.Tensor) -> torch.Tensor:
    linear, weight = torch.nn.functional.linear, state["fc1.weight"]
    hidden = linear(x, weight, state.get("fc1.bias")).relu()
    return linear(hidden, weight, state.get("fc2.bias"))


def _close(value: torch.Tensor, dtype: torch.dtype, aspect: str = "value") -> Want:
    return Want(value, _tolerance(value, dtype), dtype, aspect=aspect)


def _tolerance(value: torch.Tensor, dtype: torch.dtype) -> float:
    # One pass; abs().max() makes a tensor on the way.
    largest = max(abs(float(end)) for end in value.aminmax()) if value.numel() else 0.0
    return (1e-12 if dtype == torch.float64 else 2e-5) * (1 + largest)


def _wants(
    record: dict[str, Any], keys: dict[str, str], x: torch.Tensor, cotangent: torch.Tensor
) -> Expected:
    """Expect a value and gradients, by the formulas of two layers with one weight.

    Where a hidden unit lies within rounding of the kink of relu, either side is right.
    """
    state = {name: value.double() for name, value in record["state"].items()}
    weight, dtype = state["fc1.weight"], record["x"].dtype
    rows = x.double().reshape(-1, weight.shape[0])
    z = _affine(rows, weight, state.get("fc1.bias"))
    hidden = z.clamp(min=0)
    y = _affine(hidden, weight, state.get("fc2.bias"))
    expected: Expected = {keys["out"]: _close(y.reshape(x.shape), dtype)}
    if len(keys) == 1:
        return expected
    g = cotangent.double().reshape(rows.shape)
    of_hidden = g @ weight
    slack = _slack(z, of_hidden, weight, rows, dtype)
    inner = of_hidden.mul_(hidden.sign())
    values = {
        "x": inner @ weight,
        "fc1.weight": inner.T @ rows + g.T @ hidden,
        "fc1.bias": inner.sum(0),
        "fc2.bias": g.sum(0),
    }
    for name, value in values.items():
        if name in keys and (name == "x" or name in state):
            shape = x.shape if name == "x" else state[name].shape
            limit: torch.Tensor | float = _tolerance(value, dtype)
            if name in slack:
                limit = slack[name].add_(limit).reshape(shape)
            expected[keys[name]] = Want(value.reshape(shape), limit, dtype, aspect="grad")
    return expected


def _affine(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    return x @ weight.T if bias is None else torch.addmm(bias, x, weight.T)


def _slack(
    z: torch.Tensor,
    of_hidden: torch.Tensor,
    weight: torch.Tensor,
    rows: torch.Tensor,
    dtype: torch.dtype,
) -> State:
    """Return how far the gradients may move when units at the kink take the other side."""
    reach, lengths = rows.norm(dim=1), weight.norm(dim=1)
    # Hardly a row comes near; the least of |z| and the longest weight row tell which may.
    close = z.abs().amin(1) < 32 * EPS[dtype] * (reach * lengths.max() + 1)
    few = close.nonzero().squeeze(1)
    at_kink = z[few].abs() < 32 * EPS[dtype] * (reach[few, None] * lengths + 1)
    if not at_kink.any():
        return {}
    doubtful = 4 * of_hidden[few].abs() * at_kink
    of_x = torch.zeros_like(rows)
    of_x[few] = doubtful @ weight.abs()
    of_weight = doubtful.T @ rows[few].abs()
    return {"x": of_x, "fc1.weight": of_weight, "fc1.bias": doubtful.sum(0)}


def _facts(facts: dict[str, Any]) -> Expected:
    features, bias = facts["features"], facts["bias"]
    return {
        "is_module": Exact(True),
        "linears": Exact(True),
        "tied": Exact(True, note=TIED),
        "biases apart": Exact(True),
        "parameters": Exact(sorted(NAMES) if bias else NAMES[:1]),
        "state_dict": Exact(sorted(KEYS) if bias else [KEYS[0], KEYS[2]]),
        "num_buffers": Exact(0),
        "honest": Exact(True, note=HONEST),
        "torch itself": Holds(lambda came: came == [], PATCHED),
        "requires_grad": Exact(True),
        "weight": _drawn(features, facts["dtype"]),
        "biases": _drawn_or_zero(features) if bias else Exact([None, None]),
    }


def _drawn(features: int, dtype: torch.dtype) -> Holds:
    limit = 1 / math.sqrt(features)

    def holds(got: Any) -> bool:
        if not isinstance(got, torch.Tensor) or got.shape != (features, features):
            return False
        if got.dtype != dtype:
            return False
        variance = float(got.double().square().mean()) / (limit**2 / 3)
        # Six standard errors of the mean square of as many uniform numbers.
        spread = 6 * math.sqrt(0.8) / features
        inside = float(got.abs().max()) <= limit * (1 + 1e-6)
        return inside and abs(variance - 1) < spread

    wanted = {
        "en": "the weight is not drawn as nn.Linear draws it",
        "zh": "权重的初始化与 nn.Linear 不一致",
    }
    return Holds(holds, wanted)


def _drawn_or_zero(features: int) -> Holds:
    limit = 1 / math.sqrt(features)

    def holds(got: Any) -> bool:
        return isinstance(got, list) and len(got) == 2 and all(map(is_sane, got))

    def is_sane(item: Any) -> bool:
        if not isinstance(item, torch.Tensor) or item.shape != (features,):
            return False
        bias = item.double()
        variance = float(bias.square().mean()) / (limit**2 / 3)
        spread = 6 * math.sqrt(0.8 / features)
        inside = float(bias.abs().max()) <= limit * (1 + 1e-6)
        return inside and (not bias.any() or abs(variance - 1) < spread)

    wanted = {
        "en": "a bias is neither zero nor drawn as nn.Linear draws it",
        "zh": "偏置既不是零，也不是按 nn.Linear 的方式抽取的",
    }
    return Holds(holds, wanted)


def _life(kind: str, record: dict[str, Any]) -> Expected:
    expected: Expected = {
        "tied": Exact(True, note=TIED),
        "as built": Exact(True, note=AS_BUILT),
        "parameters": Exact(sorted(NAMES)),
    }
    if kind in ("replaced", "assigned"):
        record = record | {"state": record["state"] | {"fc1.weight": record["weight"]}}
    if kind == "modes":
        keys = {"out": "eval", "fc1.weight": "eval.weight"}
        expected |= _wants(record, keys, record["x"], record["cotangent"])
        expected["train"] = expected["eval"]
    elif kind in ("load", "deepcopy", "double", "replaced", "assigned", "instances"):
        expected |= _wants(record, {"out": "out"}, record["x"], record["cotangent"])
    return expected | _events(kind, record)


def _events(kind: str, record: dict[str, Any]) -> Expected:
    weight = record["state"]["fc1.weight"]
    if kind == "save":
        most = int(1.5 * weight.numel() * weight.element_size())
        wanted = {
            "en": f"the saved file is to hold the weight once: fewer than {most} bytes",
            "zh": f"保存的文件里权重只应有一份，即少于 {most} 字节",
        }
        return {
            "bytes": Holds(lambda got: bool(got < most), wanted, takes=COUNT),
            "one storage": Exact(True),
        }
    if kind == "step":
        keys = {"out": "out", "fc1.weight": "weight"}
        want = _wants(record, keys, record["x"], record["cotangent"])["weight"]
        assert isinstance(want, Want), "a gradient is a tensor"
        return {"weight": _close(weight.double() - 0.5 * want.value, weight.dtype)}
    facts: dict[str, dict[str, Any]] = {
        "load": {"missing": [], "unexpected": []},
        "deepcopy": {"apart": True},
        "bfloat16": {"cast": True},
        "frozen": {"frozen": True, "graph": False},
        "replaced": {"not intercepted": True, "fc1 wins": True},
        "instances": {"apart": True, "drawn apart": True},
    }
    return {key: Exact(value) for key, value in facts.get(kind, {}).items()}


def _training(kind: str, record: dict[str, Any]) -> Expected:
    if kind == "accumulate":
        return _accumulate(record)
    expected: Expected = {"tied": Exact(True, note=TIED)}
    if kind == "partial load":
        expected |= {"missing": Exact(["fc2.weight"]), "unexpected": Exact([])}
        return expected | _wants(record, {"out": "out"}, record["x"], record["cotangent"])
    leaves = {
        name: value.double().clone().requires_grad_() for name, value in record["state"].items()
    }
    trained = [leaf for name, leaf in leaves.items() if (kind, name) != FROZEN]
    states = [[0.0, 0.0] for _ in trained]
    for num_steps in range(1, 5):
        error = _forward(leaves, record["x"].double()) - record["other_x"].double()
        gradients = torch.autograd.grad(error.square().mean(), trained)
        for leaf, grad, state in zip(trained, gradients, states, strict=True):
            update = _adam(grad, state, num_steps) if kind == "adam" else _momentum(grad, state)
            leaf.data.sub_(record["options"]["lr"] * update)
    for name, leaf in leaves.items():
        expected[name] = Want(leaf.detach(), 1e-9, torch.float64)
    return expected | {"num_states": Exact(len(trained))}


def _momentum(grad: torch.Tensor, state: list[Any]) -> torch.Tensor:
    state[0] = 0.9 * state[0] + grad
    return torch.as_tensor(state[0])


def _adam(grad: torch.Tensor, state: list[Any], num_steps: int) -> torch.Tensor:
    state[0] = 0.9 * state[0] + 0.1 * grad
    state[1] = 0.999 * state[1] + 0.001 * grad * grad
    mean, square = state[0] / (1 - 0.9**num_steps), state[1] / (1 - 0.999**num_steps)
    return torch.as_tensor(mean / (square.sqrt() + 1e-8))


def _accumulate(record: dict[str, Any]) -> Expected:
    expected: Expected = {"zeroed": Exact(True)}
    pairs = ((record["x"], record["cotangent"]), (record["other_x"], record["other_cotangent"]))
    keys = {"out": "out"} | {name: name for name in NAMES}
    first, second = (_wants(record, keys, *pair) for pair in pairs)
    for name in NAMES:
        one, two = first[name], second[name]
        assert isinstance(one, Want), "a gradient is a tensor"
        assert isinstance(two, Want), "a gradient is a tensor"
        limit = torch.as_tensor(one.bound) + torch.as_tensor(two.bound)
        total = Want(one.value + two.value, limit, one.dtype, aspect="grad")
        expected |= {f"x.{name}": one, f"other_x.{name}": total, f"again.{name}": two}
    return expected


def _count(data: dict[str, Any]) -> Expected:
    a, b = data["a"], data["b"]
    pair = 2 * a * b + a + b
    numbers = {
        # all, trainable
        "tied embedding": (a * b, a * b),
        "module used twice": (a * a + a, a * a + a),
        "batch norm": (a * b + 3 * b, a * b + 3 * b),
        "frozen": (pair, pair - a * b),
        "meta": (pair, pair),
        "empty and 0-d": (2 + b, 2 + b),
        "aliases": (a * b, a * b),
        "view": (2 * a * b + 2 * b, 2 * a * b + 2 * b),
        "list with repeats": (a + b, a),
        "no parameters": (0, 0),
        "shared mlp": (a * a + 2 * a, a * a + 2 * a),
        "shared mlp without bias": (a * a, a * a),
        "nested": (a * b + b + 2 * b + 1, a * b + b + 2 * b + 1),
    }
    whole, trainable = numbers[data["module"]]
    return {
        "all": Exact(whole),
        "all by name": Exact(whole),
        "trainable": Exact(trainable),
        "left alone": Exact(True),
    }
