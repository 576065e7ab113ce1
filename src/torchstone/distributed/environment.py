"""``read_environment``: the rank of this process, from torchrun, Slurm or Open MPI."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from zlib import crc32

from torchstone.distributed.refusal import Refusal

# Slurm and Open MPI provide no port; derive different ones for the jobs on one host.
_FIRST_PORT = 20_000
_NUM_PORTS = 20_000
_LAST_PORT = 65_535
_LOCALHOST = "127.0.0.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """Rank of this process, and the address of rank 0.

    Attributes:
        launcher: ``"torchrun"``, ``"slurm"``, ``"mpi"`` or ``"alone"``.
        rank: The rank of this process.
        world_size: The number of processes.
        local_rank: The rank of this process on its host.
        node: The number of the host.
        address: The host of rank 0.
        port: The port of the store there.
        num_restarts: How often the launcher has restarted this process.
    """

    launcher: str
    rank: int = 0
    world_size: int = 1
    local_rank: int = 0
    node: int = 0
    address: str = _LOCALHOST
    port: int = 0
    num_restarts: int = 0


def read_environment(variables: Mapping[str, str] | None = None) -> Environment:
    """Read the environment variables of the launcher.

    torchrun comes first: under ``srun torchrun``, the variables of Slurm are those of torchrun.

    Args:
        variables: The environment; None for that of this process.

    Raises:
        Refusal: A variable is missing, is no number, or contradicts another one.
    """
    given = os.environ if variables is None else variables
    for prefix, read in (
        (("RANK", "WORLD_SIZE"), _of_torchrun),
        (("SLURM_PROCID",), _of_slurm),
        (("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), _of_mpi),
    ):
        if any(name in given for name in prefix):
            return read(_Variables(given))
    return Environment(launcher="alone")


@dataclass(frozen=True, slots=True)
class _Variables:
    given: Mapping[str, str]

    def number(
        self, name: str, *, default: int | None = None, below: tuple[str, int] | None = None
    ) -> int:
        """Return a variable as an integer; check that it is from 0 to below a bound, if given."""
        if name not in self.given:
            assert default is not None, f"{name} is read before it is required"
            return default
        try:
            value = int(self.given[name])
        except ValueError:
            raise Refusal("variable_number", name=name, came=self.given[name]) from None
        if below is not None and not 0 <= value < below[1]:
            other, size = below
            raise Refusal(
                "variable_below", name=name, came=value, last=size - 1, other=other, size=size
            )
        return value

    def require(self, launcher: str, *names: str) -> None:
        """Raise an error if some of the variables are set but not all of them."""
        present = next((name for name in names if name in self.given), None)
        for name in names:
            if name not in self.given:
                raise Refusal("variable_missing", name=name, given=present, launcher=launcher)

    def port(self, *, default: int) -> int:
        """Return the port of the store from ``MASTER_PORT``."""
        port = self.number("MASTER_PORT", default=default)
        if not 0 <= port <= _LAST_PORT:
            wanted = f"0 … {_LAST_PORT}"
            raise Refusal("variable_range", name="MASTER_PORT", came=port, wanted=wanted)
        return port

    def size(self, name: str) -> int:
        """Return a variable that is a number of processes, at least 1."""
        size = self.number(name)
        if size < 1:
            raise Refusal("variable_range", name=name, came=size, wanted="≥ 1")
        return size


def _of_torchrun(variables: _Variables) -> Environment:
    variables.require("torchrun", "RANK", "WORLD_SIZE")
    world_size = variables.size("WORLD_SIZE")
    rank = variables.number("RANK", below=("WORLD_SIZE", world_size))
    if world_size > 1:
        variables.require("torchrun", "RANK", "MASTER_ADDR", "MASTER_PORT")
    local_size = variables.number("LOCAL_WORLD_SIZE", default=world_size)
    if local_size > world_size:
        raise Refusal(
            "variables_differ",
            name="LOCAL_WORLD_SIZE",
            came=local_size,
            other="WORLD_SIZE",
            wanted=world_size,
        )
    local_rank = variables.number(
        "LOCAL_RANK", default=rank % local_size, below=("LOCAL_WORLD_SIZE", local_size)
    )
    return Environment(
        launcher="torchrun",
        rank=rank,
        world_size=world_size,
        local_rank=local_rank,
        node=variables.number("GROUP_RANK", default=rank // local_size),
        address=variables.given.get("MASTER_ADDR", _LOCALHOST),
        port=variables.port(default=0),
        num_restarts=variables.number("TORCHELASTIC_RESTART_COUNT", default=0),
    )


def _of_slurm(variables: _Variables) -> Environment:
    variables.require("srun", "SLURM_PROCID", "SLURM_NTASKS")
    world_size = variables.size("SLURM_NTASKS")
    rank = variables.number("SLURM_PROCID", below=("SLURM_NTASKS", world_size))
    address, port = _LOCALHOST, 0
    if world_size > 1:
        variables.require("srun", "SLURM_PROCID", "SLURM_JOB_NODELIST", "SLURM_JOB_ID")
        address = first_host(variables.given["SLURM_JOB_NODELIST"])
        port = _FIRST_PORT + variables.number("SLURM_JOB_ID") % _NUM_PORTS
    return Environment(
        launcher="slurm",
        rank=rank,
        world_size=world_size,
        local_rank=variables.number("SLURM_LOCALID", default=0, below=("SLURM_NTASKS", world_size)),
        node=variables.number("SLURM_NODEID", default=0),
        address=variables.given.get("MASTER_ADDR", address),
        port=variables.port(default=port),
        num_restarts=variables.number("SLURM_RESTART_COUNT", default=0),
    )


def _of_mpi(variables: _Variables) -> Environment:
    variables.require("mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")
    world_size = variables.size("OMPI_COMM_WORLD_SIZE")
    rank = variables.number("OMPI_COMM_WORLD_RANK", below=("OMPI_COMM_WORLD_SIZE", world_size))
    local_size = variables.number("OMPI_COMM_WORLD_LOCAL_SIZE", default=world_size)
    if local_size < world_size:
        # Open MPI does not provide the address of rank 0.
        variables.require("mpirun -x", "OMPI_COMM_WORLD_RANK", "MASTER_ADDR")
    job = variables.given.get("PMIX_NAMESPACE", variables.given.get("OMPI_MCA_ess_base_jobid", ""))
    return Environment(
        launcher="mpi",
        rank=rank,
        world_size=world_size,
        local_rank=variables.number(
            "OMPI_COMM_WORLD_LOCAL_RANK",
            default=rank,
            below=("OMPI_COMM_WORLD_LOCAL_SIZE", local_size),
        ),
        node=rank // local_size,
        address=variables.given.get("MASTER_ADDR", _LOCALHOST),
        port=variables.port(default=_FIRST_PORT + crc32(job.encode()) % _NUM_PORTS),
    )


def first_host(nodes: str) -> str:
    """Return the first host of a Slurm node list.

    >>> first_host("gpu[07-09,12],login1")
    'gpu07'
    """
    name, bracket, rest = nodes.partition("[")
    if "," in name or not bracket:
        return name.partition(",")[0]
    number = re.split(r"[-,\]]", rest, maxsplit=1)[0]
    return name + number + rest.partition("]")[2].partition(",")[0]
