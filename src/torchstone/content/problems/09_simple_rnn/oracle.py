"""Know the truth of problem 09: the recurrence in float64, differentiated by autograd."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchstone.judge.kit import Case, Exact, Expected, Holds, Raises, Want, numbers

Tensor = torch.Tensor

# Relative to the largest element, for one step; it grows with the square root of their number.
STEP = {torch.float32: 4e-6, torch.float64: 1e-12}
MOST_GROWTH = 5.2


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    return EXPECT[case.secret["kind"]](case.secret)


def builtin(case: Case) -> dict[str, Tensor]:
    """Compute the same with ``torch.nn.RNN`` in float64, where it can."""
    secret = case.secret
    if secret["kind"] != "call":
        return {}
    inputs = secret["inputs"]
    params = inputs["params"]
    if inputs["lengths"] is not None or params["truncate"] or 0 in params["shape"]:
        return {}
    options = {name: params[name] for name in ("nonlinearity", "bias", "batch_first")}
    module = torch.nn.RNN(*params["shape"][2:], **options, dtype=torch.float64)
    module.load_state_dict({name: value.double() for name, value in inputs["state"].items()})
    leaves = _leaves(inputs, secret["wrt"])
    output, last = module(leaves["0"], leaves.get("h0"))
    found = {"out.0": output.detach(), "out.1": last.detach()}
    wanted = [leaves[key] for key in secret["wrt"] if not key.startswith("state.")]
    wanted += list(module.parameters())
    gradients = _vjp([output, last], wanted, inputs["cotangents"])
    pairs = zip(secret["wrt"], gradients, strict=True)
    return found | {f"grad.{key}": gradient for key, gradient in pairs}


def _leaves(inputs: dict[str, Any], wrt: list[str]) -> dict[str, Tensor]:
    """Widen every input exactly, under the keys of the request; those in ``wrt`` become leaves."""
    leaves = {"0": inputs["x"]} | ({} if inputs["h0"] is None else {"h0": inputs["h0"]})
    leaves |= {f"state.{name}": value for name, value in inputs["state"].items()}
    wide = {key: value.detach().double() for key, value in leaves.items()}
    return {key: value.requires_grad_(key in wrt) for key, value in wide.items()}


def _vjp(outputs: list[Tensor], leaves: list[Tensor], cotangents: list[Any]) -> list[Tensor]:
    pairs = [(y, g.double()) for y, g in zip(outputs, cotangents, strict=True) if g is not None]
    pairs = [(y, g) for y, g in pairs if y.requires_grad]
    if not pairs:
        return [torch.zeros_like(leaf) for leaf in leaves]
    ys, gs = zip(*pairs, strict=True)
    options = {"allow_unused": True, "materialize_grads": True}
    return list(torch.autograd.grad(ys, leaves, gs, retain_graph=True, **options))


def _run(inputs: dict[str, Any], leaves: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
    """Step through time in float64; the results stand in the layout of the request."""
    params = inputs["params"]
    x = leaves["0"].transpose(0, 1) if params["batch_first"] else leaves["0"]
    num_steps, num_rows, hidden_size = *x.shape[:2], params["shape"][3]
    valid = _valid(inputs, num_steps, num_rows)
    if valid is not None:
        x = x.masked_fill(~valid, 0.0)
    drive = x @ leaves["state.weight_ih_l0"].T
    if params["bias"]:
        drive = drive + leaves["state.bias_ih_l0"] + leaves["state.bias_hh_l0"]
    activation = torch.tanh if params["nonlinearity"] == "tanh" else torch.relu
    h = leaves["h0"][0] if "h0" in leaves else x.new_zeros(num_rows, hidden_size)
    recurrent, states = leaves["state.weight_hh_l0"].T, []
    for step, now in enumerate(drive.unbind()):
        if step and params["truncate"] and step % params["truncate"] == 0:
            h = h.detach()
        new = activation(torch.addmm(now, h, recurrent))
        h = new if valid is None else torch.where(valid[step], new, h)
        states.append(h)
    output = torch.stack(states) if states else x.new_zeros(0, num_rows, hidden_size)
    if valid is not None:
        output = output.masked_fill(~valid, 0.0)
    return output.transpose(0, 1) if params["batch_first"] else output, h[None]


def _valid(inputs: dict[str, Any], num_steps: int, num_rows: int) -> Tensor | None:
    """Return which steps belong to their sequence, shape (T, B, 1)."""
    if inputs["lengths"] is None:
        return None
    lengths = torch.tensor(inputs["lengths"]).view(1, num_rows, 1)
    return torch.arange(num_steps).view(num_steps, 1, 1) < lengths


def _want(inputs: dict[str, Any], value: Tensor, padded: bool, aspect: str = "value") -> Want:
    params, dtype = inputs["params"], inputs["x"].dtype
    value = value.detach()
    finite = value if params["nan_at"] is None else value.nan_to_num(0.0)
    largest = float(finite.abs().max()) if value.numel() else 0.0
    limit = STEP[dtype] * (1 + 0.2 * math.sqrt(params["shape"][0])) * (1 + largest)
    if params["spectral"] > 1:
        limit *= 8
    bound: Tensor | float = limit
    if padded and inputs["lengths"] is not None:
        valid = _valid(inputs, *params["shape"][:2])
        assert valid is not None, "lengths were given"
        valid = valid.transpose(0, 1) if params["batch_first"] else valid
        bound = valid.double() * limit  # what is beyond the end is exactly zero
    # A gradient that is zero everywhere may as well be None: nothing leads there.
    return Want(value, bound, dtype, aspect, none_is_zero=aspect == "grad" and largest == 0)


def _call(secret: dict[str, Any]) -> Expected:
    inputs = secret["inputs"]
    leaves = _leaves(inputs, secret["wrt"])
    output, last = _run(inputs, leaves)
    wanted = [leaves[key] for key in secret["wrt"]]
    gradients = _vjp([output, last], wanted, inputs["cotangents"])
    expected: Expected = {
        "out.len": Exact(2),
        "out.0": _want(inputs, output, padded=True),
        "out.1": _want(inputs, last, padded=False),
    }
    for key, gradient in zip(secret["wrt"], gradients, strict=True):
        expected[f"grad.{key}"] = _want(inputs, gradient, padded=key == "0", aspect="grad")
    return expected | (_second(secret, leaves, [output, last]) if secret["second"] else {})


def _second(secret: dict[str, Any], leaves: dict[str, Tensor], outputs: list[Tensor]) -> Expected:
    inputs = secret["inputs"]
    pairs = zip(outputs, inputs["cotangents"], strict=True)
    pairs = [(y, g.double().requires_grad_()) for y, g in pairs if g is not None]
    ys, gs = [y for y, _ in pairs], [g for _, g in pairs]
    wanted = [leaves[key] for key in secret["wrt"]]
    options: dict[str, Any] = {"allow_unused": True, "materialize_grads": True}
    gradients = torch.autograd.grad(ys, wanted, gs, create_graph=True, **options)
    total = sum((g * v).sum() for g, v in zip(gradients, secret["second"], strict=True))
    results = torch.autograd.grad(total, [*wanted, *gs], **options)
    names = [*secret["wrt"], *(f"cotangent.{index}" for index in range(len(gs)))]
    pairs = zip(names, results, strict=True)
    return {f"second.{n}": _want(inputs, value, padded=False, aspect="grad") for n, value in pairs}


def _calls(secret: dict[str, Any]) -> Expected:
    inputs = secret["inputs"]
    expected: Expected = {"keys": Exact(sorted(inputs["state"]))}
    for name, x in (("first", inputs["x"]), ("second", inputs["other"]), ("eval", inputs["x"])):
        each = inputs | {"x": x}
        output, last = _run(each, _leaves(each, []))
        expected[f"{name}.output"] = _want(inputs, output, padded=False)
        expected[f"{name}.h_n"] = _want(inputs, last, padded=False)
    return expected


def _carry(secret: dict[str, Any]) -> Expected:
    wrt = list(_leaves(secret["inputs"], []))
    expected = _call({"inputs": secret["inputs"], "wrt": wrt, "second": []})
    return {key: item for key, item in expected.items() if key != "out.len"}


def _describe(secret: dict[str, Any]) -> Expected:
    params = secret["params"]
    _, _, input_size, hidden_size = params["shape"]
    shapes = {
        "weight_ih_l0": (hidden_size, input_size),
        "weight_hh_l0": (hidden_size, hidden_size),
    }
    if params.get("bias", True):
        shapes |= {"bias_ih_l0": (hidden_size,), "bias_hh_l0": (hidden_size,)}
    expected: Expected = {
        "module": Exact(True),
        "keys": Exact(sorted(shapes)),
        "buffers": Exact([]),
    }
    dtype = getattr(torch, params.get("dtype", "float32"))
    for name, shape in shapes.items():
        expected[f"init.{name}"] = _uniform(name, shape, dtype, 1 / math.sqrt(hidden_size))
        expected[f"trainable.{name}"] = Exact(True)
        expected[f"fresh.{name}"] = Exact(True)
    return expected


def _uniform(name: str, shape: tuple[int, ...], dtype: torch.dtype, limit: float) -> Holds:
    wanted = {
        "en": f"{name} must be {dtype} of shape {shape}, uniform in ±{limit:.4g} (1/√hidden_size)",
        "zh": f"{name} 应为 {dtype}、形状 {shape}，在 ±{limit:.4g}（1/√hidden_size）内均匀分布",
    }

    def holds(got: Any) -> bool:
        if not isinstance(got, Tensor) or got.shape != shape or got.dtype != dtype:
            return False
        relative = got.double() / limit
        # Six standard deviations of what n uniform numbers show; their fourth moment is 1/5.
        slack = 6 / math.sqrt(got.numel())
        inside = bool((relative.abs() <= 1 + 1e-6).all())
        centred = abs(float(relative.mean())) <= slack * math.sqrt(1 / 3)
        spread = abs(float(relative.square().mean()) - 1 / 3) <= slack * math.sqrt(4 / 45)
        # Rounded through half precision, numbers would be uniform only to three digits.
        fine = bool((got != got.half()).any())
        return inside and centred and spread and fine

    return Holds(holds, wanted)


def _growth(secret: dict[str, Any]) -> Expected:
    words = {
        "elements": ("elements that the forward pass writes", "前向写出的元素个数"),
        "operators": ("operators that the forward pass runs", "前向执行的算子个数"),
    }
    return {
        key: Holds(
            _grows_linearly,
            {
                "en": f"four times the steps must not take more than {MOST_GROWTH} times the {en}",
                "zh": f"步数变为 4 倍时，{zh}不得超过 {MOST_GROWTH} 倍",
            },
            takes=numbers(2),
        )
        for key, (en, zh) in words.items()
    }


def _grows_linearly(got: Any) -> bool:
    return 0 < got[0] and bool(got[1] < MOST_GROWTH * got[0])


def _error(secret: dict[str, Any]) -> Expected:
    wanted = (ValueError,) if secret["strict"] else (ValueError, RuntimeError)
    return {"raised": Raises(*wanted)}


EXPECT = {
    "call": _call,
    "calls": _calls,
    "carry": _carry,
    "describe": _describe,
    "growth": _growth,
    "error": _error,
}
