"""Conversion of state dicts to and from ``torch.nn`` modules and GPT-2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

State = Mapping[str, Tensor]

# Names here -> names in torch.nn.TransformerEncoderLayer and TransformerDecoderLayer.
_FEED_FORWARD = {"feed_forward.up": "linear1", "feed_forward.down": "linear2"}
_ENCODER = {"attention_norm": "norm1", "feed_forward_norm": "norm2"} | _FEED_FORWARD
_DECODER = {
    "attention_norm": "norm1",
    "memory_norm": "norm2",
    "feed_forward_norm": "norm3",
} | _FEED_FORWARD
_ATTENTIONS = {"attention": "self_attn", "memory_attention": "multihead_attn"}
# Names here -> names in a layer of GPT-2, whose weights are stored transposed.
_GPT2 = {
    "attention_norm": "ln_1",
    "attention.out": "attn.c_proj",
    "feed_forward_norm": "ln_2",
    "feed_forward.up": "mlp.c_fc",
    "feed_forward.down": "mlp.c_proj",
}
_PROJECTIONS = ("query", "key", "value")


def attention_from_torch(state: State) -> dict[str, Tensor]:
    """Convert a state_dict of ``torch.nn.MultiheadAttention`` to one of ``Attention``.

    Raises:
        ValueError: It has learned keys (``bias_k``, ``bias_v``), which ``Attention`` lacks.
    """
    if "bias_k" in state:
        raise ValueError("attention_from_torch: bias_k and bias_v are learned keys; ours has none")
    result = {}
    for kind in ("weight", "bias"):
        if f"in_proj_{kind}" in state:
            for name, part in zip(_PROJECTIONS, state[f"in_proj_{kind}"].chunk(3), strict=True):
                result[f"{name}.{kind}"] = part
        if f"out_proj.{kind}" in state:
            result[f"out.{kind}"] = state[f"out_proj.{kind}"]
    for name in _PROJECTIONS:
        # If the key width differs, PyTorch has a separate weight for each projection.
        if f"{name[0]}_proj_weight" in state:
            result[f"{name}.weight"] = state[f"{name[0]}_proj_weight"]
    return result


def attention_to_torch(state: State) -> dict[str, Tensor]:
    """Convert a state_dict of ``Attention`` to one of ``torch.nn.MultiheadAttention``.

    Raises:
        ValueError: There are fewer key heads than query heads, which PyTorch's module lacks.
    """
    query, key = state["query.weight"], state["key.weight"]
    if query.shape[0] != key.shape[0]:
        raise ValueError("attention_to_torch: keys have fewer heads than queries; torch's have not")
    result = {}
    if query.shape == key.shape:
        result["in_proj_weight"] = torch.cat([state[f"{name}.weight"] for name in _PROJECTIONS])
    else:
        for name in _PROJECTIONS:
            result[f"{name[0]}_proj_weight"] = state[f"{name}.weight"]
    if "query.bias" in state:
        result["in_proj_bias"] = torch.cat([state[f"{name}.bias"] for name in _PROJECTIONS])
    for kind in ("weight", "bias"):
        if f"out.{kind}" in state:
            result[f"out_proj.{kind}"] = state[f"out.{kind}"]
    return result


def layer_from_torch(state: State) -> dict[str, Tensor]:
    """Convert a state_dict of PyTorch's encoder or decoder layer to one of ``Layer``."""
    names = _DECODER if "norm3.weight" in state else _ENCODER
    result: dict[str, Tensor] = {}
    for ours, theirs in _ATTENTIONS.items():
        own = attention_from_torch(_below(state, theirs))
        result |= {f"{ours}.{name}": each for name, each in own.items()}
    for ours, theirs in names.items():
        result |= {f"{ours}.{name}": each for name, each in _below(state, theirs).items()}
    return result


def layer_to_torch(state: State) -> dict[str, Tensor]:
    """Convert a state_dict of ``Layer`` to one of PyTorch's encoder or decoder layer."""
    names = _DECODER if "memory_norm.weight" in state else _ENCODER
    result: dict[str, Tensor] = {}
    for ours, theirs in _ATTENTIONS.items():
        if own := _below(state, ours):
            own = attention_to_torch(own)
            result |= {f"{theirs}.{name}": each for name, each in own.items()}
    for ours, theirs in names.items():
        result |= {f"{theirs}.{name}": each for name, each in _below(state, ours).items()}
    return result


