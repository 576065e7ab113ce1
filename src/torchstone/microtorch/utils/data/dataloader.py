"""DataLoader: batches of a data set, loaded in this process or by worker processes."""

from __future__ import annotations

import itertools
import multiprocessing
import multiprocessing.context
import os
import queue
import warnings
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

from torchstone.microtorch.generator import Generator
from torchstone.microtorch.utils.data.collate import default_collate, default_convert
from torchstone.microtorch.utils.data.dataset import IterableDataset
from torchstone.microtorch.utils.data.fetch import Fetch, Stream
from torchstone.microtorch.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    SequentialSampler,
    drawn_seed,
)
from torchstone.microtorch.utils.data.worker import Exhausted, Failure, WorkerInfo, work

T = TypeVar("T", covariant=True)
# Interval at which the loader checks whether its workers are alive.
POLL_SECONDS = 5.0


class DataLoader(Generic[T]):
    """Iterable over batches of a data set.

    Args:
        dataset: A map-style or an iterable data set.
        batch_size: Number of samples per batch; None disables batching.
        shuffle: Use a new random order in each epoch.
        sampler: An explicit order of samples.
        batch_sampler: An explicit order of batches; excludes the other options of order and size.
        num_workers: Number of worker processes; 0 loads in this process.
        collate_fn: Makes a batch of a list of samples.
        pin_memory: Not used: there is no pinned memory.
        drop_last: Drop an incomplete last batch.
        timeout: Seconds to wait for a batch; 0 waits forever.
        worker_init_fn: Called in each worker with its index.
        multiprocessing_context: How workers are started.
        generator: The generator for shuffling.
        prefetch_factor: Number of batches that each worker prefetches; 2 by default.
        persistent_workers: Keep the workers between epochs.
        pin_memory_device: Not used.
        in_order: Not used: batches are always in order.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[list[Any]] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        if num_workers < 0:
            raise ValueError(
                "num_workers option should be non-negative; use num_workers=0 to disable "
                "multiprocessing."
            )
        if timeout < 0:
            raise ValueError("timeout option should be non-negative")
        if num_workers == 0 and prefetch_factor is not None:
            raise ValueError(
                "prefetch_factor option could only be specified in multiprocessing.let "
                "num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
            )
        if prefetch_factor is not None and prefetch_factor < 0:
            raise ValueError("prefetch_factor option should be non-negative")
        if persistent_workers and num_workers == 0:
            raise ValueError("persistent_workers option needs num_workers > 0")
        self.dataset, self.batch_size, self.num_workers = dataset, batch_size, num_workers
        self.drop_last, self.timeout, self.pin_memory = drop_last, timeout, pin_memory
        self.worker_init_fn, self.generator = worker_init_fn, generator
        self.multiprocessing_context = _context(multiprocessing_context, num_workers)
        is_usual = num_workers > 0 and prefetch_factor is None
        self.prefetch_factor = 2 if is_usual else prefetch_factor
        self.persistent_workers = persistent_workers
        self.pin_memory_device, self.in_order = pin_memory_device, in_order
        self.is_iterable = isinstance(dataset, IterableDataset)
        self._choose_order(shuffle, sampler, batch_sampler)
        self._is_batched = self.batch_sampler is not None or (
            self.is_iterable and batch_size is not None
        )
        self.collate_fn = collate_fn or (default_collate if self._is_batched else default_convert)
        self._workers: Workers | None = None
        self.check_worker_number_rationality()
        self._is_made = True

    def _choose_order(
        self, shuffle: bool | None, sampler: Any, batch_sampler: Iterable[list[Any]] | None
    ) -> None:
        options = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
        for name, value in options.items() if self.is_iterable else ():
            if value is not None:
                raise ValueError(
                    f"DataLoader with IterableDataset: expected unspecified {name} option, but got "
                    f"{name}={value}"
                )
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if self.batch_size != 1 or shuffle or sampler is not None or self.drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, "
                    "and drop_last"
                )
            self.batch_size = None
        elif self.batch_size is None and self.drop_last:
            raise ValueError(
                "batch_size=None option disables auto-batching and is mutually exclusive with "
                "drop_last"
            )
        if sampler is None and not self.is_iterable:
            if shuffle:
                sampler = RandomSampler(self.dataset, generator=self.generator)
            else:
                sampler = SequentialSampler(self.dataset)
        self.sampler = sampler
        if batch_sampler is None and self.batch_size is not None and not self.is_iterable:
            batch_sampler = BatchSampler(sampler, self.batch_size, self.drop_last)
        self.batch_sampler = batch_sampler

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _FIXED and "_is_made" in self.__dict__:
            raise ValueError(
                f"{name} attribute should not be set after {type(self).__name__} is initialized"
            )
        super().__setattr__(name, value)

    def check_worker_number_rationality(self) -> None:
        """Warn if there are more workers than usable processors."""
        usable = len(os.sched_getaffinity(0)) if _HAS_AFFINITY else os.cpu_count() or 1
        if self.num_workers > usable:
            unsure = "" if _HAS_AFFINITY else " (`cpuset` is not taken into account)"
            warnings.warn(
                f"This DataLoader will create {self.num_workers} worker processes in total. Our "
                f"suggested max number of worker in current system is {usable}{unsure}, which is "
                "smaller than what this DataLoader is going to create. Please be aware that "
                "excessive worker creation might get DataLoader running slow or even freeze, lower "
                "the worker number to avoid potential slowness/freeze if necessary.",
                stacklevel=3,
            )

    def __len__(self) -> int:
        if self.is_iterable:
            count, size = len(self.dataset), self.batch_size or 1
            return count // size if self.drop_last else -(-count // size)
        order: Any = self.sampler if self.batch_sampler is None else self.batch_sampler
        return len(order)

    def __iter__(self) -> _BaseDataLoaderIter:
        if self.num_workers == 0:
            # PyTorch always draws this seed, so the generator's stream stays the same.
            drawn_seed(self.generator)
            return _SingleProcessDataLoaderIter(self)
        self.check_worker_number_rationality()
        workers = self._workers
        if workers is None:
            workers = Workers(self, drawn_seed(self.generator))
        else:
            workers.begin_anew()
        if self.persistent_workers:
            self._workers = workers
        return _MultiProcessingDataLoaderIter(self, workers)

    def orders(self) -> Iterator[Any]:
        """Return what each batch consists of: lists of indices, or sizes."""
        if self.is_iterable:
            return itertools.repeat(self.batch_size)
        order: Any = self.sampler if self.batch_sampler is None else self.batch_sampler
        return iter(order)

    def fetcher(self) -> Callable[[Any], Any]:
        """Return the function that fetches a batch."""
        if self.is_iterable:
            return Stream(self.dataset, self.collate_fn, self.drop_last)
        return Fetch(self.dataset, self.collate_fn, self._is_batched)


_HAS_AFFINITY = hasattr(os, "sched_getaffinity")
_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


def _context(given: Any, num_workers: int) -> Any:
    """Check the start method of workers."""
    if given is None:
        return None
    if num_workers == 0:
        raise ValueError(
            "multiprocessing_context can only be used with multi-process loading (num_workers > 0),"
            f" but got num_workers={num_workers}"
        )
    if isinstance(given, str):
        known = multiprocessing.get_all_start_methods()
        if given not in known:
            raise ValueError(
                f"multiprocessing_context option should specify a valid start method in {known!r}, "
                f"but got multiprocessing_context={given!r}"
            )
        return multiprocessing.get_context(given)
    if not isinstance(given, multiprocessing.context.BaseContext):
        raise TypeError(
            "multiprocessing_context option should be a valid context object or a string specifying"
            f" the start method, but got multiprocessing_context={given}"
        )
    return given


class _BaseDataLoaderIter:
    """Base class of the iterators: one epoch."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        self._loader, self._orders = loader, loader.orders()

    def __iter__(self) -> _BaseDataLoaderIter:
        return self

    def __len__(self) -> int:
        return len(self._loader)

    def __next__(self) -> Any:
        raise NotImplementedError


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """Iterator that loads batches in this process."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        super().__init__(loader)
        self._fetch = loader.fetcher()

    def __next__(self) -> Any:
        return self._fetch(next(self._orders))


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Iterator over batches loaded by workers, which prefetch."""

    def __init__(self, loader: DataLoader[Any], workers: Workers) -> None:
        super().__init__(loader)
        self._workers = workers
        self._done: dict[int, Any] = {}
        self._asked: dict[int, int] = {}
        self._expected: deque[int] = deque()
        self._turns = itertools.cycle(range(loader.num_workers))
        self._exhausted: set[int] = set()
        for _ in range((loader.prefetch_factor or 1) * loader.num_workers):
            self._ask()

    def _ask(self) -> None:
        """Request a batch from the next worker that is not exhausted."""
        if len(self._exhausted) == self._loader.num_workers:
            return
        worker = next(each for each in self._turns if each not in self._exhausted)
        for numbers in itertools.islice(self._orders, 1):
            order = self._workers.ask(worker, numbers)
            self._asked[order] = worker
            self._expected.append(order)

    def __next__(self) -> Any:
        while self._expected:
            order = self._expected.popleft()
            batch = self._workers.wait_for(order, self._done, self._asked)
            if isinstance(batch, Exhausted):
                self._exhausted.add(self._asked[order])
            self._ask()
            if isinstance(batch, Failure):
                batch.reraise()
            if not isinstance(batch, Exhausted):
                return batch
        if not self._loader.persistent_workers:
            self._workers.stop()
        raise StopIteration


