# %% setup
import copy

import torch
from torch import nn
from torch.optim import SGD, Adam
from torch.optim.lr_scheduler import LambdaLR, LinearLR, StepLR

torch.manual_seed(0)


def refusal(call):
    """Return the message of the error that a call raises; an empty one when it raises none."""
    try:
        call()
    except (RuntimeError, ValueError, TypeError) as error:
        return str(error)
    return ""


def network():
    """Return a network of two parts: a body of one layer with its activation, and a head."""
    return nn.ModuleDict(
        {"body": nn.Sequential(nn.Linear(4, 8), nn.Tanh()), "head": nn.Linear(8, 1)}
    )


def moved(optimizer, params, gradient=1.0):
    """Compute how far the first number of each parameter goes in one step."""
    before = [p.detach().flatten()[0].item() for p in params]
    for p in params:
        p.grad = torch.full_like(p, gradient)
    optimizer.step()
    return [round(b - p.flatten()[0].item(), 4) for b, p in zip(before, params, strict=True)]


# %% 6.1.2.1.1 one dict for each part
model = network()
groups = [
    {"params": model["body"].parameters(), "lr": 0.01},
    {"params": model["head"].parameters()},
]
optimizer = SGD(groups, lr=0.1, momentum=0.9)
scheduler = StepLR(optimizer, step_size=1, gamma=0.5)
steps = moved(optimizer, [model["body"][0].weight, model["head"].weight])
print(steps)
# > [0.01, 0.1]
assert steps == [0.01, 0.1]  # claim: each-group-its-rate
assert [group["momentum"] for group in optimizer.param_groups] == [
    0.9,
    0.9,
]  # claim: rest-from-defaults
scheduler.step()
rates = [group["lr"] for group in optimizer.param_groups]
print(rates)
# > [0.005, 0.05]
assert abs(rates[1] / rates[0] - 10) < 1e-9  # claim: scheduler-keeps-the-ratio

# %% 6.1.2.1.1 once, or not at all
everything, head = list(model.parameters()), list(model["head"].parameters())
message = refusal(lambda: SGD([{"params": everything}, {"params": head}], lr=0.1))
assert "more than one parameter group" in message  # claim: twice-is-refused
weights = [p for p in everything if p.ndim == 2]
optimizer = SGD([{"params": weights}], lr=0.1)
steps = moved(optimizer, everything)
print(steps)
# > [0.1, 0.0, 0.1, 0.0]
assert steps[1] == steps[3] == 0  # claim: left-out-is-not-trained
optimizer = SGD([{"params": everything, "learning_rate": 5.0}], lr=0.1)
assert max(moved(optimizer, everything)) == 0.1  # claim: misspelt-is-ignored

# %% 6.1.2.1.1 not by scaling the gradient
weight = model["head"].weight
sgd = [moved(SGD([weight], lr=0.1), [weight], gradient)[0] for gradient in (1.0, 0.1)]
adam = [moved(Adam([weight], lr=0.1), [weight], gradient)[0] for gradient in (1.0, 0.1)]
print(sgd, adam)
# > [0.1, 0.01] [0.1, 0.1]
assert sgd[0] == 10 * sgd[1]  # claim: sgd-follows-the-gradient
assert adam[0] == adam[1]  # claim: adam-undoes-the-scaling

# %% 6.1.2.1.2 a list of plain dicts
model = network()
weight = model["head"].weight
optimizer = SGD(model.named_parameters(), lr=0.1)
(group,) = optimizer.param_groups
print(type(group).__name__, sorted(group)[:6])
# > dict ['dampening', 'differentiable', 'foreach', 'fused', 'lr', 'maximize']
assert group["params"][2] is weight  # claim: holds-the-parameters-themselves
assert group["param_names"][2] == "head.weight"  # claim: names-if-given
group["lr"] = 0.5
assert moved(optimizer, [weight]) == [0.5]  # claim: read-at-every-step
optimizer.lr = 7.0
optimizer.defaults["lr"] = 7.0
assert moved(optimizer, [weight]) == [0.5]  # claim: attributes-do-nothing

