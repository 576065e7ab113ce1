"""What a worker process of a loader does: fetch the batches it is asked for, until it is told."""

from __future__ import annotations

import random
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torchstone.microtorch.ops.random import manual_seed


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """What a worker knows of itself.

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
        message = (
            f"Caught {self.type.__name__} in DataLoader worker process {self.worker}.\n"
            f"Original {self.text}"
        )
        try:
            error = self.type(message)
        except Exception:  # noqa: BLE001 - a class may want other arguments, and raise anything
            error = RuntimeError(message)
        raise error


class Exhausted:
    """An iterable data set has no more."""


_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Say which worker this process is; None in the main process."""
    return _info


def work(
    info: WorkerInfo,
    fetch: Callable[[Any], Any],
    init: Callable[[int], None] | None,
    tasks: Any,
    results: Any,
) -> None:
    """Fetch batch after batch.

    Args:
        info: What is known of this worker.
        fetch: Makes a batch of the numbers of its samples.
        init: Called once with the number of the worker.
        tasks: Where ``(order, numbers)`` comes in; None ends the worker.
        results: Where ``(order, batch)`` goes out.
    """
    global _info
    _info = info
    random.seed(info.seed)
    manual_seed(info.seed)
    failure = None
    try:
        if init is not None:
            init(info.id)
    except Exception as error:  # noqa: BLE001 - carried to the main process
        failure = Failure(type(error), traceback.format_exc(), info.id)
    while (task := tasks.get()) is not None:
        order, numbers = task
        try:
            results.put((order, failure or fetch(numbers)))
        except StopIteration:
            results.put((order, Exhausted()))
        except Exception as error:  # noqa: BLE001 - carried to the main process
            results.put((order, Failure(type(error), traceback.format_exc(), info.id)))
