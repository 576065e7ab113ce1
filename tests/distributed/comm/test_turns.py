import signal
import threading
import time

import pytest
import torch

from torchstone.distributed import Deadlock, Refusal, run_threads
from torchstone.distributed.comm.turns import Turns

pytestmark = [pytest.mark.torch]


def _num_ranks() -> int:
    return sum(each.name.startswith("rank ") for each in threading.enumerate())


def test_results_come_in_rank_order_with_the_arguments_given():
    assert run_threads(lambda world, a, b: (world.rank, a + b), 3, 1, 2) == [(0, 3), (1, 3), (2, 3)]


@pytest.mark.parametrize("world_size", [0, -1])
def test_fewer_than_one_rank_is_refused(world_size):
    with pytest.raises(Refusal, match=f"{world_size} ranks are asked for"):
        run_threads(lambda world: None, world_size)


def test_the_same_call_gives_the_same_random_numbers_whatever_the_caller_has_drawn():
    def work(world):
        drawn = []
        for step in range(4):
            for _ in range(world.rank + step):
                drawn.append(torch.rand(()).item())
            world.comm().barrier()
        return drawn

    torch.manual_seed(1)
    first = run_threads(work, 5)
    torch.manual_seed(2)
    torch.rand(7)
    assert run_threads(work, 5) == first
    assert run_threads(work, 5, seed=1) != first
    # Each rank draws from a generator of its own, which began with the same seed.
    assert first[4][:4] == [*first[3][:3], first[4][3]]


def test_the_generator_of_the_caller_is_where_it_was_also_after_an_error():
    def work(world):
        torch.rand(3)
        world.comm().barrier()
        if world.rank == 1:
            raise OSError("full")
        world.comm().barrier()

    torch.manual_seed(5)
    wanted = torch.rand(2)
    torch.manual_seed(5)
    with pytest.raises(OSError, match="full"):
        run_threads(work, 3)
    assert torch.rand(2).equal(wanted)


def test_ranks_run_one_at_a_time_and_hand_over_in_turn():
    log = []

    def work(world):
        log.append(world.rank)
        # Were another rank running, it would write meanwhile.
        time.sleep(0.01)
        log.append(world.rank)
        world.comm().barrier()
        log.append(world.rank)

    run_threads(work, 4)
    assert log[:8] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert sorted(log[8:]) == [0, 1, 2, 3]
    again = log.copy()
    log.clear()
    run_threads(work, 4)
    assert log == again


def test_the_first_exception_wins_and_names_its_rank():
    def work(world):
        world.comm().barrier()
        if world.rank in (1, 3):
            raise LookupError(world.rank)
        world.comm().barrier()

    with pytest.raises(LookupError) as caught:
        run_threads(work, 4)
    rank = caught.value.args[0]
    assert caught.value.__notes__ == [f"on rank {rank} of 4"]
    assert _num_ranks() == 0


def test_an_exception_unwinds_the_other_ranks_through_their_blocks():
    left = []

    def work(world):
        try:
            if world.rank == 2:
                raise LookupError
            world.comm().barrier()
        finally:
            left.append(world.rank)

    with pytest.raises(LookupError):
        run_threads(work, 4)
    assert sorted(left) == [0, 1, 2] or sorted(left) == [0, 1, 2, 3]
    assert _num_ranks() == 0


def test_a_rank_that_catches_everything_does_not_hide_the_failure_of_another():
    def work(world):
        for _ in range(3):
            try:
                if world.rank == 1:
                    raise LookupError("mine")
                world.comm().barrier()
            except BaseException:
                if world.rank == 1:
                    raise

    with pytest.raises(LookupError, match="mine"):
        run_threads(work, 3)
    assert _num_ranks() == 0


def test_a_rank_that_catches_a_deadlock_does_not_hide_it():
    def work(world):
        try:
            if world.rank == 0:
                world.comm().barrier()
        except BaseException:  # noqa: BLE001 (what a user should not write)
            return

    with pytest.raises(Deadlock):
        run_threads(work, 2)


