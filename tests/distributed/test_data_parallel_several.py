"""Several wrappers in one program, and outputs in which no tensor is found."""

import pytest
import torch
from torch import nn

from torchstone.distributed import DataParallel, run_threads

pytestmark = [pytest.mark.torch]


def _linear():
    return nn.Linear(1, 1, bias=False)


def _input(world):
    return torch.full((1, 1), float(world.rank))


def test_two_wrappers_of_one_module_each_give_the_mean():
    def work(world):
        module = _linear()
        grads = []
        for each in (DataParallel(module), DataParallel(module)):
            module.zero_grad()
            each(_input(world)).sum().backward()
            grads.append(module.weight.grad.item())
        return grads

    assert run_threads(work, 3) == [[1.0, 1.0]] * 3


def test_a_wrapper_of_a_wrapper_gives_the_mean():
    def work(world):
        ddp = DataParallel(DataParallel(_linear()))
        for _ in range(2):
            ddp.zero_grad()
            ddp(_input(world)).sum().backward()
        return ddp.module.module.weight.grad.item()

    assert run_threads(work, 3) == [1.0] * 3


def test_an_output_of_a_class_of_the_user_is_exchanged():
    class Output:
        def __init__(self, value):
            self.value = value

    class Odd(nn.Linear):
        def forward(self, x):
            return Output(super().forward(x))

    def work(world):
        ddp = DataParallel(Odd(1, 1, bias=False))
        for _ in range(2):
            ddp.zero_grad()
            ddp(_input(world)).value.sum().backward()
        return ddp.module.weight.grad.item()

    assert run_threads(work, 3) == [1.0] * 3


def test_two_modules_that_are_frozen_in_turn_stay_equal_on_all_ranks():
    def work(world):
        made, judged = DataParallel(nn.Linear(2, 2)), DataParallel(nn.Linear(2, 1))
        optimizers = [torch.optim.SGD(each.parameters(), lr=0.1) for each in (made, judged)]
        for _ in range(3):
            z = torch.full((3, 2), float(world.rank + 1))
            optimizers[1].zero_grad()
            (judged(z).mean() - judged(made(z).detach()).mean()).backward()
            optimizers[1].step()
            judged.requires_grad_(False)
            optimizers[0].zero_grad()
            judged(made(z)).mean().backward()
            optimizers[0].step()
            judged.requires_grad_(True)
        return [each.tolist() for each in (*made.parameters(), *judged.parameters())]

    results = run_threads(work, 3)
    assert results == [results[0]] * 3


def test_sixty_four_ranks_average():
    def work(world):
        ddp = DataParallel(_linear())
        ddp(_input(world)).sum().backward()
        return ddp.module.weight.grad.item()

    assert run_threads(work, 64) == [31.5] * 64


@pytest.mark.parametrize("finds", [False, True])
def test_synchronize_averages_what_no_sync_has_left(finds):
    def work(world):
        ddp = DataParallel(_linear(), find_unused_parameters=finds)
        for _ in range(2):
            ddp.zero_grad()
            with ddp.no_sync():
                for _ in range(3):
                    ddp(_input(world)).sum().backward()
            ddp.synchronize()
        # The next pass is exchanged as ever.
        ddp(_input(world)).sum().backward()
        return ddp.module.weight.grad.item()

    assert run_threads(work, 3) == [4.0] * 3


def test_synchronize_refuses_a_parameter_that_was_left_out():
    def work(world):
        ddp = DataParallel(nn.ModuleList([_linear(), _linear()]))
        with ddp.no_sync():
            ddp.module[0](_input(world)).sum().backward()
        ddp.synchronize()

    with pytest.raises(RuntimeError, match="find_unused_parameters=True"):
        run_threads(work, 2)
