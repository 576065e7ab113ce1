# verdict: WA property
# group: leak
# en: A thread that runs a bound method keeps its object alive: __del__ never runs.
# zh: 线程运行绑定方法会一直持有该对象，__del__ 永远不会被调用。
import queue
import threading
from collections import namedtuple

import torch
from torch.utils._pytree import tree_flatten, tree_unflatten

Message = namedtuple("Message", ["batch", "error"])


class PrefetchLoader:
    """A thread loads, copies and waits for its copies; a bounded queue hands the batches over."""

    def __init__(self, loader, device, *, depth=1, pin=True):
        if depth < 1:
            raise ValueError("depth must be positive")
        self._loader, self._device, self._depth, self._pin = loader, device, depth, pin

    def __len__(self):
        return len(self._loader)

    def __iter__(self):
        return _Consumer(self._loader, self._device, self._depth, self._pin)


class _Consumer:
    def __init__(self, loader, device, depth, pin):
        self._device, self._ready = device, queue.Queue(depth)
        self._left = threading.Event()
        self._arguments = (loader, device, pin, self._ready, self._left)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._over = False

    def _run(self):
        _produce(*self._arguments)

    def __iter__(self):
        return self

    def __next__(self):
        if self._over:
            raise StopIteration
        message = self._ready.get()
        if message.batch is None:
            self._over = True
            if message.error is not None:
                raise message.error
            raise StopIteration
        leaves, spec = message.batch
        stream = self._device.current_stream()
        for leaf in leaves:
            if isinstance(leaf, torch.Tensor):
                self._device.record_stream(leaf, stream)
        return tree_unflatten(leaves, spec)

    def __del__(self):
        self._left.set()


def _produce(loader, device, pin, ready, left):
    error = None
    try:
        stream = device.stream()
        for batch in loader:
            leaves, spec = tree_flatten(batch)
            for place, leaf in enumerate(leaves):
                if isinstance(leaf, torch.Tensor):
                    leaves[place] = device.copy_async(device.pin(leaf) if pin else leaf, stream)
            stream.record_event().synchronize()
            del batch, leaf
            if not _put(ready, Message((leaves, spec), None), left):
                return
            del leaves
    except Exception as raised:  # noqa: BLE001
        error = raised
    _put(ready, Message(None, error), left)


def _put(ready, message, left):
    while not left.is_set():
        try:
            ready.put(message, timeout=0.05)
            return True
        except queue.Full:
            pass
    return False
