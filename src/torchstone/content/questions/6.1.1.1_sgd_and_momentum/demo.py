# %% setup
import torch
from torch.optim import SGD

torch.manual_seed(0)


def number(value=0.0):
    """Return a parameter that holds one number, in double precision."""
    return torch.tensor([value], dtype=torch.float64, requires_grad=True)


def feed(optimizer, gradient):
    """Compute one step with a gradient that is given, and return the parameter's new value."""
    (p,) = optimizer.param_groups[0]["params"]
    p.grad = torch.full_like(p, gradient)
    optimizer.step()
    return p.item()


# %% 6.1.1.1.1 the whole update in two lines
p = torch.randn(3, requires_grad=True)
optimizer = SGD([p], lr=0.1, momentum=0.9, weight_decay=0.01)
by_hand, buffer = p.detach().clone(), torch.zeros(3)
for gradient in torch.randn(5, 3):
    p.grad = gradient.clone()
    optimizer.step()
    buffer = 0.9 * buffer + (gradient + 0.01 * by_hand)
    by_hand = by_hand - 0.1 * buffer
assert torch.allclose(p, by_hand)  # claim: sgd-is-these-two-lines
still = SGD([number(1.0)], lr=0.1, weight_decay=0.01)
print(feed(still, 0.0))
# > 0.999
assert feed(still, 0.0) < 0.999  # claim: decay-shrinks-without-a-gradient


# %% 6.1.1.1.1 momentum is a gain
def last_step(momentum, **options):
    """Compute the length of the last of many steps when the gradient is always one."""
    optimizer = SGD([number()], lr=1.0, momentum=momentum, **options)
    steps = round(10 / (1 - momentum))  # ten times as far as it remembers
    places = [feed(optimizer, 1.0) for _ in range(steps)]
    return round(places[-2] - places[-1], 2)


turning = SGD([number()], lr=1.0, momentum=0.9)
places = [feed(turning, sign) for sign in [1.0, -1.0] * 50]
halved = 0.5 < abs(places[-1] - places[-2]) < 0.55  # alternating gradients: 1 / 1.9
lengths = [last_step(momentum) for momentum in (0.0, 0.9, 0.99)]
print(lengths)
# > [1.0, 10.0, 100.0]
assert lengths == [1.0, 10.0, 100.0] and halved  # claim: steady-gradient-goes-further
assert last_step(0.9, dampening=0.9) == 1.0  # claim: only-dampening-averages

# %% 6.1.1.1.1 the rate stands outside the buffer
optimizer = SGD([number()], lr=1.0, momentum=0.9)
moving = [feed(optimizer, 1.0) for _ in range(3)]
optimizer.param_groups[0]["lr"] = 0.0
stopped = feed(optimizer, 1.0)
print(moving, stopped)
# > [-1.0, -2.9, -5.609999999999999] -5.609999999999999
assert stopped == moving[-1]  # claim: lr-acts-at-once
kept = [list(state) for state in optimizer.state.values()]
assert kept == [["momentum_buffer"]]  # claim: one-buffer-each
plain = SGD([number()], lr=1.0)
feed(plain, 1.0)
assert not plain.state  # claim: plain-keeps-nothing

# %% 6.1.1.1.2 one buffer, two directions
heavy = SGD([number()], lr=1.0, momentum=0.9)
ahead = SGD([number()], lr=1.0, momentum=0.9, nesterov=True)
first = feed(heavy, 1.0), feed(ahead, 1.0)
print(first)
# > (-1.0, -1.9)
assert first == (-1.0, -(1 + 0.9))  # claim: first-step-is-longer
at, gradient = first[1], -3.0
moved = feed(ahead, gradient) - at
feed(heavy, gradient)
(mine,), (other,) = ahead.state.values(), heavy.state.values()
assert torch.equal(mine["momentum_buffer"], other["momentum_buffer"])  # claim: same-buffer
direction = gradient + 0.9 * mine["momentum_buffer"].item()
assert abs(moved + direction) < 1e-12  # claim: gradient-plus-mu-times-buffer


# %% 6.1.1.1.2 the look-ahead, in other variables
def slope(x):
    """Return the derivative of x**4 / 4 + x**2 / 2."""
    return x**3 + x


calls = []


def closure():
    calls.append(p.item())
    p.grad = slope(p.detach())


