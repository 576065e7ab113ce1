"""Versions of a kernel are ranked as on a card, in the orders that others have published."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import torchstone.cudasim as cudasim
from torchstone.cudasim.cost import estimate_cost
from torchstone.cudasim.counters import KernelCounters, Tally
from torchstone.cudasim.kernels import Kernel

pytestmark = pytest.mark.cudasim

LADDERS = Path(__file__).parent / "ladders"
Shape = tuple[tuple[int, ...], tuple[int, ...], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """A program with its versions, from the dearest to the cheapest.

    ``shapes`` gives grid, block and dynamic shared bytes of each for a size; ``run`` launches one
    of them at that size, and judges what it computes.
    """

    program: str
    shapes: Mapping[str, Callable[[int], Shape]]
    run: Callable[[Kernel, Shape, int], None]


def multiply(kernel: Kernel, shape: Shape, size: int) -> None:
    random = np.random.default_rng(0)
    a, b = (random.standard_normal((size, size), dtype=np.float32) for _ in range(2))
    c = np.full((size, size), np.nan, np.float32)
    kernel(*shape)(a, b, c, size, size, size)
    np.testing.assert_allclose(c, a @ b, rtol=1e-3, atol=1e-3)


def turn(kernel: Kernel, shape: Shape, size: int) -> None:
    matrix = np.arange(size * size, dtype=np.float32).reshape(size, size)
    out = np.zeros_like(matrix)
    kernel(*shape)(out, matrix, size, size)
    np.testing.assert_array_equal(out, matrix if kernel.entry.name == "copied" else matrix.T)


def reduce(kernel: Kernel, shape: Shape, size: int) -> None:
    values = np.random.default_rng(0).integers(-8, 9, size).astype(np.float32)
    out = np.zeros(shape[0][0], np.float32)
    kernel(*shape)(values, out, size)
    assert out.sum() == values.sum()


def normalise(kernel: Kernel, shape: Shape, size: int) -> None:
    x = np.random.default_rng(0).standard_normal((256, size), dtype=np.float32)
    out = np.full_like(x, np.nan)
    kernel(*shape)(x, out, 256, size)
    powers = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(out, powers / powers.sum(1, keepdims=True), rtol=1e-4, atol=1e-6)


def by_tiles(edge: int, block: tuple[int, ...]) -> Callable[[int], Shape]:
    return lambda size: ((size // edge, size // edge), block, 0)


def by_elements(each: int) -> Callable[[int], Shape]:
    return lambda size: ((size // (256 * each),), (256,), 256 * 4)


# Boehm, How to optimize a CUDA matmul kernel for cuBLAS-like performance (2022), kernels 1 to 6.
MATMUL = Ladder(
    program="matmul.cu",
    shapes={
        "rows_first": by_tiles(16, (16, 16)),
        "columns_first": by_tiles(16, (16, 16)),
        "tiled": by_tiles(16, (16, 16)),
        "column_of_eight": by_tiles(64, (512,)),
        "square_of_eight": by_tiles(64, (64,)),
        "square_by_vectors": by_tiles(64, (64,)),
    },
    run=multiply,
)
# Harris, An efficient matrix transpose in CUDA C/C++ (2013).
TRANSPOSE = Ladder(
    program="transpose.cu",
    shapes=dict.fromkeys(("naive", "tiled", "padded", "copied"), by_tiles(32, (32, 8))),
    run=turn,
)
# Harris, Optimizing parallel reduction in CUDA (2007), kernels 1 to 7. The sixth differs from the
# fifth by its arithmetic only, and has a test of its own.
REDUCTION = Ladder(
    program="reduction.cu",
    shapes={
        "interleaved_divergent": by_elements(1),
        "interleaved_conflicts": by_elements(1),
        "sequential": by_elements(1),
        "first_add_at_load": by_elements(2),
        "last_warp_apart": by_elements(2),
        "many_each": by_elements(8),
        "shuffled": by_elements(8),
    },
    run=reduce,
)
ATOMIC_SUM = Ladder(
    program="reduction.cu",
    shapes={
        "atomic_by_all": by_elements(1),
        "atomic_within_block": by_elements(1),
        "sequential": by_elements(1),
    },
    run=reduce,
)
# Milakov and Gimelshein, Online normalizer calculation for softmax (2018), and a warp for each row.
SOFTMAX = Ladder(
    program="softmax.cu",
    shapes={
        "row_by_thread": lambda size: ((2,), (128,), 0),
        "row_by_block": lambda size: ((256,), (128,), 0),
        "online": lambda size: ((256,), (128,), 0),
        "row_by_warp": lambda size: ((64,), (128,), 0),
    },
    run=normalise,
)


def cost_of(ladder: Ladder, name: str, size: int) -> float:
    module = cudasim.compile(LADDERS / ladder.program, check=True)
    ladder.run(module[name], ladder.shapes[name](size), size)
    assert module.findings() == ()
    return sum(estimate_cost(each).cycles for each in module.counters())


@pytest.mark.gate("reduction*", "softmax*", "transpose*")
@pytest.mark.parametrize(
    ("ladder", "size"),
    [(MATMUL, 256), (MATMUL, 320), (TRANSPOSE, 128), (TRANSPOSE, 512),
     (REDUCTION, 1 << 15), (REDUCTION, 1 << 17), (ATOMIC_SUM, 1 << 13), (ATOMIC_SUM, 1 << 15),
     (SOFTMAX, 128), (SOFTMAX, 1024)],
    ids=lambda value: value.program if isinstance(value, Ladder) else str(value),
)  # fmt: skip
def test_a_better_version_costs_less(ladder: Ladder, size: int) -> None:
    costs = {name: cost_of(ladder, name, size) for name in ladder.shapes}
    for (dear, cost), (cheap, lower) in pairwise(costs.items()):
        assert lower < 0.97 * cost, f"{cheap} costs {lower:.0f}, {dear} {cost:.0f}: {costs}"


@pytest.mark.parametrize("size", [1 << 15, 1 << 17])
def test_what_differs_by_arithmetic_only_costs_the_same(size: int) -> None:
    """Loops that are unrolled save arithmetic, which the model does not see."""
    shapes = {"last_warp_apart": by_elements(2), "unrolled": by_elements(2)}
    ladder = Ladder(program="reduction.cu", shapes=shapes, run=reduce)
    assert cost_of(ladder, "unrolled", size) == cost_of(ladder, "last_warp_apart", size)


def counted(operations: dict[str, Tally], *, blocks: int = 1, launches: int = 1) -> KernelCounters:
    return KernelCounters(
        kernel="k", grid=(blocks, 1, 1), block=(32, 1, 1), static_bytes=0, dynamic_bytes=0,
        launches=launches, counted_blocks=blocks, barriers=0, store_epochs=0,
        operations=operations, flops=0, lines=(),
    )  # fmt: skip


def test_each_part_of_a_cost_has_its_price() -> None:
    cost = estimate_cost(
        counted(
            {
                "global load": Tally(requests=10, sectors=40, fresh_sectors=8),
                "global store": Tally(requests=2, sectors=3),
                "shared load": Tally(requests=5, wavefronts=7, ideal_wavefronts=5),
                "constant load": Tally(requests=1, wavefronts=2),
                "global atomic": Tally(requests=2, sectors=2, contention=33),
                "shared atomic": Tally(requests=1, wavefronts=1, contention=4),
                "barrier": Tally(requests=6),
                "shuffle xor": Tally(requests=3),
                "vote": Tally(requests=4),
            }
        )
    )
    cached, fetched = 32 * 80 * 1.38 / 2155, 32 * 80 * 1.38 / 900
    assert cost.requests == 21
    assert cost.global_traffic == pytest.approx(43 * cached + 11 * fetched)
    assert cost.shared_traffic == 9
    assert cost.atomics == pytest.approx(31 * 16 + 2 * cached + (3 + 1) * 2)
    assert cost.barriers == 12
    assert cost.warp_operations == 3 + 2
    parts = (cost.requests, cost.global_traffic, cost.shared_traffic, cost.atomics, cost.barriers,
             cost.warp_operations)  # fmt: skip
    assert cost.cycles == pytest.approx(sum(parts))


@pytest.mark.parametrize(("blocks", "launches", "share"), [(1, 1, 1), (4, 1, 4), (4, 10, 4),
                                                           (16, 1, 16), (1000, 2, 16)])  # fmt: skip
def test_work_is_spread_over_as_many_multiprocessors_as_there_are_blocks(
    blocks: int, launches: int, share: int
) -> None:
    work = {"shared load": Tally(requests=100, wavefronts=60)}
    cost = estimate_cost(counted(work, blocks=blocks, launches=launches))
    assert cost.cycles == pytest.approx(160 / share)
