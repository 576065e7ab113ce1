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

# How often, in seconds, it is seen whether somebody still waits.
POLL_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """Data about a worker process: its index, its seed and the data set.

    Attributes:
        id: Its number.
        num_workers: How many there are.
        seed: The seed of its random numbers.
        dataset: Its copy of the data set.
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception on its way to the process that waits for the batch.

    Attributes:
        type: Its class.
        text: Its traceback.
        worker: The number of the worker.
    """

    type: type[BaseException]
    text: str
    worker: int

    def reraise(self) -> None:
        """Raise it here, with the traceback in its message."""
        message: str = (
            f"Caught {self.type.__name__} in DataLoader worker process {self.worker}.\n"
            f"Original {self.text}"
        )
        if self.type is KeyError:
            # Which shows what it is given by ``repr``: all in one line.
            message = _Message(message)
        try:
            error = self.type(message)
        except Exception:  # noqa: BLE001 - a class may want other arguments, and raise anything
            error = RuntimeError(message)
        raise error


class _Message(str):
    """A text that shows itself as it is."""

    def __repr__(self) -> str:
        return str(self)


class Exhausted:
    """An iterable data set has no more."""


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
    """Fetch batch after batch.

    Args:
        info: What is known of this worker.
        fetch: Makes a batch of the numbers of its samples.
        init: Called once with the number of the worker.
        tasks: Delivers ``(order, numbers)``; order None starts a new epoch, None ends the worker.
        results: Takes ``(order, batch)``.
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
        # The main process receives it as well.
        pass
    # The reader has ended: do not wait until it takes the remaining results.
    results.cancel_join_thread()


def _given(tasks: Any) -> Iterator[tuple[Any, Any]]:
    """Yield tasks until there are no more, or the parent process has ended."""
    # Do not compare parent ids: the parent may have ended before the first check.
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
