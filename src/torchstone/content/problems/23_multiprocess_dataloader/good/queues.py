"""As torch does it: a queue of tasks for each worker, one of results, and a watch on the parent."""

import os
import queue
import random
import time
import traceback

import numpy as np
import torch
import torch.multiprocessing as mp
from torch.utils.data import default_collate

LOOK_S = 1.0


class MiniDataLoader:
    def __init__(
        self,
        dataset,
        batch_size=1,
        *,
        shuffle=False,
        num_workers=0,
        collate_fn=None,
        drop_last=False,
        prefetch_factor=2,
        seed=0,
        timeout=0.0,
        worker_init_fn=None,
    ):
        if batch_size < 1 or num_workers < 0 or prefetch_factor < 1 or timeout < 0:
            raise ValueError("a number is out of range")
        self.dataset, self.batch_size, self.shuffle = dataset, batch_size, shuffle
        self.num_workers, self.drop_last, self.depth = num_workers, drop_last, prefetch_factor
        self.collate = collate_fn or default_collate
        self.seed, self.epoch, self.timeout, self.init = seed, 0, timeout, worker_init_fn

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return len(self.batches())

    def batches(self):
        indices = list(range(len(self.dataset)))
        if self.shuffle:
            generator = torch.Generator().manual_seed(self.seed * 1_000_003 + self.epoch)
            indices = torch.randperm(len(indices), generator=generator).tolist()
        found = [
            indices[start : start + self.batch_size]
            for start in range(0, len(indices), self.batch_size)
        ]
        if self.drop_last and found and len(found[-1]) < self.batch_size:
            found.pop()
        return found

    def load(self, indices):
        return self.collate([self.dataset[index] for index in indices])

    def __iter__(self):
        if self.num_workers == 0:
            return (self.load(indices) for indices in self.batches())
        return Pass(self, self.batches())


class Pass:
    """One pass; it owns its processes and ends them when it is dropped."""

    def __init__(self, loader, batches):
        self.timeout, self.total, self.given, self.sent = loader.timeout, len(batches), 0, 0
        self.batches, self.ready, self.crew, self.is_over = batches, {}, [], False
        self.results, self.done = mp.Queue(), mp.Event()
        self.tasks = [mp.Queue() for _ in range(loader.num_workers)]
        for worker, tasks in enumerate(self.tasks):
            tasks.cancel_join_thread()
            args = (loader, worker, loader.epoch, tasks, self.results, self.done)
            process = mp.Process(target=work, args=args, daemon=True)
            process.start()
            self.crew.append(process)
        for _ in range(loader.num_workers * loader.depth):
            self.put()

    def put(self):
        if self.sent < self.total:
            self.tasks[self.sent % len(self.tasks)].put((self.sent, self.batches[self.sent]))
            self.sent += 1

    def __iter__(self):
        return self

    def __next__(self):
        if self.is_over or self.given == self.total:
            self.close()
            raise StopIteration
        try:
            return self.following()
        except BaseException:
            self.close()
            raise

    def following(self):
        begun = time.monotonic()
        while self.given not in self.ready:
            left = LOOK_S
            if self.timeout:
                left = min(left, begun + self.timeout - time.monotonic())
                if left <= 0:
                    raise RuntimeError(f"a batch takes longer than {self.timeout} s")
            try:
                number, batch, error = self.results.get(timeout=left)
                self.ready[number] = batch, error
            except queue.Empty:
                self.look()
            except (OSError, EOFError) as error:
                # The sender of a tensor has died.
                raise RuntimeError("a worker died") from error
        batch, error = self.ready.pop(self.given)
        if error is not None:
            raise made(*error)
        self.given += 1
        self.put()
        return batch

    def look(self):
        for process in self.crew:
            if not process.is_alive():
                raise RuntimeError(f"worker {process.pid} ended with {process.exitcode}")

    def close(self):
        if self.is_over:
            return
        self.is_over = True
        self.done.set()
        self.ready.clear()
        for tasks in self.tasks:
            tasks.put(None)
        for process in self.crew:
            process.join(0.2)
        for process in self.crew:
            process.terminate()
            process.join()
            process.close()
        for each in (*self.tasks, self.results):
            each.cancel_join_thread()
            each.close()

    def __del__(self):
        if hasattr(self, "done"):
            self.close()


def work(loader, worker, epoch, tasks, results, done):
    parent = os.getppid()
    results.cancel_join_thread()
    seed = np.random.SeedSequence([loader.seed, epoch, worker]).generate_state(3, np.uint64)
    random.seed(int(seed[0]))
    np.random.seed(int(seed[1]) % 2**32)
    torch.manual_seed(int(seed[2]) >> 1)
    broken = None
    try:
        if loader.init is not None:
            loader.init(worker)
    except Exception as error:  # noqa: BLE001
        broken = told(error)
    while not done.is_set() and os.getppid() == parent:
        try:
            task = tasks.get(timeout=LOOK_S)
        except queue.Empty:
            continue
        if task is None:
            return
        number, indices = task
        try:
            answer = (number, None, broken) if broken else (number, loader.load(indices), None)
        except Exception as error:  # noqa: BLE001
            answer = (number, None, told(error))
        # What nobody takes any more would stay behind as a segment.
        if done.is_set():
            return
        results.put(answer)
        # Tensors that this frame still holds would outlive the batch.
        del task, answer


def told(error):
    return type(error), "".join(traceback.format_exception(error))


def made(kind, text):
    try:
        return kind(text)
    except TypeError:
        return RuntimeError(text)
