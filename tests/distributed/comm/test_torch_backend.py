"""Collectives between real processes, which torchrun has started."""

import pytest

from tests.distributed.launch import by_torchrun, by_variables

pytestmark = [pytest.mark.torch, pytest.mark.full]

COLLECTIVES = """
from torchstone.distributed.comm.ordered import OPS, combine
from torchstone.distributed.comm.calls import num_bytes

NAMES = ("uint8 int8 int16 int32 int64 uint16 uint32 uint64 bool float16 bfloat16 float32 float64 "
         "complex32 complex64 complex128").split()
SHAPES = [(), (0,), (1,), (7,), (3, 5), (64, 33)]

def given(rank, shape, dtype, salt=0):
    random = torch.Generator().manual_seed(100 * rank + salt)
    values = torch.randn(shape, generator=random, dtype=torch.float64) * 3
    if dtype.is_complex:
        values = torch.complex(values, values.flip(0) if values.dim() else values)
    elif not dtype.is_floating_point:
        values = values.abs()
    return values.to(dtype)

def is_same(a, b):
    # Of NaN too, and of dtypes that torch does not compare.
    bits = [each.contiguous().view(-1).view(torch.uint8) for each in (a, b)]
    return a.dtype == b.dtype and a.shape == b.shape and torch.equal(*bits)

def is_close(x, wanted, parts):
    # By roundings alone, of any order of the sum.
    sizes = torch.stack([each.to(torch.complex128).abs() for each in parts])
    scale = 1 + sizes.sum(0) + sizes.prod(0)
    far = (x.to(torch.complex128) - wanted.to(torch.complex128)).abs()
    return bool((far <= 4 * len(parts) * torch.finfo(x.dtype).eps * scale).all())

def is_defined(dtype, op):
    if dtype.is_complex:
        return op not in ("min", "max")
    if dtype == torch.uint64:
        return op in ("sum", "product")
    return dtype != torch.bool or op != "mean"

wrong = []
def expect(is_right, *what):
    if not is_right:
        wrong.append(" ".join(map(str, what)))

with td.init(timeout_s=60, check=True) as world:
    comm, rank, size = world.comm(), world.rank, world.world_size
    for name in NAMES:
        dtype = getattr(torch, name)
        for shape in SHAPES if name in ("float32", "bfloat16", "bool") else [(7,)]:
            parts = [given(each, shape, dtype) for each in range(size)]
            for op in OPS if shape in ((7,), ()) else ["sum"]:
                if not is_defined(dtype, op):
                    continue
                for order in ("rank", "float64", "fast"):
                    wanted = torch.empty_like(parts[0])
                    combine(parts, op=op, order=order, out=wanted)
                    x = parts[rank].clone()
                    comm.all_reduce(x, op=op, order=order).wait()
                    if order == "fast" and (x.is_floating_point() or x.is_complex()):
                        close = is_close(x, wanted, parts)
                        expect(close, "fast", name, op)
                    else:
                        expect(is_same(x, wanted), "all_reduce", name, shape, op, order)
            whole = torch.empty(size, *shape, dtype=dtype)
            comm.all_gather(whole, parts[rank]).wait()
            expect(is_same(whole, torch.stack(parts)), "all_gather", name, shape)
            for src in range(size):
                x = parts[rank].clone()
                comm.broadcast(x, src).wait()
                expect(is_same(x, parts[src]), "broadcast", name, shape, src)
    # Strides, and results within what is given.
    x = given(rank, (4, 6), torch.float32).t()
    wanted = torch.empty(6, 4)
    turned = [given(each, (4, 6), torch.float32).t() for each in range(size)]
    combine(turned, op="sum", order="rank", out=wanted)
    comm.all_reduce(x).wait()
    expect(is_same(x, wanted), "all_reduce of a view")
    one = torch.full((4,), float(rank))[::4]
    comm.all_reduce(one).wait()
    expect(float(one) == sum(range(size)), "one element of a stride of 4")
    every = torch.zeros(size, 5)
    every[rank] = rank + 1
    comm.all_gather(every, every[rank]).wait()
    expect(every[:, 0].tolist() == list(range(1, size + 1)), "all_gather in place")
    rows = [given(each, (size, 3), torch.float32) for each in range(size)]
    out = torch.empty(3, 2)[:, 0]
    comm.reduce_scatter(out, rows[rank]).wait()
    wanted = torch.empty(3)
    combine([each[rank] for each in rows], op="sum", order="rank", out=wanted)
    expect(is_same(out, wanted), "reduce_scatter")
    out = torch.empty(3, size).t()
    comm.all_to_all(out, rows[rank]).wait()
    expect(is_same(out, torch.stack([each[rank] for each in rows])), "all_to_all")
    # Both send first, large, and in the middle of collectives; two tags cross.
    following, before = (rank + 1) % size, (rank - 1) % size
    sent, came = torch.full((300_000,), float(rank)), torch.empty(300_000)
    late, other = torch.tensor(float(rank + 100)), torch.empty(())
    works = [comm.send(sent, following), comm.send(late, following, tag=5)]
    works += [comm.all_reduce(torch.ones(3))]
    works += [comm.recv(other, before, tag=5), comm.recv(came, before)]
    for work in works:
        work.wait()
        work.wait()
    expect(float(came[0]) == before and float(other) == before + 100, "messages")
    expect(comm.ledger.total("send") == 1_200_004, "ledger of messages")
    # Many at once, waited for in another order.
    many = [torch.full((1000,), float(rank + each)) for each in range(20)]
    with comm.ledger.labelled("many"):
        works = [comm.all_reduce(each) for each in many]
    for work in reversed(works):
        work.wait()
    sums = [sum(range(size)) + size * place for place in range(20)]
    expect([float(each[0]) for each in many] == sums, "many")
    expect(sum(each.label == "many" for each in comm.ledger.entries) == 20, "labels")
    for bad in (lambda: comm.send(sent, rank), lambda: comm.broadcast(sent, size),
                lambda: comm.reduce_scatter(torch.empty(1), torch.empty(size + 1)),
                lambda: comm.all_gather(torch.empty(1), torch.empty(3)),
                lambda: comm.all_reduce(torch.empty(1), op="average")):
        try:
            bad()
            expect(False, "no refusal")
        except ValueError:
            pass
    comm.barrier()
    record("wrong", wrong)
# Those of the store stay; a world whose collectives are still named somewhere keeps no socket.
record("left", td.wire_bytes())
with td.init(timeout_s=60, mesh={"tp": 2}) if size % 2 == 0 else td.init(timeout_s=60) as world:
    comm = world.comm()
    x = torch.tensor(float(rank))
    world.comm("tp").all_reduce(x).wait()
    record("tp", float(x))
    ratios = {}
    x, big = torch.randn(500_000), torch.randn(size, 250_000)
    calls = {
        "all_reduce": lambda: comm.all_reduce(x),
        "all_reduce float64": lambda: comm.all_reduce(x, order="float64"),
        "reduce_scatter": lambda: comm.reduce_scatter(torch.empty(250_000), big),
        "all_gather": lambda: comm.all_gather(torch.empty(size, 500_000), x),
        "all_to_all": lambda: comm.all_to_all(torch.empty_like(big), big),
        "broadcast": lambda: comm.broadcast(x, 1),
    }
    if rank < 2:
        calls["message"] = lambda: comm.send(x, 1) if rank == 0 else comm.recv(x, 0)
    for name, call in calls.items():
        call().wait()
    for name in [*calls, *([] if rank < 2 else ["message"])]:
        comm.barrier()
        time.sleep(0.1)
        before, payload = td.wire_bytes(), comm.ledger.total()
        for _ in range(3):
            if name in calls:
                calls[name]().wait()
        ratios[name] = [td.wire_bytes() - before, comm.ledger.total() - payload]
    comm.barrier()
    record("ratios", ratios)
try:
    comm.barrier()
except RuntimeError as error:
    record("closed", str(error))
record("end", True)
"""


