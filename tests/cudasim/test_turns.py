"""Threads give way around atomic accesses: a lost update shows, and right programs stay right."""

from pathlib import Path

import numpy as np
import pytest

import torchstone.cudasim as cudasim
from tests.cudasim.programs import RANDOM, run_program
from torchstone.cudasim import KernelError
from torchstone.cudasim.toolchain import Build

pytestmark = [pytest.mark.cudasim, pytest.mark.full]

NUM_BLOCKS, NUM_THREADS = 16, 64
COUNT = NUM_BLOCKS * NUM_THREADS
NUM_LAUNCHES = 20

# Each adds `value` to a word that many threads add to: the wrong ones first.
WAYS = {
    "compares_once": """
        unsigned* word = (unsigned*)sum;
        unsigned old = *word;
        atomicCAS(word, old, bits(number(old) + value));""",
    "exchanges_and_back": """
        float old = atomicExch(sum, 0.0f);
        atomicExch(sum, old + value);""",
    "reads_and_exchanges": """
        float old = atomicAdd(sum, 0.0f);
        atomicExch(sum, old + value);""",
    "adds_volatile": """
        volatile float* seen = sum;
        *seen = *seen + value;""",
    "reads_plainly": """
        float old = *sum;
        atomicExch(sum, old + value);""",
    "locks_without_fence": """
        for (bool done = false; !done;) {
            if (atomicCAS(&lock, 0u, 1u) == 0) {
                *sum += value;
                atomicExch(&lock, 0u);
                done = true;
            }
        }""",
    "compares": """
        unsigned* word = (unsigned*)sum;
        unsigned seen = *word, old;
        do {
            old = seen;
            seen = atomicCAS(word, old, bits(number(old) + value));
        } while (seen != old);""",
    "compares_again": """
        unsigned* word = (unsigned*)sum;
        unsigned old;
        do {
            old = atomicAdd(word, 0u);
        } while (atomicCAS(word, old, bits(number(old) + value)) != old);""",
    "locks": """
        for (bool done = false; !done;) {
            if (atomicExch(&lock, 1u) == 0) {
                __threadfence();
                *sum += value;
                __threadfence();
                atomicExch(&lock, 0u);
                done = true;
            }
        }""",
    "tests_and_locks": """
        for (bool done = false; !done;) {
            while (*(volatile unsigned*)&lock != 0) {}
            if (atomicCAS(&lock, 0u, 1u) == 0) {
                __threadfence();
                *sum += value;
                __threadfence();
                atomicExch(&lock, 0u);
                done = true;
            }
        }""",
}
TICKETS = """
// Tickets: each waits for the one before, which has begun, but may have given way.
__device__ unsigned next_ticket, served;
__global__ void tickets_of_block(float* sum) {
    if (threadIdx.x == 0) {
        unsigned mine = atomicAdd(&next_ticket, 1u);
        while (atomicAdd(&served, 0u) != mine) {}
        __threadfence();
        *sum += blockDim.x;
        __threadfence();
        if (mine + 1 == gridDim.x) {
            atomicExch(&next_ticket, 0u);
            atomicExch(&served, 0u);
        } else {
            atomicAdd(&served, 1u);
        }
    }
}
"""
HEAD = """
__device__ unsigned lock;
__device__ unsigned bits(float x) { return __float_as_uint(x); }
__device__ float number(unsigned x) { return __uint_as_float(x); }
"""
# By all threads of all blocks, or by one of each block for the whole of it.
EACH_WAY = """
__device__ void add_%s(float* sum, float value) {%s
}
__global__ void %s(float* sum) { add_%s(sum, 1.0f); }
__global__ void %s_of_block(float* sum) { if (threadIdx.x == 0) add_%s(sum, blockDim.x); }
"""
ADDING = "".join(EACH_WAY % (name, body, name, name, name, name) for name, body in WAYS.items())
KERNELS = HEAD + ADDING + TICKETS
LOST = ("compares_once", "exchanges_and_back", "reads_and_exchanges")
RACY = ("reads_plainly", "locks_without_fence")
RIGHT = ("compares", "compares_again", "locks", "tests_and_locks")


