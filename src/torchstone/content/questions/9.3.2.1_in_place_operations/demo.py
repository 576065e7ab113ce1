# %% setup
import warnings

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.checkpoint import checkpoint


class Watch(TorchDispatchMode):
    """Note each operator that runs, and the storages of what it returns."""

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


def refusal(call):
    """Return the message of the error that a call raises; an empty one when it raises none."""
    try:
        call()
    except RuntimeError as error:
        return str(error)
    return ""


torch.manual_seed(0)
x = torch.randn(1000)


# %% 9.3.2.1.1 one buffer instead of two
def apart(h):
    h = h.sin()
    for _ in range(5):
        h = h.sin()
    return h


def inside(h):
    h = h.sin()
    for _ in range(5):
        h.sin_()
    return h


with Watch() as two:
    apart(x)
with Watch() as one:
    inside(x)
print(two.peak // x.nbytes, one.peak // x.nbytes)
# > 2 1
assert two.peak == 2 * one.peak  # claim: one-buffer-instead-of-two
assert len(one.calls) == len(two.calls)  # claim: as-many-operators

# %% 9.3.2.1.1 what a graph keeps all the same
wants = x.clone().requires_grad_()


def steps(name, *args):
    """Return the operators of an in-place call while a graph is recorded."""
    h = wants * 1
    with Watch() as watch:
        getattr(h, name)(*args)
    return [call for call in watch.calls if call != "detach"]


print(steps("sin_"), steps("exp_"), steps("mul_", 2))
# > ['clone', 'sin_'] ['exp_'] ['mul_']
assert steps("sin_")[0] == "clone"  # claim: a-needed-input-is-copied-first
assert steps("exp_") == ["exp_"] and steps("mul_", 2) == ["mul_"]  # claim: others-need-no-copy
with Watch() as plain:
    kept = apart(wants)
with Watch() as written:
    kept_too = inside(wants)
assert written.alive() == plain.alive()  # claim: no-gain-under-a-graph

# %% 9.3.2.1.1 everybody who shares the memory
scores = torch.tensor([1.0, -2.0])
first_batch, as_array = scores[:], scores.numpy()
scores.relu_()
print(first_batch.tolist(), as_array.tolist())
# > [1.0, 0.0] [1.0, 0.0]
assert first_batch.tolist() == as_array.tolist() == [1, 0]  # claim: others-see-it

# %% 9.3.2.1.2 the same tensor, or another
total = same = torch.ones(2, 2)
total += 1
total **= 2
total[0] = 5
assert total is same and same[0, 0] == 5  # claim: augmented-writes-in-place
product = before = torch.eye(2)
product @= torch.ones(2, 2)
assert product is not before and before[0, 1] == 0  # claim: matmul-assign-rebinds
names = ["add_", "masked_fill_", "copy_", "addmm_", "matmul_", "softmax_", "sum_"]
missing = [name for name in names if not hasattr(torch.Tensor, name)]
print(missing)
# > ['matmul_', 'softmax_', 'sum_']
assert missing == names[4:]  # claim: not-all-have-a-form

# %% 9.3.2.1.2 into a buffer
buffer = torch.empty(1000)
place = buffer.data_ptr()
out = torch.mul(x, 2, out=buffer)
assert out is buffer and out.data_ptr() == place and out[0] == 2 * x[0]  # claim: out-fills-it
short = torch.empty(2)
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    torch.mul(x, 2, out=short)
    torch.mul(x, 2, out=torch.empty(0))
assert "was resized" in str(said[0].message)  # claim: wrong-size-warns
assert len(said) == 1  # claim: empty-one-does-not
leaf = x.clone().requires_grad_()
message = refusal(lambda: torch.mul(leaf, 2, out=buffer))
assert "don't support automatic differentiation" in message  # claim: out-takes-no-graph
many = [torch.zeros(3) for _ in range(10)]
with Watch() as watch:
    torch._foreach_add_(many, 1)
assert watch.calls == ["_foreach_add_"] and many[9][0] == 1  # claim: a-list-at-once

# %% 9.3.2.1.2 what the memory cannot take
counts = torch.arange(3)
message = refusal(lambda: counts.add_(0.5))
assert "can't be cast to the desired output type" in message  # claim: dtype-stays
message = refusal(lambda: torch.zeros(3).add_(torch.zeros(2, 3)))
assert "doesn't match the broadcast shape" in message  # claim: shape-stays
single, double = torch.zeros(3), torch.ones(3, dtype=torch.float64)
single.add_(double)
assert single.dtype == torch.float32  # claim: cast-within-a-kind
assert (counts + 0.5).dtype == torch.float32  # claim: out-of-place-promotes

# %% 9.3.2.1.3 the tensor moves on
w = torch.ones(3, requires_grad=True)
h = w * 2
before = h.grad_fn
h.mul_(3)
assert h.grad_fn.next_functions[0][0] is before  # claim: a-new-node-on-top
assert h._version == 1  # claim: version-counts
message = refusal(lambda: w.mul_(2))
assert "leaf Variable that requires grad" in message  # claim: leaf-refuses
with torch.no_grad():
    w.mul_(1)
assert w.is_leaf and w._version == 1  # claim: leaf-yields-without-recording

# %% 9.3.2.1.3 only what is needed
y = w.exp()
y.add_(1)
needed = refusal(y.sum().backward)
assert "modified by an inplace operation" in needed  # claim: a-needed-value-is-guarded
y = w * 2
y.add_(1)
assert refusal(y.sum().backward) == ""  # claim: an-unneeded-one-may-change

# %% 9.3.2.1.3 through a view
w = torch.ones(3, requires_grad=True)
base = w * 1
row = base[0]
row.mul_(5)
print(base.grad_fn.name())
# > torch::autograd::CopySlices
assert "CopySlices" in base.grad_fn.name()  # claim: a-view-rewrites-its-base
base.sum().backward()
assert w.grad.tolist() == [5, 1, 1]  # claim: gradient-follows
constant = torch.zeros(3)
constant[0] = w[0] * 2
assert constant.requires_grad  # claim: a-constant-joins
h = w * 1
refused = [refusal(lambda p=p: p[0].mul_(2)) for p in (h.unbind(), h.split(1), h.chunk(3))]
assert all("multiple views" in message for message in refused)  # claim: several-views-refuse


# %% 9.3.2.1.3 around the check
def square(change):
    """Return the error of a backward after a change of what it needs, and the gradient."""
    w.grad = None
    h = w * 1
    y = h * h
    change(h)
    return refusal(y.sum().backward), w.grad


message, _ = square(lambda h: h.detach().mul_(10))
assert "modified by an inplace operation" in message  # claim: detach-is-counted
message, wrong = square(lambda h: h.data.mul_(10))
print(message, wrong.tolist())
# >  [20.0, 20.0, 20.0]
assert message == "" and wrong.tolist() == [20] * 3  # claim: data-is-not


# %% 9.3.2.1.4 somebody else's tensor
def centred(t):
    t -= t.mean()
    return t


given = torch.tensor([1.0, 3.0])
centred(given)
assert given.tolist() == [-1, 1]  # claim: callers-data-change
state, history = torch.zeros(1), []
for _ in range(3):
    state += 1
    history.append(state)
print([float(each) for each in history])
# > [3.0, 3.0, 3.0]
assert {float(each) for each in history} == {3}  # claim: history-is-one-tensor

# %% 9.3.2.1.4 read while it is written
line = torch.arange(5.0)
message = refusal(lambda: line[1:].copy_(line[:-1]))
assert "written-to tensor refer to a single memory location" in message  # claim: overlap-refuses
line[1:] = line[:-1].clone()
assert line.tolist() == [0, 0, 1, 2, 3]  # claim: a-copy-helps
evens = torch.arange(6.0)
evens[2::2] = evens[:-2:2]
print(evens[::2].tolist())
# > [0.0, 0.0, 0.0]
assert evens[4] != 2  # claim: a-step-goes-unchecked
rows = torch.zeros(3).expand(2, 3)
assert "more than one element" in refusal(lambda: rows.add_(1))  # claim: expanded-refuses

# %% 9.3.2.1.4 a function that runs twice
seen = torch.zeros(1)


def block(h):
    seen.add_(1)
    return h.sin().cos()


checkpoint(block, x.clone().requires_grad_(), use_reentrant=False).sum().backward()
print(seen.item())
# > 2.0
assert seen.item() == 2  # claim: recomputation-writes-again

# %% 9.3.2.1.4 where it belongs
average = torch.zeros(1000)
with Watch() as inside_one:
    average.lerp_(x, 0.1)
with Watch() as apart_three:
    average * 0.9 + x * 0.1
print(inside_one.calls, apart_three.calls)
# > ['lerp_'] ['mul', 'mul', 'add']
assert len(inside_one.calls) == 1 < len(apart_three.calls)  # claim: average-in-one-operator
with Watch() as grown:
    keys = torch.zeros(1, 16)
    for _ in range(7):
        keys = torch.cat([keys, torch.ones(1, 16)])
cache = torch.zeros(8, 16)
with Watch() as filled:
    for position in range(1, 8):
        cache[position] = 1.0
rows_made = [sum(size for _, size in w.made.values()) // 64 for w in (grown, filled)]
print(rows_made)
# > [43, 8]
assert rows_made[0] > 5 * rows_made[1]  # claim: growing-copies-each-time
