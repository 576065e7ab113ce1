"""Ask a model whether its tie lives through what happens to models, and count modules."""

import copy
import io

import torch
from torch import nn

Linear = nn.Linear
named_parameters = nn.Module.named_parameters
state_dict = nn.Module.state_dict
load_state_dict = nn.Module.load_state_dict
buffers = nn.Module.buffers
copy_ = torch.Tensor.copy_
deepcopy = copy.deepcopy
save = torch.save
# What a class may not replace: the answers below would be its own word.
UNTOUCHED = {
    name: getattr(nn.Module, name)
    for name in (
        "parameters",
        "named_parameters",
        "_named_members",
        "state_dict",
        "__getattr__",
        "__setattr__",
        "named_modules",
        "modules",
        "buffers",
        "named_buffers",
    )
}

CLASSES = {base for item in (Linear, nn.Parameter) for base in item.__mro__ if base is not object}


def members():
    """List what belongs to classes of PyTorch; Python makes annotations when somebody asks."""
    return {
        (kind.__name__, name): item
        for kind in CLASSES
        for name, item in vars(kind).items()
        if name != "__annotations__"
    }


# As they are before a submission comes.
PRISTINE = members()


def replaced_members():
    """Name the attributes of torch's classes that are others now, or are new or gone."""
    now = members()
    names = [key for key in PRISTINE | now if now.get(key, key) is not PRISTINE.get(key, key)]
    return sorted(".".join(key) for key in names)[:9]


def probe(submission, op, data, tools):
    return OPERATIONS[op](submission, data, tools)


def make(submission, data, *, fill=True):
    model = submission.SharedMLP(*data["init"], **data["init_kwargs"])
    with torch.no_grad():
        for name, value in data["state"].items() if fill else ():
            copy_(parameter(model, name), value)
    return model


def parameter(model, name):
    layer, _, key = name.partition(".")
    return getattr(getattr(model, layer), key)


def tied(model):
    """Tell whether both layers have one weight object registered, and show the same one."""
    weights = [layer._parameters.get("weight") for layer in (model.fc1, model.fc2)]
    shown = [model.fc1.weight, model.fc2.weight]
    return weights[0] is not None and all(item is weights[0] for item in (*weights, *shown))


def names(model):
    return sorted(name for name, _ in named_parameters(model))


def honest(model):
    """Tell whether the class left alone what reports and what assigns its parameters."""
    kind = type(model)
    inherited = all(getattr(kind, name) is item for name, item in UNTOUCHED.items())
    natural = kind.__getattribute__ is nn.Module.__getattribute__
    own = [id(item) for item in model.parameters()]
    return inherited and natural and own == [id(item) for _, item in named_parameters(model)]


def facts(submission, data, tools):
    model = submission.SharedMLP(*data["init"], **data["init_kwargs"])
    if not isinstance(model, nn.Module):
        return {"is_module": False}
    layers = [getattr(model, name, None) for name in ("fc1", "fc2")]
    found = {"is_module": True, "linears": all(isinstance(each, Linear) for each in layers)}
    if not found["linears"]:
        return found
    biases = [each.bias for each in layers]
    state = state_dict(model)
    return found | {
        "tied": tied(model),
        "biases apart": biases == [None, None] or biases[0] is not biases[1],
        "parameters": names(model),
        "state_dict": sorted(state),
        "num_buffers": len(list(buffers(model))),
        "honest": honest(model),
        "torch itself": replaced_members(),
        "requires_grad": all(item.requires_grad for _, item in named_parameters(model)),
        "weight": tools.plain(model.fc1.weight.detach()),
        "biases": [None if each is None else tools.plain(each.detach()) for each in biases],
    }


def life(submission, data, tools):
    model = make(submission, data, fill=data["event"] != "load")
    wanted = data["init_kwargs"].get("dtype", torch.float32)
    as_built = all(item.dtype == wanted for _, item in named_parameters(model))
    if not tied(model) or not as_built:
        # What happens to such a model says nothing more, and may end in an exception.
        return {"tied": tied(model), "as built": as_built}
    found = EVENTS[data["event"]](submission, model, data, tools)
    model = found.pop("model", model)
    return {"tied": tied(model), "as built": True, "parameters": names(model)} | found


def load(submission, model, data, tools):
    weight = data["state"]["fc1.weight"]
    result = load_state_dict(model, data["state"] | {"fc2.weight": weight}, strict=False)
    found = {"missing": list(result.missing_keys), "unexpected": list(result.unexpected_keys)}
    return found | {"out": tools.plain(model(data["x"]))}


def saved(submission, model, data, tools):
    state, file = state_dict(model), io.BytesIO()
    save(state, file)
    one = {state[name].data_ptr() for name in state if name.endswith("weight")}
    return {"bytes": len(file.getvalue()), "one storage": len(one) == 1}


