# %% setup
import torch
from torch import nn
from torch.optim import SGD, Adafactor, Adagrad, Adam, AdamW, RMSprop

torch.manual_seed(0)
torch.sparse.check_sparse_tensor_invariants.enable()


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


def refusal(call):
    """Return the message of the error that a call raises; an empty one when it raises none."""
    try:
        call()
    except (RuntimeError, ValueError, TypeError) as error:
        return str(error)
    return ""


# %% 6.1.1.3.1 divided by its recent size
p = torch.randn(3, dtype=torch.float64, requires_grad=True)
optimizer = RMSprop([p], lr=0.01, alpha=0.99, eps=1e-8)
by_hand, square = p.detach().clone(), 0.0
for g in torch.randn(5, 3, dtype=torch.float64):
    p.grad = g.clone()
    optimizer.step()
    square = 0.99 * square + (1 - 0.99) * g**2
    by_hand -= 0.01 * g / (square.sqrt() + 1e-8)
assert torch.allclose(p, by_hand, rtol=1e-12)  # claim: rmsprop-is-these-lines
gradients = torch.randn(20).tolist()
plain = feed(RMSprop([number()], lr=0.01), gradients)
larger = feed(RMSprop([number()], lr=0.01), [1000 * g for g in gradients])
assert max(abs(a - b) for a, b in zip(plain, larger, strict=True)) < 1e-5  # claim: scale-cancels

# %% 6.1.1.3.1 ten times too long at first
plain = feed(RMSprop([number()], lr=0.01), [1.0] * 150)
corrected = feed(Adam([number()], lr=0.01, betas=(0.0, 0.99)), [1.0] * 150)
print([f"{moves[0]:.2f} {moves[-1]:.2f}" for moves in (plain, corrected)])
# > ['0.10 0.01', '0.01 0.01']
assert abs(plain[0] / corrected[0] - 10) < 1e-4  # claim: first-step-is-ten-times-lr
ratio = [a / b for a, b in zip(plain, corrected, strict=True)]
expected = [(1 - 0.99**t) ** -0.5 for t in range(1, 151)]
gap = max(abs(a - b) for a, b in zip(ratio, expected, strict=True))
assert gap < 1e-4  # claim: adam-without-the-correction

# %% 6.1.1.3.1 it forgets
falling = [100.0] * 10 + [1.0] * 90
kinds = (RMSprop([number()], lr=0.01, alpha=0.9), Adagrad([number()], lr=0.01))
last = [feed(optimizer, falling)[-1] for optimizer in kinds]
print([f"{step:.5f}" for step in last])
# > ['0.00818', '0.00003']
assert last[0] > 0.005  # claim: rmsprop-recovers
assert last[1] < 0.0001  # claim: adagrad-does-not

# %% 6.1.1.3.1 two options that surprise
gained = feed(RMSprop([number()], lr=0.01, alpha=0.9, momentum=0.9), [1.0] * 80)[-1]
centred = feed(RMSprop([number()], lr=0.01, alpha=0.9, centered=True), [1.0] * 80)[-1]
print(f"{gained:.2f} {centred:.2f}")
# > 0.10 0.68
assert gained > 0.09  # claim: momentum-multiplies-after-dividing
assert centred > 0.1  # claim: centred-explodes-on-a-steady-gradient

# %% 6.1.1.3.2 the sum only grows
steps = feed(Adagrad([number()], lr=0.1), [5.0] * 400)
print(f"{steps[0]:.3f} {steps[99]:.3f} {steps[399]:.3f}")
# > 0.100 0.010 0.005
assert abs(steps[399] - 0.1 / 400**0.5) < 1e-9  # claim: steps-fall-with-the-root
after_spike = feed(Adagrad([number()], lr=0.1), [100.0] + [1.0] * 100)
assert max(after_spike[1:]) < 0.0011  # claim: a-spike-is-never-forgotten
shrinking = feed(Adagrad([number()], lr=0.1), [1.0] * 50 + [0.01] * 50)
assert shrinking[-1] < 0.02 * shrinking[49]  # claim: it-never-grows-back


# %% 6.1.1.3.2 rare features keep their rate
def rates(kind):
    """Compute the last step of a feature seen always, and of one seen every tenth time."""
    p = torch.zeros(2, requires_grad=True)
    optimizer = kind([p], lr=0.1)
    for t in range(100):
        before = p.detach().clone()
        p.grad = torch.tensor([1.0, float(t % 10 == 9)])
        optimizer.step()
    return (before - p.detach()).tolist()


