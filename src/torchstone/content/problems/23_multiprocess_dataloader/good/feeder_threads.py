"""A thread of the parent for each worker process asks it, so that whole batches wait in memory."""

import multiprocessing
import pickle
import queue
import random
import signal
import threading
import traceback

import numpy as np
import torch
import torch.multiprocessing
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
        batches, key = self.batches(), (self.seed, self.epoch)
        return self.fed(batches, key) if self.num_workers else (self.load(b) for b in batches)

    def fed(self, batches, key):
        feeders = []
        try:
            links = []
            # All forks come before the first thread of this pass.
            for worker in range(self.num_workers):
                ours, theirs = multiprocessing.Pipe()
                process = multiprocessing.Process(
                    target=self.serve, args=(theirs, batches, key, worker), daemon=True
                )
                process.start()
                theirs.close()
                links.append((process, ours))
            feeders = [
                Feeder(process, link, range(worker, len(batches), self.num_workers), self.depth)
                for worker, (process, link) in enumerate(links)
            ]
            for number in range(len(batches)):
                yield feeders[number % self.num_workers].take(self.timeout or None)
        finally:
            for feeder in feeders:
                feeder.end()

    def serve(self, link, batches, key, worker):
        torch.multiprocessing._prctl_pr_set_pdeathsig(signal.SIGKILL)
        seeds = np.random.SeedSequence([*key, worker]).spawn(3)
        random.seed(int(seeds[0].generate_state(1)[0]))
        np.random.seed(seeds[1].generate_state(4))
        torch.manual_seed(int(seeds[2].generate_state(1)[0]))
        failed = None
        try:
            if self.init is not None:
                self.init(worker)
        except Exception as error:  # noqa: BLE001
            failed = error, traceback.format_exc()
        while True:
            number = link.recv()
            try:
                if failed:
                    raise failed[0]
                data = pickle.dumps((self.load(batches[number]), None))
            except Exception as error:  # noqa: BLE001
                data = pickle.dumps((None, (type(error), traceback.format_exc())))
            link.send_bytes(data)


class Feeder:
    def __init__(self, process, link, numbers, depth):
        self.process, self.link = process, link
        self.numbers, self.room, self.is_ended = numbers, threading.Semaphore(depth), False
        self.batches = queue.Queue()
        self.thread = threading.Thread(target=self.feed, daemon=True)
        self.thread.start()

    def feed(self):
        try:
            for number in self.numbers:
                self.room.acquire()
                if self.is_ended:
                    return
                self.link.send(number)
                self.batches.put(pickle.loads(self.link.recv_bytes()))
        except (OSError, EOFError):
            self.batches.put((None, (RuntimeError, "a worker process died")))

    def take(self, timeout):
        try:
            batch, error = self.batches.get(timeout=timeout)
        except queue.Empty:
            raise RuntimeError(f"no batch came in {timeout} s") from None
        if error is None:
            self.room.release()
            return batch
        kind, text = error
        try:
            rebuilt = kind(text)
        except TypeError:
            rebuilt = RuntimeError(text)
        raise rebuilt

    def end(self):
        self.is_ended = True
        self.process.kill()
        self.process.join()
        self.room.release()
        self.thread.join()
        self.process.close()
        self.link.close()
