# %% setup
import torch
from torch.optim import SGD, Adam, AdamW

torch.manual_seed(0)


def number(value=0.0):
    """Return a parameter that holds one number, in double precision."""
    return torch.tensor([value], dtype=torch.float64, requires_grad=True)


def feed(optimizer, gradients):
    """Compute one step for each gradient given; return how far each step went."""
    (p,), moves = optimizer.param_groups[0]["params"], []
    for gradient in gradients:
        before = p.item()
        p.grad = torch.full_like(p, gradient)
        optimizer.step()
        moves.append(abs(p.item() - before))
    return moves


# %% 6.1.1.2.1 the update by hand
p = torch.randn(3, dtype=torch.float64, requires_grad=True)
optimizer = Adam([p], lr=0.1, betas=(0.9, 0.999), eps=1e-8)
by_hand, m, v = p.detach().clone(), 0.0, 0.0
for t, g in enumerate(torch.randn(5, 3, dtype=torch.float64), 1):
    p.grad = g.clone()
    optimizer.step()
    m = 0.9 * m + (1 - 0.9) * g
    v = 0.999 * v + (1 - 0.999) * g**2
    m_fair, v_fair = m / (1 - 0.9**t), v / (1 - 0.999**t)
    by_hand -= 0.1 * m_fair / (v_fair.sqrt() + 1e-8)
assert torch.allclose(p, by_hand, rtol=1e-12)  # claim: adam-is-these-lines

# %% 6.1.1.2.1 the first step, and the scale
tiny, huge = (feed(Adam([number()], lr=0.1), [g])[0] for g in (1e-4, 1e4))
print(f"{tiny:.3f} {huge:.3f}")
# > 0.100 0.100
assert abs(tiny - huge) < 1e-4  # claim: first-step-is-lr
gradients = torch.randn(20).tolist()
plain = feed(Adam([number()], lr=0.1), gradients)
larger = feed(Adam([number()], lr=0.1), [1000 * g for g in gradients])
assert max(abs(a - b) for a, b in zip(plain, larger, strict=True)) < 1e-5  # claim: scale-cancels

# %% 6.1.1.2.1 two memories
steady = Adam([number()], lr=0.1)
moves = feed(steady, [2.0] * 100)
(state,) = steady.state.values()
square = state["exp_avg_sq"].item() / (1 - 0.999**100)
print(f"{state['exp_avg'].item():.2f} {square:.2f} {moves[-1]:.3f}")
# > 2.00 4.00 0.100
assert abs(square - 2.0**2) < 1e-6  # claim: mean-square-and-no-variance
feed(steady, [0.0] * 100)
left = state["exp_avg"].item() / 2, state["exp_avg_sq"].item() / (1 - 0.999**100) / 4
print([f"{share:.5f}" for share in left])
# > ['0.00003', '0.90479']
assert left[0] < 1e-4  # claim: beta1-forgets-in-tens
assert left[1] > 0.9  # claim: beta2-remembers-a-thousand
agreed, split = (feed(Adam([number()], lr=0.1), [1.0, g] * 25)[-1] for g in (1.0, -1.0))
print(f"{agreed:.3f} {split:.3f}")
# > 0.100 0.005
assert split < agreed / 10  # claim: disagreement-shortens

# %% 6.1.1.2.1 a gradient after a long rest
rest = [0.0] * 700 + [1.0]
longest = feed(Adam([number()], lr=0.1), rest)[-1] / 0.1
quicker = feed(Adam([number()], lr=0.1, betas=(0.9, 0.95)), rest[-101:])[-1] / 0.1
growing = rest[:300] + [1.2**k for k in range(20)]  # one burst, ever larger
furthest = max(feed(Adam([number()], lr=0.1), growing)) / 0.1
print(f"{longest:.2f} {quicker:.2f} {furthest:.1f}")
# > 2.25 0.45 3.7
assert longest > 2 and furthest > 3.5  # claim: step-can-exceed-lr
assert quicker < 1  # claim: smaller-beta2-bounds-it


# %% 6.1.1.2.2 one flag apart
def run(kind, gradients, start=1.0, **options):
    """Compute where a parameter stands after the gradients given."""
    p = number(start)
    feed(kind([p], **options), gradients)
    return p.item()


gradients = torch.randn(50).tolist()
without = [run(kind, gradients, lr=0.01, weight_decay=0.0) for kind in (Adam, AdamW)]
assert without[0] == without[1]  # claim: equal-without-decay
coupled = run(Adam, gradients, lr=0.01, weight_decay=0.1)
decoupled = run(AdamW, gradients, lr=0.01, weight_decay=0.1)
assert coupled != decoupled  # claim: decay-parts-them
flagged = run(Adam, gradients, lr=0.01, weight_decay=0.1, decoupled_weight_decay=True)
assert flagged == decoupled  # claim: a-flag-of-adam
usual = [kind([number()]).defaults["weight_decay"] for kind in (Adam, AdamW)]
print(usual)
# > [0, 0.01]
assert usual == [0, 0.01]  # claim: defaults-differ

