"""An actor: one thread owns flat buffers, and everybody sends it messages through a queue."""

import pickle
import queue
import threading

import torch

ERRORS = (IndexError, KeyError, ValueError, RuntimeError)


class Flat:
    """All parameters of one dtype in one buffer, with a view for each."""

    def __init__(self, params):
        self.buffers, self.views = {}, {}
        dtypes = {value.dtype for value in params.values()}
        for dtype in sorted(dtypes, key=str):
            names = [name for name, value in params.items() if value.dtype == dtype]
            parts = [params[name].detach().reshape(-1) for name in names]
            buffer = torch.cat(parts)
            pieces = buffer.split([part.numel() for part in parts])
            self.buffers[dtype] = buffer
            for name, piece in zip(names, pieces, strict=True):
                self.views[name] = piece.view(params[name].shape)
        self.order = list(params)

    def copy(self):
        buffers = {dtype: buffer.clone() for dtype, buffer in self.buffers.items()}
        return {name: _same_view(self.views[name], buffers) for name in self.order}


def _same_view(view, buffers):
    buffer = buffers[view.dtype]
    return buffer.as_strided(view.shape, view.stride(), view.storage_offset()).clone()


class ParameterServer:
    def __init__(self, params, *, num_workers, lr, mode="sync", staleness=0, momentum=0.0):
        valid = {
            "mode": mode in ("sync", "async", "ssp"),
            "num_workers": num_workers >= 1,
            "staleness": staleness >= 0,
            "momentum": 0 <= momentum < 1,
        }
        for name, is_valid in valid.items():
            if not is_valid:
                raise ValueError(name)
        self.num_workers, self.lr, self.mode = num_workers, lr, mode
        self.staleness, self.momentum = staleness, momentum
        self.flat = Flat(params)
        self.speed = Flat({name: torch.zeros_like(value) for name, value in params.items()})
        self.counts, self.alive = [0] * num_workers, [True] * num_workers
        self.pending = {}  # (round, worker) -> gradients
        self.applied = self.updates = 0
        self.waiting = []
        self.inbox = queue.SimpleQueue()
        threading.Thread(target=self._work, daemon=True).start()

    # What others call: post a message and wait for its answer.

    def _ask(self, act, *arguments):
        answer = queue.SimpleQueue()
        self.inbox.put((act, arguments, answer))
        error, result = answer.get()
        if error is not None:
            raise error
        return result

    def pull(self, worker):
        self._in_range(worker)
        return self._ask("pull", worker)

    def push(self, worker, grads):
        self._in_range(worker)
        return self._ask("push", worker, grads)

    def leave(self, worker):
        self._in_range(worker)
        self._ask("leave", worker)

    def state_dict(self):
        return self._ask("state")

    @property
    def version(self):
        return self._ask("count")

    @property
    def clocks(self):
        return self._ask("clock")

    def _in_range(self, worker):
        if not 0 <= worker < self.num_workers:
            raise IndexError(worker)

    # What the owner does.

    def _work(self):
        while True:
            act, arguments, answer = self.inbox.get()
            if act == "pull":
                self.waiting.append((*arguments, answer))
            else:
                try:
                    answer.put((None, getattr(self, f"_do_{act}")(*arguments)))
                except ERRORS as error:
                    answer.put((error, None))
            still = []
            for worker, each in self.waiting:
                if self._must_wait(worker):
                    still.append((worker, each))
                else:
                    each.put((None, self.flat.copy()))
            self.waiting = still

    def _must_wait(self, worker):
        if not self.alive[worker]:
            return False
        if self.mode == "sync":
            return self.counts[worker] > self.applied
        alive = [count for count, alive in zip(self.counts, self.alive, strict=True) if alive]
        return self.mode == "ssp" and self.counts[worker] > min(alive) + self.staleness

    def _do_state(self):
        return self.flat.copy()

    def _do_count(self):
        return self.updates

    def _do_clock(self):
        return list(self.counts)

    def _do_leave(self, worker):
        self.alive[worker] = False
        self._complete()

    def _do_push(self, worker, grads):
        if not self.alive[worker]:
            raise RuntimeError("this worker has left")
        for name, grad in grads.items():
            if self.flat.views[name].shape != grad.shape:
                raise ValueError(name)
        self.pending[self.counts[worker], worker] = {k: v.clone() for k, v in grads.items()}
        self.counts[worker] += 1
        if self.mode == "sync":
            self._complete()
        else:
            self._update([self.pending.popitem()[1]])
        return self.updates

    def _complete(self):
        while self.mode == "sync":
            here = [w for w in range(self.num_workers) if (self.applied, w) in self.pending]
            if not here or any(self.alive[w] and w not in here for w in range(self.num_workers)):
                break
            self._update([self.pending.pop((self.applied, w)) for w in here])
            self.applied += 1

    def _update(self, pushes):
        for name, value in self.flat.views.items():
            grads = [push[name] for push in pushes if name in push]
            if not grads:
                continue
            total = torch.zeros_like(value)
            for grad in grads:
                total += grad
            speed = self.speed.views[name]
            speed.copy_(self.momentum * speed + total / len(grads))
            value.add_(speed, alpha=-self.lr)
        self.updates += 1


def serve(server, conns):
    def talk(worker, conn):
        while True:
            try:
                message = pickle.loads(conn.recv_bytes())
                try:
                    answer = getattr(server, message[0])(worker, *message[1:])
                except ERRORS as error:
                    answer = error
                conn.send_bytes(pickle.dumps(answer))
            except (EOFError, BrokenPipeError, ConnectionResetError, OSError):
                return server.leave(worker)

    threads = [threading.Thread(target=talk, args=each) for each in enumerate(conns)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]


class Client:
    def __init__(self, conn):
        self.conn = conn

    def __getattr__(self, name):
        def ask(*arguments):
            self.conn.send_bytes(pickle.dumps((name, *arguments)))
            answer = pickle.loads(self.conn.recv_bytes())
            if isinstance(answer, Exception):
                raise answer
            return answer

        if name not in ("pull", "push"):
            raise AttributeError(name)
        return ask

    def close(self):
        self.conn.close()
