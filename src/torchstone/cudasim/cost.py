"""Cost model: rank versions of a kernel by their counters.

The model adds up the work of each unit of a multiprocessor for the whole grid: a request occupies
the load and store units, a sector of global memory the path from the second-level cache, a sector
that comes from memory the path from memory, a wavefront the banks of shared memory, and so on. The
model assumes that nothing overlaps, that the work is spread evenly over the multiprocessors, and
that no launch is shorter than one of its blocks.

The cost is not a time. The model ignores arithmetic, which does not matter between versions that
compute the same, latency and occupancy. Its only cache: what a block has loaded once comes from the
second-level cache when the block loads it again. Compare only versions of one kernel, at the same
size, large enough to fill a GPU.

Source:
    All rates are those of one GPU, an NVIDIA V100 with 80 multiprocessors at 1.38 GHz; the order
    of versions hardly depends on it. Its memory gives 900 GB/s (NVIDIA Tesla V100 white paper,
    2017), its second-level cache 2155 GB/s (Jia et al., Dissecting the NVIDIA Volta GPU
    architecture via microbenchmarking, 2018). Operations in each cycle: CUDA C++ Programming
    Guide, chapters "Arithmetic Instructions" and "Synchronization Instruction".
"""

from dataclasses import dataclass

from torchstone.cudasim.counters import SHUFFLES, KernelCounters, Tally

# Costs of different versions are not comparable. Raise it when the cost of an unchanged program
# changes, through this model or through the counters.
MODEL_VERSION = 1

# The number that the simulator's device reports; a persistent kernel launches that many blocks.
NUM_MULTIPROCESSORS = 16
_CYCLES_EACH_SECOND = 80 * 1.38e9  # of all multiprocessors of the V100
_SECTOR_BYTES = 32

MEMORY_SECTOR_CYCLES = _SECTOR_BYTES * _CYCLES_EACH_SECOND / 900e9
CACHE_SECTOR_CYCLES = _SECTOR_BYTES * _CYCLES_EACH_SECOND / 2155e9
REQUEST_CYCLES = 1.0  # 32 load and store units: one request of a warp in each cycle
WAVEFRONT_CYCLES = 1.0  # each of 32 banks gives one word in a cycle
SHARED_ATOMIC_PASSES = 2.0  # a word is read and written
SHUFFLE_CYCLES = 32 / 32  # of 32 lanes in each cycle
VOTE_CYCLES = 32 / 64
REDUCE_CYCLES = 32 / 16
BARRIER_CYCLES = 32 / 16  # of each warp that arrives
# An address serves one atomic per cycle, during which all others have to wait.
ATOMIC_TURN_CYCLES = 1.0 * NUM_MULTIPROCESSORS


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Cost of a kernel in model cycles: a rank, not a time.

    Attributes:
        kernel: The name of the kernel.
        launches: The number of launches.
        cycles: The cost of all launches.
        requests: Work due to memory instructions as such, whatever they move.
        global_traffic: Work due to sectors of global memory.
        shared_traffic: Work due to wavefronts of shared memory and of the constant cache.
        atomics: Work due to atomics, above all to those that wait for each other.
        barriers: Work due to barriers of the block.
        warp_operations: Work due to shuffles, votes, reductions of a warp and the like.
    """

    kernel: str
    launches: int
    cycles: float
    requests: float
    global_traffic: float
    shared_traffic: float
    atomics: float
    barriers: float
    warp_operations: float


def estimate_cost(counters: KernelCounters) -> Cost:
    """Estimate the cost of all launches of a kernel.

    The parts are in cycles summed over all multiprocessors; ``cycles`` divides them by the number
    of multiprocessors.
    """
    everywhere = counters.total(*counters.operations)
    without_address = counters.total(*_WITHOUT_ADDRESS)
    parts = {
        "requests": (everywhere.requests - without_address.requests) * REQUEST_CYCLES,
        "global_traffic": _cost_of_global(counters),
        "shared_traffic": WAVEFRONT_CYCLES
        * counters.total("shared load", "shared store", "constant load").wavefronts,
        "atomics": _cost_of_atomics(counters),
        "barriers": counters.total("barrier").requests * BARRIER_CYCLES,
        "warp_operations": sum(
            counters.total(kind).requests * cycles for kind, cycles in _WARP_CYCLES.items()
        ),
    }
    work = sum(parts.values())
    busy = min(NUM_MULTIPROCESSORS, counters.num_blocks // counters.launches)
    return Cost(
        kernel=counters.kernel, launches=counters.launches, cycles=work / busy, **parts
    )  # fmt: skip


_WARP_CYCLES = dict.fromkeys(SHUFFLES, SHUFFLE_CYCLES) | {
    "vote": VOTE_CYCLES,
    "match": REDUCE_CYCLES,
    "warp reduce": REDUCE_CYCLES,
    "warp sync": VOTE_CYCLES,
}
_WITHOUT_ADDRESS = ("barrier", *_WARP_CYCLES)


def _cost_of_global(counters: KernelCounters) -> float:
    loads, stores = counters.total("global load"), counters.total("global store")
    # Stores go through to memory; a sector written in parts goes there once for each part.
    from_memory = loads.fresh_sectors + stores.sectors
    return (loads.sectors + stores.sectors) * CACHE_SECTOR_CYCLES + (
        from_memory * MEMORY_SECTOR_CYCLES
    )


def _cost_of_atomics(counters: KernelCounters) -> float:
    far, near = counters.total("global atomic"), counters.total("shared atomic")
    return (
        _turns(far) * ATOMIC_TURN_CYCLES
        + far.sectors * CACHE_SECTOR_CYCLES
        + (_turns(near) + near.wavefronts) * SHARED_ATOMIC_PASSES * WAVEFRONT_CYCLES
    )


def _turns(atomics: Tally) -> int:
    """Return the number of lanes that wait for another lane of their request."""
    return atomics.contention - atomics.requests
