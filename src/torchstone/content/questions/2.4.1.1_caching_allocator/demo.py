# %% setup
from unittest import mock

import torch
from torch.cuda._memory_viz import segsum
from torch.profiler import ProfilerActivity, profile

MIB = 2**20


def segment_size(size):
    """Give what is asked of the driver for a request, by the constants of AllocatorConfig.h."""
    if size <= MIB:
        return 2 * MIB
    return 20 * MIB if size < 10 * MIB else size + -size % (2 * MIB)


class Allocator:
    """The caching allocator on paper: segments of the driver, cut into blocks [size, used]."""

    def __init__(self, capacity):
        self.capacity, self.segments, self.driver_calls = capacity, [], 0

    def reserved(self):
        """Count the bytes of all segments."""
        return sum(size for segment in self.segments for size, _ in segment)

    def allocated(self):
        """Count the bytes of the blocks in use."""
        return sum(size for segment in self.segments for size, used in segment if used)

    def empty_cache(self):
        """Give the segments back in which no block is in use."""
        self.segments = [each for each in self.segments if any(used for _, used in each)]

    def grow(self, size):
        """Ask the driver for a segment; if it has none, flush the cache and ask again."""
        if self.reserved() + size > self.capacity:
            self.empty_cache()
        if self.reserved() + size > self.capacity:
            raise MemoryError("out of memory")
        self.driver_calls += 1
        self.segments.append([[size, False]])

    def fitting(self, size):
        """Find the free blocks that are large enough, in segments of the right kind."""
        small = size <= MIB
        kind = [s for s in self.segments if (sum(b[0] for b in s) == 2 * MIB) == small]
        return [(s, b) for s in kind for b in s if not b[1] and b[0] >= size]

    def alloc(self, size):
        """Take the smallest free block that fits, and cut off what is too much."""
        size += -size % 512
        if not self.fitting(size):
            self.grow(segment_size(size))
        segment, block = min(self.fitting(size), key=lambda each: each[1][0])
        place = [each is block for each in segment].index(True)
        if block[0] > size:
            segment.insert(place + 1, [block[0] - size, False])
        block[:] = [size, True]
        return block

    def free(self, block):
        """Mark a block as free and join free neighbours; nothing goes to the driver."""
        block[1] = False
        for segment in self.segments:
            for i in range(len(segment) - 1, 0, -1):
                if not segment[i][1] and not segment[i - 1][1]:
                    segment[i - 1][0] += segment.pop(i)[0]


def refusal(call):
    """Give the message of the error that a call raises; an empty one when it raises none."""
    try:
        call()
    except (ValueError, MemoryError) as error:
        return str(error)
    return ""


