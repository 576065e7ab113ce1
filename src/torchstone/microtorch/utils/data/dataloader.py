"""The loader: batches of a data set, made here or by worker processes ahead of time."""

from __future__ import annotations

import itertools
import multiprocessing
import queue
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from torchstone.microtorch.generator import Generator
from torchstone.microtorch.utils.data.collate import default_collate, default_convert
from torchstone.microtorch.utils.data.dataset import IterableDataset
from torchstone.microtorch.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    SequentialSampler,
    drawn_seed,
)
from torchstone.microtorch.utils.data.worker import Exhausted, Failure, WorkerInfo, work

# How often, in seconds, it is seen whether a worker still lives.
POLL_SECONDS = 5.0


class DataLoader:
    """Batches of a data set.

    Args:
        dataset: Samples under their numbers, or one after another.
        batch_size: How many samples a batch has; None: samples come as they are.
        shuffle: Take them in random order, another one each time.
        sampler: The order, if it is neither of these.
        batch_sampler: The order of whole batches, instead of all of the above.
        num_workers: How many processes make batches; with 0 they are made here.
        collate_fn: Makes a batch of samples.
        pin_memory: Not used: there is no other memory.
        drop_last: Leave a last batch out that is not full.
        timeout: How long, in seconds, to wait for a batch; 0: for ever.
        worker_init_fn: Called in each worker with its number.
        multiprocessing_context: How workers are started.
        generator: The stream that shuffles.
        prefetch_factor: How many batches each worker is ahead; 2 by default.
        persistent_workers: Keep the workers from one pass to the next.
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
        **options: Any,
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
                "prefetch_factor option could only be specified in multiprocessing. let "
                "num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
            )
        if persistent_workers and num_workers == 0:
            raise ValueError("persistent_workers option needs num_workers > 0")
        self.dataset, self.batch_size, self.num_workers = dataset, batch_size, num_workers
        self.drop_last, self.timeout, self.pin_memory = drop_last, timeout, pin_memory
        self.worker_init_fn, self.generator = worker_init_fn, generator
        self.multiprocessing_context = multiprocessing_context
        self.prefetch_factor = prefetch_factor or 2
        self.persistent_workers = persistent_workers
        self.is_iterable = isinstance(dataset, IterableDataset)
        self._choose_order(shuffle, sampler, batch_sampler)
        is_batched = self.batch_sampler is not None or (self.is_iterable and batch_size is not None)
        self.collate_fn = collate_fn or (default_collate if is_batched else default_convert)
        self._workers: Workers | None = None

    def _choose_order(
        self, shuffle: bool | None, sampler: Any, batch_sampler: Iterable[list[Any]] | None
    ) -> None:
        if self.is_iterable and (shuffle or sampler is not None or batch_sampler is not None):
            raise ValueError(
                "DataLoader with IterableDataset: expected unspecified shuffle, sampler and "
                f"batch_sampler options, but got shuffle={shuffle}"
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

    def __len__(self) -> int:
        if self.is_iterable:
            count, size = len(self.dataset), self.batch_size or 1
            return count // size if self.drop_last else -(-count // size)
        order: Any = self.sampler if self.batch_sampler is None else self.batch_sampler
        return len(order)

    def __iter__(self) -> Iterator[Any]:
        # PyTorch draws this seed in any case: the stream goes on from the same place.
        seed = drawn_seed(self.generator)
        if self.num_workers == 0:
            return self._made_here()
        if self._workers is None or not self.persistent_workers:
            self._workers = Workers(self, seed)
        return self._workers.run(self._orders())

    def _orders(self) -> Iterator[Any]:
        """Yield what is to be fetched, batch by batch."""
        if self.is_iterable:
            return itertools.repeat(self.batch_size)
        order: Any = self.sampler if self.batch_sampler is None else self.batch_sampler
        return iter(order)

    def _made_here(self) -> Iterator[Any]:
        fetch = self.fetcher()
        for numbers in self._orders():
            try:
                batch = fetch(numbers)
            except StopIteration:
                return
            yield batch

    def fetcher(self) -> Callable[[Any], Any]:
        """Give the function that makes a batch of the numbers of its samples."""
        if self.is_iterable:
            return Stream(self.dataset, self.collate_fn, self.drop_last)
        return Fetch(self.dataset, self.collate_fn)


class Fetch:
    """Makes a batch of the samples that have certain numbers."""

    def __init__(self, dataset: Any, collate: Callable[[Any], Any]) -> None:
        self.dataset, self.collate = dataset, collate

    def __call__(self, numbers: Any) -> Any:
        """Fetch them."""
        if not isinstance(numbers, list | tuple):
            return self.collate(self.dataset[numbers])
        several = getattr(self.dataset, "__getitems__", None)
        samples = several(numbers) if several else [self.dataset[each] for each in numbers]
        return self.collate(samples)


class Stream:
    """Makes a batch of the next samples of an iterable data set."""

    def __init__(self, dataset: Any, collate: Callable[[Any], Any], drop_last: bool) -> None:
        self.dataset, self.collate, self.drop_last = dataset, collate, drop_last
        self._rest: Iterator[Any] | None = None

    def __call__(self, size: int | None) -> Any:
        """Fetch so many; StopIteration when there are no more."""
        # Begun in the process that reads it, which may ask which worker it is.
        rest = self._rest = iter(self.dataset) if self._rest is None else self._rest
        if size is None:
            return self.collate(next(rest))
        samples = list(itertools.islice(rest, size))
        if not samples or (self.drop_last and len(samples) < size):
            raise StopIteration
        return self.collate(samples)


class Workers:
    """The processes of a loader: each has a queue of its own, and all answer in one."""

    def __init__(self, loader: DataLoader, seed: int) -> None:
        context = loader.multiprocessing_context
        if context is None or isinstance(context, str):
            context = multiprocessing.get_context(context)
        self._timeout, self._ahead = loader.timeout, loader.prefetch_factor
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
        self._is_kept = loader.persistent_workers
        self.stop = weakref.finalize(self, _stop, self._tasks, self._processes)
        # Results of a pass that was broken off are told apart by their numbers.
        self._numbers = itertools.count()

    def run(self, orders: Iterator[Any]) -> Iterator[Any]:
        """Yield the batches in order, and keep each worker some batches ahead."""
        done: dict[int, Any] = {}
        asked: dict[int, int] = {}
        alive = itertools.cycle(range(len(self._tasks)))
        exhausted: set[int] = set()
        expected: list[int] = []

        def ask() -> None:
            if len(exhausted) == len(self._tasks):
                return
            worker = next(each for each in alive if each not in exhausted)
            for numbers in itertools.islice(orders, 1):
                order = next(self._numbers)
                asked[order] = worker
                expected.append(order)
                self._tasks[worker].put((order, numbers))

        for _ in range(self._ahead * len(self._tasks)):
            ask()
        while expected:
            order = expected.pop(0)
            batch = self._wait_for(order, done, asked)
            if isinstance(batch, Exhausted):
                exhausted.add(asked[order])
                ask()
                continue
            if isinstance(batch, Failure):
                self.stop()
                batch.reraise()
            ask()
            yield batch
        if not self._is_kept:
            self.stop()

    def _wait_for(self, order: int, done: dict[int, Any], asked: dict[int, int]) -> Any:
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
