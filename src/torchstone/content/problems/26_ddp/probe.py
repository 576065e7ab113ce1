"""Each rank builds a model of its own, wraps it, and plays the script of the case.

The models are also those of the oracle, which plays the same script in one process.
"""

import torch
import torch.distributed as dist
from torch import nn

SGD = {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.01}


class Net(nn.Module):
    """Tied weights, a frozen layer, batch statistics, and a buffer that is not saved."""

    def __init__(self, width):
        super().__init__()
        # A bias before batch statistics has no gradient but rounding errors.
        self.embed = nn.Linear(width, width, bias=False)
        self.norm = nn.BatchNorm1d(width)
        self.frozen = nn.Linear(width, width)
        self.frozen.requires_grad_(False)
        self.left = nn.Linear(width, width, bias=False)
        self.right = nn.Linear(width, width, bias=False)
        self.right.weight = self.left.weight
        self.head = nn.Linear(width, 1)
        self.register_buffer("seen", torch.zeros(width), persistent=False)

    def forward(self, x, *, branches=()):
        if self.training:
            self.seen.add_(x.detach().sum(0))
        hidden = self.norm(self.embed(x)).tanh()
        return self.head(self.right(self.left(self.frozen(hidden)).tanh()))


class Branches(nn.Module):
    """A trunk, and branches that run in the given order; those that are not named do not run."""

    def __init__(self, width, dtypes):
        super().__init__()
        self.trunk = nn.Linear(width, width, bias=False)
        self.branches = nn.ModuleList(
            nn.Linear(width, width, bias=False, dtype=getattr(torch, dtype)) for dtype in dtypes
        )

    def forward(self, x, *, branches=()):
        hidden = self.trunk(x).tanh()
        total = hidden
        for number in branches:
            layer = self.branches[number]
            total = total + (number + 1) * layer(hidden.to(layer.weight.dtype)).to(x.dtype)
        return total


class Chain(nn.Module):
    """Layers one behind the other."""

    def __init__(self, width, depth):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))

    def forward(self, x, *, branches=()):
        for layer in self.layers:
            x = layer(x).tanh()
        return x


class Wide(nn.Module):
    """Parameters of the given sizes; each meets the whole input."""

    def __init__(self, width, sizes):
        super().__init__()
        self.parts = nn.ParameterList(nn.Parameter(torch.zeros(size, width)) for size in sizes)

    def forward(self, x, *, branches=()):
        return torch.cat([(x @ part.T).tanh() for part in self.parts], dim=1)


KINDS = {"net": Net, "branches": Branches, "chain": Chain, "wide": Wide}