def encoder_decoder_from_torch(state: State) -> dict[str, Tensor]:
    """Convert a state_dict of ``torch.nn.Transformer`` to one of ``EncoderDecoder``."""
    result: dict[str, Tensor] = {}
    for side in ("encoder", "decoder"):
        own = _below(state, side)
        layers = _below(own, "layers")
        for number in sorted({int(name.split(".")[0]) for name in layers}):
            layer = layer_from_torch(_below(layers, str(number)))
            result |= {f"{side}.layers.{number}.{name}": each for name, each in layer.items()}
        result |= {f"{side}.norm.{name}": each for name, each in _below(own, "norm").items()}
    return result


def language_model_from_gpt2(state: State) -> dict[str, Tensor]:
    """Convert a GPT-2 state_dict to one of ``LanguageModel`` with learned positions.

    The layers are ``Layer(..., activation="gelu_tanh")``. Masks stored with the parameters
    (``attn.bias``, ``attn.masked_bias``) are ignored.

    Raises:
        ValueError: A required parameter is missing.
    """
    state = {name.removeprefix("transformer."): each for name, each in state.items()}
    try:
        result = {
            "tokens.weight": state["wte.weight"],
            "scores.weight": state.get("lm_head.weight", state["wte.weight"]),
            "position.weight": state["wpe.weight"],
            "stack.norm.weight": state["ln_f.weight"],
            "stack.norm.bias": state["ln_f.bias"],
        }
        for number in range(1 + max(int(n.split(".")[1]) for n in state if n.startswith("h."))):
            own = _layer_from_gpt2(_below(state, f"h.{number}"))
            result |= {f"stack.layers.{number}.{name}": each for name, each in own.items()}
    except KeyError as error:
        raise ValueError(f"language_model_from_gpt2: there is no {error.args[0]!r}") from None
    return result


def language_model_to_gpt2(state: State) -> dict[str, Tensor]:
    """Convert a state_dict of ``LanguageModel`` to GPT-2; see ``language_model_from_gpt2``."""
    result = {
        "wte.weight": state["tokens.weight"],
        "wpe.weight": state["position.weight"],
        "ln_f.weight": state["stack.norm.weight"],
        "ln_f.bias": state["stack.norm.bias"],
        "lm_head.weight": state["scores.weight"],
    }
    layers = _below(state, "stack.layers")
    for number in sorted({int(name.split(".")[0]) for name in layers}):
        own = _below(layers, str(number))
        for kind in ("weight", "bias"):
            parts = torch.cat([own[f"attention.{name}.{kind}"] for name in _PROJECTIONS])
            result[f"h.{number}.attn.c_attn.{kind}"] = parts.t() if kind == "weight" else parts
            for ours, theirs in _GPT2.items():
                each = own[f"{ours}.{kind}"]
                result[f"h.{number}.{theirs}.{kind}"] = each.t() if each.dim() == 2 else each
    return result


def _layer_from_gpt2(state: State) -> dict[str, Tensor]:
    result = {}
    for kind in ("weight", "bias"):
        for name, part in zip(_PROJECTIONS, state[f"attn.c_attn.{kind}"].chunk(3, -1), strict=True):
            result[f"attention.{name}.{kind}"] = part.t() if kind == "weight" else part
        for ours, theirs in _GPT2.items():
            each = state[f"{theirs}.{kind}"]
            result[f"{ours}.{kind}"] = each.t() if each.dim() == 2 else each
    return result


def arguments_of(
    module: nn.TransformerEncoderLayer | nn.TransformerDecoderLayer,
) -> dict[str, Any]:
    """Return the arguments for which ``Layer`` is equivalent to a layer of PyTorch.

    Raises:
        ValueError: Its activation is not supported.
    """
    known = {torch.nn.functional.relu: "relu", torch.nn.functional.gelu: "gelu"}
    activation = known.get(module.activation)
    if activation is None:
        raise ValueError(
            f"arguments_of: activation is {module.activation}; expected relu or gelu of "
            f"torch.nn.functional"
        )
    width = module.linear1.in_features
    return {
        "width": width,
        "num_heads": module.self_attn.num_heads,
        "hidden_width": module.linear1.out_features,
        "memory_width": width if isinstance(module, nn.TransformerDecoderLayer) else None,
        "is_pre_norm": module.norm_first,
        "activation": activation,
        "bias": module.linear1.bias is not None,
        "dropout": module.dropout.p,
        "eps": module.norm1.eps,
    }


def _below(state: State, prefix: str) -> dict[str, Tensor]:
    start = f"{prefix}."
    return {
        name.removeprefix(start): each for name, each in state.items() if name.startswith(start)
    }
