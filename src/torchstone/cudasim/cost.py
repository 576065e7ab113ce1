"""Cost model: rank versions of a kernel by their counters.

The model adds up what each unit of a multiprocessor has to do for the whole grid: a request
occupies the load and store units, a sector of global memory the way from the second-level cache, a
sector that comes from memory the way from there, a wavefront the banks of shared memory, and so on.
It lets nothing overlap, spreads the work evenly over the multiprocessors, and takes no launch to be
shorter than one of its blocks.

It is no claim about time. Arithmetic is out of its sight, which does not matter between versions
that compute the same; neither latency nor occupancy is modelled, nor a cache beyond this: what a
block has loaded once comes from the second-level cache when it loads it again. Compare versions of
one kernel at the same size, large enough to fill a card, and compare nothing else.

Source:
    One card was taken for all rates, an NVIDIA V100 with 80 multiprocessors at 1.38 GHz; the order
    of versions hardly depends on it. Its memory gives 900 GB/s (NVIDIA Tesla V100 white paper,
    2017), its second-level cache 2155 GB/s (Jia et al., Dissecting the NVIDIA Volta GPU
    architecture via microbenchmarking, 2018). Operations in each cycle: CUDA C++ Programming
    Guide, chapters "Arithmetic Instructions" and "Synchronization Instruction".
"""

from dataclasses import dataclass

from torchstone.cudasim.counters import SHUFFLES, KernelCounters, Tally

# Costs of different versions are not compared. Raise it when the same program gets another cost,
# from this model or from the counters.
MODEL_VERSION = 1

# As many as the simulator's device has; a persistent kernel asks for this number.
NUM_MULTIPROCESSORS = 16
_CYCLES_EACH_SECOND = 80 * 1.38e9  # of all multiprocessors of the card of the rates
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
# While an address serves one atomic after the other, in one cycle each, it keeps all waiting.
ATOMIC_TURN_CYCLES = 1.0 * NUM_MULTIPROCESSORS


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Hold the cost of a kernel, in cycles of the model: a rank, no time.

    Attributes:
        kernel: Its name.
        launches: How many launches it is for.
        cycles: The cost of all of them.
        requests: What part of the work is due to memory instructions as such, whatever they move.
        global_traffic: To sectors of global memory.
        shared_traffic: To wavefronts of shared memory and of the constant cache.
        atomics: To atomics, above all to those that wait for each other.
        barriers: To barriers of the block.
        warp_operations: To shuffles, votes, reductions of a warp and the like.
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

    The parts are cycles of all multiprocessors together; ``cycles`` spreads them.
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
    # Stores go through to memory; a sector that is written in parts goes there with each part.
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
    """Count the lanes that wait until another lane of their request has had its turn."""
    return atomics.contention - atomics.requests
