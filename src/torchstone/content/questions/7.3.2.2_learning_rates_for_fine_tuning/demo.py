# %% setup
import copy

import torch
from torch import nn
from torch.optim import SGD, Adam, AdamW
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR, OneCycleLR, StepLR

torch.manual_seed(0)


def refusal(call):
    """Return the message of the error that a call raises; an empty one when it raises none."""
    try:
        call()
    except ValueError as error:
        return str(error)
    return ""


def fit(model, optimizer, data, steps, scheduler=None):
    """Take steps on one batch; return the loss before each step and after the last."""
    (x, y), losses = data, []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = (model(x) - y).square().mean()
        loss.backward()
        optimizer.step()
        if scheduler is not None:
            scheduler.step()
        losses.append(loss.item())
    with torch.no_grad():
        return [*losses, (model(x) - y).square().mean().item()]


old_task = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 4)).requires_grad_(False)
new_task = copy.deepcopy(old_task)
new_task[2].weight += 0.1 * torch.randn(4, 16)  # a task nearby
x = torch.randn(128, 8)
old_data, new_data = (x, old_task(x)), (x, new_task(x))
fresh = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 4))
base = copy.deepcopy(fresh)
pretrainer = Adam(base.parameters(), lr=0.02)
fit(base, pretrainer, old_data, steps=120)


# %% 7.3.2.2.1 three rates, one start
def tune(rate, steps=30):
    """Tune a copy; return the losses, the error on the old task, the farthest that a weight got."""
    model = copy.deepcopy(base)
    losses = fit(model, Adam(model.parameters(), lr=rate), new_data, steps)
    pairs = zip(model.parameters(), base.parameters(), strict=True)
    far = max((p - start).abs().max().item() for p, start in pairs)
    return losses, fit(model, SGD(model.parameters(), lr=0.0), old_data, 0)[0], far


runs = {rate: tune(rate) for rate in (1e-5, 0.005, 0.5)}
for rate, (losses, error, far) in runs.items():
    print(rate, [f"{value:.3f}" for value in (losses[0], max(losses), losses[-1], error, far)])
# > 1e-05 ['0.034', '0.034', '0.033', '0.000', '0.000']
# > 0.005 ['0.034', '0.034', '0.001', '0.030', '0.138']
# > 0.5 ['0.034', '10.699', '0.151', '0.175', '6.597']
tiny, middle, large = runs.values()
assert max(large[0]) > 10 * large[0][0]  # claim: large-rate-first-destroys
assert middle[0][-1] < 0.3 * min(tiny[0][-1], large[0][-1])  # claim: middle-rate-wins
assert tiny[0][-1] > 0.9 * tiny[0][0]  # claim: tiny-rate-gets-nowhere
assert large[1] > 2 * middle[1]  # claim: large-rate-forgets
assert all(far < 33 * rate for rate, (_, _, far) in runs.items())  # claim: rate-times-steps

# %% 7.3.2.2.1 where each start lies
start = fit(base, SGD(base.parameters(), lr=0.0), new_data, 0)[0]
scratch = fit(fresh, SGD(fresh.parameters(), lr=0.0), new_data, 0)[0]
print(f"{start:.3f} {scratch:.3f}")
# > 0.034 0.102
assert start < scratch / 2  # claim: pretrained-starts-near


# %% 7.3.2.2.2 one group for each depth
def stack(depth):
    """Return a stack of layers, each with a norm."""
    return nn.Sequential(
        *[nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4), nn.Tanh()) for _ in range(depth)]
    )


def layerwise(model, rate, factor):
    """Return two groups a layer, from the top: matrices, and vectors without weight decay."""
    groups = []
    for above, layer in enumerate(reversed(model)):
        for is_matrix in (True, False):
            params = [p for p in layer.parameters() if (p.dim() > 1) == is_matrix]
            decay = 0.01 if is_matrix else 0.0
            groups.append({"params": params, "lr": rate * factor**above, "weight_decay": decay})
    return groups


model = stack(3)
optimizer = AdamW(layerwise(model, 0.01, 0.5))
for group in optimizer.param_groups:
    print(group["lr"], group["weight_decay"], len(group["params"]))