# %% 2.4.1.1.1 freed, and kept
gpu = Allocator(100 * MIB)
block = gpu.alloc(30 * MIB)
gpu.free(block)
print(gpu.allocated() // MIB, gpu.reserved() // MIB)
# > 0 30
assert gpu.reserved() == 30 * MIB  # claim: free-keeps-the-reserve
gpu.alloc(24 * MIB)
assert gpu.driver_calls == 1  # claim: reuse-needs-no-driver

# %% 2.4.1.1.1 rounded and cut
gpu = Allocator(100 * MIB)
first, second = gpu.alloc(1000), gpu.alloc(1000)
print(first[0], gpu.reserved() // MIB)
# > 1024 2
assert first[0] == 1024  # claim: rounded-to-512-bytes
assert gpu.driver_calls == 1  # claim: small-ones-share-a-segment

# %% 2.4.1.1.1 before it gives up
gpu = Allocator(100 * MIB)
gpu.free(gpu.alloc(60 * MIB))
big = gpu.alloc(80 * MIB)
assert gpu.reserved() == 80 * MIB  # claim: flushes-and-tries-again
assert refusal(lambda: gpu.alloc(40 * MIB))  # claim: then-out-of-memory

# %% 2.4.1.1.2 whole segments or nothing
gpu = Allocator(100 * MIB)
kept, gone = gpu.alloc(4 * MIB), gpu.alloc(8 * MIB)
gpu.free(gpu.alloc(30 * MIB))
gpu.free(gone)
gpu.empty_cache()
print(gpu.allocated() // MIB, gpu.reserved() // MIB)
# > 4 20
assert gpu.reserved() < 30 * MIB  # claim: unused-segments-go
assert gpu.reserved() == 20 * MIB  # claim: partly-used-segment-stays
assert gpu.allocated() == 4 * MIB  # claim: tensors-stay


# %% 2.4.1.1.2 in every step
def train(steps, empty):
    """Count the calls of the driver in a loop that allocates and frees the same sizes."""
    gpu = Allocator(100 * MIB)
    for _ in range(steps):
        for block in [gpu.alloc(30 * MIB), gpu.alloc(40 * MIB)]:
            gpu.free(block)
        if empty:
            gpu.empty_cache()
    return gpu.driver_calls


print(train(10, empty=False), train(10, empty=True))
# > 2 20
assert train(10, empty=True) > train(10, empty=False)  # claim: next-step-asks-the-driver
gpu = Allocator(100 * MIB)
gpu.free(gpu.alloc(60 * MIB))
assert not refusal(lambda: gpu.alloc(80 * MIB))  # claim: allocator-flushes-by-itself

# %% 2.4.1.1.3 allocated and reserved
gpu = Allocator(100 * MIB)
blocks = [gpu.alloc(10 * MIB) for _ in range(8)]
for block in blocks[::2]:
    gpu.free(block)
print(gpu.allocated() // MIB, gpu.reserved() // MIB)
# > 40 80
assert gpu.reserved() == 2 * gpu.allocated()  # claim: reserved-exceeds-allocated

# %% 2.4.1.1.3 room enough, and no place
gpu = Allocator(40 * MIB)
gpu.grow(40 * MIB)
blocks = [gpu.alloc(10 * MIB) for _ in range(4)]
gpu.free(blocks[0])
gpu.free(blocks[2])
unused = gpu.reserved() - gpu.allocated()
assert unused == 20 * MIB and refusal(lambda: gpu.alloc(20 * MIB))  # claim: gaps-do-not-add-up
gpu.free(blocks[1])
assert not refusal(lambda: gpu.alloc(20 * MIB))  # claim: neighbours-join

# %% 2.4.1.1.3 settings that are checked
settings = torch._C._accelerator_setAllocatorSettings
assert "must be >= 20" in refusal(lambda: settings("max_split_size_mb:10"))  # claim: split-limit
said = refusal(lambda: settings("expandable_segments:yes"))
assert "Expected 'True' or 'False'" in said  # claim: expandable-is-a-flag
settings("")

# %% 2.4.1.1.4 three numbers out of one table
all_pools = {"current": 3 * MIB, "peak": 9 * MIB}
nested = {"allocated_bytes": {"all": all_pools}, "reserved_bytes": {"all": {"current": 20 * MIB}}}
with mock.patch.object(torch.cuda.memory, "memory_stats_as_nested_dict", return_value=nested):
    now, peak = torch.cuda.memory_allocated(), torch.cuda.max_memory_allocated()
    held = torch.cuda.memory_reserved()
print(now // MIB, peak // MIB, held // MIB)
# > 3 9 20
assert (now, peak) == (3 * MIB, 9 * MIB)  # claim: tensors-now-and-at-most
assert held == 20 * MIB  # claim: reserved-is-another-counter

# %% 2.4.1.1.4 what a snapshot tells
states = ["active_allocated", "inactive", "active_allocated", "inactive"]
blocks = [{"size": 10 * MIB, "requested_size": 10 * MIB, "state": s, "frames": []} for s in states]
blocks[0]["requested_size"] = 9 * MIB
segment = {"total_size": 40 * MIB, "stream": 0, "blocks": blocks}
report = segsum({"segments": [segment]})
print("\n".join(report.splitlines()[1:5]))
# > [ab] 40.0MiB allocated, 21.0MiB (4.8% internal) free
# > segments: 1
# > total_reserved: 40.0MiB
# > total_allocated: 19.0MiB
assert "21.0MiB (4.8% internal)" in report  # claim: snapshot-shows-the-gaps

# %% 2.4.1.1.4 who allocated it
with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as found:
    product = torch.ones(64, 64) @ torch.ones(64, 64)
sizes = {each.key: each.self_cpu_memory_usage for each in found.key_averages()}
assert sizes.get("aten::mm") == product.nbytes  # claim: profiler-names-the-operator
