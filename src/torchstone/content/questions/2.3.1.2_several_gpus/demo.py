# %% setup
import contextlib
import os
from unittest import mock

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

# No GPU is needed: a fake tensor has a device, a shape and a dtype, and no data.
fake = FakeTensorMode()


def visible(value, call):
    """Call with CUDA_VISIBLE_DEVICES set, as if the driver had answered that it has 8 GPUs."""
    with (
        mock.patch.dict(os.environ, {"CUDA_VISIBLE_DEVICES": value}),
        mock.patch.object(torch.cuda, "_is_compiled", return_value=True),
        mock.patch.object(torch.cuda, "_raw_device_count_nvml", return_value=8),
    ):
        return call()


class Driver:
    """Stand in for the driver, which knows the number of the current GPU."""

    current = 0

    def exchange(self, index):
        """Select a GPU and give the one before; a negative number selects none."""
        before = self.current
        self.current = index if index >= 0 else before
        return before


def refusal(call):
    """Give the message of the error that a call raises; an empty one when it raises none."""
    try:
        call()
    except (RuntimeError, AssertionError) as error:
        return str(error)
    return ""


# %% 2.3.1.2.1 eight in the machine, two for the process
count = visible("0,2", torch.cuda.device_count)
assert count == 2  # claim: only-visible-ones-count
assert not torch.cuda.is_initialized()  # claim: count-initialises-nothing
print(count)
# > 2

# %% 2.3.1.2.1 a machine without a GPU
none = torch.cuda.device_count()
assert none == 0 and not torch.cuda.is_available()  # claim: no-gpu-is-no-error
asked = refusal(lambda: torch.cuda.get_device_name(0))
assert "not compiled with CUDA" in asked  # claim: details-initialise
place = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
assert place.type == "cpu"  # claim: falls-back-to-the-cpu

# %% 2.3.1.2.2 selected, and put back
driver = Driver()
seen = []
swap = {"_exchange_device": driver.exchange, "_maybe_exchange_device": driver.exchange}
with mock.patch.multiple(torch.cuda, **swap):
    with torch.cuda.device(1):
        seen.append(driver.current)
        plain = torch.zeros(2)
    seen.append(driver.current)
    with contextlib.suppress(KeyError), torch.cuda.device(3):
        raise KeyError
    seen.append(driver.current)
print(seen, plain.device)
# > [1, 0, 0] cpu
assert seen[0] == 1  # claim: selects-it
assert seen[1] == 0  # claim: puts-it-back
assert seen[2] == 0  # claim: puts-it-back-after-an-error
assert plain.device.type == "cpu"  # claim: zeros-stay-on-the-cpu

# %% 2.3.1.2.2 the inputs decide, and another context
with mock.patch.multiple(torch.cuda, **swap), fake:
    there = torch.zeros(3, device="cuda:1")
    with torch.cuda.device(0):
        doubled = there * 2
    with torch.device("cuda:1"):
        made = torch.zeros(2)
assert doubled.device.index == 1  # claim: results-follow-the-inputs
assert made.device == torch.device("cuda", 1)  # claim: default-device-moves-factories

# %% 2.3.1.2.3 where a new tensor goes
with fake:
    first = torch.ones(3, device="cuda:0")
    second = torch.arange(3, device=torch.device("cuda", 1))
    like, new = torch.zeros_like(second), second.new_ones(2)
    result = second * 2.0
print(first.device, second.device)
# > cuda:0 cuda:1
assert (first.device.index, second.device.index) == (0, 1)  # claim: factory-takes-a-device
assert like.device.index == new.device.index == 1  # claim: like-and-new-follow
assert result.device.index == 1  # claim: result-follows

# %% 2.3.1.2.3 a default for a block, and a name without a GPU
with fake, torch.device("cuda:1"):
    by_default = torch.ones(2)
    explicit = torch.ones(2, device="cuda:0")
assert by_default.device.index == 1  # claim: block-sets-the-default
assert explicit.device.index == 0  # claim: explicit-device-wins
assert torch.device("cuda:7").index == 7  # claim: device-is-only-a-name
assert "Expected one of cpu, cuda" in refusal(lambda: torch.device("gpu"))  # claim: gpu-is-no-type

# %% 2.3.1.2.4 listed, and numbered anew
physical = visible("3,1", lambda: [torch.cuda._get_nvml_device_index(i) for i in (0, 1)])
print(physical)
# > [3, 1]
assert physical == [3, 1]  # claim: renumbered-in-the-listed-order
third = visible("3,1", lambda: refusal(lambda: torch.cuda._get_nvml_device_index(3)))
assert "device 3 is not visible" in third  # claim: old-number-is-gone

# %% 2.3.1.2.4 how the list is read
count = torch.cuda.device_count
assert visible("0,-1,2", count) == 1  # claim: negative-ends-the-list
assert visible("0,9,2", count) == 1  # claim: unknown-ends-the-list
assert visible("2,2", count) == 0  # claim: repeated-gives-none
assert visible("", count) == 0  # claim: empty-hides-all

# %% 2.3.1.2.4 too late
started = {"_initialized": True, "_cached_device_count": None}
with mock.patch.multiple(torch.cuda, **started):
    with mock.patch.object(torch._C, "_cuda_getDeviceCount", create=True, return_value=8):
        at_start = visible("0,1,2,3,4,5,6,7", torch.cuda.device_count)
        later = visible("0", torch.cuda.device_count)
assert later == at_start == 8  # claim: later-change-is-ignored
