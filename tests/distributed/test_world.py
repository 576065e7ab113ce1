"""Slurm is stood in for by the variables that it sets."""

import datetime
import socket

import pytest
import torch
import torch.distributed as dist

from tests.distributed.launch import by_torchrun, by_variables
from tests.distributed.models import OPTIMISERS, digest, train_alone
from torchstone.distributed import Mesh, Refusal, World, init, run_threads
from torchstone.distributed.processes import GROUPS
from torchstone.distributed.world import current_world

pytestmark = [pytest.mark.torch]


@pytest.fixture
def as_rank(monkeypatch, free_port):
    """Give this process the variables of a rank that torchrun has started."""

    def give(rank: int, world_size: int, **others: str) -> int:
        given = {"RANK": rank, "WORLD_SIZE": world_size, "MASTER_ADDR": "127.0.0.1"}
        for name, value in (given | {"MASTER_PORT": free_port} | others).items():
            monkeypatch.setenv(name, str(value))
        return free_port

    return give


def test_a_world_of_threads_knows_its_place_and_its_mesh():
    def work(world):
        assert isinstance(world, World)
        again = init(mesh={"dp": 4})
        assert again.rank == world.rank
        assert current_world() is again
        return world.world_size, world.mesh, again.mesh, world.device, world.restart

    results = run_threads(work, 4)
    assert results == [(4, Mesh(dp=4), Mesh(dp=4), torch.device("cpu"), 0)] * 4


def test_two_worlds_of_one_thread_count_their_collectives_together():
    def work(world):
        world.comm().barrier()
        init().comm().barrier()
        return [each.number for each in world.comm().ledger.entries]

    assert run_threads(work, 2) == [[0, 1]] * 2


def test_a_closed_world_has_no_collectives_and_closes_once():
    def work(world):
        with init() as inner:
            x = torch.ones(1)
            inner.comm().all_reduce(x).wait()
        inner.close()
        assert inner.is_closed
        with pytest.raises(RuntimeError, match="the world is closed"):
            inner.comm()
        return x.item()

    assert run_threads(work, 3) == [3.0] * 3


@pytest.mark.parametrize("axis", ["ep", "", "dp "])
def test_an_unknown_axis_is_refused(axis):
    with init() as world, pytest.raises(Refusal, match="its axes are dp"):
        world.comm(axis)


def test_a_mesh_that_does_not_fit_is_refused_on_threads_and_alone():
    with pytest.raises(Refusal, match="3 ranks were started"):
        run_threads(lambda world: None, 3, mesh={"dp": 2})
    with pytest.raises(Refusal, match="1 ranks were started"):
        init(mesh={"dp": 2})


@pytest.mark.parametrize("backend", ["threads", "mpi", "ucc", "GLOO", ""])
def test_an_unknown_backend_is_refused(backend):
    with pytest.raises(Refusal, match="expected one of gloo, nccl"):
        init(backend=backend)


def test_another_backend_than_threads_is_refused_within_them():
    def work(world):
        with pytest.raises(Refusal, match="inside of run_threads"):
            init(backend="gloo")
        return init(backend="threads").rank

    assert run_threads(work, 2) == [0, 1]


def test_nccl_without_a_card_is_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    with pytest.raises(Refusal, match="The backend nccl needs a GPU") as caught:
        init(backend="nccl")
    assert caught.value.code == "card_missing"


def test_a_rank_without_a_card_of_its_own_is_refused(monkeypatch, as_rank):
    as_rank(3, 4)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    with pytest.raises(Refusal, match="local rank is 3, but this host has 2 GPUs"):
        init(backend="nccl")


def test_a_wrong_interface_is_refused_with_those_that_there_are(monkeypatch, as_rank):
    as_rank(0, 2)
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo,eth99")
    with pytest.raises(Refusal, match="'eth99', which is no network interface here; there are lo"):
        init()


def test_a_taken_port_is_refused(as_rank):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        as_rank(0, 2, MASTER_PORT=str(port))
        with pytest.raises(Refusal, match=f"port {port} on 127.0.0.1 is taken") as caught:
            init(timeout_s=5)
    assert caught.value.code == "port_taken"


def test_a_store_that_nobody_hosts_is_refused(as_rank):
    as_rank(1, 2)
    with pytest.raises(Refusal, match=r"does not answer within 1 s\. Check that rank 0") as caught:
        init(timeout_s=1)
    assert caught.value.code == "not_reached"


def test_ranks_that_never_come_are_told(as_rank):
    as_rank(0, 3)
    with pytest.raises(Refusal, match="Not all of the 3 ranks came to 127") as caught:
        init(timeout_s=1)
    assert caught.value.code == "not_joined"


def test_a_process_group_that_is_there_is_used_and_left_as_it_was(tmp_path):
    dist.init_process_group(
        "gloo",
        init_method=f"file://{tmp_path}/store",
        rank=0,
        world_size=1,
        timeout=datetime.timedelta(seconds=30),
    )
    try:
        with init(mesh={"dp": 1}) as world:
            x = torch.tensor(2.0)
            world.comm("dp").all_reduce(x).wait()
            assert (world.rank, world.world_size, x.item()) == (0, 1, 2.0)
        assert dist.is_initialized()
    finally:
        dist.destroy_process_group()


