"""torch.optim.SGD takes the steps; Connection.send pickles whole messages."""

import threading
from concurrent.futures import ThreadPoolExecutor

import torch


class ParameterServer:
    def __init__(self, params, *, num_workers, lr, mode="sync", staleness=0, momentum=0.0):
        if mode not in ("sync", "async", "ssp") or num_workers < 1 or staleness < 0:
            raise ValueError((mode, num_workers, staleness))
        if momentum < 0 or momentum >= 1:
            raise ValueError(momentum)
        self._leaves = {
            name: torch.nn.Parameter(value.detach().clone()) for name, value in params.items()
        }
        self._sgd = torch.optim.SGD(self._leaves.values(), lr=lr, momentum=momentum)
        self._mode, self._staleness = mode, staleness
        self._state = threading.Condition(threading.Lock())
        self._pushed = [[] for _ in range(num_workers)]  # all pushes of each worker
        self._round = 0
        self._version = 0
        self._present = [True] * num_workers

    @property
    def version(self):
        with self._state:
            return self._version

    @property
    def clocks(self):
        with self._state:
            return self._clocks()

    def _clocks(self):
        return [len(pushes) for pushes in self._pushed]

    def _known(self, worker):
        if worker not in range(len(self._pushed)):
            raise IndexError(f"no worker {worker}")

    def pull(self, worker):
        self._known(worker)
        with self._state:
            while self._blocked(worker):
                self._state.wait()
            return {name: leaf.detach().clone() for name, leaf in self._leaves.items()}

    def _blocked(self, worker):
        clocks = self._clocks()
        if not self._present[worker] or self._mode == "async":
            return False
        if self._mode == "sync":
            return clocks[worker] > self._round
        live = [clock for clock, present in zip(clocks, self._present, strict=True) if present]
        return clocks[worker] > min(live) + self._staleness

    def push(self, worker, grads):
        self._known(worker)
        with self._state:
            if not self._present[worker]:
                raise RuntimeError(f"worker {worker} is not there any more")
            for name in grads:
                if self._leaves[name].size() != grads[name].size():
                    raise ValueError(f"{name} has the shape {tuple(self._leaves[name].size())}")
            copy = {name: grad.clone() for name, grad in grads.items()}
            if self._mode == "sync":
                self._pushed[worker].append(copy)
                self._finish_rounds()
            else:
                self._pushed[worker].append(None)
                self._step([copy])
            self._state.notify_all()
            return self._version

    def leave(self, worker):
        self._known(worker)
        with self._state:
            self._present[worker] = False
            self._finish_rounds()
            self._state.notify_all()

    def state_dict(self):
        with self._state:
            return {name: leaf.detach().clone() for name, leaf in self._leaves.items()}

    def _finish_rounds(self):
        while self._mode == "sync":
            ahead = [len(pushes) > self._round for pushes in self._pushed]
            missing = [p and not a for p, a in zip(self._present, ahead, strict=True)]
            if not any(ahead) or any(missing):
                return
            present = [pushes for pushes in self._pushed if len(pushes) > self._round]
            self._step([pushes[self._round] for pushes in present])
            self._round += 1

    def _step(self, pushes):
        self._sgd.zero_grad(set_to_none=True)
        for name, leaf in self._leaves.items():
            held = [push[name] for push in pushes if name in push]
            if held:
                leaf.grad = sum(held[1:], start=held[0].clone()).div_(len(held))
        self._sgd.step()
        self._version += 1


def serve(server, conns):
    def listen(worker):
        conn = conns[worker]
        while True:
            try:
                kind, grads = conn.recv()
            except (EOFError, ConnectionError):
                break
            try:
                answer = server.pull(worker) if kind == "pull" else server.push(worker, grads)
            except (KeyError, ValueError, RuntimeError, IndexError) as error:
                answer = error
            try:
                conn.send(answer)
            except ConnectionError:
                break
        server.leave(worker)

    with ThreadPoolExecutor(len(conns)) as pool:
        list(pool.map(listen, range(len(conns))))


class Client:
    def __init__(self, conn):
        self._conn, self._lock = conn, threading.Lock()

    def _request(self, kind, grads=None):
        with self._lock:
            self._conn.send((kind, grads))
            answer = self._conn.recv()
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def pull(self):
        return self._request("pull")

    def push(self, grads):
        return self._request("push", dict(grads))

    def close(self):
        self._conn.close()
