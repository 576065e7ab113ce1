"""Drive the module of problem 09 where one call is not enough; weigh what its forward writes."""

from typing import Any

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

Tensor = torch.Tensor
cat = torch.cat
load_state_dict = nn.Module.load_state_dict
state_dict = nn.Module.state_dict
named_parameters = nn.Module.named_parameters
named_buffers = nn.Module.named_buffers


class Traffic(TorchDispatchMode):
    """Count the elements that operators write; views write none."""

    def __init__(self) -> None:
        super().__init__()
        self.elements = 0
        self.operators = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        aliases = [item.alias_info for item in func._schema.returns]
        if all(alias is not None and not alias.is_write for alias in aliases):
            return result
        self.operators += 1
        results = result if isinstance(result, (tuple, list)) else (result,)
        self.elements += sum(item.numel() for item in results if isinstance(item, Tensor))
        return result


def probe(submission: Any, op: str, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Answer one request."""
    return OPERATIONS[op](submission.SimpleRNN, data, tools)


def describe(make: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Construct twice and show what was made."""
    module, other = make(*data["init"]), make(*data["init"])
    if not isinstance(module, nn.Module):
        return {"module": False}
    found = {"module": True, "keys": sorted(state_dict(module))}
    found["buffers"] = [name for name, _ in named_buffers(module)]
    parameters = dict(named_parameters(module))
    others = dict(named_parameters(other))
    for name, parameter in parameters.items():
        found[f"init.{name}"] = tools.sendable(parameter)
        found[f"trainable.{name}"] = parameter.requires_grad
        found[f"fresh.{name}"] = not tools.same_bits(parameter, others[name])
    return found


def calls(make: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Call three times without h0: x, another batch, and x again in eval mode."""
    module = make(*data["init"])
    load_state_dict(module, data["state"])
    found: dict[str, Any] = {}
    for name, x in (("first", data["x"]), ("second", data["other"]), ("eval", data["x"])):
        output, last = module.train(name != "eval")(x)
        found |= {f"{name}.output": tools.plain(output), f"{name}.h_n": tools.plain(last)}
    found["keys"] = sorted(state_dict(module))
    return found


def carry(make: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Process a sequence in two parts and carry the state over."""
    module = make(*data["init"])
    load_state_dict(module, data["state"])
    x, h0 = data["x"].requires_grad_(), data["h0"].requires_grad_()
    head, middle = module(x[: data["at"]], h0)
    tail, last = module(x[data["at"] :], middle)
    output = cat([head, tail])
    found = {"out.0": tools.plain(output), "out.1": tools.plain(last)}
    if output.shape != data["cotangents"][0].shape or last.shape != data["cotangents"][1].shape:
        return found
    leaves = {"0": x, "h0": h0}
    leaves |= {f"state.{name}": value for name, value in named_parameters(module)}
    gradients = tools.vjp([output, last], list(leaves.values()), data["cotangents"])
    pairs = zip(leaves, gradients, strict=True)
    return found | {f"grad.{name}": tools.plain(gradient) for name, gradient in pairs}


def growth(make: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Weigh the forward pass of a short and of a long sequence."""
    module = make(*data["init"])
    load_state_dict(module, data["state"])
    elements, operators = [], []
    for run in data["runs"]:
        with Traffic() as traffic:
            module(run["x"], lengths=run["lengths"])
        elements.append(traffic.elements)
        operators.append(traffic.operators)
    return {"elements": elements, "operators": operators}


OPERATIONS = {"describe": describe, "calls": calls, "carry": carry, "growth": growth}
