"""What is counted is what one works out by hand from the addresses."""

import json
from dataclasses import replace

import numpy as np
import pytest

import torchstone.cudasim as cudasim
from torchstone.cudasim.counters import KernelCounters, Tally, read_counters

pytestmark = [pytest.mark.cudasim, pytest.mark.full]

# Each line between the braces is an access by itself.
ACCESSES = """
__constant__ float table[64];
__device__ float board[64];
__global__ void touch(float* a, float* b, int n) {
    __shared__ float plain[32][32], padded[32][33];
    __shared__ float4 wide[64];
    __shared__ double twice[64];
    __shared__ float total;
    int t = threadIdx.x, zero = n - 1;
    if (t < 32) for (int i = 0; i < 32; i++) plain[i][t] = padded[i][t] = 0;
    wide[t % 32] = make_float4(0, 0, 0, 0);
    twice[t % 32] = 0;
    if (t == 0) total = 0;
    __syncthreads();
    float x = 0;
    b[t] = 1;                                                // coalesced store
    x += a[t];                                               // coalesced load
    x += a[2 * t];                                           // stride 2
    x += a[32 * t];                                          // column
    x += a[t + 1];                                           // shifted
    x += a[zero];                                            // broadcast
    float4 four = reinterpret_cast<const float4*>(a)[t];     // float4
    x += reinterpret_cast<const unsigned char*>(a)[t];       // bytes
    x += reinterpret_cast<const double*>(a)[t];              // doubles
    x += plain[t][zero];                                     // shared column
    x += padded[t][zero];                                    // padded column
    x += plain[zero][t];                                     // shared row
    x += plain[zero][zero];                                  // shared broadcast
    x += plain[zero][2 * t % 32];                            // shared stride 2
    float4 more = wide[t];                                   // shared float4
    x += twice[t];                                           // shared doubles
    x += table[zero];                                        // constant broadcast
    x += table[t];                                           // constant gather
    x += board[t];                                           // device variable
    if (t < 16) b[t + 64] = x;                               // half a warp
    atomicAdd(b + 128, 1.0f);                                // one address
    atomicAdd(b + 160 + t, 1.0f);                            // an address each
    atomicAdd(b + 200 + t % 4, 1.0f);                        // four addresses
    atomicAdd(&total, 1.0f);                                 // shared atomic
    x += __shfl_xor_sync(0xffffffffu, x, 1);                 // shuffle
    x += __ballot_sync(0xffffffffu, t > 3);                  // vote
    x += four.x + four.y + four.z + four.w + more.x + more.y + more.z + more.w;
    b[t] = x;                                                // last store
}
"""


def line_of(source: str, words: str) -> int:
    return next(n for n, line in enumerate(source.split("\n"), 1) if line.endswith(f"// {words}"))


def launch(source: str, grid: object = 1, block: object = 32, shared: int = 0, *args: object,
           cooperative: bool = False) -> KernelCounters:  # fmt: skip
    module = cudasim.compile(source, check=True)
    name = module.kernels[0]
    module[name](grid, block, shared, cooperative)(*args)
    assert module.findings() == (), module.report()
    (counters,) = module.counters()
    return counters


@pytest.fixture(scope="module")
def touched() -> KernelCounters:
    a, b = np.zeros(2048, np.float32), np.zeros(256, np.float32)
    return launch(ACCESSES, 1, 32, 0, a, b, 1)


@pytest.mark.parametrize(
    ("words", "sectors", "ideal"),
    [("coalesced store", 4, 4), ("coalesced load", 4, 4), ("stride 2", 8, 4), ("column", 32, 4),
     ("shifted", 5, 4), ("broadcast", 1, 1), ("float4", 16, 16), ("bytes", 1, 1),
     ("doubles", 8, 8), ("device variable", 4, 4), ("half a warp", 2, 2)],
)  # fmt: skip
def test_global_memory_moves_the_sectors_that_the_addresses_touch(
    touched: KernelCounters, words: str, sectors: int, ideal: int
) -> None:
    memory = touched.line(line_of(ACCESSES, words)).global_memory
    assert (memory.requests, memory.sectors, memory.ideal_sectors) == (1, sectors, ideal)
    assert memory.sectors_per_request == sectors
    assert memory.efficiency == ideal / sectors


