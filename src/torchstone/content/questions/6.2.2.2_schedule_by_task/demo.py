# %% setup
import math

import torch
from torch.optim import SGD
from torch.optim.lr_scheduler import OneCycleLR

torch.manual_seed(0)


def noisy(rate, steps=400, noise=1.0):
    """Compute the losses of SGD in a bowl; the rate is a function of the part of the run done."""
    torch.manual_seed(0)
    w, losses = torch.full((100,), 3.0), []
    for step in range(steps):
        gradient = w + noise * torch.randn(100)
        w = w - rate(step / steps) * gradient
        losses.append(w.square().mean().item() / 2)
    return losses


def constant(part):
    return 0.3


def line(part):
    return 0.3 * (1 - part)


def cosine(part):
    return 0.15 * (1 + math.cos(math.pi * part))


def stairs(part):
    return 0.3 * 0.1 ** int(3 * part)


def cool_down(part):
    """Return a rate that is constant for half of the run, and then falls to zero."""
    return 0.3 * min(1.0, 2 * (1 - part))


# %% 6.2.2.2.1 any way down, or none
ends = {rate.__name__: noisy(rate)[-1] for rate in (constant, line, cosine, stairs, cool_down)}
print(*(f"{name} {end:.3f}" for name, end in ends.items()))
# > constant 0.083 line 0.006 cosine 0.004 stairs 0.004 cool_down 0.009
falling = [end for name, end in ends.items() if name != "constant"]
assert ends["constant"] > 5 * max(falling)  # claim: any-decay-beats-none
assert max(falling) < 4 * min(falling)  # claim: shapes-differ-little
quiet = [noisy(rate, steps=30, noise=0.0)[-1] for rate in (constant, cosine)]
print([f"{end:.0e}" for end in quiet])
# > ['2e-09', '1e-04']
assert quiet[0] < quiet[1] / 100  # claim: without-noise-constant-is-best

# %% 6.2.2.2.1 when the end is not known
planned = noisy(cosine)
stopped = planned[199]
branched = noisy(cool_down, steps=200)[-1]
print(f"{stopped:.3f} {branched:.3f} {planned[-1]:.3f}")
# > 0.035 0.013 0.004
assert stopped > 5 * planned[-1]  # claim: half-a-cosine-is-not-finished
assert branched < stopped / 2  # claim: a-cool-down-ends-at-any-time


# %% 6.2.2.2.2 one rise, one long fall
def one_cycle(steps=10, calls=9, **options):
    """Return the optimizer, and the rates and momenta that it has under OneCycleLR."""
    optimizer = SGD([torch.zeros(1, requires_grad=True)], lr=7.0, momentum=0.9)
    scheduler = OneCycleLR(optimizer, max_lr=1.0, total_steps=steps, **options)
    seen = [(optimizer.param_groups[0]["lr"], optimizer.param_groups[0]["momentum"])]
    for _ in range(calls):
        optimizer.step()
        scheduler.step()
        seen.append((optimizer.param_groups[0]["lr"], optimizer.param_groups[0]["momentum"]))
    return [round(lr, 4) for lr, _ in seen], [round(momentum, 4) for _, momentum in seen]


rates, momenta = one_cycle()
print(rates)
# > [0.04, 0.52, 1.0, 0.9505, 0.8117, 0.6113, 0.3887, 0.1883, 0.0495, 0.0]
print(momenta[:3], momenta[-1])
# > [0.95, 0.9, 0.85] 0.95
peak = rates.index(max(rates))
assert rates[: peak + 1] == sorted(rates[: peak + 1])  # claim: rises-once
assert rates[peak:] == sorted(rates[peak:], reverse=True) and peak < 4  # claim: falls-for-longer
assert rates[0] == 1.0 / 25  # claim: starts-at-a-part-of-the-maximum
assert rates[-1] < rates[0] / 1000  # claim: ends-far-below-its-start
assert momenta[peak] == 0.85 < momenta[0] == momenta[-1]  # claim: momentum-goes-the-other-way

# %% 6.2.2.2.2 what it insists on
try:
    one_cycle(steps=10, calls=11)
    message = ""
except ValueError as error:
    message = str(error)
print(message)
# > Tried to step 11 times. The specified number of total steps is 10
assert "Tried to step 11 times" in message  # claim: a-step-too-many-raises
epochs, batches = 3, 100
short, _ = one_cycle(steps=epochs * batches, calls=epochs)
assert max(short) < 0.05  # claim: called-per-epoch-it-never-rises

