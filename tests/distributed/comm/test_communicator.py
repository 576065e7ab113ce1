"""What holds for every size, shape, stride, dtype, operation and order, on ranks as threads."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from torchstone.distributed import run_threads
from torchstone.distributed.comm.calls import num_bytes
from torchstone.distributed.comm.effects import flat_of
from torchstone.distributed.comm.ordered import OPS, ORDERS

pytestmark = [pytest.mark.torch]

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
UNSIGNED = (torch.uint16, torch.uint32, torch.uint64)
COMPLEX = (torch.complex64, torch.complex128)
DTYPES = (*FLOATS, *INTEGERS, *UNSIGNED, *COMPLEX, torch.bool)

sizes = st.integers(1, 16)
shapes = st.sampled_from([(), (0,), (1,), (7,), (3, 5), (2, 0, 3), (17, 3), (2, 3, 4)])
# What a tensor may lie in: itself, its transpose, each second column, a row that is repeated.
layouts = st.sampled_from(["plain", "transposed", "strided"])


def tensor_of(rank: int, shape: tuple[int, ...], dtype: torch.dtype, seed: int) -> torch.Tensor:
    """Return values that differ by rank, with large, small and negative ones among them."""
    random = torch.Generator().manual_seed(1000 * seed + rank)
    values = torch.randn(shape, generator=random, dtype=torch.float64)
    values = values * 10.0 ** torch.randint(-3, 4, shape, generator=random)
    if dtype.is_complex:
        return torch.complex(values, torch.randn(shape, generator=random).double()).to(dtype)
    return values.to(dtype) if dtype.is_floating_point else values.abs().clamp(max=99).to(dtype)


def laid_out(values: torch.Tensor, layout: str) -> torch.Tensor:
    """Return the values with other strides."""
    if values.dim() == 0 or layout == "plain":
        return values.clone()
    if layout == "transposed":
        turned = values.movedim(0, -1).clone(memory_format=torch.contiguous_format)
        return turned.movedim(-1, 0)
    return torch.stack([values, torch.zeros_like(values)], dim=-1)[..., 0]


def is_same(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Compare bits: of NaN too, and of dtypes that torch does not compare."""
    bits = [flat_of(each).view(torch.uint8) for each in (one, other)]
    return one.dtype == other.dtype and one.shape == other.shape and torch.equal(*bits)


def add_in_rank_order(parts: list[torch.Tensor]) -> torch.Tensor:
    """Return the sum as the plainest loop has it."""
    if parts[0].dtype in UNSIGNED:
        return add_in_rank_order([each.to(torch.int64) for each in parts]).to(parts[0].dtype)
    total = parts[0].clone()
    for part in parts[1:]:
        total = total + part
    return total


@given(sizes, shapes, layouts, st.sampled_from(DTYPES), st.integers(0, 99))
def test_a_sum_in_rank_order_is_that_of_a_loop_for_every_size_dtype_and_stride(
    size, shape, layout, dtype, seed
):
    parts = [tensor_of(rank, shape, dtype, seed) for rank in range(size)]

    def reduce(world):
        x = laid_out(parts[world.rank], layout)
        world.comm().all_reduce(x).wait()
        return x

    wanted = add_in_rank_order(parts)
    assert all(is_same(each, wanted) for each in run_threads(reduce, size))


@given(
    sizes,
    st.sampled_from(DTYPES),
    st.sampled_from(OPS),
    st.sampled_from(ORDERS),
    st.integers(1, 5),
    st.integers(0, 9),
)
def test_a_reduce_scatter_is_the_part_of_an_all_reduce_and_the_ranks_agree(
    size, dtype, op, order, length, seed
):
    def reduce(world):
        whole = tensor_of(world.rank, (size, length), dtype, seed)
        part = torch.empty(length, dtype=dtype)
        world.comm().reduce_scatter(part, whole, op=op, order=order).wait()
        world.comm().all_reduce(whole, op=op, order=order).wait()
        return whole, part

    undefined = (
        (dtype.is_complex and op in ("min", "max"))
        or (dtype == torch.bool and op == "mean")
        or (dtype == torch.uint64 and op not in ("sum", "product"))
    )
    if undefined:
        with pytest.raises(ValueError, match=op):
            run_threads(reduce, size)
        return
    results = run_threads(reduce, size)
    for rank, (whole, part) in enumerate(results):
        assert is_same(whole, results[0][0])
        assert is_same(part, whole[rank])


