"""What a user does unusually, or wrong, with ``DataParallel``."""

import copy
import pickle

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from tests.distributed.models import Branches, are_equal, batch, grads_of, loss
from torchstone.distributed import DataParallel, Deadlock, Refusal, run_threads

pytestmark = [pytest.mark.torch]

SMALL = {"bucket_mb": 3e-4, "first_bucket_mb": 1e-4}


def _double(ddp, x):
    ddp(x).sum().backward()
    ddp(2 * x).sum().backward()


def _two_forwards_first(ddp, x):
    first, second = ddp(x).sum(), ddp(2 * x).sum()
    first.backward()
    second.backward()


def _twice_in_one_graph(ddp, x):
    (ddp(x).sum() + ddp(2 * x).sum()).backward()


def _twice_through_one_graph(ddp, x):
    total = 1.5 * ddp(x).sum()
    total.backward(retain_graph=True)
    total.backward()


def _evaluated_in_between(ddp, x):
    total = 3 * ddp(x).sum()
    with torch.no_grad():
        ddp(x)
    ddp.eval()
    ddp(x)
    ddp.train()
    total.backward()


def _without_sync_in_between(ddp, x):
    total = 2 * ddp(x).sum()
    with ddp.no_sync():
        ddp(x).sum().backward()
    total.backward()


def _gradient_of_the_input(ddp, x):
    x = x.clone().requires_grad_()
    total = ddp(x).sum()
    (slope,) = torch.autograd.grad(total, x, create_graph=True)
    (3 * total + 0 * slope.sum()).backward(create_graph=True)


def _in_evaluation(ddp, x):
    ddp.eval()
    (3 * ddp(x)).sum().backward()


def _checkpointed(ddp, x):
    (3 * checkpoint(ddp, x, use_reentrant=False)).sum().backward()


def _after_an_error(ddp, x):
    out = ddp(x)
    out.register_hook(lambda grad: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        out.sum().backward()
    (3 * ddp(x)).sum().backward()


def _after_an_error_of_another_graph(ddp, x):
    first, second = ddp(x), ddp(x)
    first.register_hook(lambda grad: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        first.sum().backward()
    (3 * second).sum().backward()


def _hook_that_takes_the_gradient_away(ddp, x):
    for each in ddp.parameters():
        each.register_post_accumulate_grad_hook(lambda it: setattr(it, "grad", None))
    (3 * ddp(x)).sum().backward()


@pytest.mark.filterwarnings("ignore:Using backward\\(\\) with create_graph")
@pytest.mark.parametrize(
    "use",
    [
        _double,
        _two_forwards_first,
        _twice_in_one_graph,
        _twice_through_one_graph,
        _evaluated_in_between,
        _without_sync_in_between,
        _gradient_of_the_input,
        _in_evaluation,
        _checkpointed,
        _after_an_error,
        _after_an_error_of_another_graph,
        _hook_that_takes_the_gradient_away,
    ],
)
def test_the_gradient_is_the_mean_of_all_that_has_been_added_however_it_was_made(use):
    def work(world):
        ddp = DataParallel(nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1)))
        for each in ddp.parameters():
            each.data.fill_(0.5)
        use(ddp, torch.full((1, 2), float(world.rank)))
        return [each.grad.detach().tolist() for each in ddp.parameters()]

    def alone():
        module = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
        for each in module.parameters():
            each.data.fill_(0.5)
        outs = [3 * module(torch.full((1, 2), float(rank))) for rank in range(3)]
        (sum(each.sum() for each in outs) / 3).backward()
        return [each.grad for each in module.parameters()]

    results = run_threads(work, 3)
    assert results == [results[0]] * 3
    bias_twice = use in (_double, _two_forwards_first, _twice_in_one_graph)
    for mine, wanted in zip(results[0], alone(), strict=True):
        if bias_twice and wanted.dim() == 1:
            wanted = wanted * 2 / 3
        if bias_twice and wanted.shape == (1, 2):
            continue
        torch.testing.assert_close(torch.tensor(mine), wanted)