# > 0.01 0.01 1
# > 0.01 0.0 3
# > 0.005 0.01 1
# > 0.005 0.0 3
# > 0.0025 0.01 1
# > 0.0025 0.0 3
assert optimizer.param_groups[0]["params"][0] is model[2][0].weight  # claim: top-gets-the-full-rate
assert optimizer.param_groups[-1]["lr"] == 0.01 / 4  # claim: each-layer-below-gets-less
bare = [p for group in optimizer.param_groups if not group["weight_decay"] for p in group["params"]]
assert len(bare) == 9 and all(p.dim() == 1 for p in bare)  # claim: vectors-without-decay

# %% 7.3.2.2.2 every parameter once
held = [p for group in optimizer.param_groups for p in group["params"]]
assert {id(p) for p in held} == {id(p) for p in model.parameters()}  # claim: nothing-is-left-out
tied = stack(3)
tied[2][0].weight = tied[0][0].weight
message = refusal(lambda: AdamW(layerwise(tied, 0.01, 0.5)))
print(message)
# > some parameters appear in more than one parameter group
assert "more than one parameter group" in message  # claim: tied-weight-is-refused

# %% 7.3.2.2.2 a factor is a power
bottom = {depth: layerwise(stack(depth), 1.0, 0.9)[-1]["lr"] for depth in (3, 12, 24)}
print({depth: round(rate, 2) for depth, rate in bottom.items()})
# > {3: 0.81, 12: 0.31, 24: 0.09}
assert bottom[3] > 0.8  # claim: mild-in-few-layers
assert bottom[24] < 0.1  # claim: steep-in-many-layers


# %% 7.3.2.2.3 a factor, and a floor
def rates(make, steps=10):
    """Return the rates of two groups, a body and a head, at the start and after some steps."""
    body, head = nn.Linear(2, 2), nn.Linear(2, 2)
    groups = [{"params": body.parameters(), "lr": 0.001}, {"params": head.parameters(), "lr": 0.1}]
    optimizer = SGD(groups)
    scheduler = make(optimizer)
    seen = [[group["lr"] for group in optimizer.param_groups]]
    for _ in range(steps):
        optimizer.step()
        scheduler.step()
        seen.append([group["lr"] for group in optimizer.param_groups])
    return seen


halved = rates(lambda optimizer: LambdaLR(optimizer, lambda step: 0.5**step))
stepped = rates(lambda optimizer: StepLR(optimizer, 3, 0.5))
cosine = rates(lambda optimizer: CosineAnnealingLR(optimizer, 10))
floored = rates(lambda optimizer: CosineAnnealingLR(optimizer, 10, eta_min=0.01))
for seen in (halved, cosine, floored):
    print([f"{seen[place][group]:.4f}" for place in (0, 5, 10) for group in (0, 1)])
# > ['0.0010', '0.1000', '0.0000', '0.0031', '0.0000', '0.0001']
# > ['0.0010', '0.1000', '0.0005', '0.0500', '0.0000', '0.0000']
# > ['0.0010', '0.1000', '0.0055', '0.0550', '0.0100', '0.0100']
ratios = [head / body for body, head in halved + stepped]
assert all(abs(ratio - 100) < 1e-6 for ratio in ratios)  # claim: factor-keeps-the-ratio
assert all(abs(head / body - 100) < 1e-6 for body, head in cosine[:9])  # claim: cosine-to-zero-does
assert floored[-1][0] > floored[0][0]  # claim: below-the-floor-it-rises
assert abs(floored[-1][0] - floored[-1][1]) < 1e-9  # claim: a-floor-makes-them-meet

# %% 7.3.2.2.3 one peak for all
single = rates(lambda optimizer: OneCycleLR(optimizer, max_lr=0.1, total_steps=20))
peaks = rates(lambda optimizer: OneCycleLR(optimizer, max_lr=[0.001, 0.1], total_steps=20))
print([f"{rate:.4f}" for rate in single[5] + peaks[5]])
# > ['0.1000', '0.1000', '0.0010', '0.1000']
assert all(body == head for body, head in single)  # claim: one-peak-overwrites-the-groups
assert all(abs(head / body - 100) < 1e-6 for body, head in peaks)  # claim: a-list-keeps-them


