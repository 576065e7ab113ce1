# %% setup
import copy
import math
import warnings
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from threading import Event

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.profiler import ProfilerActivity, profile, record_function
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.data import DataLoader, Dataset
from torch.utils.data._utils.pin_memory import pin_memory

torch.manual_seed(0)
# A fake tensor has a device, a shape and a dtype, and no data: no GPU is needed.
fake = FakeTensorMode()


class Operators(TorchDispatchMode):
    """Note the names of the operators that run."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names.append(func.overloadpacket.__name__)
        return func(*args, **(kwargs or {}))


def refusal(call):
    """Return the message of the error that a call raises; an empty one when it raises none."""
    try:
        call()
    except (RuntimeError, TypeError, ValueError) as error:
        return str(error)
    return ""


def epoch(loads, compute, num_workers=1, prefetch=2, in_order=True):
    """Simulate an epoch, and return its length in units of time.

    Workers load batches as those of a DataLoader do, the training takes each that is ready; in the
    main process (no workers) it loads and computes in turn.
    """
    if num_workers == 0:
        return sum(loads) + compute * len(loads)
    free, waiting, now, orders = [0] * num_workers, [], 0, iter(loads)

    def order():
        for load in islice(orders, 1):
            worker = free.index(min(free))
            free[worker] = max(free[worker], now) + load
            waiting.append(free[worker])

    for _ in range(num_workers * prefetch):
        order()
    while waiting:
        ready = waiting.pop(0 if in_order else waiting.index(min(waiting)))
        now = max(now, ready)
        order()
        now += compute
    return now


# %% 9.4.2.1.1 the parts of a step have names
data = [(torch.ones(4), torch.zeros(1))] * 6
model = nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters())
with profile(activities=[ProfilerActivity.CPU]) as profiled:
    for x, y in DataLoader(data, batch_size=2):
        with record_function("forward"):
            loss = (model(x) - y).square().mean()
        with record_function("backward"):
            loss.backward()
        optimizer.step()
        optimizer.zero_grad()
counts = {each.key: each.count for each in profiled.key_averages()}
wait = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
print(counts.get(wait), counts["forward"], counts.get("Optimizer.step#Adam.step"))
# > 4 3 3
assert counts.get(wait) == 4  # claim: the-loader-names-the-wait
assert counts.get("Optimizer.step#Adam.step") == 3  # claim: the-optimizer-names-its-step
assert counts["forward"] == counts["backward"] == 3  # claim: regions-of-ones-own

# %% 9.4.2.1.1 a total contains what was called
linear = next(each for each in profiled.events() if each.name == "aten::linear")
callees = [each.name for each in linear.cpu_children]
print(callees)
# > ['aten::t', 'aten::addmm']
assert "aten::addmm" in callees  # claim: an-operator-calls-others
spent_in_callees = sum(each.cpu_time_total for each in linear.cpu_children)
rest = linear.self_cpu_time_total - (linear.cpu_time_total - spent_in_callees)
assert abs(rest) < 1e-3  # claim: self-time-leaves-callees-out

# %% 9.4.2.1.1 Python is ahead of the work
running = Event()
with ThreadPoolExecutor(1) as device:  # one queue, as a stream is
    device.submit(running.wait)  # a kernel that is not finished
    read = device.submit(lambda: 42)
    is_done = read.done()  # the clock would be read here
    running.set()
    value = read.result()  # as .item() does, waits for all before it
print(is_done, value)
# > False 42
assert not is_done  # claim: a-launch-is-not-the-work

# %% 9.4.2.1.1 leave a part out
loads, compute = [3] * 20, 2
whole = epoch(loads, compute)
without_loading, without_compute = epoch([0] * 20, compute), epoch(loads, 0)
print(whole, without_loading, without_compute)
# > 62 40 60
assert without_compute > 0.95 * whole  # claim: a-free-model-gains-nothing
assert without_loading < 0.7 * whole  # claim: free-data-gains-a-third

# %% 9.4.2.1.1 the first step does more
model = nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters())
numbers = []
for _ in range(3):
    with Operators() as ran:
        optimizer.zero_grad()
        model(torch.ones(2, 4)).sum().backward()
        optimizer.step()
    numbers.append(len(ran.names))
print(numbers)
# > [42, 36, 36]
assert numbers[0] > numbers[1] == numbers[2]  # claim: the-first-step-runs-more-operators

# %% 9.4.2.1.2 fewer bytes
pictures = torch.randint(0, 256, (8, 3, 32, 32), dtype=torch.uint8)


def prepare(pictures):
    """Scale bytes to numbers around zero."""
    return (pictures.float() / 255 - 0.5) / 0.25


print(pictures.nbytes, prepare(pictures).nbytes)
# > 24576 98304
assert prepare(pictures).nbytes == 4 * pictures.nbytes  # claim: floats-are-four-times-the-bytes
with fake:
    there = prepare(fake.from_tensor(pictures).to("cuda:0"))
print(there.device, there.dtype)
# > cuda:0 torch.float32
assert there.device.type == "cuda"  # claim: the-gpu-can-scale

# %% 9.4.2.1.2 one copy, not many
with fake:
    parts = [torch.ones(16) for _ in range(64)]
    with Operators() as one_by_one:
        copies = [part.to("cuda:0") for part in parts]
    with Operators() as joined:
        rows = torch.stack(parts).to("cuda:0").unbind()
    with Operators() as made:
        zeros = torch.zeros(16, device="cuda:0")
numbers = [each.names.count("_to_copy") for each in (one_by_one, joined, made)]
print(numbers, len(rows), rows[0].device)
# > [64, 1, 0] 64 cuda:0
assert numbers[0] == 64  # claim: each-tensor-is-a-copy
assert numbers[1] == 1 and len(rows) == 64  # claim: joined-they-are-one
assert numbers[2] == 0  # claim: made-there-needs-none

# %% 9.4.2.1.2 a read waits
losses = torch.rand(10)
with Operators() as each_step:
    in_python = sum(loss.item() for loss in losses)
with Operators() as condition:
    num_large = sum(1 for loss in losses if loss > 0.5)
with Operators() as at_the_end:
    total = torch.zeros(())
    for loss in losses:
        total += loss
    in_python = total.item()
modes = (each_step, condition, at_the_end)
numbers = [each.names.count("_local_scalar_dense") for each in modes]
print(numbers)
# > [10, 10, 1]
assert numbers[0] == 10  # claim: item-reads-in-each-step
assert numbers[1] == 10  # claim: a-condition-reads-too
assert numbers[2] == 1  # claim: a-sum-is-read-once


# %% 9.4.2.1.2 what the loader can pin
class Graph:
    """A batch of a type of one's own."""

    def __init__(self, nodes):
        self.nodes, self.was_pinned = nodes, False


