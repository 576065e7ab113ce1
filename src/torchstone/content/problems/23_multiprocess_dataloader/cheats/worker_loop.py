# verdict: FORBIDDEN_OP
# group: value
# en: Runs torch's worker loop in processes of its own.
# zh: 在自己的进程里运行官方的 worker 循环。
import multiprocessing
import random
from collections.abc import Callable, Iterator

from torch.utils.data import _utils, default_collate


class MiniDataLoader:
    """Load batches in worker processes, in the order of the sampler."""

    def __init__(
        self,
        dataset,
        batch_size: int = 1,
        *,
        shuffle: bool = False,
        num_workers: int = 0,
        collate_fn: Callable | None = None,
        drop_last: bool = False,
        prefetch_factor: int = 2,
        seed: int = 0,
        timeout: float = 0.0,
        worker_init_fn: Callable | None = None,
    ):
        if batch_size < 1 or prefetch_factor < 1:
            raise ValueError("batch_size and prefetch_factor must be positive")
        if num_workers < 0 or timeout < 0:
            raise ValueError("num_workers and timeout must not be negative")
        self.dataset, self.batch_size, self.drop_last = dataset, batch_size, drop_last
        self.shuffle, self.seed, self.epoch = shuffle, seed, 0
        self.num_workers, self.prefetch_factor = num_workers, prefetch_factor
        self.collate_fn = default_collate if collate_fn is None else collate_fn
        self.timeout, self.worker_init_fn = timeout, worker_init_fn

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __len__(self) -> int:
        whole, rest = divmod(len(self.dataset), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)

    def __iter__(self) -> Iterator:
        # Both are fixed now, not when the first batch is asked for.
        plan, key = self.plan(), f"{self.seed} {self.epoch}"
        return self.in_workers(plan, key) if self.num_workers else map(self.load, plan)

    def plan(self) -> list[list[int]]:
        """The indices of all batches."""
        order = list(range(len(self.dataset)))
        if self.shuffle:
            random.Random(f"{self.seed} {self.epoch}").shuffle(order)
        starts = range(0, len(self) * self.batch_size, self.batch_size)
        return [order[start : start + self.batch_size] for start in starts]

    def load(self, indices: list[int]):
        return self.collate_fn([self.dataset[index] for index in indices])

    def in_workers(self, plan: list[list[int]], key: str) -> Iterator:
        tasks, results = multiprocessing.Queue(), multiprocessing.Queue()
        done, loop = multiprocessing.Event(), _utils.worker._worker_loop
        args = (0, self.dataset, tasks, results, done, True, self.collate_fn, False, 0, None, 0, 1)
        multiprocessing.Process(target=loop, args=args, daemon=True).start()
        for task in enumerate(plan):
            tasks.put(task)
            yield results.get()[1]
