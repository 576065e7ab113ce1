# One module for each segment; the last runs plainly: its activations are needed at once.
import contextlib

import torch
from torch import nn


@contextlib.contextmanager
def as_before(rng, cast):
    """Set the generator and autocast as they were, and put the generator back afterwards."""
    with contextlib.ExitStack() as stack:
        if rng is not None:
            stack.enter_context(torch.random.fork_rng([]))
            torch.set_rng_state(rng)
        stack.enter_context(torch.autocast("cpu", **cast))
        stack.enter_context(torch.enable_grad())
        yield


class Lazy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, fn, rng, cast, nothing, *args):
        ctx.fn, ctx.rng, ctx.cast = fn, rng, cast
        ctx.args = [a.detach() if isinstance(a, torch.Tensor) else a for a in args]
        ctx.flags = [isinstance(a, torch.Tensor) and a.requires_grad for a in args]
        return fn(*args)

    @staticmethod
    def backward(ctx, *grads):
        # Fresh tensors: a second backward pass must not add to the gradients of the first.
        args = [
            a.detach().requires_grad_(needs) if isinstance(a, torch.Tensor) else a
            for a, needs in zip(ctx.args, ctx.flags, strict=False)
        ]
        with as_before(ctx.rng, ctx.cast):
            out = ctx.fn(*args)
        outs = out if isinstance(out, tuple) else (out,)
        heads, cots = [], []
        for o, g in zip(outs, grads, strict=False):
            if isinstance(o, torch.Tensor) and o.grad_fn is not None:
                heads.append(o)
                cots.append(g)
        torch.autograd.backward(heads, cots)
        return (None,) * 4 + tuple(
            a.grad if needs else None for a, needs in zip(args, ctx.flags, strict=False)
        )


def checkpoint(fn, *args, preserve_rng_state=True):
    if not torch.is_grad_enabled():
        return fn(*args)
    cast = {"enabled": torch.is_autocast_enabled("cpu"), "dtype": torch.get_autocast_dtype("cpu")}
    rng = torch.get_rng_state() if preserve_rng_state else None
    return Lazy.apply(fn, rng, cast, torch.empty((), requires_grad=True), *args)


class Segment(nn.Module):
    def __init__(self, blocks, is_last):
        super().__init__()
        self.blocks, self.is_last = nn.Sequential(*blocks), is_last

    def forward(self, h):
        return self.blocks(h) if self.is_last else checkpoint(self.blocks, h)


def train(blocks, loss_fn, optimizer, batches, *, num_segments=None):
    blocks = list(blocks)
    if num_segments is None:
        num_segments = round(len(blocks) ** 0.5)
    if num_segments < 1:
        raise ValueError(f"{num_segments} segments")
    num_segments = min(num_segments, len(blocks))
    short, num_long = divmod(len(blocks), num_segments)
    sizes = [short] * (num_segments - num_long) + [short + 1] * num_long
    rest = iter(blocks)
    net = nn.Sequential(
        *(
            Segment([next(rest) for _ in range(size)], number == num_segments - 1)
            for number, size in enumerate(sizes)
        )
    )
    losses = []
    for x, y in batches:
        optimizer.zero_grad()
        loss = loss_fn(net(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach().item())
    return losses