@pytest.mark.parametrize("num_ranks", [2, 3, 4])
def test_collectives_of_gloo_give_the_bits_and_send_the_bytes_of_the_formula(num_ranks, tmp_path):
    ranks = by_torchrun(COLLECTIVES, num_ranks, tmp_path, until="end")
    assert ranks.each("wrong") == [[]] * num_ranks
    assert max(ranks.each("left")) < 20_000
    assert all("the world of this axis is closed" in each for each in ranks.each("closed"))
    if num_ranks % 2 == 0:
        assert ranks.each("tp") == [1.0, 1.0, 5.0, 5.0][:num_ranks]
    for rank, ratios in enumerate(ranks.each("ratios")):
        for name, (sent, payload) in ratios.items():
            # A rank that sends nothing still acknowledges.
            if payload == 0:
                assert sent < 5_000, (rank, name)
            else:
                assert sent == pytest.approx(payload, rel=0.005), (rank, name)


CHAIN = """
import random

def run(comm, seed, is_patient):
    # Each collective may read or write what the one before it writes or reads.
    chance, works = random.Random(seed), []
    part, rank = 40_000, comm.rank
    tensors = [torch.arange(comm.size * part) * (rank + 2) + number for number in range(3)]
    for number in range(40):
        one, other = chance.sample(tensors, 2)
        start = chance.choice((0, part))
        few = one[: chance.choice((1, 7, part - 1, 2 * part - 1))]
        calls = [
            lambda: comm.all_reduce(one),
            lambda: comm.all_reduce(few, op=chance.choice(("sum", "max"))),
            lambda: comm.all_reduce(few, op="min", order="fast"),
            lambda: comm.reduce_scatter(other[start : start + part], one),
            lambda: comm.reduce_scatter(one[:part], one),
            lambda: comm.reduce_scatter(other.view(comm.size, -1).t()[:, 0], one),
            lambda: comm.all_gather(one, other[start : start + part]),
            lambda: comm.all_gather(one.view(-1, comm.size).t(), other[:part]),
            lambda: comm.all_to_all(one, other),
            lambda: comm.broadcast(one[start:], src=number % comm.size),
            lambda: comm.all_reduce(torch.empty(0)),
        ]
        works.append(chance.choice(calls)())
        if is_patient:
            works[-1].wait()
    for work in works[::-1]:
        work.wait()
    return tensors

size = int(os.environ["WORLD_SIZE"])
wanted = [td.run_threads(lambda world: run(world.comm(), seed, True), size) for seed in range(8)]
with td.init(timeout_s=60) as world:
    wrong = []
    for seed in range(8):
        found = run(world.comm(), seed, False)
        if not all(map(torch.equal, found, wanted[seed][world.rank])):
            wrong.append(seed)
    numbers = [each.number for each in world.comm().ledger.entries]
    record("wrong", wrong)
    record("in_order", numbers == sorted(numbers))
record("end", True)
"""