p = number(1.5)
ahead = SGD([p], lr=0.05, momentum=0.9, nesterov=True)
theta, velocity = 1.5, 0.0
for _ in range(30):
    ahead.step(closure)
    velocity = 0.9 * velocity - 0.05 * slope(theta + 0.9 * velocity)  # looked up ahead
    theta = theta + velocity
same = abs(p.item() - (theta + 0.9 * velocity)) < 1e-12
assert len(calls) == 30  # claim: one-gradient-a-step
ahead.param_groups[0]["lr"] = 0.01  # another rate parts the two
ahead.step(closure)
velocity = 0.9 * velocity - 0.01 * slope(theta + 0.9 * velocity)
parted = abs(p.item() - (theta + velocity + 0.9 * velocity)) > 1e-6
assert same and parted  # claim: equals-the-look-ahead


# %% 6.1.1.1.2 damped, within a smaller range
def roll(lr, nesterov, steps=60):
    """Compute the path on x**2 / 2, whose gradient is x, from 1."""
    optimizer = SGD([number(1.0)], lr=lr, momentum=0.9, nesterov=nesterov)
    path = [1.0]
    for _ in range(steps):
        path.append(feed(optimizer, path[-1]))
    return path


heavy, ahead = roll(0.1, nesterov=False), roll(0.1, nesterov=True)
print(round(min(heavy), 2), round(min(ahead), 2))
# > -0.6 -0.39
assert min(heavy) < min(ahead) < 0  # claim: overshoots-less
far = abs(roll(2.0, nesterov=False)[-1]), abs(roll(2.0, nesterov=True)[-1])
assert far[0] < 1  # claim: plain-converges-there
assert far[1] > 1e6  # claim: nesterov-diverges-there


# %% 6.1.1.1.2 what it insists on
def refusal(**options):
    """Return the message of the error that building SGD raises."""
    try:
        SGD([number()], lr=0.1, nesterov=True, **options)
    except ValueError as error:
        return str(error)
    return ""


words = "requires a momentum and zero dampening"
assert words in refusal()  # claim: refuses-no-momentum
assert words in refusal(momentum=0.9, dampening=0.1)  # claim: refuses-dampening


# %% 6.1.1.1.3 added to the gradient, inside step
def descend(weight_decay, penalty):
    """Compute ten momentum steps on (p - 3)**2, and return what was seen last."""
    p = number(1.0)
    optimizer = SGD([p], lr=0.05, momentum=0.9, weight_decay=weight_decay)
    for _ in range(10):
        optimizer.zero_grad()
        loss = (p - 3).square().sum() + penalty / 2 * p.square().sum()
        loss.backward()
        seen = p.item(), p.grad.item()
        optimizer.step()
    return p.item(), loss.item(), p.grad.item(), seen


option, loss, grad_after, (place, grad_before) = descend(weight_decay=0.1, penalty=0.0)
in_loss, higher_loss, _, _ = descend(weight_decay=0.0, penalty=0.1)
assert abs(option - in_loss) < 1e-12  # claim: equals-an-l2-penalty
assert grad_after == grad_before == 2 * (place - 3)  # claim: grad-does-not-hold-it
assert loss < higher_loss  # claim: loss-does-not-show-it


# %% 6.1.1.1.3 it goes through the buffer
def decayed(momentum, steps=100):
    """Compute what is left of 1 when every gradient is zero and only the decay acts."""
    optimizer = SGD([number(1.0)], lr=0.1, momentum=momentum, weight_decay=0.01)
    for _ in range(steps):
        left = feed(optimizer, 0.0)
    return left


factor = 1 - 0.1 * 0.01
print(round(factor**100, 3), round(decayed(0.0), 3), round(decayed(0.9), 3))
# > 0.905 0.905 0.369
assert abs(decayed(0.0) - factor**100) < 1e-12  # claim: alone-it-is-a-factor
assert decayed(0.9) < factor**900  # claim: momentum-amplifies-it

