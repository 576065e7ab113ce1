"""Drive a stable layer norm: its parameters, their state, backward in unusual orders."""

import torch

named_parameters = torch.nn.Module.named_parameters
state_dict = torch.nn.Module.state_dict
load_state_dict = torch.nn.Module.load_state_dict
LayerNorm = torch.nn.LayerNorm
Module = torch.nn.Module
Parameter = torch.nn.Parameter
Tensor = torch.Tensor
clone = torch.Tensor.clone
NAMES = ("weight", "bias")


def probe(submission, op, data, tools):
    return OPERATIONS[op](submission, data, tools)


def facts(submission, data, tools):
    module = submission.StableLayerNorm(*data["init"], **data["init_kwargs"])
    found = {"is_module": isinstance(module, Module)}
    if not found["is_module"]:
        return found
    found["state_dict"] = sorted(state_dict(module), reverse=True)
    found["parameters"] = sorted((name for name, _ in named_parameters(module)), reverse=True)
    for name in NAMES:
        item = getattr(module, name, "missing")
        found[f"{name}.kind"] = kind_of(item)
        if isinstance(item, Tensor):
            found[f"{name}.value"] = tools.sendable(item)
            found[f"{name}.requires_grad"] = item.requires_grad
    return found


def kind_of(item):
    if item is None:
        return "None"
    if isinstance(item, Parameter):
        return "parameter"
    return "tensor" if isinstance(item, Tensor) else "missing"


def state(submission, data, tools):
    theirs, module = LayerNorm(data["shape"]), submission.StableLayerNorm(data["shape"])
    load_state_dict(theirs, data["state"])
    result = load_state_dict(module, state_dict(theirs), strict=False)
    found = {"missing": list(result.missing_keys), "unexpected": list(result.unexpected_keys)}
    found["out"] = tools.plain(module(data["x"]))
    back = LayerNorm(data["shape"])
    result = load_state_dict(back, state_dict(module), strict=False)
    found |= {
        "back.missing": list(result.missing_keys),
        "back.unexpected": list(result.unexpected_keys),
    }
    return found | {f"back.{name}": tools.sendable(getattr(back, name)) for name in NAMES}


def graph(submission, data, tools):
    """Run every forward first, then every backward; the function, then the module."""
    found = {}
    for entry in ("function", "module"):
        leaves = leaves_of(submission, data, entry)
        outputs = []
        for module, leaf, each in leaves:
            for name, tensor in leaf.items():
                tensor.requires_grad_(name not in data["frozen"])
            with torch.set_grad_enabled(not data["no_grad"]):
                if entry == "module":
                    outputs.append(module(leaf["x"]))
                else:
                    args = leaf["x"], each["shape"], leaf["weight"], leaf["bias"]
                    outputs.append(submission.stable_layer_norm(*args))
        for position, (output, (_, leaf, each)) in enumerate(zip(outputs, leaves, strict=True)):
            key = f"{entry}.{position}"
            found[f"{key}.out"] = tools.plain(output)
            found[f"{key}.requires_grad"] = output.requires_grad
            gradients = backward(output, leaf, each["cotangent"], tools)
            found |= {f"{key}.{name}": tools.plain(item) for name, item in gradients.items()}
    return found


def leaves_of(submission, data, entry):
    """Return for each call its module, if there is one, and what is differentiated."""
    made, module = [], None
    for each in data["calls"]:
        leaf = {"x": clone(each["x"])}
        if entry == "function":
            leaf |= {name: clone(each["state"][name]) for name in NAMES}
        else:
            if module is None or not data["shared"]:
                module = submission.StableLayerNorm(each["shape"])
                with torch.no_grad():
                    for name in NAMES:
                        getattr(module, name).copy_(each["state"][name])
            leaf |= {name: getattr(module, name) for name in NAMES}
        made.append((module, leaf, each))
    return made


def backward(output, leaf, cotangent, tools):
    wanted = {name: tensor for name, tensor in leaf.items() if tensor.requires_grad}
    gradients = dict.fromkeys(leaf)
    if output.requires_grad and output.shape == cotangent.shape and output.dtype == cotangent.dtype:
        gradients |= zip(
            wanted, tools.vjp([output], list(wanted.values()), [cotangent]), strict=True
        )
    return gradients


OPERATIONS = {"facts": facts, "state": state, "graph": graph}
