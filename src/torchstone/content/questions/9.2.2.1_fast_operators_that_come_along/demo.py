# %% setup
import warnings

import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.multiprocessing.reductions import StorageWeakRef
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


def places(values):
    return [t.untyped_storage() for t in tree_leaves(values) if isinstance(t, torch.Tensor)]


class Watch(TorchDispatchMode):
    """Note each operator that runs, and the most bytes of new storages alive at once."""

    def __init__(self):
        super().__init__()
        self.calls, self.made, self.given, self.peak = [], {}, {}, 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        for p in places((args, kwargs)):
            if p._cdata not in self.made:
                # A weak reference keeps the place from being taken by a later storage.
                self.given.setdefault(p._cdata, StorageWeakRef(p))
        out = func(*args, **(kwargs or {}))
        self.calls.append(func.overloadpacket.__name__)
        for p in places(out):
            if p._cdata not in self.given:
                self.made.setdefault(p._cdata, (StorageWeakRef(p), p.nbytes()))
        alive = sum(size for place, size in self.made.values() if not place.expired())
        self.peak = max(self.peak, alive)
        return out


def watched(run):
    with Watch() as watch:
        run()
    return watch


def operators(run):
    """Return the operators that a call dispatches, those aside that move no data."""
    views = {"t", "transpose", "view", "_unsafe_view", "expand", "detach", "select", "unsqueeze"}
    return [call for call in watched(run).calls if call not in views]


def kept_bytes(run):
    """Return the bytes of the distinct storages that are saved for backward."""
    kept = {}

    def note(t):
        kept[t.untyped_storage().data_ptr()] = (t.untyped_storage().nbytes(), t)
        return t

    with saved_tensors_hooks(note, lambda t: t):
        _alive = run()
    return sum(size for size, _ in kept.values())


torch.manual_seed(0)


# %% 9.2.2.1.1 one operator, or eight
def normalised(x, weight, bias):
    mean = x.mean(-1, keepdim=True)
    variance = x.var(-1, keepdim=True, correction=0)
    return (x - mean) / torch.sqrt(variance + 1e-5) * weight + bias


x, weight, bias = torch.randn(8, 16), torch.ones(16), torch.zeros(16)
by_hand = operators(lambda: normalised(x, weight, bias))
ready = operators(lambda: F.layer_norm(x, (16,), weight, bias))
print(len(by_hand), ready)
# > 8 ['native_layer_norm']
assert len(by_hand) > 1 == len(ready)  # claim: one-instead-of-many
assert torch.allclose(
    F.layer_norm(x, (16,)), normalised(x, weight, bias), atol=1e-5
)  # claim: same-values
square = torch.randn(16, 16)
with_bias = operators(lambda: F.linear(x, square, bias))
print(with_bias, operators(lambda: x @ square.t() + bias))
# > ['addmm'] ['mm', 'add']
assert with_bias == ["addmm"]  # claim: bias-goes-along

# %% 9.2.2.1.1 what is kept, and what does not overflow
wants = x.clone().requires_grad_()
whole = kept_bytes(lambda: F.silu(wants))
parts = kept_bytes(lambda: wants * wants.sigmoid())
print(whole, parts)
# > 512 1024
assert parts == 2 * whole  # claim: half-is-kept
logits, label = torch.tensor([[1000.0, 0.0]]), torch.tensor([1])
print(F.cross_entropy(logits, label).item(), -logits.softmax(-1)[0, 1].log().item())
# > 1000.0 inf
assert F.cross_entropy(logits, label) == 1000  # claim: ready-one-is-stable
assert torch.isinf(logits.softmax(-1)[0, 1].log())  # claim: written-out-overflows

# %% 9.2.2.1.1 a function that is several
similar = operators(lambda: F.cosine_similarity(x, x))
unit = operators(lambda: F.normalize(x))
print(len(similar), unit)
# > 11 ['linalg_vector_norm', 'clamp_min', 'div']
assert len(similar) > len(unit) > 1  # claim: some-are-compositions


# %% 9.2.2.1.2 no matrix of scores
def heads(length, grad=False):
    return [torch.randn(1, 2, length, 16).requires_grad_(grad) for _ in range(3)]


