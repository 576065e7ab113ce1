# %% setup
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.optim import SGD, Adam

torch.manual_seed(0)
x = torch.randn(8, 16)


def network(act=nn.Tanh):
    """Return a body of two layers with their activations, at 0 to 3, and a head at 4."""
    return nn.Sequential(nn.Linear(16, 32), act(), nn.Linear(32, 32), act(), nn.Linear(32, 4))


def refusal(call):
    """Return the message of the error that a call raises; an empty one when it raises none."""
    try:
        call()
    except ValueError as error:
        return str(error)
    return ""


def train(model, optimizer):
    """Take one step; return the names of the parameters that have moved."""
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()
    return [name for name, p in model.named_parameters() if not torch.equal(p, before[name])]


# %% 7.3.2.1.1 count, and compare after a step
model = network()
model[:4].requires_grad_(False)
total = sum(p.numel() for p in model.parameters())
trained = sum(p.numel() for p in model.parameters() if p.requires_grad)
moved = train(model, SGD(model.parameters(), lr=0.1))
print(trained, "of", total, moved)
# > 132 of 1732 ['4.weight', '4.bias']
assert trained == 132  # claim: count-by-the-flag
assert moved == ["4.weight", "4.bias"]  # claim: one-step-shows-it
assert {"0.weight", "2.weight"} <= set(model.state_dict())  # claim: frozen-are-saved-too

# %% 7.3.2.1.1 a word that nobody reads
model = network()
model.requires_grad = False
assert all(p.requires_grad for p in model.parameters())  # claim: attribute-freezes-nothing
model.requires_grad_(False)
assert not any(p.requires_grad for p in model.parameters())  # claim: method-freezes-all
model[4] = nn.Linear(32, 4)
assert model[4].weight.requires_grad  # claim: a-new-layer-is-trained
late = network()
late(x).square().mean().backward()
late.requires_grad_(False)  # and the gradients stay
before = late[0].weight.clone()
SGD(late.parameters(), lr=0.1).step()
assert not torch.equal(late[0].weight, before)  # claim: an-old-gradient-moves-it

# %% 7.3.2.1.1 not frozen, and not held
model = network()
optimizer = SGD(model[4].parameters(), lr=0.1)
moved = train(model, optimizer)
print(moved, model[0].weight.grad is None)
# > ['4.weight', '4.bias'] False
assert moved == ["4.weight", "4.bias"]  # claim: left-out-does-not-move
once = model[0].weight.grad.norm()
assert once > 0  # claim: its-gradient-is-computed
train(model, optimizer)
assert model[0].weight.grad.norm() > 1.5 * once  # claim: and-adds-up


# %% 7.3.2.1.2 what forward keeps
def kept(model):
    """Count the numbers that forward keeps for backward, without the parameters themselves."""
    own, found = {p.data_ptr() for p in model.parameters()}, {}

    def pack(tensor):
        if tensor.data_ptr() not in own:
            found[tensor.data_ptr()] = tensor.numel()
        return tensor

    with saved_tensors_hooks(pack, lambda tensor: tensor):
        model(x)
    return sum(found.values())


everything, lower, upper = network(), network(), network()
lower[:4].requires_grad_(False)
upper[2:].requires_grad_(False)
print(kept(everything), kept(lower), kept(upper))
# > 640 256 640
assert kept(lower) == 8 * 32  # claim: below-nothing-is-kept
assert kept(upper) == kept(everything)  # claim: above-all-is-kept
gelu, gelu_upper = network(nn.GELU), network(nn.GELU)
gelu_upper[2:].requires_grad_(False)
print(kept(gelu), kept(gelu_upper))
# > 1152 640
assert kept(gelu_upper) == kept(gelu) - 2 * 8 * 32  # claim: above-gelu-half-is-kept

# %% 7.3.2.1.2 through the frozen layers
upper(x).square().mean().backward()
lower(x).square().mean().backward()
assert upper[0].weight.grad is not None  # claim: backward-passes-through
assert upper[2].weight.grad is None  # claim: frozen-weight-has-no-gradient
assert not lower[:4](x).requires_grad  # claim: backward-ends-at-the-frozen-bottom
with torch.no_grad():
    cut = upper[2:](upper[:2](x))
assert not cut.requires_grad  # claim: no-grad-cuts-what-is-below

# %% 7.3.2.1.2 what the optimizer keeps
optimizer = Adam(lower.parameters(), lr=0.01)
optimizer.step()
held = [t.numel() for state in optimizer.state.values() for t in state.values() if t.dim()]
print(sum(held), sum(p.numel() for p in lower.parameters()))
# > 264 1732
assert sum(held) == 2 * 132  # claim: state-for-the-trained-alone