def copied(submission, model, data, tools):
    other = deepcopy(model)
    apart = not any(
        tools.same_storage(one, two)
        for _, one in named_parameters(model)
        for _, two in named_parameters(other)
    )
    with torch.no_grad():
        model.fc1.weight.zero_()
    return {"model": other, "apart": apart, "out": tools.plain(other(data["x"]))}


def doubled(submission, model, data, tools):
    model = model.double()
    load_state_dict(model, data["state"], strict=False)
    return {"model": model, "out": tools.plain(model(data["x"]))}


def halved(submission, model, data, tools):
    model = model.to(torch.bfloat16)
    dtypes = [item.dtype for _, item in named_parameters(model)]
    return {"model": model, "cast": all(dtype == torch.bfloat16 for dtype in dtypes)}


def frozen(submission, model, data, tools):
    model.requires_grad_(False)
    still = not any(item.requires_grad for _, item in named_parameters(model))
    return {"frozen": still, "graph": model(data["x"]).requires_grad}


def modes(submission, model, data, tools):
    first, second = model.train()(data["x"]), model.eval()(data["x"])
    found = {"train": tools.plain(first), "eval": tools.plain(second), "eval.weight": None}
    weight = model.fc1.weight
    if second.requires_grad and weight.requires_grad:
        (gradient,) = tools.vjp([second], [weight], [data["cotangent"]])
        found["eval.weight"] = tools.plain(gradient)
    return found


def replaced(submission, model, data, tools):
    """Give fc1 another weight; until tie_weights is called fc2 keeps the old one."""
    old = model.fc2.weight
    model.fc1.weight = fresh = nn.Parameter(data["weight"])
    found = {"not intercepted": model.fc2.weight is old and model.fc1.weight is fresh}
    model.tie_weights()
    model.tie_weights()
    return found | {"fc1 wins": model.fc2.weight is fresh, "out": tools.plain(model(data["x"]))}


def assigned(submission, model, data, tools):
    weight = data["weight"]
    state = data["state"] | {"fc1.weight": weight, "fc2.weight": weight + 1}
    load_state_dict(model, state, assign=True)
    model.tie_weights()
    return {"out": tools.plain(model(data["x"]))}


def instances(submission, model, data, tools):
    one, two = (submission.SharedMLP(*data["init"], **data["init_kwargs"]) for _ in range(2))
    models = [dict(named_parameters(each)) for each in (model, one, two)]
    pairs = [(models[0], models[1]), (models[1], models[2])]
    apart = not any(
        tools.same_storage(a, b) for x, y in pairs for a in x.values() for b in y.values()
    )
    drawn = not tools.same_bits(one.fc1.weight, two.fc1.weight)
    return {"apart": apart, "drawn apart": drawn, "out": tools.plain(model(data["x"]))}


def one_step(submission, model, data, tools):
    optimizer = Optimizer(model, "sgd", lr=0.5)
    torch.autograd.backward(model(data["x"]), data["cotangent"])
    optimizer.step()
    return {"weight": tools.plain(model.fc2.weight.detach())}


def training(submission, data, tools):
    event = data["event"]
    if event == "partial load":
        return partial_load(submission, data, tools)
    model = make(submission, data)
    if event == "accumulate":
        return accumulate(model, data, tools)
    if event == "frozen weight":
        model.fc1.weight.requires_grad_(False)
    optimizer = Optimizer(model, "adam" if event == "adam" else "sgd", **data["options"])
    for _ in range(4):
        optimizer.zero_grad()
        error = model(data["x"]) - data["other_x"]
        (error * error).mean().backward()
        optimizer.step()
    found = {name: tools.plain(parameter(model, name).detach()) for name in data["state"]}
    return found | {"num_states": len(optimizer.states), "tied": tied(model)}


class Optimizer:
    """SGD with momentum, or Adam; torch.optim takes a second to import what it needs.

    Every object that ``parameters()`` lists has a state of its own and is updated once a step.
    """

    def __init__(self, model, kind, lr, momentum=0.0):
        self.parameters = list(model.parameters())
        self.update = self.adam if kind == "adam" else self.sgd
        self.lr, self.momentum, self.num_steps = lr, momentum, 0
        self.states = {}

    def zero_grad(self):
        for item in self.parameters:
            item.grad = None

    def step(self):
        self.num_steps += 1
        with torch.no_grad():
            for position, item in enumerate(self.parameters):
                if item.grad is not None:
                    state = self.states.setdefault(position, [0.0, 0.0])
                    item.sub_(self.lr * self.update(item.grad, state))

    def sgd(self, grad, state):
        state[0] = self.momentum * state[0] + grad
        return state[0]

    def adam(self, grad, state):
        state[0] = 0.9 * state[0] + 0.1 * grad
        state[1] = 0.999 * state[1] + 0.001 * grad * grad
        mean, square = state[0] / (1 - 0.9**self.num_steps), state[1] / (1 - 0.999**self.num_steps)
        return mean / (square.sqrt() + 1e-8)


