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

# What torch makes the groups of a backend of. Ranks on cards exchange numbers of the host, too: how
# long a message is, in which order units are gathered, whether all have agreed.
GROUPS = {"gloo": "gloo", "nccl": "cpu:gloo,cuda:nccl"}


class Processes:
    """The process group of a run, which is made here or was there before.

    Args:
        environment: The place of this process.
        backend: ``"gloo"`` or ``"nccl"``.
        mesh: As this rank has it.
        timeout_s: Of each collective.
        is_checked: Whether each collective is compared between the ranks before it is run.

    Attributes:
        place: The place of this process, with what the ranks have agreed on.
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
        """Return the collectives of all ranks, with a process group of their own.

        Args:
            axis: The name of their axis.
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
        """End the threads, and the process groups that were made here."""
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
        """Return what the ranks of this world share, and make the process group of all of them."""
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
    """Return the greatest number of all ranks: after one restart two launchers may count unlike."""
    store.set(f"restarts/{environment.rank}", str(environment.num_restarts))
    return max(int(store.get(f"restarts/{rank}")) for rank in range(environment.world_size))


# By place: rank 0 cannot listen twice on one port.
_stores: dict[Environment, Store] = {}


def _store_of(environment: Environment, timeout: datetime.timedelta) -> Store:
    """Return the store of all ranks: that of torchrun, or one that rank 0 makes, once."""
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