@pytest.mark.parametrize(
    ("words", "wavefronts", "conflicts"),
    [("shared column", 32, 31), ("padded column", 1, 0), ("shared row", 1, 0),
     ("shared broadcast", 1, 0), ("shared stride 2", 1, 0), ("shared float4", 4, 0),
     ("shared doubles", 2, 0)],
)  # fmt: skip
def test_banks_of_shared_memory_give_one_word_in_each_wavefront(
    touched: KernelCounters, words: str, wavefronts: int, conflicts: int
) -> None:
    memory = touched.line(line_of(ACCESSES, words)).shared_memory
    assert (memory.requests, memory.wavefronts) == (1, wavefronts)
    assert memory.bank_conflicts == conflicts


def test_the_constant_cache_gives_one_word_to_all_lanes(touched: KernelCounters) -> None:
    one = touched.line(line_of(ACCESSES, "constant broadcast")).total("constant load")
    many = touched.line(line_of(ACCESSES, "constant gather")).total("constant load")
    assert (one.wavefronts, many.wavefronts) == (1, 32)


@pytest.mark.parametrize(
    ("words", "lanes"), [("coalesced load", 32), ("half a warp", 16), ("shuffle", 32)]
)
def test_lanes_per_request_tell_divergence(touched: KernelCounters, words: str, lanes: int) -> None:
    line = touched.line(line_of(ACCESSES, words))
    assert line.total(*line.operations).lanes_per_request == lanes


@pytest.mark.parametrize(
    ("words", "kind", "contention"),
    [("one address", "global atomic", 32), ("an address each", "global atomic", 1),
     ("four addresses", "global atomic", 8), ("shared atomic", "shared atomic", 32)],
)  # fmt: skip
def test_atomics_wait_for_those_on_the_same_address(
    touched: KernelCounters, words: str, kind: str, contention: int
) -> None:
    line = touched.line(line_of(ACCESSES, words))
    assert set(line.operations) == {kind}
    assert line.atomics.contention_per_request == contention


def test_operations_of_a_warp_are_told_apart(touched: KernelCounters) -> None:
    assert touched.line(line_of(ACCESSES, "shuffle")).operations.keys() == {"shuffle xor"}
    assert touched.line(line_of(ACCESSES, "vote")).operations.keys() == {"vote"}
    assert touched.shuffles == 1
    assert touched.total("vote").requests == 1


def test_a_kernel_is_the_sum_of_its_lines(touched: KernelCounters) -> None:
    for kind, tally in touched.operations.items():
        assert sum((line.total(kind) for line in touched.lines), Tally()) == tally
    assert [line.place.line for line in touched.lines if line.place] == sorted(
        line.place.line for line in touched.lines if line.place
    )


def test_lines_of_no_interest_have_nothing(touched: KernelCounters) -> None:
    assert touched.line(1).operations == {}
    assert touched.line(1).global_memory == Tally()
    assert Tally().efficiency == 1
    assert Tally().lanes_per_request == 0


BARRIERS = """
__global__ void wait(float* a, int rounds) {
    __shared__ float s[96];
    for (int i = 0; i < rounds; i++) {
        s[threadIdx.x] = i;
        __syncthreads();
        a[blockIdx.x * blockDim.x + threadIdx.x] = s[95 - threadIdx.x];
        __syncthreads();
    }
}
"""


@pytest.mark.parametrize("blocks", [1, 3])
@pytest.mark.parametrize("rounds", [1, 5])
def test_barriers_and_intervals_with_stores_are_counted_by_block(blocks: int, rounds: int) -> None:
    counters = launch(BARRIERS, blocks, 96, 0, np.zeros(96 * blocks, np.float32), rounds)
    assert counters.barriers_per_block == 2 * rounds
    assert counters.store_epochs_per_block == rounds
    assert counters.total("barrier").requests == 2 * rounds * blocks * 3
    assert counters.num_blocks == counters.counted_blocks == blocks
    assert counters.static_bytes == 96 * 4


COPY = """
__global__ void copy(const float* a, float* b) {
    int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    b[i] = a[i];
}
"""


@pytest.mark.parametrize("grid", [(1000,), (25, 40), (64, 64)])
@pytest.mark.parametrize("block", [32, 256])
def test_some_blocks_of_a_large_grid_speak_for_all(grid: tuple[int, ...], block: int) -> None:
    blocks = int(np.prod(grid))
    a = np.zeros(blocks * block, np.float32)
    counters = launch(COPY, grid, block, 0, a, np.zeros_like(a))
    assert 8 <= counters.counted_blocks <= 64
    assert counters.total("global load").requests == blocks * block / 32
    assert counters.total("global store").sectors == blocks * block / 8
    assert counters.total("global load").num_bytes == a.nbytes


