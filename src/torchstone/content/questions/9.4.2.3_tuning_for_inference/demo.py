# %% setup
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.nn.utils.fusion import fuse_conv_bn_eval
from torch.utils._python_dispatch import TorchDispatchMode


class Watch(TorchDispatchMode):
    """Note each operator that runs, and the floating-point operations of matrix products."""

    def __init__(self):
        super().__init__()
        self.calls, self.flops = [], 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        self.calls.append(func.overloadpacket.__name__)
        if self.calls[-1] == "linear":
            self.flops += 2 * out.numel() * args[1].shape[1]
        return out


def watched(run):
    with torch.inference_mode(), Watch() as watch:
        run()
    return watch


torch.manual_seed(0)


# %% 9.4.2.3.1 as many calls, whatever the width
def perceptron(width, depth=4):
    layers = [m for _ in range(depth) for m in (nn.Linear(width, width, bias=False), nn.ReLU())]
    return nn.Sequential(*layers).eval()


small, large = perceptron(8), perceptron(512)
few, many = torch.randn(1, 8), torch.randn(1, 512)
light, heavy = watched(lambda: small(few)), watched(lambda: large(many))
print(len(light.calls), len(heavy.calls), heavy.flops // light.flops)
# > 8 8 4096
assert light.calls == heavy.calls  # claim: as-many-operators
assert heavy.flops == 4096 * light.flops  # claim: work-shrinks-not-the-calls
rows = few.expand(64, 8)
batch = watched(lambda: small(rows))
assert batch.calls == light.calls  # claim: a-batch-shares-the-calls


# %% 9.4.2.3.1 operations for each byte of weights
def intensity(model, requests):
    """Return the floating-point operations for each byte of weights that is read."""
    inputs = torch.randn(requests, model[0].in_features)
    return watched(lambda: model(inputs)).flops / sum(p.nbytes for p in model.parameters())


print(intensity(large, 1), intensity(small, 1), intensity(large, 32))
# > 0.5 0.5 16.0
assert intensity(large, 1) == 0.5  # claim: half-an-operation-a-byte
assert intensity(large, 32) == 32 * intensity(large, 1)  # claim: a-batch-reads-the-weights-once
weight = large[0].weight.detach()
step = weight.abs().amax(1, keepdim=True) / 127
packed = (weight / step).round().to(torch.int8)
print((packed.nbytes + step.nbytes) / weight.nbytes)
# > 0.251953125
assert packed.nbytes == weight.nbytes // 4  # claim: a-quarter-of-the-bytes
assert ((packed * step - weight).abs() <= 0.51 * step).all()  # claim: off-by-half-a-step

# %% 9.4.2.3.2 two switches
model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.ReLU(), nn.Linear(8, 4))
inputs = torch.randn(16, 8)
with torch.inference_mode():
    noisy = not torch.equal(model(inputs), model(inputs))
assert noisy  # claim: inference-mode-leaves-dropout-on
model.eval()
saved = []
with saved_tensors_hooks(lambda t: saved.append(t) or t, lambda t: t):
    out = model(inputs)
assert torch.equal(out, model(inputs))  # claim: eval-fixes-the-output
assert out.requires_grad and len(saved) > 0  # claim: eval-still-records
saved.clear()
with torch.inference_mode(), saved_tensors_hooks(lambda t: saved.append(t) or t, lambda t: t):
    out = model(inputs)
assert out.is_inference() and not saved  # claim: inference-mode-records-nothing
try:
    out * model[3].bias
    message = ""
except RuntimeError as error:
    message = str(error)
assert "cannot be saved for backward" in message  # claim: no-graph-can-save-it

# %% 9.4.2.3.2 fold, and narrow
conv, norm = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)
image = torch.randn(2, 3, 8, 8)
norm(conv(image))
conv.eval(), norm.eval()
one = fuse_conv_bn_eval(conv, norm)
print(watched(lambda: norm(conv(image))).calls, watched(lambda: one(image)).calls)
# > ['conv2d', 'batch_norm'] ['conv2d']
assert watched(lambda: one(image)).calls == ["conv2d"]  # claim: norm-goes-into-the-weights
assert torch.allclose(one(image), norm(conv(image)), atol=1e-5)  # claim: folded-is-the-same
wide = sum(p.nbytes for p in model.parameters())
exact = model.eval()(inputs)
narrow = model.bfloat16()
assert 2 * sum(p.nbytes for p in narrow.parameters()) == wide  # claim: half-the-bytes
far = (narrow(inputs.to(narrow[0].weight.dtype)) - exact).abs().max().item()
assert 0 < far < 0.05  # claim: at-a-small-error

