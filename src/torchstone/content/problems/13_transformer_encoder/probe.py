"""Drive an encoder: load its weights, call it several times, watch what it leaves behind."""

from typing import Any

import torch

Tensor, Module = torch.Tensor, torch.nn.Module
load_state_dict, state_dict = Module.load_state_dict, Module.state_dict
named_parameters = Module.named_parameters
manual_seed = torch.default_generator.manual_seed  # that of torch keeps tracebacks for CUDA
untyped_storage, data_ptr = Tensor.untyped_storage, torch.UntypedStorage.data_ptr
GIVEN = ("src", "mask", "padding")


def probe(submission: Any, op: str, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Answer one request."""
    return OPERATIONS[op](submission.TransformerEncoder, data, tools)


def make(build: Any, data: dict[str, Any], tools: Any) -> tuple[Any, dict[str, Any]]:
    """Construct the module, describe its parameters, and load them if they are as they must be."""
    module = build(*data["init"], **data["options"])
    if not isinstance(module, Module):
        return None, {"module": False}
    if data.get("dtype", "float32") != "float32":
        module = module.to(getattr(torch, data["dtype"]))
    module.train(data.get("train", True))
    held = state_dict(module)
    found = {"module": True, "state": names_of(held)}
    found["parameters"] = sorted(name for name, p in named_parameters(module) if p.requires_grad)
    places: dict[int, str] = {}
    found["shared"] = []
    for name, value in held.items():
        other = places.setdefault(data_ptr(untyped_storage(value)), name)
        if other != name:
            found["shared"].append(f"{other} = {name}")
    if found["state"] != names_of(data["state"]):
        return None, found
    load_state_dict(module, data["state"], strict=True)
    return module, found


def names_of(state: dict[str, Any]) -> list[str]:
    return sorted(f"{name} {tuple(value.shape)}" for name, value in state.items())


def encode(build: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Call one module several times; the first call is repeated, the last one overwritten."""
    module, found = make(build, data, tools)
    if module is None:
        return found
    is_eval = not data["train"]
    parameters = dict(named_parameters(module))
    before = [tools.storage_snapshot(item) for item in parameters.values()]
    results: list[tuple[Tensor, Tensor]] = []
    for index, each in enumerate(data["calls"]):
        found |= run(module, parameters, each, f"{index}.", is_eval, results, tools)
    first, last = data["calls"][0], data["calls"][-1]
    if data["again"] is not None:
        if is_eval and not tools.same_bits(forward(module, first), results[0][0]):
            raise tools.Fault("second_call_differs")
        for name, value in data["again"].items():
            if value is not None:
                tools.refill(last[name], value)
        found |= run(module, parameters, last, "again.", is_eval, results, tools)
    unchanged(list(parameters.values()), before, "call_mutated", tools)
    if not all(tools.same_bits(result, copy) for result, copy in results):
        raise tools.Fault("previous_result_changed")
    return found


def forward(module: Any, each: dict[str, Any]) -> Any:
    """Pass the masks as they are usually passed: by name, and only if there are any."""
    names = {"mask": "mask", "padding": "src_key_padding_mask"}
    masks = {names[key]: each[key] for key in names if each[key] is not None}
    return module(each["src"], **masks)


def run(
    module: Any,
    parameters: dict[str, Tensor],
    each: dict[str, Any],
    prefix: str,
    is_eval: bool,
    results: list[tuple[Tensor, Tensor]],
    tools: Any,
) -> dict[str, Any]:
    """Make one call with its gradients; demand that nothing that was given has changed."""
    given = [each[name] for name in (*GIVEN, "cotangent") if each[name] is not None]
    cotangent = each["cotangent"]
    if cotangent is not None:
        each["src"].requires_grad_()
    before = [tools.storage_snapshot(item) for item in given]
    flags = tools.global_state()
    out = forward(module, each)
    if is_eval:  # in training random numbers may be drawn, whatever p is
        tools.same_state(flags)
    unchanged(given, before, "call_mutated", tools)
    if not tools.is_plain(out):
        raise tools.Fault("result_type", type=type(out).__name__)
    if any(tools.same_storage(out, item) for item in given):
        raise tools.Fault("result_shares_input")
    results.append((out, tools.clone(tools.detach(out))))
    found = {f"{prefix}out": tools.sendable(out)}
    if cotangent is None or out.shape != cotangent.shape or out.dtype != cotangent.dtype:
        return found
    leaves = {"src": each["src"], **parameters}
    gradients = dict.fromkeys(leaves)
    if out.requires_grad:
        # The graph is kept: a remembered result is then wrong, and no error of autograd.
        found_all = tools.vjp([out], list(leaves.values()), [cotangent], retain_graph=True)
        gradients = dict(zip(leaves, found_all, strict=True))
    unchanged(given, before, "backward_mutated", tools)
    return found | {f"{prefix}grad.{name}": tools.plain(item) for name, item in gradients.items()}


def unchanged(tensors: list[Tensor], before: list[Any], fault: str, tools: Any) -> None:
    for tensor, snapshot in zip(tensors, before, strict=True):
        if tools.storage_changed(tensor, snapshot):
            raise tools.Fault(fault)


def dropout(build: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Call in training; where asked to, once more without a seed and once with the same seed."""
    module, found = make(build, data, tools)
    if module is None:
        return found
    src, cotangent = data["src"], data["cotangent"]
    manual_seed(data["seed"])
    first = module(src)
    outputs = [first]
    if data["seeded"]:
        outputs.append(module(src))
        manual_seed(data["seed"])
        outputs.append(module(src))
    if not all(map(tools.is_plain, outputs)):
        raise tools.Fault("result_type", type=type(first).__name__)
    if data["seeded"]:
        found["no seed"] = tools.same_bits(first, outputs[1])
        found["equal seeds"] = tools.same_bits(first, outputs[2])
    found["dropped"] = [tools.plain(first)]
    if first.shape == cotangent.shape and first.dtype == cotangent.dtype and first.requires_grad:
        leaf = dict(named_parameters(module))[data["watched"]]
        (gradient,) = tools.vjp([first], [leaf], [cotangent])
        found["dropped"].append(tools.plain(gradient))
    return found


OPERATIONS = {"encode": encode, "dropout": dropout}