often, rarely = rates(Adagrad)
print(f"{often:.3f} {rarely:.3f}")
# > 0.010 0.032
assert abs(rarely / often - 10**0.5) < 0.01  # claim: rare-feature-steps-further
often, rarely = rates(SGD)
assert abs(rarely / often - 1) < 0.001  # claim: sgd-makes-no-difference

# %% 6.1.1.3.2 gradients with holes
table = nn.Embedding(1000, 4, sparse=True)
before, optimizer = table.weight.detach().clone(), Adagrad(table.parameters(), lr=0.1)
table(torch.tensor([3, 7])).sum().backward()
assert table.weight.grad.is_sparse
optimizer.step()
touched = (table.weight != before).any(dim=1).nonzero().flatten().tolist()
assert touched == [3, 7]  # claim: only-the-rows-seen
message = refusal(Adam(table.parameters()).step)
assert "does not support sparse gradients" in message  # claim: adam-refuses-sparse


# %% 6.1.1.3.2 when the goal moves
def chase(kind, steps=200):
    """Compute how far from the goal an optimizer ends when the goal jumps from 5 to -5."""
    w = number()
    optimizer = kind([w], lr=0.1)
    for t in range(2 * steps):
        goal = 5.0 if t < steps else -5.0
        w.grad = w.detach() - goal
        optimizer.step()
    return abs(w.item() - goal)


near, far = chase(RMSprop), chase(Adagrad)
print(f"{near:.2f} {far:.2f}")
# > 0.00 5.72
assert near < 0.1  # claim: rmsprop-follows
assert far > 3  # claim: adagrad-lags-behind

# %% 6.1.1.3.3 what each keeps of a matrix
weight = torch.randn(512, 256, requires_grad=True)
weight.square().sum().backward()
kept = {}
for kind in (AdamW, Adafactor):
    optimizer = kind([weight])
    optimizer.step()
    (state,) = optimizer.state.values()
    kept[kind.__name__] = {name: t.shape for name, t in state.items() if t.ndim}
print({name: sum(shape.numel() for shape in shapes.values()) for name, shapes in kept.items()})
# > {'AdamW': 262144, 'Adafactor': 768}
assert kept["Adafactor"] == {"row_var": (512, 1), "col_var": (1, 256)}  # claim: rows-and-columns
assert set(kept["AdamW"].values()) == {(512, 256)} and len(kept["AdamW"]) == 2  # claim: two-in-full
assert state["row_var"].dtype == torch.float32  # claim: not-in-fewer-bits
bias = torch.ones(256, requires_grad=True)
bias.sum().backward()
optimizer = Adafactor([bias])
optimizer.step()
whole = {name: t.shape for name, t in optimizer.state[bias].items() if t.ndim}
assert whole == {"variance": (256,)}  # claim: a-vector-is-kept-whole


# %% 6.1.1.3.3 a product for a table
def rebuilt(gradient):
    """Compute the mean squares that Adafactor rebuilds after one step."""
    weight = torch.zeros_like(gradient, requires_grad=True)
    weight.grad = gradient
    optimizer = Adafactor([weight])
    optimizer.step()
    rows, columns = (optimizer.state[weight][name] for name in ("row_var", "col_var"))
    return rows @ columns / rows.mean()


product = torch.outer(torch.rand(6), torch.rand(4))
assert torch.allclose(rebuilt(product), product**2)  # claim: exact-for-a-product
diagonal = torch.eye(4)
assert torch.allclose(rebuilt(diagonal), torch.full((4, 4), 0.25))  # claim: blurs-a-diagonal


# %% 6.1.1.3.3 LAMB by hand
def lamb(weight, lr=0.01):
    """Compute a step of Adam, then scale it to lr times the norm of the weight."""
    before = weight.detach().clone()
    Adam([weight], lr=1.0).step()
    update = weight.detach() - before
    weight.data = before + lr * before.norm() / update.norm() * update


assert not [name for name in dir(torch.optim) if name.lower() == "lamb"]  # claim: no-lamb-in-torch
assert hasattr(torch.optim, "Adafactor")  # claim: adafactor-is-in-torch


# %% 6.1.1.3.3 how far each layer goes
def shares(step):
    """Compute by what part of its norm a layer moves in one step, for large and small weights."""
    moved = []
    for size in (100.0, 0.01):
        weight = (size * torch.randn(64, 64)).requires_grad_()
        before = weight.detach().clone()
        weight.grad = torch.randn(64, 64)
        step(weight)
        moved.append(((weight - before).norm() / before.norm()).item())
    return moved