# %% 9.4.2.3.2 leave out what nobody reads
head = nn.Linear(16, 1000, bias=False)
hidden = torch.randn(1, 32, 16)
whole = watched(lambda: head(hidden)[:, -1])
last = watched(lambda: head(hidden[:, -1]))
print(whole.flops // last.flops)
# > 32
assert whole.flops == 32 * last.flops  # claim: only-the-last-is-needed
assert torch.allclose(head(hidden)[:, -1], head(hidden[:, -1]), atol=1e-5)  # claim: the-same-answer


# %% 9.4.2.3.3 the mean hides the tail
def percentile(times, share):
    return times.sort().values[int(share * len(times)) - 1].item()


latency = torch.full((1000,), 10.0)
latency[::50] = 200.0
mean, median, tail = latency.mean().item(), percentile(latency, 0.5), percentile(latency, 0.99)
print(f"{mean:.1f} {median} {tail}")
# > 13.8 10.0 200.0
assert mean < 20  # claim: mean-looks-fine
assert tail == 200 == 20 * median  # claim: tail-does-not
parts = 1 - 0.99**100
print(f"{parts:.2f}")
# > 0.63
chosen = torch.rand(2000, 100, generator=torch.Generator().manual_seed(0)) < 0.01
assert abs(chosen.any(1).float().mean().item() - parts) < 0.03  # claim: many-parts-meet-the-tail


# %% 9.4.2.3.3 the queue before a busy server
def waiting(load, requests=3000):
    """Return how long requests wait on average if each one is served in one unit of time."""
    gaps = torch.empty(requests).exponential_(load, generator=torch.Generator().manual_seed(1))
    wait, waits = 0.0, []
    for gap in gaps.tolist():
        waits.append(wait)
        wait = max(0.0, wait + 1 - gap)
    return sum(waits) / requests


half, busy = waiting(0.5), waiting(0.9)
print(busy > 4 * half)
# > True
assert half < 1  # claim: half-load-waits-little
assert busy > 4 * half  # claim: waiting-explodes-near-full-load

# %% 9.4.2.3.3 work that is the same each time
lengths = [3, 5, 9, 12, 17, 30, 31]
rounded = [1 << (n - 1).bit_length() for n in lengths]
print(len(set(lengths)), sorted(set(rounded)))
# > 7 [4, 8, 16, 32]
assert len(set(rounded)) < len(set(lengths))  # claim: few-shapes
assert all(n <= m < 2 * n for n, m in zip(lengths, rounded, strict=True))  # claim: less-than-double

# %% 9.4.2.3.4 padding is work
texts = [5, 40, 7, 38, 6, 42, 5, 39]


def computed(order, size=4):
    """Return the positions that are computed if each batch is padded to its longest text."""
    groups = [order[i : i + size] for i in range(0, len(order), size)]
    return sum(max(group) * len(group) for group in groups)


as_they_come, by_length = computed(texts), computed(sorted(texts))
print(as_they_come, by_length, sum(texts))
# > 328 196 182
assert as_they_come > 1.7 * sum(texts)  # claim: padding-nearly-doubles
assert by_length < 1.1 * sum(texts)  # claim: sorting-wastes-little
ragged = torch.nested.nested_tensor([torch.ones(n, 8) for n in texts], layout=torch.jagged)
assert ragged.values().shape[0] == sum(texts)  # claim: jagged-holds-no-padding


# %% 9.4.2.3.4 slots that are refilled
def steps(outputs, slots, refill):
    """Return the steps of a generation; each text needs as many as its output has tokens."""
    queue, running, count = list(outputs), [], 0
    while queue or running:
        if refill or not running:
            running += [queue.pop(0) for _ in range(min(slots - len(running), len(queue)))]
        running = [left - 1 for left in running if left > 1]
        count += 1
    return count


waiting_for_all, refilled = (steps(texts, 4, refill) for refill in (False, True))
print(waiting_for_all, refilled)
# > 82 55
assert waiting_for_all == 40 + 42  # claim: the-longest-holds-the-batch
assert refilled < 0.8 * waiting_for_all  # claim: refilling-needs-fewer-steps


# %% 9.4.2.3.4 a neighbour must not matter
def pooled(row, length, mask):
    """Return the mean over a padded row of values, with or without a mask."""
    valid = torch.arange(len(row)) < (length if mask else len(row))
    return (row * valid).sum() / valid.sum()


alone = torch.tensor([1.0, 3.0])
padded = torch.cat([alone, torch.zeros(2)])
print(pooled(padded, 2, mask=False).item(), pooled(padded, 2, mask=True).item())
# > 1.0 2.0
assert pooled(padded, 2, mask=False) != alone.mean()  # claim: zeros-change-the-mean
assert pooled(padded, 2, mask=True) == alone.mean()  # claim: a-mask-mends-it
layer, rows = nn.Linear(64, 64).eval(), torch.randn(8, 64)
assert torch.allclose(
    layer(rows)[:1], layer(rows[:1]), atol=1e-5
)  # claim: rows-agree-up-to-rounding


# %% 9.4.2.3.4 how long to wait for company
def longest_wait(arrivals, size, patience):
    """Return the longest wait of a request for its batch to fill or for patience to end."""
    longest, batch = 0.0, []
    for time in [*arrivals, float("inf")]:
        if batch and (len(batch) == size or time > batch[0] + patience):
            closed = batch[-1] if len(batch) == size else batch[0] + patience
            longest, batch = max(longest, closed - batch[0]), []
        batch.append(time)
    return longest


rare = [0.0, 50.0, 100.0, 150.0]
print(longest_wait(rare, 4, 1000.0), longest_wait(rare, 4, 5.0))
# > 150.0 5.0
assert longest_wait(rare, 4, 1000.0) == 150  # claim: a-full-batch-may-take-long
assert longest_wait(rare, 4, 5.0) == 5  # claim: patience-bounds-the-wait