# %% 7.3.2.1.2 once for all epochs
with torch.no_grad():
    features = lower[:4](x)
for _ in range(3):
    train(lower, optimizer)
assert torch.equal(lower[4](features), lower(x))  # claim: features-can-be-kept


# %% 7.3.2.1.3 frozen, and not still
class Tuned(nn.Module):
    """A frozen body, which normalises and drops, under a head that is trained."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(16, 32), nn.BatchNorm1d(32), nn.Dropout(0.5))
        self.body.requires_grad_(False)
        self.head = nn.Linear(32, 4)

    def forward(self, x):
        """Compute the scores."""
        return self.head(self.body(x))


torch.manual_seed(0)
model = Tuned().train()
assert model.body.training  # claim: train-reaches-the-frozen
assert not torch.equal(model.body(x), model.body(x))  # claim: dropout-draws-anew
alone = model.body[:2](x)[0]
assert not torch.allclose(alone, model.body[:2](x[:4])[0])  # claim: depends-on-the-batch

# %% 7.3.2.1.3 the statistics drift
model.eval()
before, weights = model.body(x), [p.clone() for p in model.body.parameters()]
model.train()
for _ in range(20):
    model(x + 1.0)  # the new data lie elsewhere
model.eval()
drift = (model.body(x) - before).abs().mean().item()
print(f"{drift:.1f}")
# > 0.6
assert drift > 0.1  # claim: outputs-drift-in-evaluation
after = list(model.body.parameters())
assert all(map(torch.equal, weights, after))  # claim: no-weight-has-moved

# %% 7.3.2.1.3 held at every switch
model.body.eval()
model.train()
assert model.body.training  # claim: the-next-train-undoes-it


class Held(Tuned):
    """The same, with a body that stays in evaluation mode."""

    def train(self, mode=True):
        """Switch all but the body."""
        super().train(mode)
        self.body.eval()
        return self


held = Held().train()
before = held.body(x)
for _ in range(20):
    held(x + 1.0)
assert held.head.training and not held.body.training  # claim: override-holds-the-mode
assert torch.equal(held.body(x), before)  # claim: now-it-is-still

# %% 7.3.2.1.3 evaluation mode freezes no weight
open_body = Tuned().body.requires_grad_(True).eval()
open_body(x).square().sum().backward()
assert (open_body[1].weight.grad != 0).all()  # claim: in-evaluation-weights-still-learn

# %% 7.3.2.1.4 an optimizer that holds everything
torch.manual_seed(0)
model = network()
model[:4].requires_grad_(False)
optimizer = Adam(model.parameters(), lr=0.01)
for _ in range(3):
    train(model, optimizer)
assert len(optimizer.state) == 2  # claim: frozen-have-no-state
model[2].requires_grad_(True)
before = model[2].weight.detach().clone()
assert "2.weight" in train(model, optimizer)  # claim: unfrozen-is-stepped-at-once
counts = [int(optimizer.state[model[place].weight]["step"]) for place in (4, 2)]
sizes = (model[2].weight - before).abs()
print(counts, f"{sizes.mean():.4f}")
# > [4, 1] 0.0100
assert counts == [4, 1]  # claim: each-counts-its-own-steps
assert (sizes > 0.0099).float().mean() > 0.99  # claim: first-step-is-the-full-rate

# %% 7.3.2.1.4 an optimizer that holds the trained
model = network()
model[:4].requires_grad_(False)
optimizer = Adam([p for p in model.parameters() if p.requires_grad], lr=0.01)
model[2].requires_grad_(True)
assert "2.weight" not in train(model, optimizer)  # claim: filtered-never-moves-it
optimizer.add_param_group({"params": model[2].parameters(), "lr": 0.001})
assert "2.weight" in train(model, optimizer)  # claim: an-added-group-moves-it

# %% 7.3.2.1.4 too late for this graph
loss = model(x).square().mean()
model[0].requires_grad_(True)
loss.backward()
assert model[0].weight.grad is None  # claim: this-graph-was-recorded-frozen
model(x).square().mean().backward()
assert model[0].weight.grad is not None  # claim: the-next-one-has-it

# %% 7.3.2.1.4 going on from a file
saved = optimizer.state_dict()
one = Adam(model[2:].parameters(), lr=0.01)
message = refusal(lambda: one.load_state_dict(saved))
print(message)
# > loaded state dict has a different number of parameter groups
assert "different number of parameter groups" in message  # claim: groups-must-be-rebuilt
