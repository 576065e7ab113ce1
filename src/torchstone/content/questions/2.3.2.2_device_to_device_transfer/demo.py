# %% setup
from unittest import mock

import torch
import torch.distributed as dist
from torch._subclasses.fake_tensor import FakeTensorMode

# No GPU is needed: a fake tensor has a device, a shape and a dtype, and no data.
fake = FakeTensorMode()


def refusal(call):
    """Give the message of the error that a call raises; an empty one when it raises none."""
    try:
        call()
    except (RuntimeError, AssertionError) as error:
        return str(error)
    return ""


# %% 2.3.2.2.1 from one GPU to the other
with fake:
    x = torch.ones(4, device="cuda:0")
    y = x.to("cuda:1")
print(x.device, y.device)
# > cuda:0 cuda:1
assert (x.device.index, y.device.index) == (0, 1)  # claim: to-gives-a-second-tensor
short = torch.ones(4, dtype=torch.bfloat16)
assert torch.ones(4).nbytes == 2 * short.nbytes  # claim: cast-first-sends-half

# %% 2.3.2.2.1 into memory that is there
there = torch.zeros(4, device="meta")
assert there.copy_(torch.ones(4)) is there  # claim: copy-fills-the-target
assert not refusal(lambda: there[:2].copy_(torch.ones(2)))  # claim: a-part-can-be-filled
assert not refusal(lambda: there.__setitem__(0, torch.ones(())))  # claim: assignment-crosses

# %% 2.3.2.2.1 the way back
w = torch.ones(4, requires_grad=True)
moved = w.to("cpu", torch.float64)
moved.sum().backward()
assert "ToCopy" in type(moved.grad_fn).__name__  # claim: copy-is-recorded
assert (moved.dtype, w.grad.dtype) == (torch.float64, torch.float32)  # claim: gradient-returns

# %% 2.3.2.2.2 asking for a pair
reaches = mock.Mock(side_effect=lambda source, target: (source, target) == (0, 1))
stub = {"_lazy_init": mock.Mock(), "device_count": lambda: 2}
driver = mock.patch.object(torch._C, "_cuda_canDeviceAccessPeer", reaches, create=True)
with mock.patch.multiple(torch.cuda, **stub), driver:
    there, back = (torch.cuda.can_device_access_peer(*pair) for pair in ((0, 1), (1, 0)))
    outside = refusal(lambda: torch.cuda.can_device_access_peer(0, 5))
assert there and not back  # claim: asked-for-an-ordered-pair
assert "Invalid peer device id" in outside  # claim: both-must-exist
switches = [name for name in dir(torch.cuda) if "enable_peer" in name.lower()]
assert switches == []  # claim: no-switch-in-python


# %% 2.3.2.2.2 one crossing, or two
def crossings(size, direct):
    """Count the bytes that cross a link on the way from one GPU to another."""
    stations = ["gpu 0", "gpu 1"] if direct else ["gpu 0", "host", "gpu 1"]
    return size * (len(stations) - 1)


print(crossings(100, direct=True), crossings(100, direct=False))
# > 100 200
assert crossings(100, direct=False) == 2 * crossings(100, direct=True)  # claim: detour-doubles


# %% 2.3.2.2.3 a ring
def ring_all_reduce(rows):
    """Add up the rows of all ranks in a ring; give their results and the numbers each has sent."""
    ranks = len(rows)
    parts = [list(row.chunk(ranks)) for row in rows]
    sent = 0
    for step in range(2 * (ranks - 1)):
        moving = [parts[r][(r - step) % ranks].clone() for r in range(ranks)]
        sent += len(moving[0])
        for r in range(ranks):
            into = parts[(r + 1) % ranks][(r - step) % ranks]
            into.copy_(into + moving[r] if step < ranks - 1 else moving[r])
    return [torch.cat(each) for each in parts], sent


rows = torch.arange(32.0).view(4, 8)
total = rows.sum(0)
results, sent = ring_all_reduce(list(rows.clone()))
print(sent)
# > 12
assert all(torch.equal(each, total) for each in results)  # claim: ring-gives-the-sum
assert sent < 2 * total.numel()  # claim: sends-less-than-twice

# %% 2.3.2.2.3 who talks for which device
default = {place: dist.get_default_backend_for_device(place) for place in ("cuda", "cpu")}
print(default)
# > {'cuda': 'nccl', 'cpu': 'gloo'}
assert default["cuda"] == "nccl"  # claim: nccl-for-gpus
assert default["cpu"] == "gloo"  # claim: gloo-for-the-cpu
assert dist.Backend.backend_capability["nccl"] == ["cuda"]  # claim: nccl-takes-gpus-only
both = dist.BackendConfig(dist.Backend("cpu:gloo,cuda:nccl")).get_device_backend_map()
assert both == {"cpu": "gloo", "cuda": "nccl"}  # claim: one-backend-for-each-device

# %% 2.3.2.2.4 two GPUs stay two devices
with fake:
    left, right = torch.ones(2, device="cuda:0"), torch.ones(2, device="cuda:1")
    refused = refusal(lambda: left + right)
assert "same device" in refused  # claim: two-devices-all-the-same


# %% 2.3.2.2.4 the slowest link
def ring_ticks(size, links):
    """Count the ticks of a ring all-reduce whose links carry so many numbers a tick."""
    ranks = len(links)
    steps = 2 * (ranks - 1)
    return steps * (size / ranks) / min(links)


fast, mixed = ring_ticks(800, [10, 10, 10, 10]), ring_ticks(800, [10, 10, 10, 2])
print(fast, mixed)
# > 120.0 600.0
assert mixed == 5 * fast  # claim: slowest-link-decides