def test_a_program_that_ends_itself_ends_the_run():
    def work(world):
        if world.rank == 1:
            raise SystemExit(3)
        world.comm().barrier()

    with pytest.raises(SystemExit):
        run_threads(work, 2)


def test_an_interrupt_ends_every_rank_where_it_waits_next():
    steps = [0] * 3

    def work(world):
        if world.rank == 0:
            main = threading.main_thread().ident
            threading.Timer(0.05, signal.pthread_kill, (main, signal.SIGINT)).start()
        while True:
            steps[world.rank] += 1
            world.comm().barrier()

    torch.manual_seed(3)
    wanted = torch.rand(2)
    torch.manual_seed(3)
    with pytest.raises(KeyboardInterrupt):
        run_threads(work, 3)
    assert _num_ranks() == 0
    assert min(steps) > 0
    assert torch.rand(2).equal(wanted)


def test_a_run_within_a_rank_has_ranks_of_its_own():
    def inner(world, base):
        x = torch.tensor(float(base + world.rank))
        world.comm().all_reduce(x).wait()
        return x.item(), torch.rand(()).item()

    def outer(world):
        torch.rand(world.rank)
        results = run_threads(inner, 3, 10 * world.rank)
        mine = torch.rand(()).item()
        x = torch.tensor(results[0][0])
        world.comm().all_reduce(x).wait()
        return results, mine, x.item()

    first, second = run_threads(outer, 2)
    assert [each[0] for each in first[0]] == [3.0] * 3
    assert [each[0] for each in second[0]] == [33.0] * 3
    assert first[0][0][1] == second[0][2][1]
    assert first[2] == second[2] == 36.0
    # The generator of the rank is where it was.
    assert first[1] == run_threads(lambda world: torch.rand(()).item(), 1)[0]


def test_an_exception_of_a_run_within_a_rank_has_both_ranks_as_notes():
    def inner(world):
        world.comm().barrier()
        if world.rank == 1:
            raise LookupError

    def outer(world):
        if world.rank == 1:
            run_threads(inner, 2)
        world.comm().barrier()

    with pytest.raises(LookupError) as caught:
        run_threads(outer, 3)
    assert caught.value.__notes__ == ["on rank 1 of 2", "on rank 1 of 3"]


def test_collectives_and_runs_work_in_the_hooks_of_a_backward_pass():
    def within(grad):
        return grad * sum(run_threads(lambda world: world.rank, 3))

    def work(world):
        x = torch.full((2,), float(world.rank + 1), requires_grad=True)

        def reduce(grad):
            total = grad.clone()
            world.comm().all_reduce(total).wait()
            return total

        x.register_hook(reduce)
        x.register_hook(within)
        (x * x).sum().backward()
        return x.grad.tolist()

    assert run_threads(work, 3) == [[36.0, 36.0]] * 3


def test_an_exception_in_a_hook_ends_the_ranks_that_wait_in_theirs():
    def work(world):
        x = torch.ones(2, requires_grad=True)

        def reduce(grad):
            if world.rank == 1:
                raise LookupError("in a hook")
            world.comm().all_reduce(grad.clone()).wait()

        x.register_hook(reduce)
        x.sum().backward()

    with pytest.raises(LookupError, match="in a hook"):
        run_threads(work, 3)
    assert _num_ranks() == 0


def test_ranks_begin_with_gradients_whatever_the_caller_has_set():
    with torch.no_grad():
        assert run_threads(lambda world: torch.is_grad_enabled(), 2) == [True, True]


@pytest.mark.parametrize("num_ranks", [16, 64])
def test_many_ranks_take_no_more_steps_than_their_collectives_need(num_ranks, monkeypatch):
    # A count instead of a time: each handing over wakes one thread.
    count = 0
    pass_on = Turns._pass_on

    def counted(self, rank):
        nonlocal count
        count += 1
        pass_on(self, rank)

    monkeypatch.setattr(Turns, "_pass_on", counted)

    def work(world):
        x = torch.full((100,), float(world.rank))
        for _ in range(10):
            world.comm().all_reduce(x, op="mean").wait()
        return x[0].item()

    assert run_threads(work, num_ranks) == [(num_ranks - 1) / 2] * num_ranks
    assert count <= num_ranks * 11