@pytest.mark.parametrize("num_ranks", [2, 3])
def test_collectives_that_nobody_waits_for_do_what_they_do_one_after_another(num_ranks, tmp_path):
    ranks = by_torchrun(CHAIN, num_ranks, tmp_path, until="end")
    assert ranks.each("wrong") == [[]] * num_ranks
    assert ranks.each("in_order") == [True] * num_ranks


FAULT = """
def fault(world, comm):
    {fault}

begin = None
try:
    with td.init(timeout_s=4, mesh={{"dp": -1}}, check={check}) as world:
        comm = world.comm("dp")
        x = torch.ones(1000)
        for _ in range(3):
            comm.all_reduce(x).wait()
        fault(world, comm)
        begin = time.monotonic()
        comm.all_reduce(x).wait()
        comm.barrier()
        record("error", None)
except RuntimeError as error:
    record("waited_s", time.monotonic() - begin if begin else 0.0)
    record("error", [type(error).__name__, str(error)])
    record("left_s", time.monotonic() - begin if begin else 0.0)
    # torchrun ends the others as soon as one has failed.
    time.sleep(8)
record("end", True)
"""


def _fault(lines: str, *, check: bool = False) -> str:
    return FAULT.format(fault=lines.replace("\n", "\n    "), check=check)


def _variables(num_ranks: int, port: int) -> list[dict[str, str]]:
    return [
        {
            "RANK": str(rank),
            "WORLD_SIZE": str(num_ranks),
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(port),
        }
        for rank in range(num_ranks)
    ]


def test_a_mismatch_is_told_by_every_rank_as_where_each_one_is(tmp_path):
    lines = "if world.rank == 2: comm.all_gather(torch.empty(3000), torch.ones(1000)).wait()"
    ranks = by_torchrun(_fault(lines), 3, tmp_path, until="end")
    for kind, message in ranks.each("error"):
        assert kind == "Deadlock"
        assert "rank 2 is in all_gather #3 of dp, ranks 0, 1 in all_reduce #3" in message
    assert max(ranks.each("waited_s")) < 4 + 5


def test_a_mismatch_of_sizes_is_told_at_once_when_calls_are_checked(tmp_path):
    lines = "if world.rank == 1: comm.all_reduce(torch.ones(999)).wait()"
    ranks = by_torchrun(_fault(lines, check=True), 2, tmp_path, until="end")
    for kind, message in ranks.each("error"):
        assert kind == "Mismatch"
        assert "rank 0 is in all_reduce #3 of dp: 1000 elements of float32" in message
        assert "rank 1 is in all_reduce #3 of dp: 999 elements" in message


