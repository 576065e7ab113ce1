import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from tests.distributed.models import (
    OPTIMISERS,
    Branches,
    Net,
    are_equal,
    batch,
    digest,
    grads_of,
    loss,
    train_alone,
)
from torchstone.distributed import DataParallel, run_threads

pytestmark = [pytest.mark.torch]

SMALL = {"bucket_mb": 3e-4, "first_bucket_mb": 1e-4}


@pytest.mark.parametrize("name", OPTIMISERS)
@pytest.mark.parametrize(
    "num_ranks", [1, 3, *(pytest.param(each, marks=pytest.mark.full) for each in (2, 4, 8, 16))]
)
@pytest.mark.parametrize("micro", [1, 3])
def test_training_has_the_bits_of_one_process_that_adds_in_rank_order(name, num_ranks, micro):
    def work(world):
        # Unequal at first: the parameters become those of rank 0.
        ddp = DataParallel(Net(seed=world.rank), **SMALL)
        optimizer = OPTIMISERS[name]([each for each in ddp.parameters() if each.requires_grad])
        digests = []
        for step in range(3):
            optimizer.zero_grad(set_to_none=step % 2 == 0)
            with ddp.no_sync():
                for each in range(micro - 1):
                    loss(ddp, batch(step, world.rank, each)).backward()
            loss(ddp, batch(step, world.rank, micro - 1)).backward()
            optimizer.step()
            digests.append(digest(ddp.parameters()))
        return digests, [each.detach().clone() for each in ddp.parameters()]

    results = run_threads(work, num_ranks)
    wanted = train_alone(num_ranks, OPTIMISERS[name], micro=micro)
    for digests, parameters in results:
        assert digests == results[0][0]
        assert are_equal(parameters, wanted)


@settings(max_examples=30)
@given(
    st.integers(1, 6),
    st.floats(1e-5, 1e-2),
    st.floats(1e-5, 1e-3),
    st.booleans(),
    st.booleans(),
)
def test_no_size_of_buckets_and_no_overlap_shows_in_the_bits(num_ranks, mb, first, overlap, finds):
    def work(world):
        ddp = DataParallel(
            Net(),
            bucket_mb=mb,
            first_bucket_mb=first,
            overlap=overlap,
            find_unused_parameters=finds,
        )
        loss(ddp, batch(0, world.rank)).backward()
        return grads_of(ddp)

    results = run_threads(work, num_ranks)
    wanted = run_threads(lambda world: _mean_by_hand(num_ranks), 1)[0]
    assert all(are_equal(each, wanted) for each in results)


def _mean_by_hand(num_ranks):
    total = None
    for rank in range(num_ranks):
        module = Net()
        loss(module, batch(0, rank)).backward()
        mine = grads_of(module)
        total = mine if total is None else [
            None if a is None else a + b for a, b in zip(total, mine, strict=True)
        ]  # fmt: skip
    return [None if each is None else each / num_ranks for each in total]


def test_an_order_in_float64_gives_equal_bits_to_any_order_of_the_ranks():
    def work(world, order):
        ddp = DataParallel(Net(), order="float64", **SMALL)
        loss(ddp, batch(0, order[world.rank])).backward()
        return digest(each.grad for each in ddp.parameters() if each.grad is not None)

    assert len(set(run_threads(work, 4, [0, 1, 2, 3]) + run_threads(work, 4, [2, 0, 3, 1]))) == 1


@given(st.integers(2, 5), st.data())
@settings(max_examples=30)
def test_ranks_may_run_branches_in_orders_of_their_own(num_ranks, data):
    orders = [data.draw(st.permutations(range(4))) for _ in range(num_ranks)]

    def work(world):
        ddp = DataParallel(Branches(), **SMALL)
        ddp(batch(0, world.rank)[:, :3], orders[world.rank]).sum().backward()
        return grads_of(ddp)

    results = run_threads(work, num_ranks)
    total = None
    for rank in range(num_ranks):
        module = Branches()
        module(batch(0, rank)[:, :3], orders[rank]).sum().backward()
        total = grads_of(module) if total is None else [
            a + b for a, b in zip(total, grads_of(module), strict=True)
        ]  # fmt: skip
    wanted = [each / num_ranks for each in total]
    assert all(are_equal(each, wanted) for each in results)


@given(st.integers(1, 5), st.booleans(), st.booleans(), st.data())
@settings(max_examples=40)
def test_unused_parameters_count_as_zero_where_others_use_them_and_stay_where_none_does(
    num_ranks, set_to_none, has_accumulated, data
):
    used = [
        data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=4, unique=True))
        for _ in range(num_ranks)
    ]

    def work(world):
        ddp = DataParallel(Branches(), find_unused_parameters=True, **SMALL)
        if not set_to_none:
            ddp(batch(0, world.rank)[:, :3], range(4)).sum().backward()
        ddp.zero_grad(set_to_none=set_to_none)
        if has_accumulated:
            with ddp.no_sync():
                ddp(batch(2, world.rank)[:, :3], used[-1]).sum().backward()
        ddp(batch(1, world.rank)[:, :3], used[world.rank]).sum().backward()
        return grads_of(ddp)

    results = run_threads(work, num_ranks)
    locals_ = []
    for rank in range(num_ranks):
        module = Branches()
        if has_accumulated:
            module(batch(2, rank)[:, :3], used[-1]).sum().backward()
        module(batch(1, rank)[:, :3], used[rank]).sum().backward()
        locals_.append(grads_of(module))
    for place, each in enumerate(Branches().parameters()):
        wanted = _mean_of_used([mine[place] for mine in locals_], torch.zeros_like(each))
        if wanted is None and not set_to_none:
            wanted = torch.zeros_like(each)
        assert all(are_equal([result[place]], [wanted]) for result in results)


