"""Look at the layer that is made, and disturb an input between forward and backward."""

import torch

Module, Parameter = torch.nn.Module, torch.nn.Parameter
no_grad, manual_seed = torch.no_grad, torch.manual_seed


def probe(submission, op, data, tools):
    """Answer one request."""
    operations = {"layer": layer, "in place": in_place, "double": double, "refused": refused}
    return operations[op](submission, data, tools)


def layer(submission, data, tools):
    """Make layers from seeds; tell what they hold and which graph they leave."""

    def make(seed, sizes):
        manual_seed(seed)
        return submission.Linear(*sizes)

    first, again, other = (make(seed, data["small"]) for seed in data["seeds"])
    drawn = make(data["seeds"][0], data["large"])
    state = first.state_dict()
    y = first(data["x"])
    found = {
        "module": isinstance(first, Module),
        "names": list(state),
        "shapes": [list(value.shape) for value in state.values()],
        "parameters": [
            name for name, each in first.named_parameters() if isinstance(each, Parameter)
        ],
        "repeats": tools.same_bits(state["weight"], again.state_dict()["weight"]),
        "varies": not tools.same_bits(state["weight"], other.state_dict()["weight"]),
        "node": type(y.grad_fn).__name__,
    }
    with no_grad():
        found["under no_grad"] = first(data["x"]).requires_grad
    return found | {"drawn": tools.sendable(drawn.state_dict()["weight"])}


def in_place(submission, data, tools):
    """Overwrite x after the forward, then ask for the gradients."""
    x, weight = (tools.clone(data[name]).requires_grad_() for name in ("x", "weight"))
    y = submission.LinearFunction.apply(x, weight)
    with no_grad():
        x.mul_(-2.0)
    attempted = tools.attempt(lambda: tools.vjp([y], [x, weight], [data["g"]]))
    if "raised" in attempted:
        return attempted
    pairs = zip(("grad.0", "grad.1"), attempted["value"], strict=True)
    return {name: tools.plain(each) for name, each in pairs}


def double(submission, data, tools):
    """Turn a layer to float64 and load its parameter."""
    made = submission.Linear(*data["init"]).double()
    made.load_state_dict({"weight": data["weight"]})
    x = tools.clone(data["x"]).requires_grad_()
    y = made(x)
    found = [y, *tools.vjp([y], [x, made.weight], [data["g"]])]
    pairs = zip(("out", "grad.0", "grad.1"), found, strict=True)
    return {name: tools.plain(each) for name, each in pairs}


def refused(submission, data, tools):
    """Make layers that must be refused."""
    found = {}
    for sizes in data["sizes"]:
        attempted = tools.attempt(lambda sizes=sizes: submission.Linear(*sizes))
        if "raised" in attempted:
            found[f"{sizes}.raised"] = attempted["raised"]
    return found