adamw = shares(lambda weight: AdamW([weight], lr=0.01, weight_decay=0.0).step())
layerwise = shares(lamb)
relative = shares(lambda weight: Adafactor([weight], lr=0.01).step())
print([[f"{share:.4f}" for share in each] for each in (adamw, layerwise, relative)])
# > [['0.0001', '0.9965'], ['0.0100', '0.0100'], ['0.0100', '0.0100']]
assert adamw[1] > 1000 * adamw[0]  # claim: adamw-moves-small-weights-most
assert max(abs(share - 0.01) for share in layerwise) < 1e-4  # claim: lamb-moves-all-alike
assert max(abs(share - 0.01) for share in relative) < 1e-3  # claim: adafactor-steps-are-relative


# %% 6.1.1.3.4 what the parameters allow
def takes_sparse(kind):
    """Compute whether one step with a sparse gradient goes through."""
    table = nn.Embedding(10, 4, sparse=True)
    optimizer = kind(table.parameters())

    def closure():
        optimizer.zero_grad()
        loss = table(torch.tensor([1, 2])).sum()
        loss.backward()
        return loss

    return not refusal(lambda: optimizer.step(closure))


kinds = [each for each in vars(torch.optim).values() if isinstance(each, type)]
kinds = [each for each in kinds if each is not torch.optim.Optimizer]
sparse = sorted(each.__name__ for each in kinds if takes_sparse(each))
print(sparse)
# > ['Adagrad', 'LBFGS', 'SGD', 'SparseAdam']
assert sparse == ["Adagrad", "LBFGS", "SGD", "SparseAdam"]  # claim: four-take-sparse-gradients
bias = torch.zeros(4, requires_grad=True)
assert "only supports 2D" in refusal(lambda: torch.optim.Muon([bias]))  # claim: muon-takes-matrices
assert "closure" in refusal(torch.optim.LBFGS([bias]).step)  # claim: lbfgs-needs-a-closure


# %% 6.1.1.3.4 what they keep
def kept(kind, **options):
    """Compute how many numbers are kept for each of a matrix of 256 by 256."""
    weight = torch.ones(256, 256, requires_grad=True)
    optimizer = kind([weight], **options)
    weight.sum().backward()
    optimizer.step()
    return round(sum(t.numel() for t in optimizer.state[weight].values()) / weight.numel(), 2)


sizes = [kept(SGD), kept(SGD, momentum=0.9), kept(RMSprop), kept(AdamW), kept(Adafactor)]
print(sizes)
# > [0.0, 1.0, 1.0, 2.0, 0.01]
assert sizes == [0.0, 1.0, 1.0, 2.0, 0.01]  # claim: state-from-none-to-twice


# %% 6.1.1.3.4 small, smooth, whole
def valley(kind, budget=45, **options):
    """Compute Rosenbrock's function after as many evaluations as the budget allows."""
    p = torch.tensor([-1.0, 1.0], dtype=torch.float64, requires_grad=True)
    optimizer, seen = kind([p], **options), []

    def closure():
        optimizer.zero_grad()
        x, y = p
        loss = (1 - x) ** 2 + 100 * (y - x * x) ** 2
        loss.backward()
        seen.append(loss.item())
        return loss

    while len(seen) < budget:
        optimizer.step(closure)
    return min(seen[:budget])


second_order = valley(torch.optim.LBFGS, lr=1.0, line_search_fn="strong_wolfe")
first_order = valley(Adam, lr=0.3)
print(f"{second_order:.0e} {first_order:.0e}")
# > 2e-10 1e+00
assert second_order < 1e-6 * first_order  # claim: lbfgs-wins-where-it-can


# %% 6.1.1.3.4 the rate decides
def fit(kind, lr, **options):
    """Compute the loss of a small network after 40 steps on a sine."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
    x = torch.linspace(-2, 2, 64)[:, None]
    y = (2 * x).sin()
    optimizer = kind(model.parameters(), lr=lr, **options)
    for _ in range(40):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    return loss.item()


tried = {
    "SGD": [fit(SGD, lr, momentum=0.9) for lr in (0.001, 0.1)],
    "Adam": [fit(Adam, lr) for lr in (0.001, 0.03)],
}
for name, losses in tried.items():
    print(name, [f"{loss:.2f}" for loss in losses])
# > SGD ['0.39', '0.03']
# > Adam ['0.39', '0.03']
best = [min(losses) for losses in tried.values()]
between_rates = min(max(losses) / min(losses) for losses in tried.values())
print(f"{max(best) / min(best):.1f} {between_rates:.1f}")
# > 1.0 11.7
assert max(best) / min(best) < between_rates / 3  # claim: rate-matters-more
assert tried["Adam"][0] > 10 * min(tried["Adam"])  # claim: default-rate-is-not-tuned
