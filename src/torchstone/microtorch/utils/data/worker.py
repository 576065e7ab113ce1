"""Worker process of a DataLoader: fetch the requested batches until it is stopped."""

from __future__ import annotations

import multiprocessing
import queue
import random
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from torchstone.microtorch.ops.seeds import manual_seed

# Interval at which a worker checks whether its parent is alive.
POLL_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """Data about a worker process: its index, its seed and the data set.

    Attributes:
        id: The index of the worker.
        num_workers: The number of workers.
        seed: The seed of its random numbers.
        dataset: Its copy of the data set.
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any


@dataclass(frozen=True, slots=True)
class Failure:
    """Exception sent to the main process.

    Attributes:
        type: Its class.
        text: Its traceback.
        worker: The index of the worker.
    """

    type: type[BaseException]
    text: str
    worker: int

    def reraise(self) -> None:
        """Raise the exception, with the original traceback in its message."""
        message: str = (
            f"Caught {self.type.__name__} in DataLoader worker process {self.worker}.\n"
            f"Original {self.text}"
        )
        if self.type is KeyError:
            # KeyError shows its argument by ``repr``, which would be a single line.
            message = _Message(message)
        try:
            error = self.type(message)
        except Exception:  # noqa: BLE001 - a class may want other arguments, and raise anything
            error = RuntimeError(message)
        raise error


class _Message(str):
    """String whose ``repr`` is itself."""

    def __repr__(self) -> str:
        return str(self)


class Exhausted:
    """Marker that an iterable data set is exhausted."""


_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Return the worker information of this process; None in the main process."""
    return _info


def work(
    info: WorkerInfo,
    fetch: Any,
    init: Callable[[int], None] | None,
    tasks: Any,
    results: Any,
) -> None:
    """Run a worker: fetch batches until stopped.

    Args:
        info: Data about this worker.
        fetch: Fetches a batch.
        init: Called once with the index of the worker.
        tasks: Queue of ``(order, numbers)``; order None starts a new epoch, None stops the worker.
        results: Queue of ``(order, batch)``.
    """
    global _info
    _info = info
    random.seed(info.seed)
    manual_seed(info.seed)
    first = info.seed - info.id
    words = np.random.SeedSequence([info.id, first & 0xFFFFFFFF, first >> 32, 0]).generate_state(4)
    np.random.seed(words)
    failure = None
    try:
        if init is not None:
            init(info.id)
    except Exception as error:  # noqa: BLE001 - carried to the main process
        failure = Failure(type(error), traceback.format_exc(), info.id)
    try:
        for order, numbers in _given(tasks):
            if order is None:
                fetch.reset()
            else:
                results.put((order, failure or _fetched(fetch, numbers, info.id)))
    except KeyboardInterrupt:
        # The interrupt also reaches the main process, which ends the workers.
        pass
    # The main process has ended: do not wait for it to take the remaining results.
    results.cancel_join_thread()


def _given(tasks: Any) -> Iterator[tuple[Any, Any]]:
    """Yield tasks until there are no more, or until the parent process has ended."""
    # Parent ids are not compared, because the parent may end before the first check.
    parent = multiprocessing.parent_process()
    while parent is None or parent.is_alive():
        try:
            task = tasks.get(timeout=POLL_SECONDS)
        except queue.Empty:
            continue
        if task is None:
            return
        yield task


def _fetched(fetch: Any, numbers: Any, worker: int) -> Any:
    try:
        return fetch(numbers)
    except StopIteration:
        return Exhausted()
    except Exception as error:  # noqa: BLE001 - carried to the main process
        return Failure(type(error), traceback.format_exc(), worker)
