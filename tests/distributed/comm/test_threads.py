import threading
from types import SimpleNamespace

import pytest
import torch

from torchstone.distributed import Comm, Deadlock, Link, Mismatch, Work, init, run_threads

pytestmark = [pytest.mark.torch]


def test_the_ledger_has_what_nobody_has_waited_for_with_its_label_and_number():
    def work(world):
        comm = world.comm()
        with comm.ledger.labelled("outer"):
            with comm.ledger.labelled("inner"):
                comm.all_reduce(torch.ones(4))
            comm.all_gather(torch.empty(8), torch.ones(4))
        comm.barrier()
        return comm.ledger.entries

    for entries in run_threads(work, 2):
        assert [(each.op, each.number, each.label, each.axis) for each in entries] == [
            ("all_reduce", 0, "inner", "dp"),
            ("all_gather", 1, "outer", "dp"),
            ("barrier", 2, "", "dp"),
        ]
        assert all(each.start_s <= each.end_s for each in entries)


def test_the_simulated_clock_tells_the_time_of_the_link():
    link = Link(bandwidth_bytes_s=1000.0, latency_s=0.5)

    def work(world):
        comm = world.comm()
        comm.all_reduce(torch.zeros(100)).wait()
        comm.all_gather(torch.zeros(400), torch.zeros(100))
        comm.barrier()
        return [(each.start_s, each.end_s) for each in comm.ledger.entries]

    # 6 messages and 2 · 3/4 · 400 bytes; 3 messages and 3 · 400 bytes; 2 rounds.
    reduced = 6 * 0.5 + 0.6
    gathered = reduced + 3 * 0.5 + 1.2
    for times in run_threads(work, 4, link=link):
        assert times == [
            pytest.approx((0.0, reduced)),
            pytest.approx((reduced, gathered)),
            pytest.approx((reduced, gathered + 2 * 0.5)),
        ]


def test_the_simulated_clock_of_a_pair_does_not_move_that_of_the_others():
    link = Link(bandwidth_bytes_s=100.0)

    def work(world):
        comm = world.comm()
        if world.rank == 0:
            comm.send(torch.zeros(25), 1).wait()
        if world.rank == 1:
            comm.recv(torch.zeros(25), 0).wait()
        comm.barrier()
        return comm.ledger.entries[-1].start_s

    assert run_threads(work, 3, link=link) == [1.0, 1.0, 0.0]


@pytest.mark.parametrize(
    "values", [{"bandwidth_bytes_s": 0.0}, {"bandwidth_bytes_s": float("nan")},
               {"bandwidth_bytes_s": 1.0, "latency_s": -1.0}]
)  # fmt: skip
def test_a_link_that_cannot_be_is_refused(values):
    with pytest.raises(ValueError, match="Link"):
        Link(**values)


def test_messages_of_one_tag_keep_their_order_and_tags_may_cross():
    def work(world):
        comm = world.comm()
        if world.rank == 0:
            works = [comm.send(torch.tensor(each), 1, tag=each % 2) for each in range(6)]
        else:
            got = [torch.tensor(-1) for _ in range(6)]
            works = [comm.recv(got[each], 0, tag=each % 2) for each in (1, 3, 0, 5, 2, 4)]
        for each in works:
            each.wait()
        return None if world.rank == 0 else [int(each) for each in got]

    assert run_threads(work, 2)[1] == [0, 1, 2, 3, 4, 5]


def test_two_ranks_that_both_send_before_they_receive_and_wait_are_a_deadlock():
    def work(world):
        other = 1 - world.rank
        world.comm().send(torch.ones(3), other).wait()
        world.comm().recv(torch.ones(3), other).wait()

    with pytest.raises(Deadlock) as caught:
        run_threads(work, 2)
    assert str(caught.value) == (
        "Deadlock: rank 0 is in send to rank 1 with tag 0, rank 1 in send to rank 0 with tag 0"
    )


