# verdict: WA property
# group: small
# en: Each saved tensor starts a recomputation of its own; one recomputation gives all tensors
#   of the segment.
# zh: 每取一个保存的张量就重算一次；一段只需重算一次，就能给出它的全部张量。
from math import sqrt

import torch
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks


class Slots:
    """Stand in for the tensors that a call saved; all are filled when one is asked for."""

    def __init__(self, fn, args, preserve_rng_state):
        self.fn, self.num_packed, self.filled = fn, 0, {}
        self.args = [
            a.detach().requires_grad_(a.requires_grad) if isinstance(a, Tensor) else a for a in args
        ]
        self.state = torch.get_rng_state() if preserve_rng_state else None
        self.cast = (
            torch.is_autocast_enabled("cpu"),
            torch.get_autocast_dtype("cpu"),
        )

    def pack(self, tensor):
        self.num_packed += 1
        return self.num_packed - 1

    def unpack(self, slot):
        self.refill()
        return self.filled.pop(slot)

    def refill(self):
        values = []

        def keep(tensor):
            values.append(tensor.detach())
            return None

        enabled, dtype = self.cast
        outer = torch.get_rng_state()
        try:
            if self.state is not None:
                torch.set_rng_state(self.state)
            with torch.enable_grad(), saved_tensors_hooks(keep, lambda _: None):
                with torch.autocast("cpu", dtype=dtype, enabled=enabled):
                    self.fn(*self.args)
        finally:
            if self.state is not None:
                torch.set_rng_state(outer)
        self.filled = dict(enumerate(values))


def checkpoint(fn, *args, preserve_rng_state=True):
    if not torch.is_grad_enabled():
        return fn(*args)
    slots = Slots(fn, args, preserve_rng_state)
    with saved_tensors_hooks(slots.pack, slots.unpack):
        return fn(*args)


def train(blocks, loss_fn, optimizer, batches, *, num_segments=None):
    blocks = list(blocks)
    wanted = round(sqrt(len(blocks))) if num_segments is None else num_segments
    if wanted < 1:
        raise ValueError("at least one segment is needed")
    wanted = min(wanted, len(blocks))

    def segment(start, stop):
        def run(h):
            for block in blocks[start:stop]:
                h = block(h)
            return h

        return run

    total = len(blocks)
    runs = [segment(total * i // wanted, total * (i + 1) // wanted) for i in range(wanted)]
    losses = []
    for x, y in batches:
        optimizer.zero_grad()
        h = x
        for run in runs:
            h = checkpoint(run, h)
        loss = loss_fn(h, y)
        loss.backward()
        optimizer.step()
        losses.append(float(loss))
    return losses
