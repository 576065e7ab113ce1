"""Load a state in order, and run the network forward and backward."""

import torch

Module, no_grad = torch.nn.Module, torch.no_grad
copy = torch.Tensor.copy_


def probe(submission, op, data, tools):
    """Answer one request."""
    return {"network": run, "fresh": fresh, "refused": refused}[op](submission.ResNet, data, tools)


def make(kind, data):
    return kind(*data["init"], **data["options"])


def fresh(kind, data, tools):
    """Tell what a new model holds, and what it gives for several sizes."""
    model = make(kind, data)
    state = list(model.state_dict().values())
    found = {"module": isinstance(model, Module), "shapes": [list(each.shape) for each in state]}
    found["num parameters"] = sum(each.numel() for each in model.parameters())
    if found["shapes"] != data["shapes"]:
        return found
    for place in data["norms"]:
        found[f"{place}.weight"] = tools.sendable(state[place])
        found[f"{place}.bias"] = tools.sendable(state[place + 1])
    found["spread"] = all(float(state[place].std()) > 0 for place in data["spread"])
    sizes = [torch.zeros(2, data["channels"], *size) for size in data["sizes"]]
    model.eval()
    found["outputs"] = [list(model(x).shape) for x in sizes]
    return found


def run(kind, data, tools):
    """Run forward and backward in both modes, from the same state."""
    model = make(kind, data).double()
    found = {}
    for mode in ("eval", "train"):
        state = list(model.state_dict().values())
        shapes = [list(each.shape) for each in state]
        found["shapes"] = shapes
        if shapes != [list(each.shape) for each in data["state"]]:
            return found
        with no_grad():
            for mine, given in zip(state, data["state"], strict=True):
                copy(mine, given)
        model.train(mode == "train")
        x = tools.clone(data["x"]).requires_grad_()
        snapshot = tools.storage_snapshot(x)
        logits = model(x)
        parameters = list(model.parameters())
        gradients = tools.vjp([logits], [x, *parameters], [data["g"]])
        if tools.storage_changed(x, snapshot):
            raise tools.Fault("call_mutated")
        found[f"{mode} logits"] = tools.plain(logits)
        found[f"{mode} grad x"] = tools.plain(gradients[0])
        found[f"{mode} num gradients"] = len(parameters)
        for place, gradient in enumerate(gradients[1:]):
            found[f"{mode} grad {place}"] = tools.plain(gradient)
        for place, value in enumerate(model.state_dict().values()):
            if place in data["buffers"]:
                found[f"{mode} buffer {place}"] = tools.plain(value)
    return found


def refused(kind, data, tools):
    """Make models that must be refused."""
    found = {}
    for name, (widths, depths) in data["sizes"].items():
        attempted = tools.attempt(lambda sizes=(widths, depths): kind(3, *sizes))
        if "raised" in attempted:
            found[f"{name}.raised"] = attempted["raised"]
    return found
