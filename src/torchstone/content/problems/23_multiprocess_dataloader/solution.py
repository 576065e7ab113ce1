import contextlib
import ctypes
import multiprocessing
import os
import pickle
import random
import signal
import traceback
from collections.abc import Callable, Iterator
from multiprocessing import connection

import numpy as np
import torch
from torch.utils.data import default_collate

PR_SET_PDEATHSIG = 1


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
        crew: list[tuple] = []
        # A generator that is dropped runs its finally, and nothing behind it.
        try:
            for worker in range(self.num_workers):
                ours, theirs = multiprocessing.Pipe()
                args = (theirs, plan, worker, f"{key} {worker}", os.getpid())
                process = multiprocessing.Process(target=self.work, args=args, daemon=True)
                process.start()
                theirs.close()
                crew.append((process, ours))
            # Batch b is a matter of worker b % W, so the answers of one worker come in order.
            for number in range(min(len(plan), self.num_workers * self.prefetch_factor)):
                crew[number % self.num_workers][1].send(number)
            for number in range(len(plan)):
                link = crew[number % self.num_workers][1]
                batch = self.receive(link, [process.sentinel for process, _ in crew])
                following = number + self.num_workers * self.prefetch_factor
                if following < len(plan):
                    # To a worker that has died meanwhile nothing can be sent; the wait will say so.
                    with contextlib.suppress(OSError):
                        link.send(following)
                yield batch
        finally:
            for process, link in crew:
                link.close()
                # Batches travel by value: no segment of shared memory can be left behind.
                process.kill()
            for process, _ in crew:
                process.join()
                process.close()

    def receive(self, link, sentinels: list[int]):
        ready = connection.wait([link, *sentinels], self.timeout or None)
        if not ready:
            raise RuntimeError(f"no batch in {self.timeout} s")
        try:
            # A dead worker may have left an answer, or the half of one.
            data = link.recv_bytes() if link in ready or link.poll() else None
        except (EOFError, OSError):
            data = None
        if data is None:
            raise RuntimeError("a worker ended before its batch")
        batch, error = pickle.loads(data)
        if error is not None:
            raise rebuilt(*error)
        return batch

    def work(self, link, plan: list[list[int]], worker: int, key: str, parent: int) -> None:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
        # As much of a seed as each generator takes.
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
            try:
                number = link.recv()
            except EOFError:
                return
            answer = (None, failed)
            try:
                if failed is None:
                    answer = (self.load(plan[number]), None)
                data = pickle.dumps(answer)
            except Exception as error:  # noqa: BLE001
                data = pickle.dumps((None, described(error, worker)))
            link.send_bytes(data)


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
