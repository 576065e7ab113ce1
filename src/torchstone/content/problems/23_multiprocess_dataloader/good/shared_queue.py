"""One queue of tasks for all workers, seeds for each batch, and a finalizer."""

import hashlib
import multiprocessing as mp
import os
import pickle
import random
import threading
import time
import traceback
import weakref

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
        if self.num_workers == 0:
            return map(self.load, batches)
        return iter(Stream(self, batches))


class Stream:
    def __init__(self, loader, batches):
        self.batches, self.timeout = batches, loader.timeout
        self.window = loader.num_workers * loader.depth
        self.reader, writer = mp.Pipe(duplex=False)
        self.tasks, lock = mp.SimpleQueue(), mp.Lock()
        key = f"{loader.seed}/{loader.epoch}"
        self.crew = [
            mp.Process(target=serve, args=(loader, batches, key, number, self.tasks, writer, lock))
            for number in range(loader.num_workers)
        ]
        for process in self.crew:
            process.daemon = True
            process.start()
        writer.close()
        self.finish = weakref.finalize(self, finish, self.crew, self.tasks, self.reader)

    def __iter__(self):
        # The generator holds the stream: when it is dropped, so is the stream.
        try:
            yield from self.run()
        finally:
            self.finish()

    def run(self):
        ready = {}
        for number in range(min(self.window, len(self.batches))):
            self.tasks.put(number)
        for number in range(len(self.batches)):
            begun = time.monotonic()
            while number not in ready:
                came = self.reader.poll(0.05)
                if came:
                    self.receive(ready)
                    continue
                if any(process.exitcode is not None for process in self.crew):
                    raise RuntimeError("a worker process has ended")
                if self.timeout and time.monotonic() - begun > self.timeout:
                    raise RuntimeError(f"waited {self.timeout} s for a batch")
            batch, error = ready.pop(number)
            if error is not None:
                raise error
            if number + self.window < len(self.batches):
                self.tasks.put(number + self.window)
            yield batch

    def receive(self, ready):
        try:
            number, is_right, content = pickle.loads(self.reader.recv_bytes())
        except EOFError:
            raise RuntimeError("all worker processes have ended") from None
        ready[number] = (content, None) if is_right else (None, raised(*content))


def finish(crew, tasks, reader):
    for process in crew:
        process.kill()
    for process in crew:
        process.join()
        process.close()
    tasks.close()
    reader.close()


def watch(parent):
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def serve(loader, batches, key, worker, tasks, writer, lock):
    threading.Thread(target=watch, args=(os.getppid(),), daemon=True).start()
    seed_all(f"{key}/worker {worker}")
    problem = None
    try:
        if loader.init is not None:
            loader.init(worker)
    except Exception as error:  # noqa: BLE001
        problem = wrapped(error)
    while True:
        number = tasks.get()
        seed_all(f"{key}/{number}")
        try:
            answer = (number, False, problem) if problem else None
            data = pickle.dumps(answer or (number, True, loader.load(batches[number])))
        except Exception as error:  # noqa: BLE001
            data = pickle.dumps((number, False, wrapped(error)))
        with lock:
            writer.send_bytes(data)


def seed_all(text):
    digest = hashlib.sha256(text.encode()).digest()
    random.seed(digest)
    np.random.seed(np.frombuffer(digest, dtype=np.uint32))
    torch.manual_seed(int.from_bytes(digest[:7], "little"))


def wrapped(error):
    return type(error), str(error), traceback.format_exc()


def raised(kind, message, trace):
    try:
        error = kind(f"{message}\n\n{trace}")
    except TypeError:
        error = RuntimeError(f"{kind.__name__}: {message}\n\n{trace}")
    return error