@given(st.permutations(range(8)), st.sampled_from(FLOATS), st.integers(0, 99))
def test_a_sum_in_float64_does_not_depend_on_the_order_of_the_ranks(order, dtype, seed):
    parts = [tensor_of(rank, (50,), torch.float32, seed).to(dtype) for rank in range(8)]
    # Sums of these are exact in float64, so that no order can show.
    parts = [each.clamp(-500, 500) for each in parts]

    def reduce(world, places):
        x = parts[places[world.rank]].clone()
        world.comm().all_reduce(x, order="float64").wait()
        return x

    if dtype == torch.float64:
        parts = [each.float().double() for each in parts]
    wanted = run_threads(reduce, 8, list(range(8)))[0]
    assert is_same(run_threads(reduce, 8, order)[0], wanted)


def test_a_sum_in_rank_order_does_depend_on_the_order_of_the_ranks():
    def reduce(world, values):
        x = torch.tensor(values[world.rank])
        world.comm().all_reduce(x).wait()
        return float(x)

    assert run_threads(reduce, 3, [1e8, -1e8, 1.0]) == [1.0] * 3
    assert run_threads(reduce, 3, [1e8, 1.0, -1e8]) == [0.0] * 3


@given(sizes, shapes, layouts, st.sampled_from(DTYPES), st.data())
def test_gathers_exchanges_and_broadcasts_move_every_element_to_its_place(
    size, shape, layout, dtype, data
):
    src = data.draw(st.integers(0, size - 1))
    parts = [tensor_of(rank, shape, dtype, 1) for rank in range(size)]
    rows = [tensor_of(rank, (size, *shape), dtype, 2) for rank in range(size)]

    def move(world):
        comm, mine = world.comm(), laid_out(parts[world.rank], layout)
        whole = laid_out(torch.zeros(size, *shape, dtype=dtype), layout)
        swapped = laid_out(torch.zeros(size, *shape, dtype=dtype), layout)
        comm.all_gather(whole, mine).wait()
        comm.all_to_all(swapped, laid_out(rows[world.rank], layout)).wait()
        comm.broadcast(mine, src).wait()
        return whole, swapped, mine

    for rank, (whole, swapped, mine) in enumerate(run_threads(move, size)):
        assert is_same(whole, torch.stack(parts))
        assert is_same(swapped, torch.stack([each[rank] for each in rows]))
        assert is_same(mine, parts[src])


@given(st.integers(2, 9), st.integers(1, 40), st.sampled_from([torch.float32, torch.bool]))
def test_the_ledger_has_the_bytes_of_the_formula(size, length, dtype):
    def work(world):
        comm = world.comm()
        x, rows = torch.ones(length, dtype=dtype), torch.ones(size, length, dtype=dtype)
        out = torch.empty(length, dtype=dtype)
        comm.all_reduce(x).wait()
        comm.reduce_scatter(out, rows).wait()
        comm.all_gather(rows, x).wait()
        comm.all_to_all(rows, rows.clone()).wait()
        comm.broadcast(x, size - 1).wait()
        if world.rank == 0:
            comm.send(x, 1).wait()
        if world.rank == 1:
            comm.recv(x, 0).wait()
        comm.barrier()
        return comm.ledger

    bytes_of_one = length * dtype.itemsize
    padded = -(-length // size) * dtype.itemsize
    ledgers = run_threads(work, size)
    for ledger in ledgers:
        assert ledger.total("all_reduce") == 2 * (size - 1) * padded
        assert ledger.total("reduce_scatter") == (size - 1) * bytes_of_one
        assert ledger.total("all_gather") == (size - 1) * bytes_of_one
        assert ledger.total("all_to_all") == (size - 1) * bytes_of_one
        assert ledger.total("barrier") == 0
        assert ledger.total() == sum(each.bytes_sent for each in ledger.entries)
    assert ledgers[0].total("send") == bytes_of_one
    # Each rank but the root gets it once, and somebody has sent each of those.
    assert sum(each.total("broadcast") for each in ledgers) == (size - 1) * bytes_of_one
    received = [
        sum(entry.bytes_received for entry in each.entries if entry.op == "broadcast")
        for each in ledgers
    ]
    assert received == [bytes_of_one] * (size - 1) + [0]


@settings(max_examples=15)
@given(sizes, st.integers(0, 5))
def test_the_ledger_on_threads_is_what_the_formula_says_of_each_rank(size, length):
    def work(world):
        world.comm().broadcast(torch.ones(length), size // 2).wait()
        return world.comm().ledger.entries[0].bytes_sent

    assert run_threads(work, size) == [
        num_bytes("broadcast", torch.ones(length), size, rank=rank, src=size // 2)[0]
        for rank in range(size)
    ]