# %% 6.1.1.1.3 whom it touches, and whom not
model = torch.nn.Linear(2, 1)
torch.nn.init.ones_(model.bias)
unused = number(1.0)
optimizer = SGD([*model.parameters(), unused], lr=0.1, weight_decay=0.1)
model(torch.zeros(1, 2)).sum().mul(0).backward()  # every gradient is zero, one is None
optimizer.step()
assert model.bias.item() < 1  # claim: biases-decay-too
assert unused.grad is None and unused.item() == 1  # claim: none-is-skipped
decay = [p for p in model.parameters() if p.ndim > 1]
rest = [p for p in model.parameters() if p.ndim <= 1]
groups = [{"params": decay}, {"params": rest, "weight_decay": 0.0}]
optimizer, before = SGD(groups, lr=0.1, weight_decay=0.1), model.bias.item()
optimizer.step()
assert model.bias.item() == before  # claim: groups-exempt-it

# %% 6.1.1.1.3 clipping does not see it
p = number(100.0)
optimizer = SGD([p], lr=1.0, weight_decay=0.1)
p.grad = torch.full_like(p, 50.0)
torch.nn.utils.clip_grad_norm_([p], 1.0)
optimizer.step()
print(round(100 - p.item(), 4))
# > 11.0
assert 100 - p.item() > 10  # claim: step-exceeds-the-clip


# %% 6.1.1.1.4 what a batch averages away
def batches(size, epochs=1):
    """Return the batches of some epochs over the data, each epoch in an order of its own."""
    order = [torch.randperm(len(data)) for _ in range(epochs)]
    return data[torch.cat(order)].split(size)


data = torch.randn(4096, dtype=torch.float64) + 2.0
gradients = {size: torch.stack([-b.mean() for b in batches(size)]) for size in (16, 64)}
noise = {size: g.std().item() for size, g in gradients.items()}
means = [g.mean().item() for g in gradients.values()]
ratio = noise[16] / noise[64]
print([len(g) for g in gradients.values()], f"{ratio:.1f}")
# > [256, 64] 2.0
assert abs(means[0] - means[1]) < 1e-12  # claim: same-mean-gradient
assert 1.7 < ratio < 2.3  # claim: four-times-the-batch-half-the-noise
assert len(gradients[16]) == 4 * len(gradients[64])  # claim: fewer-steps-an-epoch


# %% 6.1.1.1.4 the same epoch, another batch
def train(size, lr, epochs=1):
    """Compute where SGD stands on the mean of (x - w)**2 / 2, step by step, from 0."""
    optimizer = SGD([number()], lr=lr)
    path = [0.0]
    for batch in batches(size, epochs):
        path.append(feed(optimizer, path[-1] - batch.mean().item()))
    return torch.tensor(path)


small, large, scaled = (train(*how)[-1] for how in ((16, 0.01), (64, 0.01), (64, 0.04)))
print(f"{small:.2f} {large:.2f} {scaled:.2f}")
# > 1.83 0.94 1.84
assert large < 0.8 * small  # claim: same-rate-goes-less-far
assert abs(scaled - small) < 0.1  # claim: scaled-rate-keeps-up

# %% 6.1.1.1.4 where scaling ends
short, long = train(128, 0.6, epochs=4), train(512, 2.4, epochs=4)
print(f"{short[-1]:.1f} {long[-1]:.1f}")
# > 2.0 -92839.1
assert abs(short[-1] - 2) < 0.2  # claim: before-scaling-it-converges
assert abs(long[-1] - 2) > 1000  # claim: rate-has-a-ceiling

# %% 6.1.1.1.4 the noise that stays
settled = [train(*how, 4)[-200:].std() for how in ((16, 0.1), (64, 0.1), (64, 0.4))]
print([f"{spread:.3f}" for spread in settled])
# > ['0.055', '0.023', '0.056']
assert settled[1] < 0.6 * settled[0]  # claim: larger-batch-settles-closer
assert 0.7 < settled[2] / settled[0] < 1.4  # claim: larger-rate-undoes-it


# %% 6.1.1.1.4 mean or sum
def slope_at_zero(size, reduction):
    """Compute the gradient of the squared error at 0 over the first examples."""
    w = number()
    torch.nn.functional.mse_loss(w.expand(size), data[:size], reduction=reduction).backward()
    return w.grad.item()


whole, part = (slope_at_zero(size, "mean") for size in (1024, 256))
assert abs(whole / part - 1) < 0.1  # claim: mean-forgets-the-size
whole, part = (slope_at_zero(size, "sum") for size in (1024, 256))
assert abs(whole / part - 4) < 0.4  # claim: sum-scales-the-step