# %% 7.3.2.2.3 written by hand
def by_hand(make):
    """Return the rate after one step of a scheduler, when it was set to 1 by hand before."""
    optimizer = SGD([nn.Parameter(torch.zeros(1))], lr=0.1)
    scheduler = make(optimizer)
    optimizer.param_groups[0]["lr"] = 1.0
    optimizer.step()
    scheduler.step()
    return optimizer.param_groups[0]["lr"]


written = (
    by_hand(lambda o: LambdaLR(o, lambda step: 0.5**step)),
    by_hand(lambda o: StepLR(o, 1, 0.5)),
)
print(written)
# > (0.05, 0.5)
assert written[0] == 0.05  # claim: from-the-start-it-is-lost
assert written[1] == 0.5  # claim: from-the-present-it-stays


# %% 7.3.2.2.4 the first step is a sign
def first_step(make, size):
    """Return how far a weight goes in the first step, for a gradient of some size."""
    weight = nn.Parameter(torch.zeros(1))
    weight.grad = torch.full((1,), size)
    make([weight]).step()
    return weight.abs().item()


adam = [first_step(lambda p: Adam(p, lr=0.01), size) for size in (1.0, 1e-2, 1e-4)]
sgd = [first_step(lambda p: SGD(p, lr=0.01), size) for size in (1.0, 1e-2, 1e-4)]
print([f"{step:.4f}" for step in adam], [f"{step:.6f}" for step in sgd])
# > ['0.0100', '0.0100', '0.0100'] ['0.010000', '0.000100', '0.000001']
assert max(adam) - min(adam) < 1e-5  # claim: adam-ignores-the-size
tiny = first_step(lambda p: Adam(p, lr=0.01), 1e-9)
print(f"{tiny:.4f}")
# > 0.0009
assert tiny < 0.1 * adam[0]  # claim: near-eps-it-shrinks
assert sgd[2] < 2e-4 * sgd[0]  # claim: sgd-follows-the-size


# %% 7.3.2.2.4 the same point, with and without a memory
def peak(state=None, warm_up=0, rate=0.02):
    """Go on with the old task from where it ended; return the highest loss over the first one."""
    model = copy.deepcopy(base)
    optimizer = Adam(model.parameters(), lr=rate)
    if state is not None:
        optimizer.load_state_dict(state)
    scheduler = LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / (warm_up + 1)))
    losses = fit(model, optimizer, old_data, 60, scheduler)
    return max(losses) / losses[0]


forgot, knows = peak(), peak(copy.deepcopy(pretrainer.state_dict()))
warmed = peak(warm_up=40)
print(f"{forgot:.0f} {knows:.1f} {warmed:.1f}")
# > 17 1.0 1.0
assert forgot > 5  # claim: fresh-state-jumps
assert knows < forgot / 4  # claim: kept-state-does-not
assert warmed < forgot / 4  # claim: warm-up-holds-it


# %% 7.3.2.2.4 batches that disagree
def agreement(model):
    """Return the length of the mean gradient of small batches, over their mean length."""
    gradients = []
    for part, answers in zip(*(each.split(8) for each in old_data), strict=True):
        loss = (model(part) - answers).square().mean()
        pieces = torch.autograd.grad(loss, list(model.parameters()))
        gradients.append(torch.cat([piece.flatten() for piece in pieces]))
    lengths = [gradient.norm() for gradient in gradients]
    return (torch.stack(gradients).mean(0).norm() / torch.stack(lengths).mean()).item()


at_good_start, at_random = agreement(base), agreement(fresh)
print(f"{at_good_start:.2f} {at_random:.2f}")
# > 0.02 0.66
assert at_random > 0.5  # claim: at-random-batches-agree
assert at_good_start < 0.1  # claim: at-a-good-start-it-is-noise

# %% 7.3.2.2.4 toward zero, and not toward the start
weight = nn.Parameter(torch.full((1,), 2.0))
optimizer = AdamW([weight], lr=0.01, weight_decay=0.1)
for _ in range(100):
    weight.grad = torch.zeros(1)
    optimizer.step()
print(f"{weight.item():.3f}")
# > 1.810
assert weight.item() < 1.9  # claim: decay-leaves-the-start