@pytest.mark.filterwarnings("ignore:None of the inputs have requires_grad")
@pytest.mark.parametrize("reentrant", [True, False])
@pytest.mark.parametrize("last_is_plain", [True, False])
@pytest.mark.parametrize("finds", [True, False])
def test_checkpoints_within_the_module_are_exchanged(reentrant, last_is_plain, finds):
    class Blocks(nn.Module):
        def __init__(self):
            super().__init__()
            torch.manual_seed(0)
            self.blocks = nn.ModuleList(nn.Linear(3, 3) for _ in range(3))

        def forward(self, x):
            for place, each in enumerate(self.blocks):
                is_plain = last_is_plain and place == 2
                x = each(x) if is_plain else checkpoint(each, x, use_reentrant=reentrant)
            return x

    def work(world):
        ddp = DataParallel(Blocks(), find_unused_parameters=finds, **SMALL)
        for step in range(2):
            ddp.zero_grad()
            x = batch(step, world.rank)[:, :3].requires_grad_()
            loss(ddp, x).backward()
        return grads_of(ddp)

    results = run_threads(work, 3)
    total = None
    for rank in range(3):
        module = Blocks()
        loss(module, batch(1, rank)[:, :3].requires_grad_()).backward()
        mine = grads_of(module)
        total = mine if total is None else [a + b for a, b in zip(total, mine, strict=True)]
    assert all(are_equal(each, [it / 3 for it in total]) for each in results)


def test_a_mask_that_is_a_buffer_may_be_used_by_two_forwards_of_one_backward():
    class Masked(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(3))
            self.register_buffer("mask", torch.tensor([1.0, 0.0, -0.0]))

        def forward(self, x):
            return (self.weight * x * self.mask).sum()

    def work(world):
        ddp = DataParallel(Masked())
        (ddp(torch.ones(3)) + ddp(torch.ones(3))).backward()
        return ddp.module.weight.grad.tolist()

    assert run_threads(work, 2) == [[2.0, 0.0, 0.0]] * 2


def _other_shape(rank):
    return nn.Linear(2, 3 if rank == 2 else 2)


def _other_name(rank):
    return nn.Sequential(nn.Linear(2, 2)) if rank == 2 else nn.ModuleDict({"a": nn.Linear(2, 2)})


def _other_freezing(rank):
    return nn.Linear(2, 2).requires_grad_(True) if rank != 2 else _frozen_bias()


def _frozen_bias():
    module = nn.Linear(2, 2)
    module.bias.requires_grad_(False)
    return module


def _one_parameter_more(rank):
    return nn.Sequential(*(nn.Linear(2, 2) for _ in range(1 + (rank == 2))))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (_other_shape, r"weight \(3, 2\) float32 instead of weight \(2, 2\) float32"),
        (_other_name, "0.weight"),
        (_other_freezing, "bias .* requires_grad=False"),
        (_one_parameter_more, r"1.weight \(2, 2\) float32 instead of nothing"),
        (lambda rank: nn.Linear(2, 2).double() if rank == 2 else nn.Linear(2, 2), "float64"),
        (lambda rank: nn.BatchNorm1d(2, track_running_stats=rank != 2), "running_mean"),
    ],
)
def test_unequal_modules_are_refused_by_every_rank_with_the_name_of_the_difference(make, words):
    def work(world):
        with pytest.raises(Refusal, match=f"rank 2 has another model than rank 0: .*{words}") as it:
            DataParallel(make(world.rank))
        return it.value.code

    assert run_threads(work, 4) == ["models_differ"] * 4


def test_a_module_without_a_trained_parameter_is_refused():
    with pytest.raises(RuntimeError, match="no parameter of the module requires a gradient"):
        DataParallel(nn.Linear(1, 1).requires_grad_(False))


def _to_float64(ddp):
    ddp.double()


def _add_a_layer(ddp):
    ddp.module.extra = nn.Linear(1, 1)


def _replace_a_parameter(ddp):
    ddp.module.weight = nn.Parameter(torch.ones(2, 2))


@pytest.mark.parametrize("change", [_to_float64, _add_a_layer, _replace_a_parameter])
def test_a_module_that_is_not_what_was_wrapped_is_refused_at_the_next_forward(change):
    ddp = DataParallel(nn.Linear(2, 2))
    change(ddp)
    with pytest.raises(RuntimeError, match="wrapped"):
        ddp(torch.ones(1, 2))


def test_a_sparse_gradient_is_refused_in_words():
    ddp = DataParallel(nn.Embedding(4, 2, sparse=True))
    with pytest.raises(RuntimeError, match=r"sparse_coo.*sparse=False"):
        ddp(torch.tensor([1])).sum().backward()


