"""Slurm and Open MPI are stood in for by the variables that they set; neither is installed here."""

import pytest

from torchstone.distributed.environment import first_host, read_environment
from torchstone.distributed.refusal import Refusal

pytestmark = [pytest.mark.torch]

TORCHRUN = {
    "RANK": "5",
    "WORLD_SIZE": "8",
    "LOCAL_RANK": "1",
    "LOCAL_WORLD_SIZE": "4",
    "GROUP_RANK": "1",
    "MASTER_ADDR": "gpu07",
    "MASTER_PORT": "29500",
    "TORCHELASTIC_RESTART_COUNT": "2",
}
SLURM = {
    "SLURM_PROCID": "5",
    "SLURM_NTASKS": "8",
    "SLURM_LOCALID": "1",
    "SLURM_NODEID": "1",
    "SLURM_JOB_NODELIST": "gpu[07-08]",
    "SLURM_JOB_ID": "4711",
    "SLURM_RESTART_COUNT": "1",
}
MPI = {
    "OMPI_COMM_WORLD_RANK": "3",
    "OMPI_COMM_WORLD_SIZE": "4",
    "OMPI_COMM_WORLD_LOCAL_RANK": "1",
    "OMPI_COMM_WORLD_LOCAL_SIZE": "2",
    "MASTER_ADDR": "node1",
    "PMIX_NAMESPACE": "prterun-17@1",
}


def _place(variables):
    it = read_environment(variables)
    return it.launcher, it.rank, it.world_size, it.local_rank, it.node, it.address, it.num_restarts


def test_each_launcher_says_the_same_place_in_its_variables():
    assert _place(TORCHRUN) == ("torchrun", 5, 8, 1, 1, "gpu07", 2)
    assert read_environment(TORCHRUN).port == 29500
    assert _place(SLURM) == ("slurm", 5, 8, 1, 1, "gpu07", 1)
    assert _place(MPI) == ("mpi", 3, 4, 1, 1, "node1", 0)
    assert _place({}) == ("alone", 0, 1, 0, 0, "127.0.0.1", 0)


def test_those_of_torchrun_come_first_since_srun_may_have_started_it():
    assert read_environment(SLURM | TORCHRUN).launcher == "torchrun"
    assert read_environment(MPI | SLURM).launcher == "slurm"


def test_an_allocation_without_srun_is_one_process():
    variables = {"SLURM_NTASKS": "8", "SLURM_JOB_ID": "1", "SLURM_JOB_NODELIST": "a"}
    assert read_environment(variables).launcher == "alone"


def test_ranks_of_one_job_agree_on_a_port_and_another_job_has_another_one():
    for variables, name in ((SLURM, "SLURM_JOB_ID"), (MPI, "PMIX_NAMESPACE")):
        other_rank = variables | {"SLURM_PROCID": "0", "OMPI_COMM_WORLD_RANK": "0"}
        if name == "PMIX_NAMESPACE":
            other_rank.pop("SLURM_PROCID")
            other_rank["OMPI_COMM_WORLD_LOCAL_RANK"] = "0"
        port = read_environment(variables).port
        assert read_environment(other_rank).port == port
        assert 20_000 <= port < 40_000
        assert read_environment(variables | {name: "4712"}).port != port
        assert read_environment(variables | {"MASTER_PORT": "1234"}).port == 1234


def test_one_process_needs_no_address():
    assert read_environment({"RANK": "0", "WORLD_SIZE": "1"}).launcher == "torchrun"
    assert read_environment({"SLURM_PROCID": "0", "SLURM_NTASKS": "1"}).world_size == 1
    alone = {"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "1"}
    assert read_environment(alone).address == "127.0.0.1"


@pytest.mark.parametrize(
    ("variables", "change", "code", "words"),
    [
        (TORCHRUN, {"WORLD_SIZE": None}, "variable_missing", "WORLD_SIZE is not set, but RANK is"),
        (TORCHRUN, {"RANK": None}, "variable_missing", "RANK is not set, but WORLD_SIZE is"),
        (TORCHRUN, {"MASTER_ADDR": None}, "variable_missing", "MASTER_ADDR is not set"),
        (TORCHRUN, {"MASTER_PORT": None}, "variable_missing", "torchrun sets both"),
        (TORCHRUN, {"RANK": "8"}, "variable_below", "RANK is 8; expected 0 … 7, since WORLD_SIZE"),
        (TORCHRUN, {"RANK": "-1"}, "variable_below", "RANK is -1"),
        (TORCHRUN, {"RANK": "one"}, "variable_number", "RANK is 'one'; expected a whole number"),
        (TORCHRUN, {"RANK": ""}, "variable_number", "RANK is ''"),
        (TORCHRUN, {"WORLD_SIZE": "0"}, "variable_range", "WORLD_SIZE is 0; expected ≥ 1"),
        (TORCHRUN, {"LOCAL_WORLD_SIZE": "9"}, "variables_differ", "LOCAL_WORLD_SIZE is 9, but WOR"),
        (TORCHRUN, {"LOCAL_RANK": "4"}, "variable_below", "LOCAL_RANK is 4; expected 0 … 3"),
        (TORCHRUN, {"MASTER_PORT": "99999"}, "variable_range", "MASTER_PORT is 99999"),
        (TORCHRUN, {"MASTER_PORT": "http"}, "variable_number", "MASTER_PORT is 'http'"),
        (SLURM, {"SLURM_NTASKS": None}, "variable_missing", "SLURM_NTASKS is not set"),
        (SLURM, {"SLURM_PROCID": "8"}, "variable_below", "SLURM_PROCID is 8"),
        (SLURM, {"SLURM_JOB_NODELIST": None}, "variable_missing", "srun sets both"),
        (SLURM, {"SLURM_JOB_ID": None}, "variable_missing", "SLURM_JOB_ID is not set"),
        (SLURM, {"SLURM_LOCALID": "8"}, "variable_below", "SLURM_LOCALID is 8"),
        (SLURM, {"SLURM_NODEID": "x"}, "variable_number", "SLURM_NODEID is 'x'"),
        (SLURM, {"MASTER_PORT": "-1"}, "variable_range", "MASTER_PORT is -1"),
        (MPI, {"OMPI_COMM_WORLD_SIZE": None}, "variable_missing", "mpirun sets both"),
        (MPI, {"OMPI_COMM_WORLD_RANK": "4"}, "variable_below", "OMPI_COMM_WORLD_RANK is 4"),
        (MPI, {"OMPI_COMM_WORLD_LOCAL_RANK": "2"}, "variable_below", "LOCAL_RANK is 2"),
        (MPI, {"MASTER_ADDR": None}, "variable_missing", "mpirun -x sets both"),
        (MPI, {"MASTER_PORT": "70000"}, "variable_range", "expected 0 … 65535"),
    ],
)
def test_a_contradiction_is_refused_by_its_name(variables, change, code, words):
    changed = {name: value for name, value in (variables | change).items() if value is not None}
    with pytest.raises(Refusal) as caught:
        read_environment(changed)
    assert caught.value.code == code
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("nodes", "host"),
    [
        ("gpu7", "gpu7"),
        ("gpu7,gpu9", "gpu7"),
        ("gpu[07-09,12],login1", "gpu07"),
        ("gpu[12,07-09]", "gpu12"),
        ("login1,gpu[1-2]", "login1"),
        ("a[3]b,c", "a3b"),
        ("a[001-100]-ib.cluster", "a001-ib.cluster"),
        ("node-1.example.org", "node-1.example.org"),
    ],
)
def test_the_first_host_of_a_list_of_slurm_is_found(nodes, host):
    assert first_host(nodes) == host