@pytest.fixture(scope="module", params=[False, True], ids=["fast", "check"])
def module(request: pytest.FixtureRequest) -> cudasim.Module:
    return cudasim.compile(KERNELS, check=request.param, order="random", workers=1)


def sums_of(module: cudasim.Module, kernel: str) -> list[float]:
    """Launch again and again: the number of the launch is part of the seed."""
    sums = []
    for _ in range(NUM_LAUNCHES):
        total = np.zeros(1, np.float32)
        module[kernel](NUM_BLOCKS, NUM_THREADS)(total)
        sums.append(float(total[0]))
    return sums


@pytest.mark.parametrize("suffix", ["", "_of_block"])
@pytest.mark.parametrize("name", LOST)
def test_an_update_between_two_atomics_is_lost_under_every_seed(
    module: cudasim.Module, name: str, suffix: str
) -> None:
    sums = sums_of(module, name + suffix)
    assert COUNT not in sums
    assert len(set(sums)) > 1


@pytest.mark.parametrize("suffix", ["", "_of_block"])
def test_a_volatile_addition_loses_updates_in_the_check_build(suffix: str) -> None:
    module = cudasim.compile(KERNELS, check=True, order="random")
    assert COUNT not in sums_of(module, "adds_volatile" + suffix)


@pytest.mark.parametrize("suffix", ["", "_of_block"])
@pytest.mark.parametrize("name", RACY)
def test_a_plain_access_beside_an_atomic_one_races_under_every_seed(name: str, suffix: str) -> None:
    module = cudasim.compile(KERNELS, check=True, order="random")
    for _ in range(NUM_LAUNCHES):
        module[name + suffix](NUM_BLOCKS, NUM_THREADS)(np.zeros(1, np.float32))
        assert {each.kind for each in module.findings()} & {"RAW", "WAR", "WAW"}
        module.clear_findings()


@pytest.mark.parametrize("name", [*RIGHT, *(f"{name}_of_block" for name in RIGHT),
                                  "tickets_of_block"])  # fmt: skip
def test_threads_that_try_again_end_and_lose_nothing(module: cudasim.Module, name: str) -> None:
    module.clear_findings()
    assert sums_of(module, name) == [COUNT] * NUM_LAUNCHES
    assert module.findings() == (), module.report()


@pytest.mark.parametrize("order", ["ascending", "descending"])
def test_in_a_fixed_order_of_the_fast_build_nobody_gives_way(order: str) -> None:
    module = cudasim.compile(KERNELS, order=order, workers=1)
    assert sums_of(module, "exchanges_and_back") == [COUNT] * NUM_LAUNCHES


PRINTED = """
#include <cstdio>
__global__ void add(int* sum) {
    int old = atomicExch(sum, 0);
    atomicExch(sum, old + 1);
}
int main() {
    int* sum;
    cudaMallocManaged(&sum, sizeof *sum);
    for (int i = 0; i < 20; i++) {
        *sum = 0;
        add<<<16, 64>>>(sum);
        cudaDeviceSynchronize();
        std::printf("%d ", *sum);
    }
}
"""


@pytest.mark.parametrize("build", list(Build))
def test_the_seed_decides_who_gives_way(build: Build, tmp_path: Path) -> None:
    program = tmp_path / "printed.cu"
    program.write_text(PRINTED)
    # The watch has threads give way by time, too; without it those of the fast build never do.
    settings = {"watchdog_ms": 0} if build is Build.CHECK else {}
    first, again = (run_program(program, build, order=RANDOM, **settings) for _ in range(2))
    assert first.exit_code == 0
    sums = first.output.split()
    num_equal = sum(one == other for one, other in zip(sums, again.output.split(), strict=True))
    assert num_equal >= (20 if build is Build.CHECK else 10)
    assert len(set(sums)) > 1