def plainly(q, k, v, **options):
    with sdpa_kernel(SDPBackend.MATH):
        return F.scaled_dot_product_attention(q, k, v, **options)


q, k, v = heads(256)
fast = watched(lambda: F.scaled_dot_product_attention(q, k, v))
slow = watched(lambda: plainly(q, k, v))
print(fast.calls, fast.peak // q.nbytes, slow.peak // q.nbytes)
# > ['_scaled_dot_product_flash_attention_for_cpu'] 1 33
assert fast.calls == ["_scaled_dot_product_flash_attention_for_cpu"]  # claim: one-fused-operator
assert slow.peak > 20 * fast.peak  # claim: scores-are-never-stored
flash = [kept_bytes(lambda n=n: F.scaled_dot_product_attention(*heads(n, True))) for n in (64, 256)]
math = [kept_bytes(lambda n=n: plainly(*heads(n, True))) for n in (64, 256)]
print(flash, math)
# > [33280, 133120] [57344, 622592]
assert flash[1] == 4 * flash[0]  # claim: linear-in-the-length
assert math[1] > 10 * math[0]  # claim: plain-one-is-quadratic


# %% 9.2.2.1.2 when it falls back
def fused(q, k, v, **options):
    """Return whether the fused operator has run."""
    calls = watched(lambda: F.scaled_dot_product_attention(q, k, v, **options)).calls
    return "_scaled_dot_product_flash_attention_for_cpu" in calls


mask = torch.ones(256, 256, dtype=torch.bool).tril()
learnt = torch.zeros(256, 256, requires_grad=True)
cases = [fused(q, k, v, attn_mask=mask), fused(q, k, v, is_causal=True)]
lost = [fused(q, k, v, dropout_p=0.1), fused(q, k, v, attn_mask=learnt)]
print(cases, lost)
# > [True, True] [False, False]
assert all(cases)  # claim: masks-stay-fast
assert not lost[0]  # claim: dropout-falls-back-silently
assert not lost[1]  # claim: learnt-mask-falls-back-silently


# %% 9.2.2.1.2 demand it
def demanded(**options):
    with warnings.catch_warnings(), sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        warnings.simplefilter("ignore")
        try:
            F.scaled_dot_product_attention(q, k, v, **options)
        except RuntimeError as error:
            return str(error)
    return "ran"


print(demanded(), "|", demanded(dropout_p=0.1))
# > ran | No available kernel.  Aborting execution.
assert "No available kernel" in demanded(dropout_p=0.1)  # claim: demanded-it-raises
assert demanded() == "ran"  # claim: demanded-it-runs
values = torch.arange(5.0).view(1, 1, 5, 1).expand(1, 1, 5, 4)
two, five = torch.zeros(1, 1, 2, 4), torch.zeros(1, 1, 5, 4)
out = F.scaled_dot_product_attention(two, five, values, is_causal=True)[0, 0, :, 0]
print(out.tolist())
# > [0.0, 0.5]
assert out.tolist() == [0, 0.5]  # claim: causal-counts-from-the-first-key


# %% 9.2.2.1.3 operators of one step
def stepped(number, **options):
    """Return what the second step of Adam runs, for so many parameters."""
    parameters = [torch.ones(100, requires_grad=True) for _ in range(number)]
    for p in parameters:
        p.grad = torch.ones(100)
    optimizer = torch.optim.Adam(parameters, **options)
    optimizer.step()
    return watched(optimizer.step)


def updates(watch):
    skipped = ("_record", "_local_scalar", "lift")
    return [call for call in watch.calls if not call.startswith(skipped)]


loop = [len(updates(stepped(n, foreach=False))) for n in (3, 30)]
lists = [len(updates(stepped(n, foreach=True))) for n in (3, 30)]
one = [updates(stepped(n, fused=True)) for n in (3, 30)]
print(loop, lists, one[1])
# > [24, 240] [8, 8] ['_foreach_add_', '_fused_adam_']
assert loop[1] == 10 * loop[0]  # claim: a-loop-grows-with-the-tensors
assert lists[1] == lists[0]  # claim: foreach-does-not
assert one[0] == one[1] == ["_foreach_add_", "_fused_adam_"]  # claim: fused-is-one-update

# %% 9.2.2.1.3 memory, and numbers
unit = 400
peaks = [
    stepped(10, **{name: flag}).peak // unit
    for name, flag in [("foreach", False), ("foreach", True), ("fused", True)]
]
print(peaks)
# > [3, 10, 0]
assert peaks[1] == 10 > peaks[0]  # claim: foreach-needs-temporaries
assert peaks[2] == 0  # claim: fused-needs-none


def trained(**options):
    weight = torch.linspace(-1, 1, 1000).requires_grad_()
    optimizer = torch.optim.Adam([weight], lr=0.1, **options)
    for number in range(10):
        weight.grad = torch.cos(weight.detach() * number + 1)
        optimizer.step()
    return weight.detach()


assert torch.allclose(
    trained(foreach=False), trained(fused=True), atol=1e-5
)  # claim: same-up-to-rounding

# %% 9.2.2.1.3 it has to be asked for
plain = updates(stepped(3))
assert len(plain) == loop[0] and "_fused_adam_" not in plain  # claim: default-here-is-the-loop


def refused(build):
    try:
        build([torch.ones(1, requires_grad=True)])
    except (RuntimeError, TypeError) as error:
        return str(error)
    return ""


both = refused(lambda p: torch.optim.Adam(p, fused=True, foreach=True))
assert "cannot be `True` together" in both  # claim: one-or-the-other
graph = refused(lambda p: torch.optim.Adam(p, fused=True, differentiable=True))
assert "does not support `differentiable`" in graph  # claim: fused-takes-no-graph
other = refused(lambda p: torch.optim.RMSprop(p, fused=True))
assert "unexpected keyword argument 'fused'" in other  # claim: not-every-optimizer

# %% 9.2.2.1.4 the fast path of a layer
layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, dropout=0.0).eval()
tokens = torch.randn(2, 8, 16)
with torch.no_grad():
    quick = operators(lambda: layer(tokens))
    fast_out = layer(tokens)
