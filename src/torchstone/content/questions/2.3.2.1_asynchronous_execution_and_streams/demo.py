# %% setup
import inspect
from unittest import mock

import torch
from torch.cuda._sanitizer import EventHandler
from torch.utils import benchmark

MAIN, SIDE, THIRD = 0, 1, 2


class Gpu:
    """A GPU on paper: the host needs 1 tick to queue a kernel, the GPU as many as are given."""

    def __init__(self):
        self.host = self.busy_until = 0

    def launch(self, ticks):
        """Queue a kernel; it starts when it is queued and the one before it has ended."""
        self.host += 1
        self.busy_until = max(self.host, self.busy_until) + ticks

    def synchronize(self):
        """Let the host wait until the queue is empty, as reading a result does."""
        self.host = max(self.host, self.busy_until)


def races(trace, stream, read=(), write=()):
    """Tell PyTorch's CUDA sanitizer of a kernel; give the number of races that it reports."""
    names = {each: [] for each in (*read, *write)}
    found = trace._handle_kernel_launch(stream, set(read), set(write), set(), "kernel", names)
    return len(found)


# %% 2.3.2.1.1 one stream needs no waiting
trace = EventHandler()
races(trace, MAIN, write=[1])
after = races(trace, MAIN, read=[1], write=[2])
assert after == 0  # claim: same-stream-is-ordered

# %% 2.3.2.1.1 the whole device, or one stream
trace = EventHandler()
races(trace, MAIN, write=[1])
races(trace, SIDE, write=[2])
trace._handle_stream_synchronization(MAIN)
after_one = races(trace, THIRD, read=[1, 2])
trace._handle_device_synchronization()
after_all = races(trace, THIRD, read=[1, 2])
print(after_one, after_all)
# > 1 0
assert after_one == 1  # claim: stream-synchronize-waits-for-one
assert after_all == 0  # claim: synchronize-waits-for-all

# %% 2.3.2.1.1 the price
free, strict = Gpu(), Gpu()
for _ in range(10):
    free.launch(3)
    strict.launch(3)
    strict.synchronize()
free.synchronize()
print(free.host, strict.host)
# > 31 40
assert strict.host > free.host  # claim: waiting-each-step-costs

# %% 2.3.2.1.2 queued, not computed
gpu = Gpu()
for _ in range(10):
    gpu.launch(20)
print(gpu.host, gpu.busy_until)
# > 10 201
assert gpu.host < gpu.busy_until  # claim: host-runs-ahead
work = 10 * 20
assert gpu.busy_until - work == 1  # claim: long-kernels-hide-the-launches
small = Gpu()
for _ in range(10):
    small.launch(0.5)
assert small.busy_until > 2 * 10 * 0.5  # claim: short-kernels-leave-it-idle

# %% 2.3.2.1.2 a look at each result
looked = Gpu()
for _ in range(10):
    looked.launch(20)
    looked.synchronize()
gpu.synchronize()
print(gpu.host, looked.host)
# > 201 210
assert looked.host - gpu.host == 9  # claim: each-look-shows-a-launch

# %% 2.3.2.1.3 what the clock saw
gpu = Gpu()
gpu.launch(50)
start = gpu.host
gpu.launch(20)
naive = gpu.host - start
gpu.synchronize()
half = gpu.host - start
start = gpu.host
gpu.launch(20)
gpu.synchronize()
right = gpu.host - start
print(naive, half, right)
# > 1 70 21
assert naive < 20  # claim: clock-sees-the-launch
assert half > 50  # claim: older-work-is-counted
assert right == 20 + 1  # claim: synchronised-clock-is-right

# %% 2.3.2.1.3 what PyTorch offers
timed = inspect.signature(torch.cuda.Event.__new__).parameters["enable_timing"]
assert timed.default is False  # claim: events-time-on-request
waited = mock.Mock()
present = mock.patch.object(torch.accelerator, "is_available", return_value=True)
with present, mock.patch.object(torch.accelerator, "synchronize", waited):
    benchmark.timer()
assert waited.call_count == 1  # claim: benchmark-synchronises

# %% 2.3.2.1.4 in one queue, and in two
trace = EventHandler()
races(trace, MAIN, write=[1])
assert races(trace, MAIN, read=[1]) == 0  # claim: one-stream-is-in-order
assert races(trace, SIDE, read=[1]) == 1  # claim: two-streams-are-not

# %% 2.3.2.1.4 an event between them
trace, done = EventHandler(), 7
trace._handle_event_creation(done)
races(trace, MAIN, write=[1])
trace._handle_event_record(done, MAIN)
races(trace, MAIN, write=[2])
trace._handle_event_wait(done, SIDE)
assert races(trace, SIDE, read=[1]) == 0  # claim: event-orders-what-came-before
assert races(trace, SIDE, read=[2]) == 1  # claim: and-nothing-after

# %% 2.3.2.1.4 memory that was given away too early
trace = EventHandler()
block = 1
races(trace, SIDE, read=[block])
given_to_another = races(trace, MAIN, write=[block])
assert given_to_another == 1  # claim: reused-memory-races