def _mean_of_used(gradients, zeros):
    if all(each is None for each in gradients):
        return None
    first, *rest = [zeros if each is None else each for each in gradients]
    return sum(rest, first) / len(gradients)


def test_a_gradient_that_no_rank_has_touched_is_left_as_it_was():
    def work(world):
        ddp = DataParallel(Branches(), find_unused_parameters=True)
        other = ddp.module.layers[3].weight
        # Not a mean: were it exchanged, its bits would be those of rank sums.
        other.grad = mine = torch.full((3, 3), 0.1 * (world.rank + 1))
        ddp(torch.ones(1, 3), [0]).sum().backward()
        return other.grad.equal(torch.full_like(mine, 0.1 * (world.rank + 1)))

    assert run_threads(work, 3) == [True] * 3


def test_a_parameter_without_a_gradient_is_an_error_of_the_next_forward_and_no_rank_hangs():
    def work(world):
        ddp = DataParallel(Branches(), **SMALL)
        ddp(torch.ones(1, 3), [0, 1, 3]).sum().backward()
        with pytest.raises(
            RuntimeError, match=r"layers\.\d\.weight, .* got no .* find_unused_parameters=True"
        ):
            ddp(torch.ones(1, 3), [0, 1, 3])
        with torch.no_grad():
            ddp(torch.ones(1, 3), [0])
        return world.rank

    assert run_threads(work, 3) == [0, 1, 2]


def test_dtypes_travel_in_buckets_of_their_own_and_are_never_rounded():
    class Mixed(nn.Module):
        def __init__(self):
            super().__init__()
            self.wide = nn.Parameter(torch.ones(5, dtype=torch.float64))
            self.narrow = nn.Parameter(torch.ones(5))
            self.short = nn.Parameter(torch.ones(5, dtype=torch.bfloat16))
            self.turned = nn.Parameter(torch.ones(5, dtype=torch.complex64))

        def forward(self, x):
            return (self.wide * x + self.narrow + self.short + self.turned.abs()).sum()

    def work(world):
        ddp = DataParallel(Mixed())
        value = torch.tensor(1.0 + 2.0**-40 * world.rank, dtype=torch.float64)
        ddp(value).backward()
        return ddp.module.wide.grad[0].item(), ddp.module.short.grad.dtype

    assert run_threads(work, 3) == [(1.0 + 2.0**-40, torch.bfloat16)] * 3


def test_buffers_are_those_of_rank_0_at_each_forward_in_training_and_only_there():
    def work(world):
        ddp = DataParallel(nn.BatchNorm1d(2))
        sent = []
        for mode in (ddp.train, ddp.eval):
            mode()
            ddp.module.running_mean.fill_(world.rank + 1)
            before = ddp._comm.ledger.total("broadcast")
            loss(ddp, torch.randn(4, 2)).backward()
            sent.append(ddp._comm.ledger.total("broadcast") - before)
        ddp.train()
        with torch.no_grad():
            ddp(torch.ones(2, 2))
        with ddp.no_sync():
            ddp(torch.ones(2, 2))
        return sent, digest([ddp.module.weight.grad])

    results = run_threads(work, 3)
    assert {each[1] for each in results} == {results[0][1]}
    assert results[0][0][0] > 0
    assert all(each[0][1] == 0 for each in results)


def test_buffers_may_stay_those_of_each_rank():
    def work(world):
        ddp = DataParallel(nn.BatchNorm1d(2), broadcast_buffers=False)
        ddp(torch.full((2, 2), float(world.rank)))
        return ddp.module.running_mean[0].item()

    assert len(set(run_threads(work, 3))) == 3


def test_nothing_is_sent_in_no_sync_without_gradients_and_after_an_error_in_the_body():
    def accumulate(ddp):
        with ddp.no_sync():
            ddp(torch.ones(2, 2)).sum().backward()
            with ddp.no_sync():
                pass
            ddp(torch.ones(2, 2)).sum().backward()
            raise LookupError

    def work(world):
        ddp = DataParallel(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)))
        before = len(ddp._comm.ledger.entries)
        with torch.no_grad():
            ddp(torch.ones(2, 2))
        ddp.eval()
        ddp(torch.ones(2, 2))
        ddp.train()
        with pytest.raises(LookupError):
            accumulate(ddp)
        silent = len(ddp._comm.ledger.entries) - before
        ddp(torch.ones(2, 2)).sum().backward()
        return silent, len(ddp._comm.ledger.entries) - before > 0

    assert run_threads(work, 2) == [(0, True)] * 2


def test_a_backward_in_no_sync_sends_nothing_and_the_next_one_exchanges_all():
    def work(world):
        ddp = DataParallel(nn.Linear(2, 1, bias=False))
        x = torch.full((1, 2), float(world.rank))
        out = ddp(x)
        with ddp.no_sync():
            before = ddp._comm.ledger.total()
            out.sum().backward()
            silent = ddp._comm.ledger.total() - before
        ddp(x).sum().backward()
        return silent, ddp.module.weight.grad.tolist()

    assert run_threads(work, 2) == [(0, [[1.0, 1.0]])] * 2