def test_two_ranks_that_both_launch_their_sends_first_exchange():
    def work(world):
        x = torch.empty(3)
        works = [world.comm().send(torch.full((3,), float(world.rank)), 1 - world.rank)]
        works.append(world.comm().recv(x, 1 - world.rank))
        for each in works:
            each.wait()
        return float(x[0])

    assert run_threads(work, 2) == [1.0, 0.0]


def test_ranks_in_unlike_collectives_are_told_by_name_and_number():
    def work(world):
        comm, x = world.comm("dp"), torch.ones(4)
        for _ in range(14):
            comm.all_reduce(x).wait()
        if world.rank == 2:
            comm.all_gather(torch.empty(16), x).wait()
        else:
            comm.all_reduce(x).wait()

    with pytest.raises(Deadlock) as caught:
        run_threads(work, 4)
    assert str(caught.value) == (
        "Deadlock: rank 2 is in all_gather #14, ranks 0, 1, 3 in all_reduce #14"
    )


def test_a_rank_that_has_ended_is_named_where_another_one_waits_for_it():
    def work(world):
        if world.rank != 1:
            world.comm().barrier()

    with pytest.raises(Deadlock, match="rank 1 has ended, ranks 0, 2 are in barrier #0"):
        run_threads(work, 3)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda comm, odd: comm.all_reduce(torch.ones(4 + odd)), "rank 1 gave 5 elements"),
        (lambda comm, odd: comm.all_reduce(torch.ones(4).to((torch.float32, torch.float64)[odd])),
         "rank 1 gave 4 elements of float64"),
        (lambda comm, odd: comm.all_reduce(torch.ones(4), op=("sum", "max")[odd]), "max in the"),
        (lambda comm, odd: comm.all_reduce(torch.ones(4), order=("rank", "float64")[odd]),
         "order 'float64'"),
        (lambda comm, odd: comm.broadcast(torch.ones(4), odd), "from rank 1"),
    ],
)  # fmt: skip
def test_unlike_tensors_and_arguments_are_a_mismatch_on_every_rank(call, words):
    heard = []

    def work(world):
        with pytest.raises(Mismatch, match=words) as caught:
            call(world.comm(), int(world.rank == 1)).wait()
        heard.append(str(caught.value))

    run_threads(work, 3)
    assert len(heard) == 3
    assert len(set(heard)) == 1
    assert " #0: " in heard[0]


def test_a_mismatch_that_nobody_waits_for_is_raised_at_the_end():
    with pytest.raises(Mismatch, match="rank 1 gave 2 elements"):
        run_threads(lambda world: world.comm().all_reduce(torch.ones(1 + world.rank)), 2)


def test_what_nobody_waits_for_and_another_rank_never_comes_to_is_a_deadlock():
    def reduce(world):
        if world.rank == 0:
            world.comm().all_reduce(torch.ones(3))

    def send(world):
        if world.rank == 2:
            world.comm().send(torch.ones(3), 0, tag=7)

    with pytest.raises(Deadlock, match="rank 0 is in all_reduce #0, ranks 1, 2 have end"):
        run_threads(reduce, 3)
    with pytest.raises(Deadlock, match="rank 0 has ended, rank 2 is in send to rank 0 with tag 7"):
        run_threads(send, 3)


def test_a_second_wait_returns_at_once_and_writes_nothing_again():
    def work(world):
        x = torch.ones(3)
        work = world.comm().all_reduce(x)
        work.wait()
        x.zero_()
        work.wait()
        assert isinstance(work, Work)
        assert isinstance(world.comm(), Comm)
        return x.sum().item(), len(world.comm().ledger.entries)

    assert run_threads(work, 2) == [(0.0, 1)] * 2


