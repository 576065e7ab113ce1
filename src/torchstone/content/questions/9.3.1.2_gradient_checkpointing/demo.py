# %% setup
import torch
from torch import nn
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.checkpoint import (
    checkpoint,
    checkpoint_sequential,
    create_selective_checkpoint_contexts,
)


class Watch(TorchDispatchMode):
    """Note each operator that runs, and the storages that are made while it is active."""

    def __init__(self):
        super().__init__()
        self.calls, self.made, self.peak = [], {}, 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        self.calls.append(func.overloadpacket.__name__)
        for t in tree_leaves(out):
            if isinstance(t, torch.Tensor):
                place = t.untyped_storage()
                self.made.setdefault(place._cdata, (StorageWeakRef(place), place.nbytes()))
        self.peak = max(self.peak, self.alive())
        return out

    def alive(self):
        return sum(size for place, size in self.made.values() if not place.expired())


def sines(h, times=4):
    for _ in range(times):
        h = h.sin()
    return h


torch.manual_seed(0)
x = torch.randn(1000, requires_grad=True)

# %% 9.3.1.2.1 between the two passes
with Watch() as plain:
    out = sines(x)
print(plain.alive() / x.nbytes)
# > 4.0
assert plain.alive() == 4 * x.nbytes  # claim: each-step-is-held
with Watch() as less:
    out = checkpoint(sines, x, use_reentrant=False)
print(less.alive() / x.nbytes)
# > 1.0
assert less.alive() == out.nbytes  # claim: only-the-result-is-held
with torch.no_grad(), Watch() as silent:
    out = sines(x)
assert silent.alive() == out.nbytes  # claim: as-little-as-without-a-graph

# %% 9.3.1.2.1 the first read runs it again
runs = []


def counted(h):
    runs.append(torch.is_grad_enabled())
    return sines(h)


out = checkpoint(counted, x, use_reentrant=False).sum()
assert len(runs) == 1  # claim: once-in-forward
out.backward()
print(runs)
# > [True, True]
assert len(runs) == 2  # claim: one-rerun-serves-all
exact, x.grad = x.grad, None
sines(x).sum().backward()
assert torch.equal(exact, x.grad)  # claim: gradients-are-the-same


# %% 9.3.1.2.1 one segment, or several
def peak(parts, layers=16):
    """Return the most that is alive at once, in units of one activation."""
    with Watch() as watch:
        h = x
        for _ in range(parts):
            h = checkpoint(sines, h, layers // parts, use_reentrant=False)
        h.sum().backward()
    return watch.peak // x.nbytes


with Watch() as plain:
    sines(x, 16).sum().backward()
most = plain.peak // x.nbytes
print(most, peak(1), peak(4))
# > 17 19 9
assert peak(1) >= most  # claim: one-segment-saves-nothing
assert peak(4) < most / 1.5  # claim: several-segments-save

# %% 9.3.1.2.2 a third more products
layers = [nn.Sequential(nn.Linear(16, 16, bias=False), nn.GELU()) for _ in range(6)]
inputs = torch.randn(8, 16, requires_grad=True)


def products(step):
    """Count the matrix products of a forward and a backward."""
    with Watch() as watch:
        h = inputs
        for layer in layers:
            h = step(layer, h)
        h.sum().backward()
    return watch.calls.count("mm")


once = products(lambda layer, h: layer(h))
twice = products(lambda layer, h: checkpoint(layer, h, use_reentrant=False))
print(once, twice)
# > 18 24
assert once == 3 * len(layers)  # claim: backward-takes-two
assert twice == 4 * len(layers)  # claim: one-product-more-a-layer

# %% 9.3.1.2.2 it stops when it has enough
ends_in_linear = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 16))


def reruns(early_stop):
    """Count the linear layers that the backward computes anew."""
    with Watch() as watch:
        out = checkpoint(ends_in_linear, inputs, use_reentrant=False, early_stop=early_stop)
        before = watch.calls.count("addmm")
        out.sum().backward()
    return watch.calls.count("addmm") - before


print(reruns(True), reruns(False))
# > 1 2
assert reruns(True) == 1  # claim: last-product-is-spared
assert reruns(False) == 2  # claim: without-it-all-runs

# %% 9.3.1.2.2 each backward, and each level, pays
out = checkpoint(sines, x, use_reentrant=False).sum()
with Watch() as first:
    out.backward(retain_graph=True)
with Watch() as second:
    out.backward()
assert first.calls.count("sin") == second.calls.count("sin") == 3  # claim: each-backward-pays


def nested(h):
    for _ in range(2):
        h = checkpoint(sines, h, use_reentrant=False)
    return h.exp()


with Watch() as flat:
    nested(x).sum().backward()
with Watch() as deep:
    checkpoint(nested, x, use_reentrant=False).sum().backward()
print(flat.calls.count("sin"), deep.calls.count("sin"))
# > 14 22
assert deep.calls.count("sin") == flat.calls.count("sin") + 8  # claim: each-level-pays


# %% 9.3.1.2.3 the function and its arguments, apart
def scaled(batch, *, scale):
    return (batch["values"] * scale).sin()


batch = {"values": x}
out = checkpoint(scaled, batch, scale=2, use_reentrant=False)
assert out.requires_grad  # claim: dicts-and-keywords-pass


def refusal(call):
    try:
        call()
    except (RuntimeError, ValueError) as error:
        return str(error)
    return ""


