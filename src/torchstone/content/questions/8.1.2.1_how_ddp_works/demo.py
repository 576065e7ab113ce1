# %% setup
import os
import tempfile
from datetime import timedelta

import torch
import torch._dynamo  # building a DDP imports it: once here, and not in every process
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def worker(rank, body, world, folder, answers):
    torch.set_num_threads(1)
    meeting = f"file://{folder}/meeting"
    dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size=world)
    answers.put((rank, body(rank)))
    dist.destroy_process_group()


def launch(body, world=2):
    """Run `body(rank)` in processes of one group; list what they return."""
    with tempfile.TemporaryDirectory() as folder:
        answers = mp.get_context("fork").SimpleQueue()
        mp.start_processes(worker, (body, world, folder, answers), world, start_method="fork")
        return [answer for _, answer in sorted(answers.get() for _ in range(world))]


def refusal(call):
    """Return the message of the error that a call raises; an empty one when it raises none."""
    try:
        call()
    except (AssertionError, RuntimeError, ValueError) as error:
        return str(error)
    return ""


# %% 8.1.2.1.1 a whole training in each process
def train(rank):
    torch.manual_seed(0)
    wrapped = DDP(nn.Linear(3, 2))
    optimizer = torch.optim.Adam(wrapped.parameters(), lr=0.1)
    for step in range(3):
        x = torch.full((4, 3), float(rank + 1)) + step  # this rank's share
        loss = wrapped(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    moments = [entry["exp_avg"].tolist() for entry in optimizer.state.values()]
    size = sum(parameter.numel() for parameter in wrapped.parameters())
    weight = next(wrapped.parameters())
    return size, moments, weight.tolist(), round(loss.item(), 4)


(size_0, moments_0, weight_0, loss_0), (size_1, moments_1, weight_1, loss_1) = launch(train)
assert size_0 == size_1 == 3 * 2 + 2  # claim: each-has-the-whole-model
assert moments_0 == moments_1 and len(moments_0) == 2  # claim: each-has-the-whole-state
assert weight_0 == weight_1  # claim: equal-after-every-step
assert loss_0 != loss_1  # claim: the-loss-is-its-own


# %% 8.1.2.1.1 only gradients travel
def drift(rank):
    torch.manual_seed(0)
    wrapped = DDP(nn.Linear(1, 1, bias=False))
    with torch.no_grad():
        wrapped.module.weight.fill_(rank)  # somebody touches one replica
    optimizer = torch.optim.SGD(wrapped.parameters(), lr=0.5)
    for _ in range(3):
        optimizer.zero_grad()
        wrapped(torch.ones(1, 1) * (rank + 1)).sum().backward()
        optimizer.step()
    return wrapped.module.weight.item(), wrapped.module.weight.grad.item()


(low, grad_low), (high, grad_high) = launch(drift)
print(low, high, grad_low)
# > -2.25 -1.25 1.5
assert grad_low == grad_high == (1 + 2) / 2  # claim: gradients-are-averaged
assert high - low == 1  # claim: parameters-are-not-sent-again


# %% 8.1.2.1.2 a replica that stays
class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.calls = nn.Linear(2, 2), 0

    def forward(self, x):
        self.calls += 1
        return self.layer(x)


def count(rank):
    wrapped = DDP(Counting())
    for _ in range(3):
        wrapped(torch.ones(1, 2)).sum().backward()
    return wrapped.module.calls, os.getpid()


(calls_0, process_0), (calls_1, process_1) = launch(count)
assert calls_0 == calls_1 == 3  # claim: the-replica-keeps-its-state
assert process_0 != process_1  # claim: a-process-each


# %% 8.1.2.1.2 sending begins before backward ends
def watch(rank):
    layers = [nn.Linear(256, 256, bias=False) for _ in range(4)]
    wrapped = DDP(nn.Sequential(*layers), bucket_cap_mb=0.25)
    events = []

    def send(state, bucket):
        events.append("send")
        work = dist.all_reduce(bucket.buffer() / 2, async_op=True)
        return work.get_future().then(lambda done: done.value()[0])

    wrapped.register_comm_hook(None, send)
    x = torch.rand(1, 256, requires_grad=True)
    wrapped(x).sum().backward()
    events.clear()
    out = wrapped(x)
    x.register_hook(lambda grad: events.append("backward has reached the input"))
    out.sum().backward()
    return events


events = launch(watch)[0]
print(events)
# > ['send', 'send', 'send', 'backward has reached the input', 'send']
assert events[0] == "send"  # claim: the-last-layers-go-first
assert events.count("send") > 1  # claim: several-buckets


# %% 8.1.2.1.3 from a file, or a store
def who(rank):
    return dist.get_rank(), dist.get_world_size()


met = launch(who, world=3)
print(met)
# > [(0, 3), (1, 3), (2, 3)]
assert met == [(0, 3), (1, 3), (2, 3)]  # claim: a-file-is-enough
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
assert dist.is_initialized()  # claim: so-is-a-store
refusal(dist.destroy_process_group)

# %% 8.1.2.1.3 one that comes alone
short = timedelta(seconds=0.2)
with tempfile.TemporaryDirectory() as folder:
    alone = {"init_method": f"file://{folder}/meeting", "rank": 0, "world_size": 2}
    message = refusal(lambda: dist.init_process_group("gloo", timeout=short, **alone))
print(message)
# > Wait timeout
assert "timeout" in message  # claim: it-waits-for-all
refusal(dist.destroy_process_group)

# %% 8.1.2.1.3 from the environment
names = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
for name in names:
    os.environ.pop(name, None)
message = refusal(lambda: dist.init_process_group("gloo"))
print(message[-50:])
# > s: environment variable RANK expected, but not set
assert "environment variable RANK expected" in message  # claim: env-is-the-default
os.environ.update(RANK="0", WORLD_SIZE="1", MASTER_ADDR="127.0.0.1", MASTER_PORT="0")
message = refusal(lambda: dist.init_process_group("gloo"))
assert message == "" and dist.get_world_size() == 1  # claim: four-variables-suffice
message = refusal(lambda: dist.init_process_group("gloo"))
print(message)
# > trying to initialize the default process group twice!
assert "default process group twice" in message  # claim: once-a-process
refusal(dist.destroy_process_group)
assert not dist.is_initialized()  # claim: destroying-ends-it

# %% 8.1.2.1.4 a backend for each device
print(dist.get_default_backend_for_device("cpu"), dist.get_default_backend_for_device("cuda"))
# > gloo nccl
assert dist.get_default_backend_for_device("cuda") == "nccl"  # claim: nccl-for-cuda
assert dist.get_default_backend_for_device("cpu") == "gloo"  # claim: gloo-for-cpu
capability = dist.Backend.backend_capability
assert capability["nccl"] == ["cuda"] and "cpu" in capability["gloo"]  # claim: nccl-has-no-cpu
both = dist.distributed_c10d.BackendConfig("cpu:gloo,cuda:nccl").get_device_backend_map()
print(both)
# > {'cpu': 'gloo', 'cuda': 'nccl'}
assert both == {"cpu": "gloo", "cuda": "nccl"}  # claim: two-at-once

# %% 8.1.2.1.4 what this build has
print(dist.is_gloo_available(), dist.is_mpi_available())
# > True False
assert dist.is_gloo_available()  # claim: gloo-is-in-the-wheel
assert not dist.is_mpi_available()  # claim: mpi-is-not


# %% 8.1.2.1.4 the name changes no line of the training
def backend(rank):
    wrapped = DDP(nn.Linear(1, 1))
    wrapped(torch.ones(1, 1)).sum().backward()
    return dist.get_backend(), wrapped.module.weight.grad.item()


trained = launch(backend)
print(trained)
# > [('gloo', 1.0), ('gloo', 1.0)]
assert trained == [("gloo", 1.0)] * 2  # claim: gloo-trains-on-cpu
