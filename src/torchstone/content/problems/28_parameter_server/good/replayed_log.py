"""The server keeps a log of the pushes; who asks for parameters replays what is new in it."""

import struct
import threading

import torch


class ParameterServer:
    def __init__(self, params, *, num_workers, lr, mode="sync", staleness=0, momentum=0.0):
        if mode not in ("sync", "async", "ssp"):
            raise ValueError(f"unknown mode {mode}")
        for name, is_wrong in (
            ("num_workers", num_workers < 1),
            ("staleness", staleness < 0),
            ("momentum", not (0 <= momentum < 1)),
        ):
            if is_wrong:
                raise ValueError(name)
        self._shapes = {name: tuple(value.shape) for name, value in params.items()}
        self._values = {name: value.detach().clone() for name, value in params.items()}
        self._velocity = {}
        self._lr, self._momentum, self._staleness = lr, momentum, staleness
        self._is_sync, self._is_free = mode == "sync", mode == "async"
        self._log = [[] for _ in range(num_workers)]
        self._done = 0
        self._updates = []  # averaged gradients that nobody has asked for yet
        self._version = 0
        self._left = set()
        self._mutex = threading.Lock()
        self._bells = [threading.Event() for _ in range(num_workers)]

    @property
    def version(self):
        return self._version

    @property
    def clocks(self):
        with self._mutex:
            return list(map(len, self._log))

    def _check(self, worker):
        if worker < 0:
            raise IndexError(worker)
        return self._log[worker]

    def pull(self, worker):
        self._check(worker)
        while True:
            with self._mutex:
                if self._may_go(worker):
                    return self._replayed()
                self._bells[worker].clear()
            self._bells[worker].wait()

    def state_dict(self):
        with self._mutex:
            return self._replayed()

    def leave(self, worker):
        self._check(worker)
        with self._mutex:
            self._left.add(worker)
            self._schedule()

    def push(self, worker, grads):
        log = self._check(worker)
        with self._mutex:
            if worker in self._left:
                raise RuntimeError("gone")
            shapes = {name: tuple(grad.shape) for name, grad in grads.items()}
            for name in shapes.keys() - self._shapes.keys():
                raise KeyError(name)
            if any(self._shapes[name] != shape for name, shape in shapes.items()):
                raise ValueError(shapes)
            entry = {name: torch.clone(grad) for name, grad in grads.items()}
            log.append(entry)
            if not self._is_sync:
                self._updates.append(entry)
                self._version += 1
            self._schedule()
            return self._version

    def _live(self):
        return [worker for worker in range(len(self._log)) if worker not in self._left]

    def _may_go(self, worker):
        if self._is_free or worker in self._left:
            return True
        own = len(self._log[worker])
        if self._is_sync:
            return own <= self._done
        return own <= min(len(self._log[other]) for other in self._live()) + self._staleness

    def _schedule(self):
        longest = max(map(len, self._log)) if self._is_sync else 0
        while self._done < longest:
            if any(len(self._log[worker]) <= self._done for worker in self._live()):
                break
            row = [log[self._done] for log in self._log if len(log) > self._done]
            self._updates.append(self._mean(row))
            self._done += 1
            self._version += 1
        for bell in self._bells:
            bell.set()

    @staticmethod
    def _mean(row):
        names = {name: None for push in row for name in push}
        parts = {name: [push[name] for push in row if name in push] for name in names}
        return {name: sum(each[1:], each[0]) / len(each) for name, each in parts.items()}

    def _replayed(self):
        for update in self._updates:
            for name, grad in update.items():
                if name in self._velocity:
                    grad = self._velocity[name] * self._momentum + grad
                self._velocity[name] = grad
                self._values[name] = self._values[name] - grad * self._lr
        self._updates.clear()
        return {name: value.clone() for name, value in self._values.items()}


ERRORS = (KeyError, ValueError, RuntimeError)


def encode(kind, tensors):
    """Write a byte for the kind, then name, dtype, shape and bytes of each tensor."""
    out = [struct.pack("<BI", kind, len(tensors))]
    for name, value in tensors.items():
        dtype = str(value.dtype).removeprefix("torch.").encode()
        raw = bytes(value.detach().contiguous().reshape(-1).view(torch.uint8).tolist())
        label = name.encode()
        out.append(struct.pack("<IIII", len(label), len(dtype), value.dim(), len(raw)))
        out += [label, dtype, struct.pack(f"<{value.dim()}q", *value.shape), raw]
    return b"".join(out)


def decode(data):
    kind, count = struct.unpack_from("<BI", data)
    at, found = 5, {}
    for _ in range(count):
        label, dtype, dims, size = struct.unpack_from("<IIII", data, at)
        at += 16
        name = data[at : at + label].decode()
        kind_of = getattr(torch, data[at + label : at + label + dtype].decode())
        at += label + dtype
        shape = struct.unpack_from(f"<{dims}q", data, at)
        at += 8 * dims
        raw = bytearray(data[at : at + size])
        at += size
        found[name] = torch.frombuffer(raw, dtype=kind_of).clone().reshape(shape)
    return kind, found


def serve(server, conns):
    def attend(worker):
        conn = conns[worker]
        try:
            while True:
                kind, grads = decode(conn.recv_bytes())
                try:
                    if kind == 0:
                        reply = encode(0, server.pull(worker))
                    else:
                        reply = struct.pack("<BQ", 1, server.push(worker, grads))
                except ERRORS as error:
                    which = next(n for n, each in enumerate(ERRORS) if isinstance(error, each))
                    reply = struct.pack("<BB", 2, which) + str(error).encode()
                conn.send_bytes(reply)
        except (EOFError, OSError):
            server.leave(worker)

    threads = [threading.Thread(target=attend, args=(worker,)) for worker in range(len(conns))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Client:
    def __init__(self, conn):
        self.conn = conn

    def pull(self):
        return decode(self._ask(encode(0, {})))[1]

    def push(self, grads):
        return struct.unpack_from("<BQ", self._ask(encode(1, grads)))[1]

    def _ask(self, message):
        self.conn.send_bytes(message)
        reply = self.conn.recv_bytes()
        if reply[0] == 2:
            raise ERRORS[reply[1]](reply[2:].decode())
        return reply

    def close(self):
        self.conn.close()