# %% 6.1.1.2.2 the strength that cancels
weak, strong = (run(Adam, [0.0] * 20, lr=0.01, weight_decay=wd) for wd in (0.001, 1.0))
print(f"{weak:.3f} {strong:.3f}")
# > 0.803 0.803
assert abs(weak - strong) < 1e-3  # claim: l2-strength-cancels
weak, strong = (run(AdamW, [0.0] * 20, lr=0.01, weight_decay=wd) for wd in (0.001, 1.0))
print(f"{weak:.4f} {strong:.4f}")
# > 0.9998 0.8179
assert abs(strong - (1 - 0.01 * 1.0) ** 20) < 1e-12  # claim: adamw-is-a-factor


# %% 6.1.1.2.2 whose weights shrink
left = {
    kind: [run(kind, [size, -size] * 100, lr=0.002, weight_decay=0.1) for size in (0.1, 10.0)]
    for kind in (Adam, AdamW)
}
print({kind.__name__: [f"{share:.2f}" for share in left[kind]] for kind in left})
# > {'Adam': ['0.74', '0.99'], 'AdamW': ['0.96', '0.96']}
assert left[Adam][0] < 0.85 < 0.95 < left[Adam][1]  # claim: large-gradients-escape-l2
assert abs(left[AdamW][0] - left[AdamW][1]) < 0.01  # claim: adamw-treats-all-alike

# %% 6.1.1.2.2 tied to the rate all the same
rates = [run(AdamW, [0.0] * 20, lr=lr, weight_decay=0.1) for lr in (0.0, 0.01, 0.02)]
print([f"{share:.3f}" for share in rates])
# > ['1.000', '0.980', '0.961']
assert rates[0] == 1  # claim: no-rate-no-decay
assert abs(rates[2] - rates[1] ** 2) < 1e-4  # claim: rate-scales-the-decay


# %% 6.1.1.2.3 where Adam walks the wrong way
def walk(steps=200, **options):
    """Compute where x in [-1, 1] ends when the loss is 3x in one step of three, and -x in two."""
    x = number()
    optimizer = Adam([x], lr=0.5, betas=(0.0, 0.1), **options)
    for t in range(1, steps + 1):
        optimizer.param_groups[0]["lr"] = 0.5 / t**0.5
        feed(optimizer, [3.0 if t % 3 == 1 else -1.0])
        x.detach().clamp_(-1, 1)
    return x.item()


adam, amsgrad = walk(), walk(amsgrad=True)
print(f"{adam:.2f} {amsgrad:.2f}")
# > 0.99 -0.99
assert adam > 0.9  # claim: adam-ends-at-the-worst
assert amsgrad < -0.9  # claim: amsgrad-ends-at-the-best


# %% 6.1.1.2.3 a maximum in place of the average
def denominators(**options):
    """Compute lr over the step, once a gradient of 100 has come among ones."""
    optimizer = Adam([number()], lr=0.1, betas=(0.0, 0.9), **options)
    return [0.1 / move for move in feed(optimizer, [1.0] * 20 + [100.0] + [1.0] * 100)]


forgetful, faithful = denominators(), denominators(amsgrad=True)
print([f"{d[-1]:.1f}" for d in (forgetful, faithful)])
# > ['1.0', '31.6']
assert forgetful[-1] < 1.5  # claim: adam-forgets-the-spike
assert faithful[-1] > 20  # claim: amsgrad-never-does
kept = Adam([number()], amsgrad=True)
feed(kept, [1.0, 0.0])
(state,) = kept.state.values()
print(sorted(state))
# > ['exp_avg', 'exp_avg_sq', 'max_exp_avg_sq', 'step']
assert "max_exp_avg_sq" in state  # claim: one-more-tensor
largest = state.get("max_exp_avg_sq", torch.ones(1))
assert largest.item() < 0.0011  # claim: maximum-before-correction

# %% 6.1.1.2.3 usually the same
gradients = torch.randn(300).tolist()
paths = [sum(feed(Adam([number()], amsgrad=flag), gradients)) for flag in (False, True)]
print([f"{path:.4f}" for path in paths])
# > ['0.0452', '0.0452']
assert abs(paths[0] - paths[1]) < 1e-3 * paths[0]  # claim: plain-noise-hardly-differs