def test_without_a_watch_a_thread_that_reads_a_lock_again_and_again_ends() -> None:
    for check in (False, True):
        module = cudasim.compile(KERNELS, check=check, order="random", workers=1, watchdog_s=None)
        assert sums_of(module, "tests_and_locks") == [COUNT] * NUM_LAUNCHES


# Each block begins by an atomic access, where it gives way, and uses its shared memory after it.
PAUSED = """
__device__ int started;
__global__ void keep(int* out) {
    __shared__ int mine[64];
    atomicAdd(&started, 1);
    mine[threadIdx.x] = 1000 * blockIdx.x + threadIdx.x;
    atomicAdd(&started, 1);
    __syncthreads();
    atomicAdd(&started, 1);
    out[blockIdx.x * 64 + threadIdx.x] = mine[63 - threadIdx.x];
}
__global__ void peek(int* out) {
    __shared__ int never[64];
    atomicAdd(&started, 1);
    if (blockIdx.x % 2 == 0) never[threadIdx.x] = 7;
    atomicAdd(&started, 1);
    out[blockIdx.x * 64 + threadIdx.x] = never[threadIdx.x];
}
"""


@pytest.mark.parametrize("check", [False, True])
def test_a_block_that_gave_way_finds_its_shared_memory_as_it_left_it(check: bool) -> None:
    out = np.zeros((32, 64), np.int32)
    module = cudasim.compile(PAUSED, check=check, order="random", workers=1)
    module.keep(32, 64)(out)
    assert not check or module.findings() == (), module.report()
    assert (out == 1000 * np.arange(32)[:, None] + 63 - np.arange(64)).all()


def test_shared_memory_of_a_block_that_gave_way_is_still_unwritten() -> None:
    out = np.zeros((8, 64), np.int32)
    module = cudasim.compile(PAUSED, check=True, order="random", workers=1)
    module.peek(8, 64)(out)
    assert {each.kind for each in module.findings()} == {"uninitialized"}
    module.clear_findings()
    fast = cudasim.compile(PAUSED, order="random", workers=1)
    fast.peek(8, 64)(out)
    assert (out[::2] == 7).all()
    assert (out[1::2] == -1).all()


# What is not ordered between blocks is a race, whether or not one of them was paused; what a fence
# and an atomic order is none.
PASSED = """
__device__ unsigned arrived;
__global__ void last_block_adds(const float* x, float* partial, float* out) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = x[blockIdx.x];
        FENCE
        is_last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        float sum = 0;
        for (int i = 0; i < gridDim.x; i++) sum += partial[i];
        out[0] = sum;
    }
}
"""


@pytest.mark.parametrize("fence", [True, False])
def test_the_order_of_blocks_that_give_way_is_known(fence: bool) -> None:
    source = PASSED.replace("FENCE", "__threadfence();" if fence else "")
    module = cudasim.compile(source, check=True, order="random")
    for _ in range(NUM_LAUNCHES):
        x, partial, out = np.ones(24, np.float32), np.zeros(24, np.float32), np.zeros(1, np.float32)
        module.last_block_adds(24, 32)(x, partial, out)
        kinds = {each.kind for each in module.findings()}
        assert kinds == (set() if fence else {"RAW"})
        assert out[0] == 24
        module.clear_findings()


def test_a_lock_that_nobody_gives_back_is_a_timeout() -> None:
    source = """
    __device__ unsigned lock = 1;
    __global__ void wait() { while (atomicCAS(&lock, 0u, 1u) != 0) {} }
    """
    for check in (False, True):
        module = cudasim.compile(source, check=check, order="random", workers=1, watchdog_s=0.3)
        with pytest.raises(KernelError) as caught:
            module.wait(8, 64)()
        assert {each.kind for each in caught.value.findings} == {"timeout"}
