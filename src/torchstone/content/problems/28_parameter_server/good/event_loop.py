"""One thread for all clients: a pull that has to wait is parked until something has changed."""

import io
import threading
import time
from multiprocessing import connection

import torch


class ParameterServer:
    def __init__(self, params, *, num_workers, lr, mode="sync", staleness=0, momentum=0.0):
        if mode not in {"sync", "async", "ssp"}:
            raise ValueError("mode")
        if num_workers < 1:
            raise ValueError("num_workers")
        if staleness < 0:
            raise ValueError("staleness")
        if not 0.0 <= momentum < 1.0:
            raise ValueError("momentum")
        self.n, self.lr, self.mode = num_workers, lr, mode
        self.staleness, self.momentum = staleness, momentum
        self.lock = threading.RLock()
        # Values are never written in place: an update makes new tensors and exchanges the dict.
        self.current = {name: value.detach().clone() for name, value in params.items()}
        self.velocity = {name: torch.zeros_like(value) for name, value in self.current.items()}
        self.rounds = []  # of each round that is not yet applied: worker -> gradients
        self.first = 0  # number of the first of them
        self.counts = [0] * num_workers
        self.gone = [False] * num_workers
        self.updates = 0

    @property
    def version(self):
        return self.updates

    @property
    def clocks(self):
        with self.lock:
            return self.counts[:]

    def _index(self, worker):
        if worker < 0 or worker >= self.n:
            raise IndexError(worker)

    def is_ready(self, worker):
        with self.lock:
            if self.gone[worker] or self.mode == "async":
                return True
            if self.mode == "sync":
                return self.counts[worker] <= self.first
            least = min(c for c, gone in zip(self.counts, self.gone, strict=True) if not gone)
            return self.counts[worker] - least <= self.staleness

    def pull(self, worker):
        self._index(worker)
        while not self.is_ready(worker):
            time.sleep(0.002)
        return self.state_dict()

    def state_dict(self):
        current = self.current  # one reference: a snapshot
        return {name: value.clone() for name, value in current.items()}

    def push(self, worker, grads):
        self._index(worker)
        with self.lock:
            if self.gone[worker]:
                raise RuntimeError("left")
            missing = set(grads) - set(self.current)
            if missing:
                raise KeyError(missing.pop())
            if any(self.current[name].shape != grad.shape for name, grad in grads.items()):
                raise ValueError("shape")
            own = {name: grad.clone() for name, grad in grads.items()}
            number = self.counts[worker]
            self.counts[worker] += 1
            if self.mode == "sync":
                while len(self.rounds) <= number - self.first:
                    self.rounds.append({})
                self.rounds[number - self.first][worker] = own
                self._advance()
            else:
                self._update([own])
            return self.updates

    def leave(self, worker):
        self._index(worker)
        with self.lock:
            self.gone[worker] = True
            self._advance()

    def _advance(self):
        while self.rounds and all(
            worker in self.rounds[0] for worker in range(self.n) if not self.gone[worker]
        ):
            done = self.rounds.pop(0)
            self.first += 1
            self._update([done[worker] for worker in sorted(done)])

    def _update(self, pushes):
        new = dict(self.current)
        for name in new:
            grads = [push[name] for push in pushes if name in push]
            if grads:
                mean = torch.stack(grads).sum(dim=0) / len(grads)
                self.velocity[name] = self.momentum * self.velocity[name] + mean
                new[name] = new[name] - self.lr * self.velocity[name]
        self.current = new
        self.updates += 1


def _pack(value):
    buffer = io.BytesIO()
    torch.save(value, buffer)
    return buffer.getvalue()


def _unpack(data):
    return torch.load(io.BytesIO(data), weights_only=False)


class Loop:
    """The clients that are there, and those whose pull is parked."""

    def __init__(self, server, conns):
        self.server, self.parked = server, set()
        self.workers = {conn: worker for worker, conn in enumerate(conns)}

    def run(self):
        while self.workers:
            for conn in connection.wait(list(self.workers)):
                try:
                    self.take(conn, *_unpack(conn.recv_bytes()))
                except (EOFError, OSError):
                    self.drop(conn)
            for conn in list(self.parked):
                if conn in self.parked and self.server.is_ready(self.workers[conn]):
                    self.parked.discard(conn)
                    self.send(conn, self.server.state_dict())

    def take(self, conn, name, grads):
        if name == "pull":
            self.parked.add(conn)
            return
        try:
            answer = self.server.push(self.workers[conn], grads)
        except (KeyError, ValueError, RuntimeError) as error:
            answer = error
        self.send(conn, answer)

    def send(self, conn, value):
        try:
            conn.send_bytes(_pack(value))
        except OSError:
            self.drop(conn)

    def drop(self, conn):
        self.server.leave(self.workers.pop(conn))
        self.parked.discard(conn)
        conn.close()


def serve(server, conns):
    Loop(server, conns).run()


class Client:
    def __init__(self, conn):
        self.conn = conn

    def _call(self, name, value=None):
        self.conn.send_bytes(_pack((name, value)))
        answer = _unpack(self.conn.recv_bytes())
        if isinstance(answer, Exception):
            raise answer
        return answer

    def pull(self):
        return self._call("pull")

    def push(self, grads):
        return self._call("push", {name: grad.detach() for name, grad in grads.items()})

    def close(self):
        self.conn.close()
