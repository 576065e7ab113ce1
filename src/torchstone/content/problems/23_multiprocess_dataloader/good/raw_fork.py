"""Plain fork: pickles behind their lengths, select, pidfds nowhere, and the death signal."""

import ctypes
import os
import pickle
import random
import select
import signal
import struct
import time
import traceback

import numpy as np
import torch
from torch.utils.data import default_collate


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
        batches = self.batches()
        if not self.num_workers:
            return iter(self.load(indices) for indices in batches)
        return ForkedPass(self, batches, (self.seed, self.epoch))


class Child:
    """A forked process with a pipe to it and one from it."""

    def __init__(self, run):
        task_r, self.tasks = os.pipe()
        self.results, result_w = os.pipe()
        self.buffer = bytearray()
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            status = 1
            try:
                ctypes.CDLL("libc.so.6", use_errno=True).prctl(1, signal.SIGKILL, 0, 0, 0)
                if os.getppid() == parent:
                    os.close(self.tasks)
                    os.close(self.results)
                    run(task_r, result_w)
                status = 0
            finally:
                os._exit(status)
        os.close(task_r)
        os.close(result_w)

    def send(self, number):
        try:
            os.write(self.tasks, struct.pack("<q", number))
        except BrokenPipeError:
            pass

    def read(self):
        """Read what there is; return a whole message, None for a part, and raise at the end."""
        data = os.read(self.results, 1 << 16)
        if not data:
            raise RuntimeError(f"worker process {self.pid} has died")
        self.buffer += data
        return self.message()

    def message(self):
        if len(self.buffer) < 8:
            return None
        (size,) = struct.unpack_from("<q", self.buffer)
        if len(self.buffer) < 8 + size:
            return None
        found = pickle.loads(self.buffer[8 : 8 + size])
        del self.buffer[: 8 + size]
        return found

    def end(self):
        os.close(self.tasks)
        os.close(self.results)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


class ForkedPass:
    def __init__(self, loader, batches, key):
        self.children, self.loader, self.batches, self.key = [], loader, batches, key
        self.given = 0

    def start(self):
        workers, window = self.loader.num_workers, self.loader.num_workers * self.loader.depth
        for worker in range(workers):
            self.children.append(Child(lambda r, w, n=worker: self.serve(n, r, w)))
        for number in range(min(window, len(self.batches))):
            self.children[number % workers].send(number)

    def __iter__(self):
        return self

    def __next__(self):
        if self.given >= len(self.batches):
            self.close()
            raise StopIteration
        if not self.children:
            self.start()
        try:
            batch = self.wait(self.children[self.given % len(self.children)])
        except BaseException:
            self.close()
            raise
        following = self.given + len(self.children) * self.loader.depth
        if following < len(self.batches):
            self.children[self.given % len(self.children)].send(following)
        self.given += 1
        return batch

    def wait(self, child):
        found = child.message()
        deadline = time.monotonic() + (self.loader.timeout or 1e9)
        while found is None:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([child.results], [], [], min(left, 3600.0))[0]:
                raise RuntimeError(f"timeout after {self.loader.timeout} s")
            found = child.read()
        kind, content = found
        if kind is not None:
            try:
                error = kind(content)
            except TypeError:
                error = RuntimeError(content)
            raise error
        return content

    def serve(self, worker, tasks, results):
        stream = random.Random(repr((*self.key, worker)))
        random.seed(stream.random())
        np.random.seed([stream.getrandbits(32) for _ in range(4)])
        torch.manual_seed(stream.getrandbits(60))
        broken = None
        try:
            if self.loader.init:
                self.loader.init(worker)
        except Exception as error:  # noqa: BLE001
            broken = type(error), traceback.format_exc()
        while task := os.read(tasks, 8):
            try:
                indices = self.batches[struct.unpack("<q", task)[0]]
                data = pickle.dumps(broken or (None, self.loader.load(indices)))
            except Exception as error:  # noqa: BLE001
                data = pickle.dumps((type(error), traceback.format_exc()))
            data = memoryview(struct.pack("<q", len(data)) + data)
            while data:
                data = data[os.write(results, data) :]

    def close(self):
        self.given = len(self.batches)
        while self.children:
            self.children.pop().end()

    def __del__(self):
        self.close()
