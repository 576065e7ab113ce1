# verdict: WA property
# group: ssp
# en: The bound is checked when a worker pulls; its push never waits.
# zh: 陈旧度在 pull 时检查；push 从不等待。
import pickle
import threading
from collections import deque

import torch

ERRORS = (IndexError, KeyError, ValueError, RuntimeError)


class ParameterServer:
    """Parameters behind one lock; whoever changes something wakes those that wait."""

    def __init__(self, params, *, num_workers, lr, mode="sync", staleness=0, momentum=0.0):
        if mode not in ("sync", "async", "ssp"):
            raise ValueError(f"mode is sync, async or ssp; got {mode!r}")
        if num_workers < 1 or staleness < 0 or not 0 <= momentum < 1:
            raise ValueError(f"got {num_workers} workers, staleness {staleness}, {momentum=}")
        self._params = {name: value.detach().clone() for name, value in params.items()}
        self._velocity = {name: torch.zeros_like(value) for name, value in self._params.items()}
        self._num_workers, self._lr, self._momentum = num_workers, lr, momentum
        self._mode, self._staleness = mode, staleness
        self._clocks = [0] * num_workers
        self._queues = [deque() for _ in range(num_workers)]
        self._live = set(range(num_workers))
        self._version = 0
        self._changed = threading.Condition()

    @property
    def version(self):
        with self._changed:
            return self._version

    @property
    def clocks(self):
        with self._changed:
            return list(self._clocks)

    def pull(self, worker):
        self._check_worker(worker)
        with self._changed:
            self._changed.wait_for(lambda: self._may_pull(worker))
            return self._snapshot()

    def push(self, worker, grads):
        self._check_worker(worker)
        with self._changed:
            self._check_push(worker, grads)
            copies = {name: grad.detach().clone() for name, grad in grads.items()}
            self._clocks[worker] += 1
            if self._mode == "sync":
                self._queues[worker].append(copies)
                self._apply_rounds()
            else:
                self._apply([copies])
            self._changed.notify_all()
            if self._mode == "ssp":
                self._changed.wait_for(lambda: self._may_pull(worker))
            return self._version

    def leave(self, worker):
        self._check_worker(worker)
        with self._changed:
            self._live.discard(worker)
            self._apply_rounds()
            self._changed.notify_all()

    def state_dict(self):
        with self._changed:
            return self._snapshot()

    def _check_worker(self, worker):
        if not 0 <= worker < self._num_workers:
            raise IndexError(f"worker {worker} of {self._num_workers}")

    def _check_push(self, worker, grads):
        if worker not in self._live:
            raise RuntimeError(f"worker {worker} has left")
        for name, grad in grads.items():
            if name not in self._params:
                raise KeyError(name)
            if grad.shape != self._params[name].shape:
                raise ValueError(f"{name}: {tuple(grad.shape)}")

    def _may_pull(self, worker):
        if worker not in self._live or self._mode == "async":
            return True
        if self._mode == "sync":
            return not self._queues[worker]
        slowest = min(self._clocks[other] for other in self._live)
        return self._clocks[worker] <= slowest + self._staleness

    def _apply_rounds(self):
        """Apply the rounds that every live worker has pushed; a queue begins with this round."""
        while any(self._queues) and all(self._queues[worker] for worker in self._live):
            self._apply([queue.popleft() for queue in self._queues if queue])

    def _apply(self, pushes):
        """Take one step on the mean of some pushes, which are in the order of the workers."""
        for name, value in self._params.items():
            grads = [push[name] for push in pushes if name in push]
            if grads:
                mean = grads[0].to(value.dtype)
                for grad in grads[1:]:
                    mean = mean + grad
                velocity = self._velocity[name]
                velocity.mul_(self._momentum).add_(mean / len(grads))
                value.sub_(self._lr * velocity)
        self._version += 1

    def _snapshot(self):
        return {name: value.clone() for name, value in self._params.items()}


def serve(server, conns):
    """Answer every client in a thread of its own, because a pull may wait for another client."""
    threads = [
        threading.Thread(target=_answer, args=(server, worker, conn), daemon=True)
        for worker, conn in enumerate(conns)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _answer(server, worker, conn):
    try:
        while True:
            name, *args = pickle.loads(conn.recv_bytes())
            try:
                result = True, getattr(server, name)(worker, *args)
            except ERRORS as error:
                result = False, error
            conn.send_bytes(pickle.dumps(result))
    except (EOFError, OSError):
        pass  # closed by the worker, or it has died
    finally:
        server.leave(worker)
        conn.close()


class Client:
    """One worker's end of the pipe."""

    def __init__(self, conn):
        self._conn = conn

    def pull(self):
        return self._ask("pull")

    def push(self, grads):
        return self._ask("push", grads)

    def close(self):
        self._conn.close()

    def _ask(self, *request):
        self._conn.send_bytes(pickle.dumps(request))
        is_right, result = pickle.loads(self._conn.recv_bytes())
        if not is_right:
            raise result
        return result
