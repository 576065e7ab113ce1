"""Drive fit with a model, a loss and an optimizer that note how they are called."""

import weakref

import torch

Module, Linear, SGD = torch.nn.Module, torch.nn.Linear, torch.optim.SGD
Tensor, float64, tanh, as_tensor = torch.Tensor, torch.float64, torch.tanh, torch.tensor
is_grad_enabled = torch.is_grad_enabled
register_hook = Tensor.register_hook
ref = weakref.ref


class Token:
    """Lives as long as the graph of one forward."""


class Mark(torch.autograd.Function):
    """Put a token into the graph."""

    @staticmethod
    def forward(ctx, x, token):
        ctx.token = token
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, None


class Net(Module):
    """Two layers with tanh between them."""

    def __init__(self, sizes, notes):
        super().__init__()
        inputs, hidden, outputs = sizes
        self.first = Linear(inputs, hidden, dtype=float64)
        self.last = Linear(hidden, outputs, dtype=float64)
        self.notes = notes

    def forward(self, x):
        notes = self.notes
        notes.alive = max(notes.alive, sum(each() is not None for each in notes.tokens))
        modes = {each.training for each in (self, self.first, self.last)}
        mode = "train" if modes == {True} else "not in training"
        notes.log.append(f"forward, {mode}")
        y = self.last(tanh(self.first(x)))
        if not y.requires_grad:
            return y
        token = Token()
        notes.tokens.append(ref(token))
        return Mark.apply(y, token)


class Notes:
    """What happened, in order; how many graphs were alive at the most; the rates of the steps."""

    def __init__(self):
        self.log, self.tokens, self.alive, self.rates = [], [], 0, []


class Optimizer(SGD):
    """SGD that notes its steps and their rates."""

    def __init__(self, groups, notes, **options):
        super().__init__(groups, **options)
        self.notes = notes

    def step(self, closure=None):
        self.notes.log.append("step" if closure is None else "step with a closure")
        self.notes.rates.append([float(group["lr"]) for group in self.param_groups])
        return super().step(closure)


class Loader:
    """Yield the batches; it has no length."""

    def __init__(self, batches):
        self.batches = batches

    def __iter__(self):
        yield from self.batches


def probe(submission, op, data, tools):
    """Train once."""
    notes = Notes()
    model = Net(data["sizes"], notes)
    model.load_state_dict(data["state"])
    model.train(data["mode"])
    if data["stale"]:
        for parameter in model.parameters():
            parameter.grad = torch.ones_like(parameter)
    groups = [
        {"params": list(part.parameters()), "lr": lr}
        for part, lr in zip((model.first, model.last), data["lr"], strict=True)
    ]
    optimizer = Optimizer(groups, notes, lr=1.0, momentum=data["momentum"])

    def loss_fn(output, y):
        loss = ((output - y) ** 2).mean()
        if loss.requires_grad:
            register_hook(loss, lambda grad: notes.log.append("backward"))
        return loss

    given = [tensor for pair in data["batches"] for tensor in pair]
    before = [tools.storage_snapshot(each) for each in given]
    state = tools.global_state()
    history = submission.fit(model, Loader(data["batches"]), optimizer, loss_fn, **data["options"])
    tools.same_state(state)
    if any(map(tools.storage_changed, given, before)):
        raise tools.Fault("call_mutated")
    found = {"log": notes.log, "graphs": notes.alive}
    found["rates of the steps"] = as_tensor(notes.rates, dtype=float64)
    found |= {f"final {name}": tools.plain(value) for name, value in model.state_dict().items()}
    return found | described(history, tools)


def described(history, tools):
    """Return the parts of a history."""
    if type(history) is not dict:
        raise tools.Fault("value_type", type=type(history).__name__)
    found = {"keys": sorted(map(str, history)), "skipped": tools.plain(history.get("skipped"))}
    for name in ("loss", "norm", "lr"):
        items = history.get(name)
        are_floats = type(items) is list and all(map(is_number, items))
        found[f"{name} of floats"] = are_floats
        found[name] = as_tensor(items, dtype=float64) if are_floats else tools.plain(items)
    return found


def is_number(item):
    """Return whether this is a float or a list of floats."""
    return type(item) is float or (type(item) is list and all(type(each) is float for each in item))