# %% 6.1.2.1.2 what a scheduler writes there
optimizer = SGD(model.parameters(), lr=0.1)
(group,) = optimizer.param_groups
scheduler = StepLR(optimizer, step_size=1, gamma=0.1)
assert group["initial_lr"] == 0.1  # claim: scheduler-notes-the-start
optimizer.step()
scheduler.step()
assert abs(group["lr"] - 0.01) < 1e-12  # claim: scheduler-writes-lr
group["name"] = "all of it"
saved = optimizer.state_dict()["param_groups"]
print(saved[0]["name"], saved[0]["params"])
# > all of it [0, 1, 2, 3]
assert saved[0]["name"] == "all of it"  # claim: own-keys-are-kept


# %% 6.1.2.1.2 a group that comes late
def late(make):
    """Compute the rates after the schedule, of a group from the start and of one added later."""
    model = network()
    optimizer = SGD(model["body"].parameters(), lr=1.0)
    scheduler = make(optimizer)
    optimizer.add_param_group({"params": model["head"].parameters(), "lr": 1.0})
    for _ in range(5):
        optimizer.step()
        scheduler.step()
    return [round(group["lr"], 4) for group in optimizer.param_groups]


rates = late(lambda optimizer: LinearLR(optimizer, start_factor=0.25, total_iters=5))
print(rates)
# > [1.0, 4.0]
assert rates[0] == 1.0  # claim: from-the-start-ends-right
assert rates[1] == 4.0  # claim: late-group-overshoots
message = refusal(lambda: late(lambda optimizer: LambdaLR(optimizer, lambda epoch: 0.5**epoch)))
assert "shorter" in message  # claim: lambda-refuses-it


# %% 6.1.2.1.3 no gradient, no step
def loss_of(model, x):
    return model["head"](model["body"](x)).square().mean()


model, x = network(), torch.randn(16, 4)
weight = model["body"][0].weight
before = weight.detach().clone()
model["body"].requires_grad_(False)
optimizer = SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss_of(model, x).backward()
    optimizer.step()
assert torch.equal(weight, before)  # claim: frozen-stays
assert not model["body"](x).requires_grad  # claim: no-graph-below-the-head


# %% 6.1.2.1.3 a frozen layer on top
def kept(layer, x):
    """Return the shapes of what a layer keeps for backward when its input needs a gradient."""
    shapes = []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda tensor: shapes.append(tuple(tensor.shape)), lambda nothing: nothing
    ):
        layer(x.clone().requires_grad_())
    return shapes


model = network()
model["head"].requires_grad_(False)
loss_of(model, x).backward()
assert model["head"].weight.grad is None  # claim: frozen-on-top-gets-none
assert model["body"][0].weight.grad.any()  # claim: backward-passes-through
linear, convolution = nn.Linear(4, 8), nn.Conv1d(4, 8, 1)
image = torch.randn(2, 4, 16)
before = kept(linear, x), kept(convolution, image)
after = kept(linear.requires_grad_(False), x), kept(convolution.requires_grad_(False), image)
print(before[0], after[0])
# > [(16, 4), (4, 8)] [(4, 8)]
assert (16, 4) in before[0] and (16, 4) not in after[0]  # claim: linear-drops-its-input
assert (2, 4, 16) in before[1] and after[1] == before[1]  # claim: convolution-keeps-it

# %% 6.1.2.1.3 a rate of zero is no freeze
model = network()
groups = [{"params": model["body"].parameters(), "lr": 0.0}, {"params": model["head"].parameters()}]
optimizer = Adam(groups, lr=0.1)
weight = model["body"][0].weight
before, head_before = weight.detach().clone(), model["head"].weight.detach().clone()
loss_of(model, x).backward()
optimizer.step()
assert torch.equal(weight, before)  # claim: zero-rate-does-not-move-it
assert not torch.equal(model["head"].weight, head_before)  # claim: the-other-group-moves
assert weight.grad is not None  # claim: gradient-is-still-computed
assert optimizer.state[weight]["exp_avg"].abs().sum() > 0  # claim: averages-still-fill

# %% 6.1.2.1.3 frozen too late
model = network()
weight = model["body"][0].weight
optimizer = SGD(model.parameters(), lr=0.1)
loss_of(model, x).backward()
model["body"].requires_grad_(False)
before = weight.detach().clone()
optimizer.step()
assert not torch.equal(weight, before)  # claim: stale-gradient-moves-it
before = weight.detach().clone()
optimizer.zero_grad()
loss_of(model, x).backward()
optimizer.step()
assert torch.equal(weight, before)  # claim: cleared-it-stays

