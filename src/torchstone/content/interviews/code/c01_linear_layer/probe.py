"""Look at the layer that is made, and disturb an input between forward and backward."""

import torch

Module, Parameter = torch.nn.Module, torch.nn.Parameter
no_grad, manual_seed = torch.no_grad, torch.manual_seed


def probe(submission, op, data, tools):
    """Answer one request."""
    return {"layer": layer, "in place": in_place, "double": double}[op](submission, data, tools)


def layer(submission, data, tools):
    """Make layers from seeds; tell what they hold and which graph they leave."""

    def make(seed, sizes):
        manual_seed(seed)
        return submission.Linear(*sizes, **data["options"])

    first, again, other = (make(seed, data["small"]) for seed in data["seeds"])
    drawn = make(data["seeds"][0], data["large"])
    state = first.state_dict()
    y = first(data["x"])
    found = {
        "module": isinstance(first, Module),
        "names": list(state),
        "shapes": [list(value.shape) for value in state.values()],
        "parameters": all(
            isinstance(each, Parameter) for each in first._parameters.values() if each is not None
        )
        and [name for name, _ in first.named_parameters()] == list(state),
        "no bias": first.bias is None,
        "repeats": tools.same_bits(state["weight"], again.state_dict()["weight"]),
        "varies": not tools.same_bits(state["weight"], other.state_dict()["weight"]),
        "node": type(y.grad_fn).__name__,
    }
    with no_grad():
        found["under no_grad"] = first(data["x"]).requires_grad
    return found | {
        f"drawn {name}": tools.sendable(value) for name, value in drawn.state_dict().items()
    }


def in_place(submission, data, tools):
    """Overwrite x after the forward, then ask for the gradients."""
    x, weight, bias = (tools.clone(data[name]).requires_grad_() for name in ("x", "weight", "bias"))
    y = submission.LinearFunction.apply(x, weight, bias)
    with no_grad():
        x.mul_(-2.0)
    attempted = tools.attempt(lambda: tools.vjp([y], [x, weight, bias], [data["g"]]))
    if "raised" in attempted:
        return attempted
    names = ("grad.0", "grad.1", "grad.2")
    return {name: tools.plain(each) for name, each in zip(names, attempted["value"], strict=True)}


def double(submission, data, tools):
    """Turn a layer to float64 and load its parameters."""
    made = submission.Linear(*data["init"]).double()
    made.load_state_dict({"weight": data["weight"], "bias": data["bias"]})
    x = tools.clone(data["x"]).requires_grad_()
    y = made(x)
    wanted = [x, made.weight, made.bias]
    names = ("out", "grad.0", "grad.1", "grad.2")
    found = [y, *tools.vjp([y], wanted, [data["g"]])]
    return {name: tools.plain(each) for name, each in zip(names, found, strict=True)}