# %% 6.1.1.2.4 turn the axes
def bowl(kind, turn, **options):
    """Compute the loss after 100 steps in a bowl of curvatures 1 and 100, turned by an angle."""
    angle = torch.tensor(float(turn), dtype=torch.float64).deg2rad()
    axes = torch.stack([angle.cos(), -angle.sin(), angle.sin(), angle.cos()]).view(2, 2)
    x = axes.sum(0).requires_grad_()  # the point (1, 1) of the bowl
    optimizer = kind([x], **options)
    for _ in range(100):
        optimizer.zero_grad()
        loss = (axes @ x).square() @ torch.tensor([0.5, 50.0], dtype=torch.float64)
        loss.backward()
        optimizer.step()
    return loss.item()


adam = [bowl(Adam, turn, lr=0.02) for turn in (0, 45)]
sgd = [bowl(SGD, turn, lr=0.03, momentum=0.8) for turn in (0, 45)]
print([f"{loss:.0e}" for loss in adam + sgd])
# > ['3e-03', '5e-01', '7e-08', '7e-08']
assert adam[0] < 0.01 and adam[1] > 100 * adam[0]  # claim: adam-needs-the-axes
assert max(sgd) < 1e-6  # claim: sgd-does-not-see-them


# %% 6.1.1.2.4 two fits, one of them general
def fit(kind, **options):
    """Compute the training loss, and the errors on both classes of unseen rows."""
    labels = torch.tensor([1.0] * 12 + [-1.0] * 8)
    marks = torch.block_diag(*(torch.ones(1, 1 if label > 0 else 5) for label in labels))
    rows = torch.cat(
        [labels[:, None], torch.ones(20, 2), marks], dim=1
    )  # each has marks of its own
    w = torch.zeros(rows.shape[1], requires_grad=True)
    optimizer = kind([w], **options)
    for _ in range(100):
        optimizer.zero_grad()
        loss = (rows @ w - labels).square().mean()
        loss.backward()
        optimizer.step()
    unseen = {label: label * w[0] + w[1] + w[2] for label in (1.0, -1.0)}
    return loss.item(), [label * out.item() < 0 for label, out in unseen.items()]


(sgd_loss, sgd), (adam_loss, adam) = fit(SGD, lr=0.2), fit(Adam, lr=0.02)
print(sgd, adam)
# > [False, False] [False, True]
assert max(sgd_loss, adam_loss) < 1e-3  # claim: both-fit-the-training-set
assert sgd == [False, False]  # claim: sgd-generalises
assert adam == [False, True]  # claim: adam-fails-on-a-class


# %% 6.1.1.2.4 where Adam wins
def by_class(kind, **options):
    """Compute the losses of 16 classes after 60 steps, when the k-th is k times rarer."""
    share = 1 / torch.arange(1, 17)
    logits = torch.zeros(16, 16, requires_grad=True)
    optimizer = kind([logits], **options)
    for _ in range(60):
        optimizer.zero_grad()
        losses = torch.nn.functional.cross_entropy(logits, torch.arange(16), reduction="none")
        (losses @ share / share.sum()).backward()
        optimizer.step()
    return losses.tolist()


sgd, adam = by_class(SGD, lr=1.0), by_class(Adam, lr=0.02)
print(f"{sgd[0]:.2f} {sgd[-1]:.2f}, {adam[0]:.2f} {adam[-1]:.2f}")
# > 0.07 1.84, 0.95 0.95
assert sgd[-1] > 10 * sgd[0]  # claim: sgd-leaves-rare-classes-behind
assert abs(adam[-1] - adam[0]) < 0.01  # claim: adam-learns-them-alike

# %% 6.1.1.2.4 one contains the other
gradients = torch.randn(50).tolist()
plain = feed(SGD([number()], lr=0.1), gradients)
drowned = feed(Adam([number()], lr=0.1 * 1e6, betas=(0.0, 0.999), eps=1e6), gradients)
apart = max(abs(a - b) for a, b in zip(plain, drowned, strict=True))
assert apart < 1e-5  # claim: large-eps-makes-it-sgd


def kept(kind, **options):
    """Compute how many numbers an optimizer keeps for a parameter of 1000."""
    p = torch.zeros(1000, requires_grad=True)
    optimizer = kind([p], **options)
    p.sum().backward()
    optimizer.step()
    return sum(t.numel() for state in optimizer.state.values() for t in state.values())


sizes = [kept(SGD), kept(SGD, momentum=0.9), kept(Adam)]
print(sizes)
# > [0, 1000, 2001]
assert sizes == [0, 1000, 2001]  # claim: adam-keeps-twice-as-much
