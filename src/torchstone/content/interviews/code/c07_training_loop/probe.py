"""Drive fit with a model, loaders, an optimizer and a loss that note how they are called."""

import weakref

import torch

Module, Linear, BatchNorm1d, Identity = (
    torch.nn.Module,
    torch.nn.Linear,
    torch.nn.BatchNorm1d,
    torch.nn.Identity,
)
SGD = torch.optim.SGD
Tensor, float64, tanh, as_tensor = torch.Tensor, torch.float64, torch.tanh, torch.tensor
is_grad_enabled, no_grad = torch.is_grad_enabled, torch.no_grad
register_hook = Tensor.register_hook
call_linear, call_norm = Linear.forward, BatchNorm1d.forward
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
    """A layer, a batch norm (if wanted), tanh, a layer."""

    def __init__(self, data, notes):
        super().__init__()
        inputs, hidden, outputs = data["sizes"]
        self.first = Linear(inputs, hidden, dtype=float64)
        self.norm = BatchNorm1d(hidden, dtype=float64) if data["norm"] else Identity()
        self.last = Linear(hidden, outputs, dtype=float64)
        self.notes = notes

    def forward(self, x):
        notes = self.notes
        notes.alive = max(notes.alive, sum(each() is not None for each in notes.tokens))
        modes = {each.training for each in (self, self.first, self.norm, self.last)}
        mode = "train" if modes == {True} else "eval" if modes == {False} else "mixed"
        notes.log.append(f"forward, {mode}, {'grad' if is_grad_enabled() else 'no grad'}")
        y = self.last(tanh(self.norm(self.first(x))))
        if not y.requires_grad:
            return y
        token = Token()
        notes.tokens.append(ref(token))
        return Mark.apply(y, token)


class Notes:
    """What happened, in order, and how many graphs were alive at the most."""

    def __init__(self):
        self.log, self.tokens, self.alive = [], [], 0


class Loader:
    """Yield the batches; note how often that began and was carried through."""

    def __init__(self, batches):
        self.batches, self.begun, self.ended = batches, 0, 0

    def __iter__(self):
        self.begun += 1
        yield from self.batches
        self.ended += 1


class Optimizer(SGD):
    """SGD that notes its steps."""

    def __init__(self, parameters, notes, **options):
        super().__init__(parameters, **options)
        self.notes = notes

    def step(self, closure=None):
        self.notes.log.append("step" if closure is None else "step with a closure")
        return super().step(closure)


def probe(submission, op, data, tools):
    """Train once."""
    notes = Notes()
    model = Net(data, notes)
    model.load_state_dict(data["state"])
    model.train(data["mode"])
    if data["stale"]:
        for parameter in model.parameters():
            parameter.grad = torch.ones_like(parameter)
    optimizer = Optimizer(model.parameters(), notes, lr=data["lr"], momentum=data["momentum"])
    loaders = [Loader(data["train"]), Loader(data["val"])]
    calls = []

    def loss_fn(output, y):
        calls.append(None)
        if len(calls) == data["raises_at"]:
            raise ArithmeticError("the loss cannot be computed")
        loss = ((output - y) ** 2).mean()
        if loss.requires_grad:
            register_hook(loss, lambda grad: notes.log.append("backward"))
        return loss

    given = [
        tensor for batches in (data["train"], data["val"]) for pair in batches for tensor in pair
    ]
    before = [tools.storage_snapshot(each) for each in given]
    state = tools.global_state()
    attempted = tools.attempt(
        lambda: submission.fit(model, *loaders, optimizer, loss_fn, data["epochs"])
    )
    tools.same_state(state)
    if any(map(tools.storage_changed, given, before)):
        raise tools.Fault("call_mutated")
    modes = {each.training for each in model.modules()}
    found = {"modes": sorted(modes)}
    if "raised" in attempted:
        return found | {"raised": attempted["raised"]}
    found |= {
        "log": notes.log,
        "passes": [[each.begun, each.ended] for each in loaders],
        "graphs": notes.alive,
    }
    found |= {f"final {name}": tools.plain(value) for name, value in model.state_dict().items()}
    return found | described(attempted["value"], tools)


def described(history, tools):
    """Return the parts of a history."""
    if type(history) is not dict:
        raise tools.Fault("value_type", type=type(history).__name__)
    found = {"keys": sorted(map(str, history))}
    for name in ("train_loss", "val_loss"):
        losses = history.get(name)
        are_floats = type(losses) is list and all(type(each) is float for each in losses)
        found[f"{name} of floats"] = are_floats
        found[name] = as_tensor(losses, dtype=float64) if are_floats else tools.plain(losses)
    found["best_epoch"] = tools.plain(history.get("best_epoch"))
    state = history.get("best_state")
    if state is None:
        return found | {"best_state": None}
    found["best_state"] = list(state)
    return found | {f"best {name}": tools.plain(value) for name, value in state.items()}
