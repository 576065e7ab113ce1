# %% setup
import gc
from collections import Counter

import torch
from torch import nn
from torch.multiprocessing.reductions import StorageWeakRef


def watch(tensor):
    """Return a reference that does not keep the tensor's memory."""
    return StorageWeakRef(tensor.untyped_storage())


def num_alive(watched):
    """Count the storages that somebody still holds."""
    return sum(not each.expired() for each in watched)


def num_nodes(tensor):
    """Count the nodes of the graph behind a tensor."""
    seen, waiting = set(), [tensor.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen:
            seen.add(node)
            waiting += [before for before, _ in node.next_functions]
    return len(seen)


# %% 2.4.1.2.1 ten losses in a list
def keep_losses(run_backward, recording=True):
    model, kept, watched = nn.Linear(64, 64), [], []
    for _ in range(10):
        with torch.set_grad_enabled(recording):
            hidden = model(torch.ones(8, 64)).relu()
            loss = hidden.square().mean()
        watched.append(watch(hidden))
        if run_backward:
            loss.backward()
        kept.append(loss)
    del hidden
    return kept, num_alive(watched)


losses, in_evaluation = keep_losses(run_backward=False)
trained, in_training = keep_losses(run_backward=True)
_, without_graph = keep_losses(run_backward=False, recording=False)
print(in_evaluation, in_training, without_graph)
# > 10 0 0
assert in_evaluation == 10  # claim: a-kept-loss-keeps-activations
assert in_training == 0  # claim: backward-frees-them
assert num_nodes(trained[0]) == num_nodes(losses[0]) > 3  # claim: the-nodes-stay
assert without_graph == 0  # claim: nothing-recorded-nothing-kept

# %% 2.4.1.2.1 a row that keeps the table
table = torch.zeros(1000, 16)
row, copied = table[0], table[0].clone()
size = table.nbytes
del table
print(size, row.untyped_storage().nbytes(), copied.untyped_storage().nbytes())
# > 64000 64000 64
assert row.untyped_storage().nbytes() == size  # claim: a-view-keeps-the-whole
assert copied.untyped_storage().nbytes() == row.nbytes  # claim: a-clone-keeps-its-own


# %% 2.4.1.2.1 hooks and exceptions
def step(model, watched):
    batch = torch.ones(8, 64)
    watched.append(watch(batch))
    model(batch)
    raise RuntimeError("CUDA out of memory")


seen, watched, errors = [], [], []
model = nn.Linear(64, 64)
handle = model.register_forward_hook(lambda module, args, output: seen.append(output))
for _ in range(3):
    try:
        step(model, watched)
    except RuntimeError as error:
        errors.append(error)
assert len(seen) == 3 and num_nodes(seen[0]) > 1  # claim: a-hook-keeps-outputs
seen.clear()
assert num_alive(watched) == 3  # claim: a-traceback-keeps-locals
errors.clear()
assert num_alive(watched) == 0  # claim: dropped-with-the-error
handle.remove()

# %% 2.4.1.2.2 a state that crosses batches
cell = nn.RNNCell(4, 4)


def carry(cut):
    state, sizes = torch.zeros(1, 4), []
    for _ in range(5):
        state = cell(torch.ones(1, 4), state)
        sizes.append(num_nodes(state))
        state = state.detach() if cut else state
    return sizes


whole, bounded = carry(cut=False), carry(cut=True)
print(whole, bounded)
# > [10, 16, 22, 28, 34] [10, 10, 10, 10, 10]
assert whole == sorted(set(whole))  # claim: the-chain-grows
assert bounded == bounded[:1] * 5  # claim: detach-bounds-it
state = cell(torch.ones(1, 4), torch.zeros(1, 4))
state.sum().backward()
try:
    cell(torch.ones(1, 4), state).sum().backward()
    message = ""
except RuntimeError as error:
    message = str(error)
assert "backward through the graph a second time" in message  # claim: uncut-raises-at-step-two

# %% 2.4.1.2.2 a running sum
weight = torch.ones(3, requires_grad=True)
total = running = 0.0
for _ in range(10):
    loss = (weight * 2).sum()
    total = total + loss
    running = running + loss.detach()
print(num_nodes(total), num_nodes(running))
# > 31 0
assert num_nodes(total) == 1 + 10 * 3  # claim: a-sum-carries-every-graph
assert num_nodes(running) == 0  # claim: a-detached-sum-carries-none
average = torch.zeros(3)
for _ in range(10):
    average = 0.9 * average + 0.1 * weight
grown, average = num_nodes(average), average.detach()
with torch.no_grad():
    for _ in range(10):
        average = 0.9 * average + 0.1 * weight
assert grown > 20  # claim: an-average-of-weights-grows
assert num_nodes(average) == 0  # claim: no-grad-keeps-it-flat


# %% 2.4.1.2.2 the cure that is the disease
def run(retain, steps=4):
    state, watched = torch.zeros(1, 4), []
    for _ in range(steps):
        state = cell(torch.ones(1, 4), state)
        watched.append(watch(state))
        state.sum().backward(retain_graph=retain)
        state = state if retain else state.detach()
    return num_alive(watched)


cell.zero_grad()
kept, cut = run(retain=True), run(retain=False)
print(kept, cut)
# > 4 1
assert kept == 4  # claim: retaining-keeps-all-steps
assert cut == 1  # claim: cutting-keeps-the-last

# %% 2.4.1.2.3 a number, and what it cost
weight = torch.tensor([0.1, 0.2], requires_grad=True)
loss = weight.square().sum()
number = loss.item()
print(type(number).__name__, loss.grad_fn is not None)
# > float True
assert type(number) is float  # claim: item-is-a-plain-number
assert loss.grad_fn is not None and num_nodes(loss) == 3  # claim: the-tensor-has-its-graph
assert torch.tensor(3).item() == 3 and torch.tensor(True).item() is True  # claim: by-dtype
assert torch.tensor(0.1).item() == 0.10000000149011612  # claim: the-value-of-float32
try:
    weight.item()
    message = ""
except RuntimeError as error:
    message = str(error)
print(message)
# > a Tensor with 2 elements cannot be converted to Scalar
assert "cannot be converted to Scalar" in message  # claim: one-element-only

# %% 2.4.1.2.3 a snapshot, and what is none
buffer = torch.tensor(1.0)
taken, detached = buffer.item(), buffer.detach()
buffer.add_(1)
print(taken, detached.item())
# > 1.0 2.0
assert taken == 1.0  # claim: item-is-a-snapshot
assert detached.item() == 2.0  # claim: detach-follows-writes

# %% 2.4.1.2.3 where the value has to be there
try:
    torch.ones((), device="meta").item()
    message = ""
except RuntimeError as error:
    message = str(error)
assert "cannot be called on meta tensors" in message  # claim: needs-the-value
through = torch.tensor(loss.item()) * 2
assert not through.requires_grad  # claim: item-cuts-the-graph


# %% 2.4.1.2.4 a census between two steps
def census():
    """Count the tensors that Python can see, by shape."""
    seen = (each for each in gc.get_objects() if type(each) is torch.Tensor)
    return Counter(tuple(each.shape) for each in seen)


history = []


def careless_step():
    history.append(torch.zeros(7, 11))
    return torch.zeros(5, 3).sum()


careless_step()
before = census()
for _ in range(4):
    careless_step()
grown = census() - before
print(dict(grown))
# > {(7, 11): 4}
assert grown[7, 11] == 4  # claim: the-census-names-the-shape
assert (5, 3) not in grown  # claim: what-is-freed-is-not-counted

# %% 2.4.1.2.4 who holds it
suspect = history[-1]
holders = gc.get_referrers(suspect)
assert any(each is history for each in holders)  # claim: referrers-name-the-list
watched = [watch(suspect)]
del suspect, holders
gc.collect()
assert num_alive(watched) == 1  # claim: still-held-still-there
history.clear()
assert num_alive(watched) == 0  # claim: the-last-reference-frees


# %% 2.4.1.2.4 a cycle waits for the collector
class Trainer:
    def __init__(self):
        self.batch = torch.zeros(8, 8)
        self.callback = self.on_step

    def on_step(self):
        return self.batch


gc.collect()
gc.disable()
trainer = Trainer()
watched = [watch(trainer.batch)]
del trainer
after_del = num_alive(watched)
gc.collect()
gc.enable()
assert after_del == 1  # claim: a-cycle-outlives-del
assert num_alive(watched) == 0  # claim: the-collector-frees-it


# %% 2.4.1.2.4 what only the graph holds
def normalise(x):
    return nn.functional.layer_norm(x, (13,))


weight = torch.ones(6, 13, requires_grad=True)
before = census()
out = normalise(weight)
seen, packed = census() - before, []
with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
    normalise(weight)
shapes = [tuple(each.shape) for each in packed]
print(shapes)
# > [(6, 13), (6, 1), (6, 1)]
assert (6, 1) not in seen  # claim: the-census-misses-what-only-the-graph-holds
assert (6, 1) in shapes  # claim: a-pack-hook-sees-it