# %% 6.2.2.2.3 a floor that follows the rate
floors = {rate: sum(noisy(lambda part, rate=rate: rate)[-100:]) / 100 for rate in (0.4, 0.2, 0.1)}
print({rate: f"{floor:.3f}" for rate, floor in floors.items()})
# > {0.4: '0.125', 0.2: '0.055', 0.1: '0.025'}
assert 1.8 < floors[0.4] / floors[0.2] < 2.6  # claim: half-the-rate-half-the-floor
lowered = noisy(line)
assert lowered[-1] < floors[0.1] / 3  # claim: decay-goes-below-any-floor

# %% 6.2.2.2.3 the drop at a step
steps = noisy(stairs)
before, after = sum(steps[113:133]) / 20, sum(steps[180:200]) / 20
print(f"{before:.3f} {after:.3f}")
# > 0.094 0.013
assert after < before / 5  # claim: loss-drops-at-the-step
silent = noisy(stairs, noise=0.0)
slowed = silent[140] / silent[130], silent[130] / silent[120]
assert slowed[0] > slowed[1]  # claim: without-noise-it-only-slows

# %% 6.2.2.2.3 too soon
hasty = noisy(lambda part: 0.3 * 0.8 ** (400 * part), noise=0.0)
harmonic = noisy(lambda part: 0.3 / (1 + 0.1 * 400 * part), noise=0.0)
print(f"{hasty[-1]:.1e} {harmonic[-1]:.1e}")
# > 1.7e-01 2.5e-10
sums = [sum(0.3 * 0.8**step for step in range(n)) for n in (50, 400)]
assert sums[1] - sums[0] < 1e-4  # claim: a-geometric-sum-ends
assert hasty[-1] > 0.1 and hasty[-1] / hasty[50] > 0.99  # claim: it-stops-short
assert harmonic[-1] < hasty[-1] / 100  # claim: one-over-t-goes-on

# %% 6.2.2.2.4 what time does
torch.manual_seed(0)
x, truth = torch.randn(30, 40, dtype=torch.float64), torch.randn(40, dtype=torch.float64) / 6
y = x @ truth + torch.randn(30, dtype=torch.float64)


def fit(rates):
    """Compute training and true error, and the weights, of gradient descent with these rates."""
    w, seen, unseen = torch.zeros_like(truth), [], []
    for rate in rates:
        w = w - rate * x.T @ (x @ w - y) / 30
        seen.append((x @ w - y).square().mean().item())
        unseen.append((w - truth).square().sum().item())
    return seen, unseen, w


seen, unseen, _ = fit([0.05] * 400)
best = unseen.index(min(unseen))
print(best, f"{unseen[0]:.2f} {unseen[best]:.2f} {unseen[-1]:.2f}")
# > 15 1.33 0.90 2.08
assert unseen[best] < unseen[0] and unseen[-1] > 1.5 * unseen[best]  # claim: true-error-turns-up
assert seen == sorted(seen, reverse=True)  # claim: training-error-does-not

# %% 6.2.2.2.4 only the sum counts
falling = [0.1 * (1 - step / 400) for step in range(400)]
even = [sum(falling) / 400] * 400
(_, one, w), (_, other, v) = fit(falling), fit(even)
print(f"{sum(falling):.1f} {one[-1]:.2f} {other[-1]:.2f}")
# > 20.1 2.08 2.08
assert (w - v).norm() < 0.05 * v.norm()  # claim: equal-sums-equal-weights
finite = [0.05 * 0.94**step for step in range(400)]
_, stopped, _ = fit(finite)
print(f"{sum(finite):.2f} {0.05 * (best + 1):.2f} {stopped[-1]:.2f}")
# > 0.83 0.80 0.90
assert stopped[-1] < 1.1 * unseen[best]  # claim: a-finite-sum-stops-in-time

# %% 6.2.2.2.4 lowered when it rises
late = best + 20
lowered = [0.05] * late + [0.005] * 1000
_, after, _ = fit(lowered)
print(f"{after[late]:.2f} {after[late + 400]:.2f} {after[-1]:.2f}")
# > 0.97 1.15 1.37
assert after[late + 400] > after[late]  # claim: it-goes-on-rising
_, kept_up, _ = fit([0.05] * (late + 100))
assert abs(after[-1] - kept_up[-1]) < 0.02  # claim: ten-times-the-steps
assert after[late + 10] - after[late] < (unseen[late + 10] - unseen[late]) / 5  # claim: only-slower
