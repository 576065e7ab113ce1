import queue
import threading
import weakref
from collections import deque

import torch

OVER = object()


def load(loader, loaded, left):
    """Only read batches: the copies are issued by the consumer."""
    end = (OVER, None)
    try:
        for batch in loader:
            if not put(loaded, (None, batch), left):
                return
            del batch
    except Exception as error:  # noqa: BLE001
        end = (OVER, error)
    put(loaded, end, left)


def put(loaded, item, left):
    while not left.is_set():
        try:
            loaded.put(item, timeout=0.02)
        except queue.Full:
            continue
        return True
    return False


class Flight:
    """Batches whose copies are queued."""

    def __init__(self, loader, device, depth, pin):
        self.device, self.depth, self.pin = device, depth, pin
        self.copies, self.flying, self.error = device.stream(), deque(), None
        self.loaded, left = queue.Queue(1), threading.Event()
        threading.Thread(target=load, args=(loader, self.loaded, left), daemon=True).start()
        weakref.finalize(self, left.set)
        self.is_open = True
        self.fill()

    def __iter__(self):
        return self

    def fill(self):
        while self.is_open and len(self.flying) < self.depth:
            mark, item = self.loaded.get()
            if mark is OVER:
                self.is_open, self.error = False, item
                return
            tree = self.map(self.send, item)
            self.flying.append((tree, self.copies.record_event()))

    def send(self, tensor):
        source = self.device.pin(tensor) if self.pin else tensor
        return self.device.copy_async(source, self.copies)

    def __next__(self):
        if not self.flying:
            if self.error is None:
                raise StopIteration
            error, self.error = self.error, None
            raise error
        tree, event = self.flying.popleft()
        # The next copy is queued before this batch goes out.
        self.fill()
        stream = self.device.current_stream()
        stream.wait_event(event)
        self.map(lambda tensor: self.device.record_stream(tensor, stream), tree)
        return tree

    def map(self, function, tree):
        if isinstance(tree, torch.Tensor):
            return function(tree)
        if isinstance(tree, dict):
            return {name: self.map(function, tree[name]) for name in tree}
        if isinstance(tree, list):
            return [self.map(function, each) for each in tree]
        if isinstance(tree, tuple):
            items = [self.map(function, each) for each in tree]
            return type(tree)(*items) if hasattr(tree, "_fields") else tuple(items)
        return tree


class PrefetchLoader:
    def __init__(self, loader, device, *, depth=1, pin=True):
        if depth < 1:
            raise ValueError("at least one batch is prefetched")
        self.loader, self.options = loader, (device, depth, pin)

    def __iter__(self):
        return Flight(self.loader, *self.options)

    def __len__(self):
        return len(self.loader)
