"""Which blocks are counted: some that speak for the others, or all."""

import ctypes
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import torchstone.cudasim as cudasim
from torchstone.cudasim.counters import KernelCounters
from torchstone.cudasim.toolchain import Build, find_toolchain

pytestmark = pytest.mark.cudasim


def count(source: str, grid: int, block: int, *args: object) -> KernelCounters:
    module = cudasim.compile(source, check=True)
    module[module.kernels[0]](grid, block)(*args)
    assert module.findings() == (), module.report()
    (counters,) = module.counters()
    return counters


# Of 300 blocks one works, and its only thread makes so many requests at one place.
LONELY = """
__global__ void lonely(float* a) {
    __shared__ float mine[32];
    if (blockIdx.x != 77 || threadIdx.x != 0) return;
    for (int i = 0; i < 3000; i++) mine[i % 32] = a[i < 2000 ? 0 : i % 32];
    a[0] = mine[5];
}
"""


@pytest.fixture
def count_blocks() -> Iterator[Callable[[int], None]]:
    runtime = ctypes.CDLL(str(find_toolchain().runtime(Build.CHECK)))
    yield runtime.cusim_count_blocks
    runtime.cusim_count_blocks(0)


def test_all_blocks_are_counted_where_it_is_asked_for(count_blocks: Callable[[int], None]) -> None:
    count_blocks(1)
    counted = count(LONELY, 300, 64, np.zeros(32, np.float32))
    assert counted.counted_blocks == 300
    assert counted.operations["shared store"].requests == 3000
    assert counted.operations["global load"].lanes == 3000
    assert counted.operations["shared load"].requests == 1


def test_some_blocks_speak_for_the_others_otherwise() -> None:
    assert count(LONELY, 300, 64, np.zeros(32, np.float32)).counted_blocks < 300


def test_who_tries_again_is_counted_once_where_all_blocks_are_counted(
    count_blocks: Callable[[int], None],
) -> None:
    source = """
    __global__ void add(unsigned* sum) {
        unsigned seen = *sum, old;
        do {
            old = seen;
            seen = atomicCAS(sum, old, old + 1);
        } while (seen != old);
    }
    """
    count_blocks(1)
    atomics = count(source, 8, 64, np.zeros(1, np.uint32)).operations["global atomic"]
    assert atomics.lanes == 8 * 64