def accumulate(model, data, tools):
    found = {}
    for key in ("x", "other_x"):
        # A gradient is the same in either mode.
        model.train(key == "x")
        cotangent = data["cotangent" if key == "x" else "other_cotangent"]
        torch.autograd.backward(model(data[key]), cotangent)
        for name in data["state"]:
            found[f"{key}.{name}"] = tools.plain(parameter(model, name).grad)
    model.zero_grad()
    found["zeroed"] = all(item.grad is None for _, item in named_parameters(model))
    torch.autograd.backward(model(data["other_x"]), data["other_cotangent"])
    for name in data["state"]:
        found[f"again.{name}"] = tools.plain(parameter(model, name).grad)
    return found


def partial_load(submission, data, tools):
    model = make(submission, data, fill=False)
    result = load_state_dict(model, data["state"], strict=False)
    found = {"missing": list(result.missing_keys), "unexpected": list(result.unexpected_keys)}
    return found | {"tied": tied(model), "out": tools.plain(model(data["x"]))}


def count(submission, data, tools):
    model = MODULES[data["module"]](submission, data["a"], data["b"])
    flags = [item.requires_grad for _, item in named_parameters(model)]
    function = submission.count_parameters
    found = {
        "all": tools.plain(function(model)),
        "all by name": tools.plain(function(module=model, trainable_only=False)),
        "trainable": tools.plain(function(model, True)),
    }
    same = flags == [item.requires_grad for _, item in named_parameters(model)]
    return found | {"left alone": same and model.training}


def tied_embedding(submission, a, b):
    head = nn.Linear(b, a, bias=False)
    model = nn.ModuleDict({"embedding": nn.Embedding(a, b), "head": head})
    head.weight = model["embedding"].weight
    return model


def used_twice(submission, a, b):
    layer = nn.Linear(a, a)
    return nn.Sequential(layer, nn.ReLU(), layer)


def partly_frozen(submission, a, b):
    model = nn.Sequential(nn.Linear(a, b), nn.Linear(b, a))
    model[0].weight.requires_grad_(False)
    return model


def on_meta(submission, a, b):
    return nn.Sequential(nn.Linear(a, b, device="meta"), nn.Linear(b, a, device="meta"))


def empty_and_scalar(submission, a, b):
    sizes = ((0, a), (0,), (), (), (b,))
    return nn.ParameterList([nn.Parameter(torch.zeros(size)) for size in sizes])


def aliases(submission, a, b):
    model = nn.Module()
    model.one = model.two = nn.Parameter(torch.zeros(a, b))
    model.register_parameter("absent", None)
    return model


def view(submission, a, b):
    model = nn.Module()
    model.base = nn.Parameter(torch.zeros(a, b))
    model.part = nn.Parameter(model.base.detach()[:2])
    model.whole = nn.Parameter(model.base.detach())
    return model


def repeats(submission, a, b):
    one, two = nn.Parameter(torch.zeros(a)), nn.Parameter(torch.zeros(b), requires_grad=False)
    return nn.ParameterList([one, two, one, two, one])


MODULES = {
    "tied embedding": tied_embedding,
    "module used twice": used_twice,
    "batch norm": lambda submission, a, b: nn.Sequential(nn.Linear(a, b), nn.BatchNorm1d(b)),
    "frozen": partly_frozen,
    "meta": on_meta,
    "empty and 0-d": empty_and_scalar,
    "aliases": aliases,
    "view": view,
    "list with repeats": repeats,
    "no parameters": lambda submission, a, b: nn.Sequential(nn.ReLU(), nn.Dropout()),
    "shared mlp": lambda submission, a, b: submission.SharedMLP(a),
    "shared mlp without bias": lambda submission, a, b: submission.SharedMLP(a, bias=False),
    "nested": lambda submission, a, b: nn.Sequential(
        nn.Sequential(nn.Linear(a, b)), nn.ModuleList([nn.LayerNorm(b)]), nn.PReLU()
    ),
}
EVENTS = {
    "load": load,
    "save": saved,
    "deepcopy": copied,
    "double": doubled,
    "bfloat16": halved,
    "frozen": frozen,
    "modes": modes,
    "replaced": replaced,
    "assigned": assigned,
    "instances": instances,
    "step": one_step,
}
OPERATIONS = {"facts": facts, "life": life, "training": training, "count": count}