# %% 6.1.2.1.3 statistics are no parameters
frozen = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4)).requires_grad_(False)
before = frozen[1].running_mean.clone()
frozen(x)
assert not torch.equal(frozen[1].running_mean, before)  # claim: statistics-still-move
before = frozen[1].running_mean.clone()
frozen.eval()
frozen(x)
assert torch.equal(frozen[1].running_mean, before)  # claim: eval-holds-them


# %% 6.1.2.1.4 two tasks that share a body
teacher = nn.Sequential(nn.Linear(8, 16), nn.Tanh())
old_head, new_head = torch.randn(16, 12) / 4, torch.randn(16, 1) / 2


def examples(number, head, noise=0.0):
    """Return inputs, and targets that the teacher and a head of its own give them."""
    with torch.no_grad():
        x = torch.randn(number, 8)
        y = teacher(x) @ head
        return x, y + noise * torch.randn(y.shape)


def fit(body, head, groups, data, steps=45):
    """Compute the mean squared error that the last of some steps of Adam started from."""
    optimizer, (x, y) = Adam(groups, lr=0.05), data
    for _ in range(steps):
        optimizer.zero_grad()
        loss = (head(body(x)) - y).square().mean()
        loss.backward()
        optimizer.step()
    return loss.item()


body, head = nn.Sequential(nn.Linear(8, 32), nn.Tanh()), nn.Linear(32, 12)
parameters = [*body.parameters(), *head.parameters()]
print(f"{fit(body, head, parameters, examples(256, old_head)):.3f}")
# > 0.002

# %% 6.1.2.1.4 a rate for the body
few, many = examples(16, new_head, noise=0.1), examples(400, new_head)


def transfer(rate):
    """Compute the errors on the few examples and on unseen ones, for a rate of the body."""
    torch.manual_seed(1)
    tuned, head = copy.deepcopy(body), nn.Linear(32, 1)
    groups = [{"params": tuned.parameters(), "lr": rate}, {"params": head.parameters()}]
    seen = fit(tuned, head, groups, few)
    with torch.no_grad():
        return seen, (head(tuned(many[0])) - many[1]).square().mean().item()


same, small = transfer(0.05), transfer(0.002)
print([f"{error:.3f}" for error in (*same, *small)])
# > ['0.002', '0.108', '0.014', '0.064']
assert same[0] < small[0]  # claim: one-rate-fits-closer
assert small[1] < 0.8 * same[1]  # claim: small-rate-generalises-better

# %% 6.1.2.1.4 Adam does not spare the body
model = nn.Sequential(copy.deepcopy(body), nn.Linear(32, 1))
weights, x, y = [model[0][0].weight, model[1].weight], *few
before = [weight.detach().clone() for weight in weights]
optimizer = Adam(model.parameters(), lr=0.02)
(model(x) - y).square().mean().backward()
sizes = [weight.grad.abs().mean().item() for weight in weights]
optimizer.step()
steps = [(w - b).abs().mean().item() for w, b in zip(weights, before, strict=True)]
print([f"{value:.3f}" for value in sizes + steps])
# > ['0.041', '0.245', '0.020', '0.020']
assert sizes[1] > 2 * sizes[0]  # claim: gradients-differ
later = copy.deepcopy(model)
fit(later[0], later[1], [*later.parameters()], few, steps=20)
ends = [later[0][0].weight, later[1].weight]
far = [(end - w).abs().mean().item() for end, w in zip(ends, weights, strict=True)]
alike = abs(steps[0] - steps[1]) < 1e-4 and far[0] > far[1]
assert alike  # claim: steps-do-not

# %% 6.1.2.1.4 the head first, the depths last
fresh = weights[0].grad.norm().item()
fit(model[0], model[1], model[1].parameters(), few)  # the body waits
model.zero_grad()
(model(x) - y).square().mean().backward()
settled = weights[0].grad.norm().item()
print(f"{fresh:.2f} {settled:.2f}")
# > 0.89 0.12
assert settled < fresh / 3  # claim: trained-head-disturbs-less
layers = [nn.Linear(4, 4) for _ in range(4)]
groups = [
    {"params": layer.parameters(), "lr": 0.01 / 2.6**depth}
    for depth, layer in enumerate(reversed(layers))
]
steps = moved(SGD(groups, lr=0.01), [layer.weight for layer in layers])
print(steps)
# > [0.0006, 0.0015, 0.0038, 0.01]
assert steps == sorted(steps) and steps[-1] == 0.01  # claim: each-layer-below-goes-less-far