JOIN = """
with td.init(timeout_s=60, mesh={"dp": 2}) as world:
    x = torch.tensor(float(world.rank + 1))
    world.comm("dp").all_reduce(x).wait()
    record("place", [world.rank, world.world_size, world.local_rank, world.node, x.item()])
with td.init(timeout_s=60) as world:
    world.comm().all_reduce(x).wait()
    record("again", x.item())
record("end", True)
"""


@pytest.mark.full
def test_two_processes_join_by_the_variables_of_slurm_twice(tmp_path, free_port):
    variables = [
        {
            "SLURM_PROCID": str(rank),
            "SLURM_NTASKS": "2",
            "SLURM_LOCALID": "0",
            "SLURM_NODEID": str(rank),
            "SLURM_JOB_NODELIST": "127.0.0.[1,2]",
            "SLURM_JOB_ID": str(free_port - 20_000),
        }
        for rank in range(2)
    ]
    ranks = by_variables(JOIN, variables, tmp_path, until="end")
    assert ranks.each("place") == [[0, 2, 0, 0, 3.0], [1, 2, 0, 1, 3.0]]
    assert ranks.each("again") == [6.0, 6.0]


BY_DEVICE = """
from torchstone.distributed import processes

# As for cards: a backend for each device, of which here only that of the host is used.
processes.GROUPS["gloo"] = "cpu:gloo,cuda:gloo"
with td.init(timeout_s=60, mesh={"dp": 2}, check=True) as world:
    module = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 2))
    zero = td.Zero(
        module, lambda params: torch.optim.SGD(params, lr=0.1), stage=3, comm=world.comm("dp")
    )
    module(torch.ones(1, 2)).sum().backward()
    zero.clip_grad_norm_(1.0)
    zero.step()
    world.comm("dp").barrier()
    record("backend", torch.distributed.get_backend_config())
record("end", True)
"""


@pytest.mark.full
def test_zero_trains_on_groups_with_a_backend_for_each_device(tmp_path, free_port):
    variables = [
        {
            "RANK": str(rank),
            "WORLD_SIZE": "2",
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(free_port),
        }
        for rank in range(2)
    ]
    ranks = by_variables(BY_DEVICE, variables, tmp_path, until="end")
    assert ranks.each("backend") == ["cpu:gloo,cuda:gloo"] * 2


def test_ranks_on_cards_exchange_what_lies_on_the_host_by_gloo():
    config = dist.distributed_c10d.BackendConfig(dist.Backend(GROUPS["nccl"]))
    assert config.get_device_backend_map() == {"cpu": "gloo", "cuda": "nccl"}


RESTART = """
with td.init(timeout_s=60) as world:
    record("restart", world.restart)
record("end", True)
"""


@pytest.mark.full
def test_ranks_agree_on_the_greatest_number_of_restarts(tmp_path, free_port):
    variables = [
        {
            "RANK": str(rank),
            "WORLD_SIZE": "2",
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(free_port),
            "TORCHELASTIC_RESTART_COUNT": str(rank),
        }
        for rank in range(2)
    ]
    assert by_variables(RESTART, variables, tmp_path, until="end").each("restart") == [1, 1]


TRAIN = """
from tests.distributed.models import OPTIMISERS, Net, batch, digest, loss
from torchstone.distributed.environment import read_environment

with td.init(timeout_s=60) as world:
    digests = {}
    for name, optimiser in OPTIMISERS.items():
        ddp = td.DataParallel(Net(seed=world.rank), bucket_mb=3e-4, first_bucket_mb=1e-4)
        optimizer = optimiser([each for each in ddp.parameters() if each.requires_grad])
        for step in range(3):
            optimizer.zero_grad(set_to_none=step % 2 == 0)
            with ddp.no_sync():
                loss(ddp, batch(step, world.rank, 0)).backward()
            loss(ddp, batch(step, world.rank, 1)).backward()
            optimizer.step()
        digests[name] = digest(ddp.parameters())
    record("digests", digests)
    # torch's own one, on the same process group.
    theirs = torch.nn.parallel.DistributedDataParallel(Net())
    mine = td.DataParallel(Net())
    far = 0.0
    for step in range(2):
        for each in (theirs, mine):
            loss(each, batch(step, world.rank)).backward()
        for one, other in zip(theirs.parameters(), mine.parameters(), strict=True):
            if one.grad is not None:
                far = max(far, float((one.grad - other.grad).abs().max() / one.grad.abs().max()))
    record("far", far)
    try:
        td.DataParallel(torch.nn.Linear(2, 2 + (world.rank == 1)))
    except td.Refusal as refusal:
        record("refusal", str(refusal))
record("end", True)
"""


@pytest.mark.full
@pytest.mark.parametrize("num_ranks", [2, 3, 4])
def test_training_under_torchrun_has_the_bits_of_one_process_and_is_close_to_torch(
    num_ranks, tmp_path
):
    ranks = by_torchrun(TRAIN, num_ranks, tmp_path, until="end")
    wanted = {
        name: digest(train_alone(num_ranks, each, micro=2)) for name, each in OPTIMISERS.items()
    }
    assert ranks.each("digests") == [wanted] * num_ranks
    assert max(ranks.each("far")) < 1e-5
    words = "rank 1 has another model than rank 0: weight (3, 2) float32 instead of weight (2, 2)"
    assert all(words in each for each in ranks.each("refusal"))