def build_model(spec):
    """Build a model without values; all but ``wide`` have float64 where nothing else is said."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32 if spec["kind"] == "wide" else torch.float64)
    try:
        model = KINDS[spec["kind"]](spec["width"], *spec["more"])
    finally:
        torch.set_default_dtype(before)
    return model.requires_grad_(False) if spec["frozen"] else model


def tensors_of(model):
    """Name every parameter and buffer of a model once."""
    return dict(model.named_parameters()) | dict(model.named_buffers())


def fill(model, state):
    """Copy values into the parameters and buffers of a model."""
    with torch.no_grad():
        for name, tensor in tensors_of(model).items():
            tensor.copy_(state[name])


class Actor:
    """Play the script of a case in one rank."""

    def __init__(self, data, tools):
        self.data, self.tools, self.rank = data, tools, tools.rank
        self.found = {}
        self.batches = iter(data["x"])
        self.branches = iter(data["branches"])

    def play(self, submission):
        members = self.data["members"]
        group = dist.new_group(members) if members else None
        if members and self.rank.number not in members:
            return self.found
        self.model = build_model(self.data["model"])
        fill(self.model, self.data["state"])
        options = dict(self.data["options"])
        if group is not None:
            options["process_group"] = group

        def wrap():
            self.wrapped = submission.MiniDDP(self.model, **options)
            return {}

        if self.data["model"]["frozen"]:
            raised = self.tools.attempt(wrap)
            return {f"wrap.{key}": item for key, item in raised.items()}
        wrap()
        self.found["same module"] = self.wrapped.module is self.model
        self.found["keys"] = sorted(self.wrapped.state_dict())
        self.look("begin", tensors_of(self.model))
        self.optimizer = torch.optim.SGD(self.wrapped.parameters(), **SGD)
        for number, act in enumerate(self.data["script"]):
            if not getattr(self, act["do"])(number, act):
                break
        return self.found

    def look(self, place, tensors):
        for name, tensor in tensors.items():
            kept = None if tensor is None else self.tools.plain(tensor.detach().data)
            self.found[f"{place}.{name}"] = kept

    def mark(self, name):
        """Count what was sent up to here; all ranks have come, and none goes on before."""
        if not self.data["meets"]:
            self.rank.mark(name)
            return True
        met = self.meet(f"{name} before")
        self.rank.mark(name)
        return met and self.meet(f"{name} behind")

    def meet(self, name):
        self.rank.signal(f"{name} {self.rank.number}")
        others = range(self.rank.world_size)
        return all(self.rank.wait_for(f"{name} {other}") for other in others)

    def step(self, number, act):
        """Take a step of the optimiser, and look at all parameters."""
        self.optimizer.step()
        self.look(f"{number}.weight", dict(self.model.named_parameters()))
        return True

    def zero(self, number, act):
        self.wrapped.zero_grad(set_to_none=act["none"])
        return True

    def one_pass(self, number, act):
        """Run forward and backward, inside ``no_sync`` or not, and look at the gradients."""
        if act["sync"]:
            go_on = self.forward_and_backward(number, act)
        else:
            with self.wrapped.no_sync():
                if act.get("nested"):
                    # It ends at once; the outer one still holds.
                    with self.wrapped.no_sync():
                        pass
                go_on = self.forward_and_backward(number, act)
        if not go_on:
            return False
        if act["looks"]:
            grads = {name: each.grad for name, each in self.model.named_parameters()}
            self.look(f"{number}.grad", grads)
            self.look(f"{number}.buffer", dict(self.model.named_buffers()))
        return True

    def forward_and_backward(self, number, act):
        if not self.mark(f"{number}.begin"):
            return False
        x = next(self.batches).clone()
        if act["late"]:
            x = self.watch(number, act["late"], x.requires_grad_())
        out = self.wrapped(x, branches=next(self.branches))
        if not self.mark(f"{number}.forward"):
            return False
        if act["late"] and self.rank.number == 1:
            self.found[f"{number}.passed"] = self.rank.wait_for(f"{number}.last")
        out.square().mean().backward()
        return self.mark(f"{number}.backward")

    def watch(self, number, place, leaf):
        """Count the calls of rank 0 up to a place in its backward, and say when it has passed all.

        The place is ``first``, where the gradients of the first layer are due, or ``last``, where
        the gradients of all parameters are there.
        """
        if self.rank.number:
            return leaf

        def pass_first(grad):
            self.rank.mark(f"{number}.first")

        def pass_last(grad):
            if place == "last":
                self.rank.mark(f"{number}.last")
            self.rank.signal(f"{number}.last")

        def watch_output(module, args, out):
            out.register_hook(pass_first)

        if place == "first":
            self.model.layers[0].register_forward_hook(watch_output)
        # The gradient of the input itself comes after those of all parameters.
        leaf.register_hook(pass_last)
        return leaf * 1

    def broken_off(self, number, act):
        """Raise inside ``no_sync``."""
        try:
            with self.wrapped.no_sync():
                raise KeyError(number)
        except KeyError:
            self.found[f"{number}.left"] = True
        return True

    def silent(self, number, act):
        """Run forward in eval mode, or in training mode without gradients."""
        self.mark(f"{number}.begin")
        self.wrapped.train(act["training"])
        with torch.set_grad_enabled(not act["training"]):
            out = self.wrapped(next(self.batches).clone(), branches=next(self.branches))
        self.wrapped.train()
        self.mark(f"{number}.forward")
        self.look(number, {"out": out})
        return True

    def refused(self, number, act):
        """Run forward although a parameter was left without a gradient."""
        x, branches = next(self.batches).clone(), next(self.branches)

        def forward():
            self.wrapped(x, branches=branches)
            return {}

        found = self.tools.attempt(forward)
        self.found |= {f"{number}.{key}": item for key, item in found.items()}
        return True


def probe(submission, op, data, tools):
    return Actor(data, tools).play(submission)