class Workers:
    """Worker processes of a loader: one task queue each, and a common result queue."""

    def __init__(self, loader: DataLoader[Any], seed: int) -> None:
        context = loader.multiprocessing_context or multiprocessing.get_context()
        self._timeout = loader.timeout
        self._results = context.Queue()
        self._tasks: list[Any] = []
        self._processes: list[Any] = []
        for number in range(loader.num_workers):
            tasks = context.Queue()
            info = WorkerInfo(number, loader.num_workers, seed + number, loader.dataset)
            args = (info, loader.fetcher(), loader.worker_init_fn, tasks, self._results)
            process = context.Process(target=work, args=args, daemon=True)
            process.start()
            self._tasks.append(tasks)
            self._processes.append(process)
        self.stop = weakref.finalize(self, _stop, self._tasks, self._processes)
        # Order numbers identify results of an epoch that was stopped early.
        self._numbers = itertools.count()

    def begin_anew(self) -> None:
        """Start an epoch in all workers."""
        for tasks in self._tasks:
            tasks.put((None, None))

    def ask(self, worker: int, numbers: Any) -> int:
        """Request a batch; return its order number."""
        order = next(self._numbers)
        self._tasks[worker].put((order, numbers))
        return order

    def wait_for(self, order: int, done: dict[int, Any], asked: dict[int, int]) -> Any:
        """Wait for a batch; others that arrive meanwhile are stored."""
        waited = 0.0
        while order not in done:
            step = min(self._timeout or POLL_SECONDS, POLL_SECONDS)
            try:
                number, batch = self._results.get(timeout=step)
            except queue.Empty:
                waited += step
                dead = [each.pid for each in self._processes if not each.is_alive()]
                if dead:
                    self.stop()
                    raise RuntimeError(
                        f"DataLoader worker (pid(s) {', '.join(map(str, dead))}) exited "
                        "unexpectedly"
                    ) from None
                if self._timeout and waited >= self._timeout:
                    self.stop()
                    raise RuntimeError(
                        f"DataLoader timed out after {self._timeout} seconds"
                    ) from None
                continue
            if number in asked:
                done[number] = batch
        return done.pop(order)


def _stop(tasks: list[Any], processes: list[Any]) -> None:
    for each in tasks:
        each.put(None)
    for process in processes:
        process.join(timeout=POLL_SECONDS)
        if process.is_alive():
            process.terminate()
            process.join()