def test_a_rank_that_sleeps_is_named_as_past_its_last_collective(tmp_path):
    lines = "if world.rank == 1: time.sleep(11)"
    ranks = by_torchrun(_fault(lines), 3, tmp_path, until="error", lost=(1,))
    for rank in (0, 2):
        kind, message = ranks.records[rank]["error"]
        assert kind == "Deadlock"
        assert (
            "rank 1 is past all_reduce #2 of dp, ranks 0, 2 are in all_reduce #3 of dp" in message
        )
        assert ranks.records[rank]["waited_s"] < 4 + 5


def test_a_rank_that_is_stopped_says_nothing_and_the_others_leave_in_time(tmp_path):
    lines = "if world.rank == 1: os.kill(os.getpid(), signal.SIGSTOP)"
    ranks = by_torchrun(_fault(lines), 3, tmp_path, until="left_s", lost=(1,))
    for rank in (0, 2):
        kind, message = ranks.records[rank]["error"]
        assert kind == "RankLost"
        assert "all_reduce #3 of dp: rank 1 says nothing" in message
        assert "ranks 0, 2 are in all_reduce #3" in message
        assert ranks.records[rank]["left_s"] < 4 + 5


def test_a_stopped_rank_that_hosts_the_store_holds_nobody_longer(tmp_path, free_port):
    lines = "if world.rank == 0: os.kill(os.getpid(), signal.SIGSTOP)"
    variables = _variables(3, free_port)
    ranks = by_variables(_fault(lines), variables, tmp_path, until="left_s", lost=(0,))
    for rank in (1, 2):
        kind, message = ranks.records[rank]["error"]
        assert kind == "RankLost"
        assert "all_reduce #3 of dp" in message
        assert "rank 0" in message or "ranks 0" in message
        assert ranks.records[rank]["left_s"] < 4 + 5


@pytest.mark.parametrize("lost", [0, 2])
def test_a_rank_that_is_killed_is_named_with_the_collective(lost, tmp_path, free_port):
    # Without torchrun, which ends the other ranks within a tenth of a second.
    lines = f"if world.rank == {lost}: os.kill(os.getpid(), signal.SIGKILL)"
    variables = _variables(3, free_port)
    ranks = by_variables(_fault(lines), variables, tmp_path, until="left_s", lost=(lost,))
    for rank in {0, 1, 2} - {lost}:
        kind, message = ranks.records[rank]["error"]
        assert kind == "RankLost"
        assert "all_reduce #3 of dp" in message
        assert f"rank {lost}" in message or f"ranks {lost}" in message
        assert ranks.records[rank]["left_s"] < 4 + 5


SEVERAL = """
try:
    with td.init(timeout_s=4) as world:
        comm, tensors = world.comm(), [torch.ones(200_000) for _ in range(4)]
        comm.barrier()
        begin = time.monotonic()
        if world.rank == 2:
            comm.all_reduce(tensors[0]).wait()
            os.kill(os.getpid(), signal.SIGKILL)
        works = [comm.all_reduce(each) for each in tensors]
        works[0].wait()
        errors = []
        for work in works[1:]:
            try:
                work.wait()
            except RuntimeError as error:
                errors.append(f"{type(error).__name__}: {error}")
        record("errors", errors)
        record("waited_s", time.monotonic() - begin)
finally:
    record("end", True)
    # The test ends it. A rank that leaves would be another one that is lost.
    signal.pause()
"""


def test_collectives_behind_the_one_that_fails_fail_as_it_does(tmp_path, free_port):
    variables = _variables(3, free_port)
    ranks = by_variables(SEVERAL, variables, tmp_path, until="end", lost=(2,))
    for rank in (0, 1):
        one, *others = ranks.records[rank]["errors"]
        assert one.startswith("RankLost: all_reduce #2")
        assert "rank 2 says nothing" in one
        assert others == [one, one]
        assert ranks.records[rank]["waited_s"] < 4 + 5


def test_ranks_leave_when_one_raises_in_the_middle(tmp_path, free_port):
    lines = "if world.rank == 1: raise RuntimeError('mine')"
    ranks = by_variables(_fault(lines), _variables(3, free_port), tmp_path, until="left_s")
    assert ranks.records[1]["error"] == ["RuntimeError", "mine"]
    for rank in (0, 2):
        kind, message = ranks.records[rank]["error"]
        assert kind in ("RankLost", "Deadlock")
        assert "rank 1 " in message
        assert ranks.records[rank]["left_s"] < 4 + 5
