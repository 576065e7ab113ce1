"""Know the truth of problem 13: the encoder in float64, and what dropout leaves of ones."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.nn import functional

from torchstone.judge.kit import Case, Exact, Expected, Holds, Raises, Want

Tensor = torch.Tensor

# Of the largest element of the output, and of the largest gradient of the same tensor.
VALUE = {
    torch.float32: 2e-5,
    torch.float64: 1e-12,
    torch.bfloat16: 6e-2,
    torch.float16: 8e-3,
}
GRADIENT = {torch.float32: 1e-4, torch.float64: 1e-10}
# Gradients that are zero but for rounding, as that of a key's bias, are compared with the others.
FLOOR = 0.05
NORMS = ("norm1", "norm2")
GELU_OF_ONE = (1 + math.erf(1 / math.sqrt(2))) / 2
# The layer that shows where dropout acts: 64 features, 4 heads, 4 hidden features.
SITE_SHAPES = {
    "self_attn.in_proj_weight": (192, 64),
    "self_attn.in_proj_bias": (192,),
    "self_attn.out_proj.weight": (64, 64),
    "self_attn.out_proj.bias": (64,),
    "linear1.weight": (4, 64),
    "linear1.bias": (4,),
    "linear2.weight": (64, 4),
    "linear2.bias": (64,),
    **{f"norm{n}.{kind}": (64,) for n in (1, 2) for kind in ("weight", "bias")},
}
SEEDED = {
    "en": "equal seeds of torch's global generator must drop the same",
    "zh": "torch 全局生成器的种子相同，丢弃的位置也应相同",
}
UNSEEDED = {
    "en": "without a new seed the next call must drop others",
    "zh": "不重新设种子，下一次调用丢弃的位置应当不同",
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    return EXPECT[case.secret["kind"]](case.secret)


def builtin(case: Case) -> dict[str, Tensor]:
    """Compute the same with ``nn.TransformerEncoder`` in float64, where every query sees a key."""
    secret = case.secret
    if secret["kind"] != "encode" or not secret["params"]["batch"]:
        return {}
    params = secret["params"]
    names = ("width", "heads", "hidden")
    options = {name: params[name] for name in ("activation", "norm_first")}
    layer = torch.nn.TransformerEncoderLayer(
        *(params[name] for name in names),
        dropout=params["dropout"] if params["train"] else 0.0,
        layer_norm_eps=params["eps"],
        batch_first=True,
        dtype=torch.float64,
        **options,
    )
    norm = torch.nn.LayerNorm(params["width"], params["eps"], dtype=torch.float64)
    module = torch.nn.TransformerEncoder(
        layer, params["layers"], norm if params["final_norm"] else None, enable_nested_tensor=False
    )
    module.load_state_dict({name: item.double() for name, item in secret["state"].items()})
    found = {}
    for prefix, each in _calls(secret):
        merged = _merged(params, each)
        if merged is not None and (merged == -math.inf).all(-1).any():
            continue
        src = each["src"].detach().double().requires_grad_()
        masks = [_as_scores(each[name]) for name in ("mask", "padding")]
        out = module(src, *masks)
        found[f"{prefix}out"] = out.detach()
        if each["cotangent"] is not None:
            leaves = {"src": src} | dict(module.named_parameters())
            for name, gradient in _vjp(out, leaves, each["cotangent"]).items():
                found[f"{prefix}grad.{name}"] = gradient
    return found


def _calls(secret: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the calls of a case, each with the prefix of its answer."""
    calls = [(f"{index}.", each) for index, each in enumerate(secret["calls"])]
    return calls + ([("again.", secret["again"])] if secret["again"] else [])


def _vjp(out: Tensor, leaves: dict[str, Tensor], cotangent: Tensor) -> dict[str, Tensor]:
    gradients = torch.autograd.grad(
        out, list(leaves.values()), cotangent.double(), allow_unused=True, materialize_grads=True
    )
    return dict(zip(leaves, gradients, strict=True))


def _as_scores(mask: Tensor | None) -> Tensor | None:
    if mask is None or mask.dtype != torch.bool:
        return None if mask is None else mask.double()
    return torch.where(mask, -math.inf, 0.0).double()