old = refusal(lambda: checkpoint(scaled, batch, scale=2, use_reentrant=True))
assert "Unexpected keyword" in old  # claim: old-variant-takes-no-keywords
lost = checkpoint(lambda batch: batch["values"].sin(), batch, use_reentrant=True)
assert not lost.requires_grad  # claim: old-variant-overlooks-dicts
out = checkpoint(sines, x, use_reentrant=True).sum()
grad = refusal(lambda: torch.autograd.grad(out, x))
assert "incompatible with .grad()" in grad  # claim: old-variant-refuses-grad

# %% 9.3.1.2.3 twice the same
factor, count = torch.tensor(2.0), torch.zeros(1)


def impure(h):
    count.add_(1)
    return (h * factor.item()).sin()


def gradient(between):
    """Return the gradient if something happens between the forward and the backward."""
    x.grad = None
    out = checkpoint(impure, x, use_reentrant=False).sum()
    between()
    out.backward()
    return x.grad


true = 2 * (2 * x.detach()).cos()
assert torch.allclose(gradient(lambda: None), true)  # claim: pure-is-right
assert count.item() == 2  # claim: side-effects-happen-twice
wrong = gradient(lambda: factor.fill_(3))
print(f"{(wrong - true).abs().max().item():.1f}")
# > 4.0
assert (wrong - true).abs().max() > 1  # claim: changed-value-is-silent

# %% 9.3.1.2.3 what is compared
sizes = iter([10, 20])


def other_size(h):
    return h[: next(sizes)].sin().exp()


out = checkpoint(other_size, x, use_reentrant=False).sum()
message = refusal(out.backward)
assert "have different metadata" in message  # claim: changed-shape-raises
noisy = nn.Dropout(0.5)
ones = torch.ones(1000, requires_grad=True)
out = checkpoint(lambda t: noisy(t) * t, ones, use_reentrant=False, preserve_rng_state=False)
out.sum().backward()
assert not torch.equal(ones.grad, 2 * out.detach())  # claim: unkept-generator-is-silent
hidden = x * 1
out = checkpoint(sines, hidden, use_reentrant=False).sum()
hidden.mul_(2)
assert "modified by an inplace operation" in refusal(out.backward)  # claim: inputs-are-guarded
named = x * 1
out = checkpoint(sines, h=named, use_reentrant=False).sum()
named.mul_(2)
assert not refusal(out.backward)  # claim: keywords-are-not


# %% 9.3.1.2.4 between one and all
def cost(parts, layers=16):
    """Return the peak in units of one activation, and the number of layers computed."""
    with Watch() as watch:
        h = x
        for _ in range(parts):
            h = checkpoint(sines, h, layers // parts, use_reentrant=False)
        h.sum().backward()
    return watch.peak // x.nbytes


peaks = {parts: cost(parts) for parts in (1, 2, 4, 8, 16)}
print(peaks)
# > {1: 19, 2: 12, 4: 9, 8: 11, 16: 18}
assert min(peaks, key=peaks.get) == 4  # claim: root-is-best
with Watch() as plain:
    sines(x, 16).sum().backward()
most = plain.peak // x.nbytes
assert min(peaks[1], peaks[16]) >= most  # claim: both-ends-save-nothing


# %% 9.3.1.2.4 where the cut is narrow
def widen(h):
    return h.repeat(4).sin()


def narrow(h):
    return h.sin().view(4, -1).sum(0)


def held(groups):
    """Return what is alive after the forward, in units of the narrow activation."""
    with Watch() as watch:
        h = x
        for group in groups:
            h = checkpoint(nn.Sequential(*map(Step, group)), h, use_reentrant=False)
    return watch.alive() // x.nbytes


class Step(nn.Module):
    def __init__(self, run):
        super().__init__()
        self.forward = run


at_narrow = held([(widen, narrow)] * 4)
at_wide = held([(widen,), *[(narrow, widen)] * 3, (narrow,)])
print(at_narrow, at_wide)
# > 4 17
assert at_wide > 4 * at_narrow  # claim: narrow-cuts-hold-less

# %% 9.3.1.2.4 keep the products, recompute the rest
weights = [torch.randn(32, 32) / 6 for _ in range(4)]
tokens = torch.randn(64, 32, requires_grad=True)
keep = [torch.ops.aten.mm.default]


def block(h):
    for weight in weights:
        h = nn.functional.gelu(h @ weight).tanh()
    return h


def measure(**options):
    """Return the units alive after the forward, and the products of forward and backward."""
    with Watch() as watch:
        out = (
            checkpoint(block, tokens, use_reentrant=False, **options) if options else block(tokens)
        )
        units = watch.alive() // tokens.nbytes
        out.sum().backward()
    return units, watch.calls.count("mm")


plain, full = measure(), measure(determinism_check="default")
chosen = measure(context_fn=lambda: create_selective_checkpoint_contexts(keep))
print(plain, full, chosen)
# > (8, 8) (1, 12) (5, 8)
assert full[0] < chosen[0] < plain[0]  # claim: policy-holds-between
assert chosen[1] == plain[1] < full[1]  # claim: policy-repeats-no-product

# %% 9.3.1.2.4 the last segment
tanhs = nn.Sequential(*[nn.Tanh() for _ in range(8)])
with Watch() as watch:
    checkpoint_sequential(tanhs, 4, x, use_reentrant=False).sum().backward()
print(watch.calls.count("tanh"))
# > 14
assert watch.calls.count("tanh") == 8 + 6  # claim: last-segment-runs-once