class Pinnable(Graph):
    def pin_memory(self):
        self.was_pinned = True  # self.nodes = self.nodes.pin_memory(), where there is a GPU
        return self


plain, pinnable = Graph(torch.ones(2)), Pinnable(torch.ones(2))
print(pin_memory(plain) is plain, pin_memory({"graph": pinnable})["graph"].was_pinned)
# > True True
assert not pin_memory(plain).was_pinned  # claim: an-unknown-type-passes-unpinned
assert pin_memory({"graph": pinnable})["graph"].was_pinned  # claim: its-own-method-is-called

# %% 9.4.2.1.3 what the workers need, and how many
message = refusal(lambda: DataLoader(range(4), prefetch_factor=4))
print(message.split(".")[0])
# > prefetch_factor option could only be specified in multiprocessing
assert "multiprocessing" in message  # claim: prefetching-needs-workers
message = refusal(lambda: DataLoader(range(4), persistent_workers=True))
assert "num_workers > 0" in message  # claim: keeping-needs-workers
loader = DataLoader(range(4), num_workers=1)  # starts none before it is iterated
assert loader.prefetch_factor == 2  # claim: two-batches-a-worker-by-default
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    DataLoader(range(4), num_workers=10_000)
is_warned = any("lower the worker number" in str(each.message) for each in caught)
print(is_warned)
# > True
assert is_warned  # claim: too-many-are-warned-of


# %% 9.4.2.1.3 work once, not in each epoch
class Pictures(Dataset):
    """Pictures that have to be decoded; each decoding is counted."""

    def __init__(self, keeps):
        self.keeps, self.kept, self.num_decoded = keeps, {}, 0

    def __getitem__(self, index):
        if index not in self.kept:
            self.num_decoded += 1
            picture = torch.full((2, 2), float(index))
            if not self.keeps:
                return picture
            self.kept[index] = picture
        return self.kept[index]

    def __len__(self):
        return 6


always, once = Pictures(keeps=False), Pictures(keeps=True)
for _ in range(3):
    list(DataLoader(always)), list(DataLoader(once))
print(always.num_decoded, once.num_decoded)
# > 18 6
assert always.num_decoded == 18  # claim: decoded-in-each-epoch
assert once.num_decoded == 6  # claim: kept-it-is-decoded-once

