"""``Processes``: the processes of a launcher as ranks of ``torch.distributed``."""

from __future__ import annotations

import datetime
import os
import socket
from dataclasses import replace

import torch.distributed as dist
from torch._C._distributed_c10d import PrefixStore, Store
from torch.distributed.distributed_c10d import _get_default_store
from torch.distributed.rendezvous import rendezvous

from torchstone.distributed.comm.torch_backend import TorchComm
from torchstone.distributed.comm.watch import Watch
from torchstone.distributed.environment import Environment
from torchstone.distributed.mesh import Mesh
from torchstone.distributed.refusal import Refusal
from torchstone.distributed.session import join, require_alike

# Backend of the process groups. Ranks on GPUs exchange CPU tensors too: the length of a message,
# the order of units, flags of agreement.
GROUPS = {"gloo": "gloo", "nccl": "cpu:gloo,cuda:nccl"}


class Processes:
    """Process group of a run, created here or initialized before.

    Args:
        environment: The rank and the address of this process.
        backend: ``"gloo"`` or ``"nccl"``.
        mesh: The mesh of this rank.
        timeout_s: The timeout of each collective, in seconds.
        is_checked: Whether each collective is compared between the ranks before it is run.

    Attributes:
        place: The environment, with the number of restarts that the ranks have agreed on.
    """

    def __init__(
        self,
        environment: Environment,
        backend: str,
        *,
        mesh: Mesh,
        timeout_s: float,
        is_checked: bool,
    ) -> None:
        self._backend, self._is_checked = backend, is_checked
        self._timeout = datetime.timedelta(seconds=timeout_s)
        self._is_mine = not dist.is_initialized()
        self.place = environment
        store = self._begin(mesh, timeout_s)
        restarts = _agree_on_restarts(store, self.place)
        self.place = replace(self.place, num_restarts=restarts)
        self._watch = Watch(store, self.place.rank, self.place.world_size)
        self._comms: list[TorchComm] = []
        self._groups: list[dist.ProcessGroup] = []

    def connect(self, axis: str) -> TorchComm:
        """Return a communicator of all ranks with its own process group.

        Args:
            axis: The name of the axis.
        """
        group = dist.new_group(timeout=self._timeout, backend=GROUPS[self._backend])
        comm = TorchComm(
            self.place.rank,
            tuple(range(self.place.world_size)),
            axis,
            group=group,
            watch=self._watch,
            is_checked=self._is_checked,
            again=self._again,
        )
        self._comms.append(comm)
        self._groups.append(group)
        return comm

    def close(self) -> None:
        """End the threads, and destroy the process groups that were created here."""
        for comm in self._comms:
            comm.close()
        self._comms.clear()
        self._watch.close()
        if self._is_mine:
            dist.destroy_process_group()
        else:
            for group in self._groups:
                dist.destroy_process_group(group)
        self._groups.clear()

    def _begin(self, mesh: Mesh, timeout_s: float) -> Store:
        """Return the store of the ranks of this world, and create their process group."""
        place = self.place
        if self._is_mine:
            _require_interface()
            shared = _store_of(place, self._timeout)
        else:
            shared = _get_default_store()
        try:
            store = join(shared, place.rank, place.world_size, timeout_s=timeout_s)
            facts = {
                "world_size": str(place.world_size),
                "mesh": str(mesh),
                "backend": self._backend,
                "check": str(self._is_checked),
            }
            require_alike(store, place.rank, place.world_size, facts, timeout_s=timeout_s)
        except TimeoutError as error:
            raise _refuse("not_joined", place, self._timeout, wanted=place.world_size) from error
        if self._is_mine:
            dist.init_process_group(
                GROUPS[self._backend],
                store=PrefixStore("groups", store),
                rank=place.rank,
                world_size=place.world_size,
                timeout=self._timeout,
            )
        return store

    def _again(self, comm: TorchComm) -> TorchComm:
        return self.connect(f"{comm.axis}.{len(self._comms)}")


def _agree_on_restarts(store: Store, environment: Environment) -> int:
    """Return the maximum over the ranks, because launchers may count restarts differently."""
    store.set(f"restarts/{environment.rank}", str(environment.num_restarts))
    return max(int(store.get(f"restarts/{rank}")) for rank in range(environment.world_size))


# By environment: rank 0 cannot listen twice on one port.
_stores: dict[Environment, Store] = {}


def _store_of(environment: Environment, timeout: datetime.timedelta) -> Store:
    """Return the store of all ranks: that of torchrun, or else one that rank 0 creates once."""
    if environment in _stores:
        _stores[environment].set_timeout(timeout)
        return _stores[environment]
    where = f"tcp://{environment.address}:{environment.port}"
    if environment.launcher == "torchrun":
        where = "env://"
    store: Store
    try:
        store, _, _ = next(
            rendezvous(where, environment.rank, environment.world_size, timeout=timeout)
        )
    except dist.DistNetworkError as error:
        code = "port_taken" if "EADDRINUSE" in str(error) else "not_reached"
        raise _refuse(code, environment, timeout) from error
    except dist.DistStoreError as error:
        if "clients joined" not in str(error):
            raise
        size = environment.world_size
        raise _refuse("not_joined", environment, timeout, wanted=size) from error
    _stores[environment] = store
    return store


def _refuse(
    code: str, environment: Environment, timeout: datetime.timedelta, **values: object
) -> Refusal:
    seconds = f"{timeout.total_seconds():g}"
    address, port = environment.address, environment.port
    return Refusal(code, address=address, port=port, seconds=seconds, **values)


def _require_interface() -> None:
    name = os.environ.get("GLOO_SOCKET_IFNAME")
    if name is None:
        return
    there = [interface for _, interface in socket.if_nameindex()]
    for each in name.split(","):
        if each not in there:
            raise Refusal("interface", name="GLOO_SOCKET_IFNAME", came=each, wanted=tuple(there))
