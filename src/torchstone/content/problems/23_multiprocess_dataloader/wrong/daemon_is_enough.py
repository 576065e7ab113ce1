# verdict: WA property
# group: orphan
# en: daemon children are ended by atexit, which SIGKILL skips: watch getppid or use
#     PR_SET_PDEATHSIG.
# zh: daemon 靠 atexit 清理，SIGKILL 不会触发；要监视 getppid 或用 PR_SET_PDEATHSIG。
import math
import multiprocessing
import pickle
import queue
import random
import time
import traceback
from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch.utils.data import default_collate

LOOK_S = 0.5


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
        results, crew, ready = multiprocessing.Queue(), [], {}
        try:
            for worker in range(self.num_workers):
                tasks = multiprocessing.SimpleQueue()
                args = (tasks, results, plan, worker, f"{key} {worker}")
                process = multiprocessing.Process(target=self.work, args=args, daemon=True)
                process.start()
                crew.append((process, tasks))
            room = self.num_workers * self.prefetch_factor
            for number in range(min(len(plan), room)):
                crew[number % self.num_workers][1].put(number)
            for number in range(len(plan)):
                deadline = time.monotonic() + (self.timeout or math.inf)
                while number not in ready:
                    done, data = self.receive(results, crew, deadline)
                    ready[done] = data
                batch, error = pickle.loads(ready.pop(number))
                if error is not None:
                    raise rebuilt(*error)
                if number + room < len(plan):
                    crew[number % self.num_workers][1].put(number + room)
                yield batch
        finally:
            for process, _ in crew:
                process.kill()
            for process, tasks in crew:
                process.join()
                process.close()
                tasks.close()
            results.close()

    def receive(self, results, crew, deadline: float) -> tuple[int, bytes]:
        while True:
            left = min(LOOK_S, deadline - time.monotonic())
            if left <= 0:
                raise RuntimeError(f"no batch in {self.timeout} s")
            try:
                return results.get(timeout=left)
            except queue.Empty:
                if any(process.exitcode is not None for process, _ in crew):
                    raise RuntimeError("a worker ended before its batch") from None

    def work(self, tasks, results, plan, worker: int, key: str) -> None:
        draw = random.Random(key)
        random.seed(draw.getrandbits(64))
        np.random.seed(draw.getrandbits(32))
        torch.manual_seed(draw.getrandbits(63))
        failed = None
        try:
            if self.worker_init_fn is not None:
                self.worker_init_fn(worker)
        except Exception as error:  # noqa: BLE001
            failed = described(error, worker)
        while True:
            number = tasks.get()
            answer = (None, failed)
            try:
                if failed is None:
                    answer = (self.load(plan[number]), None)
                data = pickle.dumps(answer)
            except Exception as error:  # noqa: BLE001
                data = pickle.dumps((None, described(error, worker)))
            results.put((number, data))


def described(error: Exception, worker: int) -> tuple:
    """Only the type and a text travel: an exception may refuse to be unpickled."""
    text = f"in worker {worker}: {error}\n{traceback.format_exc()}"
    try:
        pickle.dumps(type(error))
    except Exception:  # noqa: BLE001
        return RuntimeError, text
    return type(error), text


def rebuilt(kind: type, text: str) -> Exception:
    try:
        return kind(text)
    except Exception:  # noqa: BLE001
        return RuntimeError(text)