def test_a_long_loop_is_known_by_its_first_rounds() -> None:
    source = """__global__ void walk(const float* a, float* b, int n) {
        float sum = 0;
        for (int i = 0; i < n; i++) sum += a[i * 32 + threadIdx.x];
        b[threadIdx.x] = sum;
    }"""
    a = np.zeros(5000 * 32, np.float32)
    counters = launch(source, 1, 32, 0, a, np.zeros(32, np.float32), 5000)
    loads = counters.total("global load")
    assert (loads.requests, loads.sectors, loads.fresh_sectors) == (5000, 20000, 20000)


def test_an_asynchronous_copy_is_a_load_and_a_store_where_it_is_asked_for() -> None:
    source = """#include <cuda_pipeline.h>
    __global__ void stage(const float* a, float* b) {
        __shared__ alignas(16) float tile[160];
        int t = threadIdx.x;
        __pipeline_memcpy_async(&tile[4 * t], a + 4 * t, 16);        // whole
        __pipeline_memcpy_async(&tile[128 + t], a, 4, t < 16 ? 0 : 4); // half is zero
        __pipeline_commit();
        __pipeline_wait_prior(0);                                    // wait
        __syncthreads();
        b[t] = tile[159 - t];
    }"""
    counters = launch(source, 1, 32, 0, np.zeros(128, np.float32), np.zeros(32, np.float32))
    whole, half, wait = (
        counters.line(line_of(source, words)).operations
        for words in ("whole", "half is zero", "wait")
    )
    assert whole.keys() == half.keys() == {"global load", "shared store"}
    assert (whole["global load"].requests, whole["global load"].sectors) == (1, 16)
    assert (whole["shared store"].requests, whole["shared store"].wavefronts) == (1, 4)
    assert (half["global load"].lanes, half["shared store"].lanes) == (16, 32)
    assert wait == {}


def test_a_copy_for_a_barrier_is_counted_as_any_other() -> None:
    source = """#include <cuda/barrier>
    __global__ void stage(const float* a, float* b) {
        __shared__ alignas(16) float tile[32];
        __shared__ cuda::barrier<cuda::thread_scope_block> full;
        int t = threadIdx.x;
        if (t == 0) init(&full, 32);
        __syncthreads();
        cuda::memcpy_async(&tile[t], a + t, 4, full);  // copy
        full.arrive_and_wait();
        b[t] = tile[31 - t];
    }"""
    counters = launch(source, 1, 32, 0, np.zeros(32, np.float32), np.zeros(32, np.float32))
    copy = counters.line(line_of(source, "copy")).operations
    assert {kind: each.requests for kind, each in copy.items()} == {
        "global load": 1,
        "shared store": 1,
    }


def test_what_a_block_loads_again_is_not_fresh() -> None:
    source = """__global__ void again(const float* a, float* b, int n) {
        float sum = 0;
        for (int i = 0; i < n; i++) sum += a[i % 3 * 32 + threadIdx.x % 32];
        b[blockIdx.x * 64 + threadIdx.x] = sum;
    }"""
    a, b = np.zeros(96, np.float32), np.zeros(128, np.float32)
    loads = launch(source, 2, 64, 0, a, b, 9).total("global load")
    assert (loads.sectors, loads.fresh_sectors) == (2 * 2 * 9 * 4, 2 * 3 * 4)


def test_blocks_that_take_turns_are_not_mixed_up() -> None:
    source = """#include <cooperative_groups.h>
    __global__ void turns(const float* a, float* b) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        b[i] = a[i];
        cooperative_groups::this_grid().sync();
        b[gridDim.x * blockDim.x + i] = b[(i + 64) % (gridDim.x * blockDim.x)];
    }"""
    counters = launch(source, 6, 64, 0, np.zeros(384, np.float32), np.zeros(768, np.float32),
                      cooperative=True)  # fmt: skip
    assert counters.counted_blocks == 6
    memory = counters.global_memory
    assert (memory.requests, memory.lanes_per_request, memory.sectors) == (48, 32, 192)


def test_launches_of_one_shape_are_added_and_others_stand_apart() -> None:
    module = cudasim.compile(COPY, check=True)
    a, b = np.zeros(256, np.float32), np.zeros(256, np.float32)
    for grid, block in [(2, 32), (4, 64), (2, 32)]:
        module.copy(grid, block)(a, b)
    twice, once = module.counters()
    assert (twice.grid, twice.block, twice.launches) == ((2, 1, 1), (32, 1, 1), 2)
    assert (once.grid, once.launches) == ((4, 1, 1), 1)
    assert twice.total("global load") == replace(once.total("global load"), requests=4, lanes=128,
                                                 num_bytes=512, sectors=16, ideal_sectors=16,
                                                 fresh_sectors=16)  # fmt: skip
    module.clear_counters()
    assert module.counters() == ()


