"""``init`` and ``World``: the ranks that train together; ``run_threads``: ranks as threads."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import torch
import torch.distributed as dist

from torchstone.distributed.comm.protocol import Comm
from torchstone.distributed.comm.threads import Link, Simulation, current, run_ranks
from torchstone.distributed.environment import Environment, read_environment
from torchstone.distributed.mesh import AXIS, Mesh, require_axis
from torchstone.distributed.processes import Processes
from torchstone.distributed.refusal import Phrase, Refusal

BACKENDS = ("threads", "gloo", "nccl")
# Each thread has a stack and a copy of the model.
MOST_THREADS = 1024


class World:
    """Ranks that train together, as seen by one of them.

    A world is a context manager that closes it at the end.

    Attributes:
        rank: This rank.
        world_size: The number of ranks.
        local_rank: The number of this rank on its host.
        node: The number of the host.
        device: The device of this rank.
        restart: The number of restarts of the run, equal on all ranks.
        mesh: The ranks as a grid.
    """

    def __init__(
        self,
        place: Environment,
        mesh: Mesh,
        *,
        device: torch.device,
        comm: Comm,
        close: Callable[[], None] | None = None,
    ) -> None:
        self.rank = place.rank
        self.world_size = place.world_size
        self.local_rank = place.local_rank
        self.node = place.node
        self.device = device
        self.mesh = mesh
        self.restart = place.num_restarts
        self._comm, self._close = comm, close
        self._is_closed = False
        _joined.world = self

    @property
    def is_closed(self) -> bool:
        """Return whether the world has been closed."""
        return self._is_closed

    def comm(self, axis: str | None = None) -> Comm:
        """Return the communicator of an axis, or of all ranks, which is the same.

        Raises:
            RuntimeError: The world is closed.
            Refusal: The mesh has no such axis.
        """
        require_axis(AXIS if axis is None else axis)
        if self._is_closed:
            raise RuntimeError("World.comm: the world is closed; call init() again.")
        return self._comm

    def close(self) -> None:
        """Wait for the other ranks, and disconnect; later calls do nothing."""
        if not self._is_closed:
            self._comm.barrier()
        self._end()

    def __enter__(self) -> World:
        return self

    def __exit__(self, kind: object, *exception: object) -> None:
        # After an error do not wait: the others may be in a collective.
        if kind is None:
            self.close()
        else:
            self._end()

    def _end(self) -> None:
        self._is_closed = True
        close, self._close = self._close, None
        if close is not None:
            close()


# The world that this thread has joined most recently.
_joined = threading.local()


def current_world() -> World:
    """Return the world that this thread has joined most recently; join one if needed."""
    world: World | None = getattr(_joined, "world", None)
    return init() if world is None or world.is_closed else world


def init(
    *,
    backend: str | None = None,
    mesh: Mapping[str, int] | None = None,
    timeout_s: float = 60.0,
    check: bool = False,
) -> World:
    """Join the ranks that were launched together.

    Under ``torchrun``, ``srun`` or ``mpirun`` these are the processes that it has started, within
    ``run_threads`` the threads; otherwise this process is the only rank.

    Args:
        backend: ``"gloo"`` or ``"nccl"``; by default NCCL if this rank has a GPU, otherwise gloo.
        mesh: The number of ranks by axis, as in ``Mesh.of``.
        timeout_s: Seconds after which a collective fails that some rank has not joined.
        check: Whether to compare the sizes, dtypes and arguments of each collective before it is
            run. This costs a small exchange each. Without it, gloo aborts a process that receives
            more bytes than it expects.

    Returns:
        The world of this rank.

    Raises:
        Refusal: The variables of the launcher contradict each other, the mesh does not match the
            number of ranks, the backend is not available, the port is in use, or the arguments of
            the ranks differ.
    """
    if not 0 < timeout_s < math.inf:
        raise Refusal("number", name="timeout_s", came=timeout_s, wanted="0 < timeout_s < ∞")
    place = current()
    if place is not None:
        if backend not in (None, "threads"):
            raise Refusal("backend_threads", came=backend)
        return _thread_world(*place, mesh=mesh)
    if backend not in (None, *BACKENDS[1:]):
        raise Refusal("backend", came=backend, wanted=BACKENDS[1:])
    environment = read_environment()
    if dist.is_initialized():
        environment = replace(environment, rank=dist.get_rank(), world_size=dist.get_world_size())
    device, chosen = _device_of(environment, backend)
    if environment.world_size == 1 and not dist.is_initialized():
        grid = Mesh.of(mesh, 1)
        simulation = Simulation(1, seed=0, link=None)
        return World(
            environment,
            grid,
            device=device,
            comm=simulation.join(0, (0,), AXIS),
        )
    # Validate before connecting, so that errors are raised at once.
    grid = Mesh.of(mesh, environment.world_size)
    processes = Processes(environment, chosen, mesh=grid, timeout_s=timeout_s, is_checked=check)
    return World(
        processes.place,
        grid,
        device=device,
        comm=processes.connect(AXIS),
        close=processes.close,
    )


def run_threads(
    function: Callable[..., Any],
    world_size: int,
    *args: Any,
    seed: int = 0,
    link: Link | None = None,
    mesh: Mapping[str, int] | None = None,
) -> list[Any]:
    """Run a function on each rank of a world, in threads of this process.

    One rank runs at a time, until it waits for others. Each has its own default generator of torch,
    all with the same seed. So equal calls give equal bits.

    Args:
        function: Function called with the ``World`` of the rank, and ``args``.
        world_size: The number of ranks.
        *args: Further arguments, the same objects on every rank.
        seed: The seed of the generators.
        link: A simulated link; ledgers then use the simulated clock.
        mesh: The number of ranks by axis.

    Returns:
        The result of each rank, in rank order.

    Raises:
        Refusal: ``world_size`` is not positive or too large.
        Deadlock: The ranks wait for each other forever.
        Exception: The exception of the first rank that failed, with its number as a note.
    """
    if world_size < 1:
        raise Refusal("world_number", came=world_size)
    if world_size > MOST_THREADS:
        what = Phrase("tool_threads")
        raise Refusal("world_limit", came=world_size, what=what, most=MOST_THREADS)

    def run(simulation: Simulation, rank: int) -> Any:
        return function(_thread_world(simulation, rank, mesh=mesh), *args)

    return run_ranks(run, world_size, seed=seed, link=link)


def _thread_world(simulation: Simulation, rank: int, *, mesh: Mapping[str, int] | None) -> World:
    size = len(simulation.clock_s)
    place = Environment(launcher="threads", rank=rank, world_size=size, local_rank=rank)
    comm = simulation.join(rank, tuple(range(size)), AXIS)
    return World(place, Mesh.of(mesh, size), device=torch.device("cpu"), comm=comm)


def _device_of(environment: Environment, backend: str | None) -> tuple[torch.device, str]:
    num_cards = torch.cuda.device_count()
    if backend == "nccl" and not num_cards:
        raise Refusal("card_missing", name="nccl")
    has_card = environment.local_rank < num_cards
    chosen = backend or ("nccl" if has_card else "gloo")
    if chosen == "gloo":
        return torch.device("cpu"), chosen
    if not has_card:
        raise Refusal("card_of_rank", came=environment.local_rank, wanted=num_cards)
    device = torch.device("cuda", environment.local_rank)
    torch.cuda.set_device(device)
    return device, chosen
