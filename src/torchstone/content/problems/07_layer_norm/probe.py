"""Drive a LayerNorm through its life: loading, copying, casting, backward in unusual orders."""

import copy

import torch

named_parameters = torch.nn.Module.named_parameters
state_dict = torch.nn.Module.state_dict
load_state_dict = torch.nn.Module.load_state_dict
buffers = torch.nn.Module.buffers
Parameter = torch.nn.Parameter


def probe(submission, op, data, tools):
    return OPERATIONS[op](submission, data, tools)


def make(submission, data):
    module = submission.LayerNorm(*data["init"], **data["init_kwargs"])
    with torch.no_grad():
        for name, value in data.get("state", {}).items():
            getattr(module, name).copy_(value)
    return module


def facts(submission, data, tools):
    module = make(submission, data)
    found = {"is_module": isinstance(module, torch.nn.Module)}
    if not found["is_module"]:
        return found
    shape = module.normalized_shape
    found |= {
        "normalized_shape": tuple(shape) if isinstance(shape, tuple) else tools.plain(shape),
        "eps": tools.plain(module.eps),
        "state_dict": sorted(state_dict(module), reverse=True),
        "parameters": sorted((name for name, _ in named_parameters(module)), reverse=True),
        "num_buffers": len(list(buffers(module))),
    }
    for name in ("weight", "bias"):
        item = getattr(module, name, "missing")
        found[f"{name}.kind"] = kind_of(item)
        if isinstance(item, torch.Tensor):
            found[f"{name}.value"] = tools.sendable(item)
            found[f"{name}.requires_grad"] = item.requires_grad
    return found


def kind_of(item):
    if item is None:
        return "None"
    if isinstance(item, Parameter):
        return "parameter"
    return "tensor" if isinstance(item, torch.Tensor) else "missing"


def load(submission, data, tools):
    module = make(submission, {key: data[key] for key in ("init", "init_kwargs")})
    result = load_state_dict(module, data["state"], strict=False)
    found = {"missing": list(result.missing_keys), "unexpected": list(result.unexpected_keys)}
    return found | {"out": tools.plain(module(data["x"]))}


def deepcopy(submission, data, tools):
    module = make(submission, data)
    other = copy.deepcopy(module)
    found = {"out": tools.plain(module(data["x"]))}
    with torch.no_grad():
        module.weight.zero_()
        module.bias.fill_(7.0)
    return found | {"copy": tools.plain(other(data["x"]))}


def double(submission, data, tools):
    module = submission.LayerNorm(*data["init"], **data["init_kwargs"]).double()
    load_state_dict(module, data["state"], strict=False)
    return {"out": tools.plain(module(data["x"]))}


def modes(submission, data, tools):
    module = make(submission, data).train()
    for _ in range(3):
        trained = module(data["x"] * 2 + 1)
    trained = module(data["x"])
    # What another input left behind must not show in the other mode.
    module(data["x"] * 2 + 1)
    return {"train": tools.plain(trained), "eval": tools.plain(module.eval()(data["x"]))}


def graph(submission, data, tools):
    """Run every forward first, then every backward."""
    modules = [make(submission, each) for each in data["calls"]]
    if data["shared"]:
        modules = modules[:1] * len(modules)
    leaves, outputs = [], []
    for module, each in zip(modules, data["calls"], strict=True):
        leaf = {"x": each["x"], "weight": module.weight, "bias": module.bias}
        for name, tensor in leaf.items():
            tensor.requires_grad_(name not in data["frozen"])
        leaves.append(leaf)
        with torch.set_grad_enabled(not data["no_grad"]):
            outputs.append(module(each["x"]))
    found = {}
    for position, (leaf, output, each) in enumerate(
        zip(leaves, outputs, data["calls"], strict=True)
    ):
        found[f"out.{position}"] = tools.plain(output)
        found[f"requires_grad.{position}"] = output.requires_grad
        gradients = backward(output, leaf, each["cotangent"], tools)
        found |= {
            f"grad.{position}.{name}": tools.plain(gradient) for name, gradient in gradients.items()
        }
    return found


def backward(output, leaf, cotangent, tools):
    wanted = {name: tensor for name, tensor in leaf.items() if tensor.requires_grad}
    gradients = dict.fromkeys(leaf)
    if output.requires_grad and output.shape == cotangent.shape and output.dtype == cotangent.dtype:
        gradients |= zip(
            wanted, tools.vjp([output], list(wanted.values()), [cotangent]), strict=True
        )
    return gradients


OPERATIONS = {
    "facts": facts,
    "load": load,
    "deepcopy": deepcopy,
    "double": double,
    "modes": modes,
    "graph": graph,
}