def test_modules_count_each_for_itself() -> None:
    first, second = (cudasim.compile(text, check=True) for text in (COPY, BARRIERS))
    first.copy(1, 32)(np.zeros(32, np.float32), np.zeros(32, np.float32))
    second.wait(1, 96)(np.zeros(96, np.float32), 1)
    assert [each.kernel for each in first.counters()] == ["copy"]
    assert [each.kernel for each in second.counters()] == ["wait"]


def test_a_module_without_detectors_says_that_it_counts_nothing() -> None:
    with pytest.raises(ValueError, match="check=True"):
        cudasim.compile(COPY).counters()


@pytest.mark.parametrize("order", ["ascending", "descending", "random"])
def test_counts_do_not_depend_on_the_order_of_threads(order: str) -> None:
    module = cudasim.compile(BARRIERS, check=True, order=order, seed=5)
    module.wait(20, 96)(np.zeros(20 * 96, np.float32), 3)
    (counters,) = module.counters()
    assert counters.global_memory == Tally(
        requests=180, lanes=5760, num_bytes=23040, sectors=720, ideal_sectors=720
    )
    assert counters.shared_memory.wavefronts == 360


def test_places_outside_of_the_program_are_gathered_apart() -> None:
    place = {"what": "global load", "bytes": 4} | dict.fromkeys(
        ("requests", "lanes", "sectors", "ideal_sectors", "fresh_sectors", "wavefronts",
         "ideal_wavefronts", "contention"), 3)  # fmt: skip
    raw = {"kernel": "k", "grid": [2, 1, 1], "block": [32, 1, 1], "dynamic_bytes": 0,
           "static_bytes": 0, "launches": 1, "counted_blocks": 1, "barriers": 1,
           "store_epochs": 0, "places": [place | {"place": ["/nowhere", 16]}],
           "executed": []}  # fmt: skip
    (counters,) = read_counters(json.dumps([raw]))
    (line,) = counters.lines
    assert line.place is None
    assert line.total("global load").num_bytes == 4 * 3 * 2
    assert counters.barriers == 2
    assert read_counters(json.dumps([raw | {"counted_blocks": 0}])) == ()


BRACES = """
template <class T, int size> struct alignas(sizeof(T) * size) Pack { T lanes[size]; };
struct Pair { float2 first; int second[2]; };
__global__ void store(float4* y, Pair* pairs, int n) {
    const int i = threadIdx.x;
    const float x = i, list[2] = {x, 2};
    auto put = [=](float4* to) { to[i] = float4{x, list[1], 3, 4}; };  // in a lambda
    y[i + 32] = float4{x, 2, 3, 4};                                    // a type and braces
    if (i < n) y[i + 64] = {x, 2, 3, 4};                               // braces alone
    *(y + i + 96) = float4{x, 2, 3, 4};                                // behind an address
    reinterpret_cast<Pack<float, 4>*>(y)[i + 128] = Pack<float, 4>{{x, 2, 3, 4}};  // a template
    pairs[i].first = {x, 2};                                           // a member
    put(y);
}
"""


@pytest.mark.parametrize(
    "words",
    [
        "in a lambda",
        "a type and braces",
        "braces alone",
        "behind an address",
        "a template",
        "a member",
    ],
)
def test_what_braces_make_is_stored_by_one_access(words: str) -> None:
    module = cudasim.compile(BRACES, check=True)
    y, pairs = np.zeros((5, 32, 4), np.float32), np.zeros((32, 4), np.float32)
    module.store(1, 32)(y, pairs, 32)
    (counters,) = module.counters()
    (line,) = [each for each in counters.lines if words in BRACES.split("\n")[each.place.line - 1]]
    assert line.total("global store").requests == 1
    assert (y == [[i, 2, 3, 4] for i in range(32)]).all()
    assert (pairs[:, :2] == [[i, 2] for i in range(32)]).all()


def test_the_reduction_of_a_group_is_counted_as_the_exchange_that_it_is() -> None:
    module = cudasim.compile(
        """
        #include <cooperative_groups.h>
        #include <cooperative_groups/reduce.h>
        namespace cg = cooperative_groups;
        __global__ void sum(float* x) {
            const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
            x[threadIdx.x] = cg::reduce(warp, x[threadIdx.x], cg::plus<float>());
        }
        """,
        check=True,
    )
    x = np.ones(64, np.float32)
    module.sum(1, 64)(x)
    assert (x == 32).all()
    (counters,) = module.counters()
    assert counters.total("warp reduce").requests == 2