def _merged(params: dict[str, Any], each: dict[str, Any]) -> Tensor | None:
    """Return both masks of a call as one that is added to the scores, like (B, H, L, L)."""
    mask, padding = _as_scores(each["mask"]), _as_scores(each["padding"])
    if mask is not None and mask.dim() == 3:
        mask = mask.reshape(-1, params["heads"], *mask.shape[1:])
    if padding is None:
        return mask
    of_keys = padding[:, None, None, :]
    return of_keys if mask is None else mask + of_keys


def _encode(
    params: dict[str, Any], state: dict[str, Tensor], src: Tensor, mask: Tensor | None
) -> Tensor:
    """Run the encoder in float64, without dropout.

    Of torch's own layers in float64, each one node of the graph: spelled out they take ten times as
    many, and most of the time is that of nodes.
    """

    def normalise(name: str, x: Tensor) -> Tensor:
        weights = state[f"{name}.weight"], state[f"{name}.bias"]
        return functional.layer_norm(x, x.shape[-1:], *weights, params["eps"])

    def project(name: str, x: Tensor) -> Tensor:
        return functional.linear(x, state[f"{name}weight"], state[f"{name}bias"])

    def attend(name: str, x: Tensor) -> Tensor:
        heads = (*x.shape[:2], params["heads"], x.shape[2] // params["heads"])
        packed = project(f"{name}.in_proj_", x)
        q, k, v = (part.reshape(heads).transpose(1, 2) for part in packed.tensor_split(3, -1))
        scores = q @ k.mT / math.sqrt(heads[3])
        context = (_weights(scores, mask) @ v).transpose(1, 2).reshape(x.shape)
        return project(f"{name}.out_proj.", context)

    def feed_forward(name: str, x: Tensor) -> Tensor:
        inner = project(f"{name}.linear1.", x)
        inner = inner.relu() if params["activation"] == "relu" else functional.gelu(inner)
        return project(f"{name}.linear2.", inner)

    x, dropped = src, params["train"] and params["dropout"] == 1
    for name in (f"layers.{index}" for index in range(params["layers"])):
        for norm, branch in zip(NORMS, (attend, feed_forward), strict=True):
            path = f"{name}.self_attn" if branch is attend else name
            norm = f"{name}.{norm}"
            of = normalise(norm, x) if params["norm_first"] else x
            x = x if dropped else x + branch(path, of)
            x = x if params["norm_first"] else normalise(norm, x)
    return normalise("norm", x) if params["final_norm"] else x


def _weights(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Turn scores into weights over the keys: exp(score) over their sum, or 0 where none is."""
    if mask is None:
        return scores.softmax(-1)
    scores = scores + mask
    blind = (mask == -math.inf).all(-1, keepdim=True)
    if not blind.any():
        return scores.softmax(-1)
    return scores.masked_fill(blind, 0.0).softmax(-1).masked_fill(blind, 0.0)


def _expect_encode(secret: dict[str, Any]) -> Expected:
    params = secret["params"]
    needed = params["gradients"]
    state = {name: item.double().requires_grad_(needed) for name, item in secret["state"].items()}
    expected = _expect_module(secret["state"])
    for prefix, each in _calls(secret):
        dtype = each["src"].dtype
        src = each["src"].detach().double().requires_grad_(needed)
        if params["train"]:
            assert params["dropout"] in (0, 1), "what dropout leaves cannot be known"
        out = _encode(params, state, src, _merged(params, each))
        bound = VALUE[dtype] * _largest(out)
        if params["dropout"] == 1 and params["train"] and params["norm_first"]:
            bound = 0.0  # the input plus zeros
        expected[f"{prefix}out"] = Want(out.detach(), bound, dtype)
        if each["cotangent"] is None:
            continue
        gradients = _vjp(out, {"src": src, **state}, each["cotangent"])
        largest = {name: _largest(gradient) for name, gradient in gradients.items()}
        floor = FLOOR * max(largest.values())
        for name, gradient in gradients.items():
            limit = GRADIENT[dtype] * max(largest[name], floor)
            # A later input has no part in an earlier output: its gradient is exactly zero.
            blocked = name == "src" and params["seen"] is not None
            expected[f"{prefix}grad.{name}"] = Want(
                gradient,
                limit * (gradient != 0) if blocked else limit,
                dtype,
                "grad",
                none_is_zero=largest[name] == 0,
            )
    return expected


def _largest(tensor: Tensor) -> float:
    return float(torch.linalg.vector_norm(tensor.detach(), math.inf)) if tensor.numel() else 0.0


def _expect_module(state: dict[str, Tensor]) -> Expected:
    return {
        "module": Exact(True),
        "state": Exact(sorted(f"{name} {tuple(item.shape)}" for name, item in state.items())),
        "parameters": Exact(sorted(state)),
        "shared": Exact([]),
    }


def _expect_site(secret: dict[str, Any]) -> Expected:
    p, site = secret["p"], secret["site"]
    state = {"layers.0." + name: torch.empty(shape) for name, shape in SITE_SHAPES.items()}
    where = {
        "attention": ("attention weights and on its projected output", "注意力权重与输出投影之后"),
        "feed-forward": ("hidden features and on the output of linear2", "隐藏特征与 linear2 之后"),
    }[site]
    wanted = {
        "en": f"with p = {p}, inverted dropout must act, independently, on the {where[0]}, "
        "also in the gradient",
        "zh": f"p = {p} 时，反向缩放的 dropout 应分别独立地作用于{where[1]}，梯度亦然",
    }

    def holds(got: Any) -> bool:
        is_pair = isinstance(got, list) and len(got) == 2
        if not is_pair or not all(isinstance(item, Tensor) for item in got):
            return False
        y, gradient = got
        if y.shape != secret["cotangent"].shape or y.dtype != torch.float32:
            return False
        if gradient.shape != ((192,) if site == "attention" else (4,)):
            return False
        return _is_dropped(y[:, 0].double(), p, site) and _is_its_gradient(secret, y, gradient)

    expected = _expect_module(state) | {"dropped": Holds(holds, wanted)}
    if secret["seeded"]:
        expected["equal seeds"] = Exact(True, note=SEEDED)
        expected["no seed"] = Exact(False, note=UNSEEDED)
    return expected


def _is_dropped(y: Tensor, p: float, site: str) -> bool:
    """Check what is left of ones behind two dropouts, the first of which drops 16 at once."""
    q, size = 1 - p, 16
    kept = (GELU_OF_ONE if site == "feed-forward" else 1.0) / q**2
    if not ((y.abs() < 1e-6) | ((y - kept).abs() < 1e-4 * kept)).all():
        return False
    counts = (y.abs() > kept / 2).double().view(-1, size).sum(1)
    gone = p + q * p**size
    # Six standard deviations of what so many groups show.
    of_count = math.sqrt(size * q**2 * p + size**2 * q**3 * p)
    of_gone = math.sqrt(gone * (1 - gone))
    slack = 6 / math.sqrt(len(counts))
    is_count = abs(float(counts.mean()) - size * q**2) <= slack * of_count
    return is_count and abs(float((counts == 0).double().mean()) - gone) <= slack * of_gone


def _is_its_gradient(secret: dict[str, Any], y: Tensor, gradient: Tensor) -> bool:
    """Check the gradient of the bias that made the ones: y is linear in its effect."""
    terms = (secret["cotangent"] * y)[:, 0].double()
    if secret["site"] == "attention":
        wanted, got = terms.sum(0), gradient[128:].double()
    else:
        slope = GELU_OF_ONE + math.exp(-0.5) / math.sqrt(2 * math.pi)
        wanted = terms.view(-1, 4, 16).sum((0, 2)) * slope / GELU_OF_ONE
        got = gradient.double()
    return bool(((got - wanted).abs() <= 1e-5 * terms.abs().sum()).all())


def _expect_errors(secret: dict[str, Any]) -> Expected:
    return {f"{name}.raised": Raises(ValueError) for name in secret["names"]}


EXPECT = {"encode": _expect_encode, "site": _expect_site, "errors": _expect_errors}