# %% 9.4.2.1.3 a cache in the workers
num_decoded, source = 0, Pictures(keeps=True)
for _ in range(3):
    in_worker = copy.deepcopy(source)  # new workers in each epoch get new copies
    list(DataLoader(in_worker))
    num_decoded += in_worker.num_decoded
assert num_decoded == 18  # claim: a-cache-dies-with-its-worker

# %% 9.4.2.1.3 first make it small
picture = torch.randint(0, 256, (3, 256, 256), dtype=torch.uint8)


def elements(*steps):
    """Count the elements that the steps of a transform write."""
    x, total = picture, 0
    for step in steps:
        x = step(x)
        total += 0 if x._is_view() else x.numel()
    return total


def crop(x):
    """Take the middle."""
    return x[:, 96:160, 96:160]


late, early = elements(torch.Tensor.float, crop), elements(crop, torch.Tensor.float)
print(late, early)
# > 196608 12288
assert late == 16 * early  # claim: cropping-first-touches-a-sixteenth

# %% 9.4.2.1.3 workers help as far as the cores go
loads, compute = [8] * 40, 1
times = [epoch(loads, compute, num_workers) for num_workers in (0, 1, 2, 4, 8, 16)]
print(times)
# > [360, 321, 162, 84, 48, 48]
assert times[0] > times[1] > times[2] > times[3] > times[4]  # claim: workers-share-the-loading
on_four_cores = [8 * max(1, num_workers / 4) for num_workers in (4, 8, 16)]
shared = [epoch([load] * 40, compute, n) for load, n in zip(on_four_cores, (4, 8, 16), strict=True)]
print(shared)
# > [84, 88.0, 104.0]
assert min(shared) == shared[0]  # claim: beyond-the-cores-they-do-not

# %% 9.4.2.1.4 a sum, or the longer of two
loads, compute = [6] * 100, 4
serial, overlapped = epoch(loads, compute, num_workers=0), epoch(loads, compute, num_workers=1)
print(serial, overlapped)
# > 1000 604
assert serial == 100 * (6 + 4)  # claim: in-turn-they-add-up
assert overlapped == 100 * 6 + 4  # claim: overlapped-the-longer-counts
enough = math.ceil(6 / 4)
times = [epoch(loads, compute, num_workers) for num_workers in (1, enough, 4, 8)]
print(times)
# > [604, 406, 406, 406]
assert times[1] < 1.02 * 100 * compute  # claim: load-over-compute-is-enough
assert times[3] == times[1]  # claim: more-workers-gain-nothing
faster = epoch([3] * 100, compute, enough)
assert faster > 0.98 * times[1]  # claim: what-is-hidden-need-not-be-faster

# %% 9.4.2.1.4 a buffer evens out, it does not speed up
uneven = ([2] * 7 + [18]) * 10  # four on average
times = [epoch(uneven, 5, 1, prefetch) for prefetch in (1, 2, 8)]
print(times)
# > [532, 482, 402]
assert times[0] > times[1] > times[2]  # claim: a-longer-buffer-hides-slow-batches
assert times[2] < 1.05 * 80 * 5  # claim: up-to-the-pace-of-computing
too_slow = [epoch([6] * 80, 5, 1, prefetch) for prefetch in (1, 2, 8)]
print(too_slow)
# > [485, 485, 485]
assert len(set(too_slow)) == 1  # claim: it-cannot-beat-the-average

# %% 9.4.2.1.4 larger batches keep the proportion
small, large = epoch([6] * 64, 4), epoch([6 * 8] * 8, 4 * 8)
print(small, large)
# > 388 416
assert large >= small  # claim: larger-batches-change-nothing
lighter, heavier = epoch([6 - 3] * 64, 4 + 1), epoch([6 - 3] * 64, 4 + 4)
print(lighter, heavier)
# > 323 515
assert lighter < 0.9 * small  # claim: moving-work-to-the-idle-side-helps
assert heavier > small  # claim: until-it-is-the-limit

# %% 9.4.2.1.4 one slow batch holds up the finished ones
loads = [40] + [4] * 40
times = [epoch(loads, 4, num_workers=4, in_order=in_order) for in_order in (True, False)]
print(times, DataLoader(range(4), num_workers=1).in_order)
# > [204, 168] True
assert times[0] > times[1] + 20  # claim: in-order-all-wait
assert DataLoader(range(4), num_workers=1).in_order  # claim: order-is-the-default