steps = operators(lambda: layer(tokens))
print(quick, len(steps))
# > ['_transformer_encoder_layer_fwd'] 15
assert quick == ["_transformer_encoder_layer_fwd"]  # claim: one-operator-without-a-graph
assert len(steps) > 10  # claim: many-with-one
assert torch.allclose(fast_out, layer(tokens), atol=1e-5)  # claim: both-agree
silu = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, dropout=0.0, activation=F.silu)
with torch.no_grad():
    other = operators(lambda: silu.eval()(tokens))
assert len(other) > 1  # claim: another-activation-loses-it

# %% 9.2.2.1.4 a default that costs
attention = nn.MultiheadAttention(16, 2, batch_first=True)
default = operators(lambda: attention(tokens, tokens, tokens))
without = operators(lambda: attention(tokens, tokens, tokens, need_weights=False))
flash_name = "_scaled_dot_product_flash_attention_for_cpu"
print(flash_name in default, flash_name in without)
# > False True
assert "_softmax" in default and flash_name not in default  # claim: weights-forbid-the-fused-one
assert flash_name in without  # claim: without-weights-it-runs

# %% 9.2.2.1.4 the same sum in another way
a, b = torch.randn(64, 32), torch.randn(32, 64)
spread = watched(lambda: (a[:, :, None] * b[None]).sum(1))
product = watched(lambda: a @ b)
print(spread.peak // product.peak)
# > 33
assert spread.peak > 30 * product.peak  # claim: a-product-stores-no-terms
assert torch.allclose(
    (a[:, :, None] * b[None]).sum(1), a @ b, atol=1e-4
)  # claim: it-is-the-same-sum
three = [torch.randn(16, 16) for _ in range(3)]
rows = tokens.view(-1, 16)
apart = operators(lambda: [F.linear(rows, w) for w in three])
stacked = torch.cat(three)
together = operators(lambda: F.linear(rows, stacked))
print(len(apart), len(together))
# > 3 1
assert len(together) == 1 < len(apart)  # claim: one-larger-product