def test_wrong_calls_are_refused_before_anything_is_sent():
    wrong = [
        lambda comm: comm.all_reduce(torch.ones(2), op="average"),
        lambda comm: comm.all_reduce(torch.ones(2), order="fastest"),
        lambda comm: comm.all_reduce(torch.ones(1).expand(4)),
        lambda comm: comm.all_reduce(torch.ones(2).to(torch.float8_e4m3fn)),
        lambda comm: comm.all_reduce(torch.ones(2).to_sparse()),
        lambda comm: comm.all_reduce(torch.ones(2, dtype=torch.complex64).conj()),
        lambda comm: comm.reduce_scatter(torch.ones(1), torch.ones(5)),
        lambda comm: comm.reduce_scatter(torch.ones(3), torch.ones(4)),
        lambda comm: comm.all_gather(torch.ones(3), torch.ones(2)),
        lambda comm: comm.all_gather(torch.ones(4).double(), torch.ones(2)),
        lambda comm: comm.all_to_all(torch.ones(3), torch.ones(3)),
        lambda comm: comm.broadcast(torch.ones(2), 2),
        lambda comm: comm.broadcast(torch.ones(2), -1),
        lambda comm: comm.send(torch.ones(2), comm.rank),
        lambda comm: comm.recv(torch.ones(2), 9),
    ]

    def work(world):
        for call in wrong:
            with pytest.raises(ValueError, match=r"^[a-z_]+: "):
                call(world.comm())
        # Were one of them counted or sent, this would fail.
        world.comm().barrier()
        return [each.number for each in world.comm().ledger.entries]

    assert run_threads(work, 2) == [[0], [0]]


def test_tensors_that_require_a_gradient_or_are_shared_by_ranks_are_reduced():
    shared = torch.ones(3)

    def work(world):
        x = torch.ones(3, requires_grad=True)
        world.comm().all_reduce(x).wait()
        world.comm().all_reduce(shared).wait()
        return x.is_leaf, x.sum().item()

    assert run_threads(work, 3) == [(True, 9.0)] * 3
    assert shared.tolist() == [3.0] * 3


def test_results_may_lie_within_what_was_given():
    def work(world):
        rows = torch.arange(6.0).view(3, 2)
        world.comm().reduce_scatter(rows[world.rank], rows).wait()
        every = torch.zeros(3, 2)
        every[world.rank] = world.rank
        world.comm().all_gather(every, every[world.rank]).wait()
        return rows[world.rank].tolist(), every[:, 0].tolist()

    assert run_threads(work, 3) == [
        ([0.0, 3.0], [0.0, 1.0, 2.0]),
        ([6.0, 9.0], [0.0, 1.0, 2.0]),
        ([12.0, 15.0], [0.0, 1.0, 2.0]),
    ]


def test_a_collective_of_another_rank_or_from_another_thread_is_refused():
    comms = SimpleNamespace(first=None, work=None)

    def of_another_rank(world):
        if world.rank == 0:
            comms.first = world.comm()
            comms.work = world.comm().all_reduce(torch.ones(2))
            comms.work.wait()
        else:
            with pytest.raises(RuntimeError, match="thread 'rank 1' uses a collective of rank 0"):
                comms.work.wait()
            with pytest.raises(RuntimeError, match="thread 'rank 1' uses a collective of rank 0"):
                comms.first.all_reduce(torch.ones(2))
            world.comm().all_reduce(torch.ones(2)).wait()

    def in_another_thread(world):
        work = world.comm().all_reduce(torch.ones(2))
        errors = []

        def wait():
            try:
                work.wait()
            except RuntimeError as error:
                errors.append(str(error))

        if world.rank == 0:
            other = threading.Thread(target=wait, name="mine")
            other.start()
            other.join()
            assert "the thread 'mine' uses a collective of rank 0" in errors[0]
        work.wait()

    run_threads(of_another_rank, 2)
    run_threads(in_another_thread, 2)


def test_a_work_may_be_waited_for_after_the_run_if_it_is_complete():
    for work in run_threads(lambda world: world.comm().all_reduce(torch.ones(2)), 2):
        work.wait()


def test_one_process_alone_has_collectives_that_give_back_what_they_get():
    with init() as world:
        assert (world.rank, world.world_size) == (0, 1)
        x = torch.arange(3.0)
        world.comm().all_reduce(x, op="mean", order="float64").wait()
        whole = torch.empty(3)
        world.comm().all_gather(whole, x).wait()
        assert whole.tolist() == [0.0, 1.0, 2.0]
        assert world.comm().ledger.total() == 0
