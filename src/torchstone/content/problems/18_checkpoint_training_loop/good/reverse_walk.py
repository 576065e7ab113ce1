# train walks back over the segments itself; the Function is for single calls only.
import math

import torch


class Replay(torch.autograd.Function):
    @staticmethod
    def forward(ctx, anchor, call, *args):
        ctx.call, ctx.num = call, len(args)
        tensors = {i: a for i, a in enumerate(args) if torch.is_tensor(a)}
        ctx.others = {i: a for i, a in enumerate(args) if i not in tensors}
        ctx.index = list(tensors)
        ctx.save_for_backward(*tensors.values())
        ctx.set_materialize_grads(False)
        return call.first(args)

    @staticmethod
    def backward(ctx, *cotangents):
        leaves = {}
        for i, t in zip(ctx.index, ctx.saved_tensors, strict=False):
            leaves[i] = t.detach().requires_grad_(t.requires_grad)
        args = [leaves[i] if i in leaves else ctx.others[i] for i in range(ctx.num)]
        outs = ctx.call.again(args)
        outs = outs if type(outs) is tuple else (outs,)
        chosen = [
            (o, c)
            for o, c in zip(outs, cotangents, strict=False)
            if c is not None and torch.is_tensor(o) and o.requires_grad
        ]
        if chosen:
            torch.autograd.backward(*map(list, zip(*chosen, strict=False)))
        return (None, None, *(leaves[i].grad if i in leaves else None for i in range(ctx.num)))


class Call:
    """A function, and the state of the world when it ran first."""

    def __init__(self, fn, keeps_rng):
        self.fn, self.keeps_rng = fn, keeps_rng

    def first(self, args):
        self.rng = torch.random.get_rng_state() if self.keeps_rng else None
        self.amp = torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")
        return self.fn(*args)

    def again(self, args):
        with torch.random.fork_rng([]):
            if self.keeps_rng:
                torch.random.set_rng_state(self.rng)
            with torch.autocast("cpu", enabled=self.amp[0], dtype=self.amp[1]), torch.enable_grad():
                return self.fn(*args)


def checkpoint(fn, *args, preserve_rng_state=True):
    if torch.is_grad_enabled():
        return Replay.apply(
            torch.zeros((), requires_grad=True), Call(fn, preserve_rng_state), *args
        )
    return fn(*args)


def chain(part, h):
    for block in part:
        h = block(h)
    return h


def train(blocks, loss_fn, optimizer, batches, *, num_segments=None):
    blocks = [*blocks]
    n = len(blocks)
    k = round(math.sqrt(n)) if num_segments is None else num_segments
    if k <= 0:
        raise ValueError(num_segments)
    k = min(k, n)
    parts, at = [], 0
    for i in range(k):
        size = (n - at + k - i - 1) // (k - i)
        parts.append(blocks[at : at + size])
        at += size

    losses = []
    for x, y in batches:
        optimizer.zero_grad()
        starts, h = [], x
        with torch.no_grad():
            for part in parts:
                starts.append((h, torch.random.get_rng_state()))
                h = chain(part, h)
        end = h.detach().requires_grad_()
        loss = loss_fn(end, y)
        loss.backward()
        grad = end.grad
        del h, end
        for number in reversed(range(k)):
            start, state = starts.pop()
            start = start.detach().requires_grad_()
            with torch.random.fork_rng([]):
                torch.random.set_rng_state(state)
                out = chain(parts[number], start)
            torch.autograd.backward(out, grad)
            grad = start.grad
            del out, start
        optimizer.step()
        losses.append(loss.item())
    return losses