def test_a_copy_is_refused_and_that_of_the_module_is_free_of_hooks():
    ddp = DataParallel(nn.Linear(1, 1))
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match=r"copy or save `\.module`"):
            copied(ddp)
    other = copy.deepcopy(ddp.module)
    other(torch.ones(1, 1)).sum().backward()
    assert ddp.module.weight.grad is None
    assert ddp._waiting == set()
    assert list(ddp.state_dict()) == ["module.weight", "module.bias"]
    DataParallel(nn.Linear(1, 1)).load_state_dict(ddp.state_dict())
    assert pickle.loads(pickle.dumps(ddp.module)).weight.equal(ddp.module.weight)


def test_an_exception_in_the_forward_of_one_rank_ends_the_run_with_it():
    class Fails(nn.Linear):
        def forward(self, x):
            if x[0, 0] == 2:
                raise LookupError("bad sample")
            return super().forward(x)

    def work(world):
        ddp = DataParallel(Fails(1, 1))
        for step in range(3):
            ddp(torch.full((1, 1), float(step * world.rank))).sum().backward()

    with pytest.raises(LookupError, match="bad sample") as caught:
        run_threads(work, 3)
    assert caught.value.__notes__[0].endswith("of 3")


def test_an_exception_that_all_ranks_handle_lets_them_go_on():
    def work(world):
        ddp = DataParallel(nn.Linear(2, 1))
        with pytest.raises(RuntimeError, match="shapes"):
            ddp(torch.ones(1, 3))
        ddp(torch.full((1, 2), float(world.rank))).sum().backward()
        return ddp.module.weight.grad.tolist()

    assert run_threads(work, 3) == [[[1.0, 1.0]]] * 3


def test_ranks_with_unlike_numbers_of_steps_are_a_deadlock_that_says_so():
    def work(world):
        ddp = DataParallel(nn.Linear(1, 1))
        for _ in range(3 - (world.rank == 1)):
            ddp(torch.ones(1, 1)).sum().backward()

    with pytest.raises(Deadlock, match="rank 1 has ended, ranks 0, 2 are in all_reduce"):
        run_threads(work, 3)


def test_thousands_of_small_parameters_travel_in_few_exchanges():
    class Many(nn.Module):
        def __init__(self):
            super().__init__()
            self.all = nn.ParameterList(nn.Parameter(torch.tensor(1.0)) for _ in range(2000))

        def forward(self, x):
            return x * torch.stack(list(self.all)).sum()

    def work(world):
        ddp = DataParallel(Many(), bucket_mb=0.002, first_bucket_mb=0.001)
        before = len(ddp._comm.ledger.entries)
        ddp(torch.tensor(float(world.rank))).backward()
        entries = ddp._comm.ledger.entries[before:]
        return len(entries), {each.grad.item() for each in ddp.parameters()}

    assert run_threads(work, 2) == [(5, {0.5})] * 2


def test_buckets_are_launched_during_the_backward_pass_in_one_order_with_the_bytes_of_theory():
    def work(world, overlap):
        seen = []
        ddp = DataParallel(Branches(), overlap=overlap, **SMALL)
        first = ddp.module.layers[0].weight
        first.register_hook(lambda grad: seen.append(len(ddp._reducer.works)))
        before = len(ddp._comm.ledger.entries)
        ddp(torch.ones(1, 3), range(4)).sum().backward()
        entries = ddp._comm.ledger.entries[before:]
        return seen[0], [each.label for each in entries], sum(each.bytes_sent for each in entries)

    for num, labels, sent in run_threads(work, 3, True):
        assert num > 0
        assert labels == [f"bucket {each}" for each in range(len(labels))]
        assert sent == 2 * 2 / 3 * 4 * (9 + 3) * 4
    assert [each[0] for each in run_threads(work, 3, False)] == [0] * 3


def test_a_module_that_is_used_without_its_wrapper_keeps_its_gradients_to_itself():
    def work(world):
        ddp = DataParallel(nn.Linear(1, 1, bias=False))
        ddp(torch.ones(1, 1)).sum().backward()
        if world.rank == 0:
            ddp.module(torch.ones(1, 1)).sum().backward()
        return ddp.module.weight.grad.item()

    assert run_threads(work, 2) == [2.0, 1.0]
