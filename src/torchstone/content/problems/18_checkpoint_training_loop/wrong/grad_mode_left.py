# verdict: WA property
# group: raises
# en: The gradient mode is set and reset by hand without `finally`, so an exception of the
#   function leaves it switched.
# zh: 手动切换梯度模式又没有用 `finally` 恢复，函数一抛异常，模式就停在切换后的状态。
import math

import torch
from torch import Tensor


class _Recompute(torch.autograd.Function):
    """Run a function without a graph; build the graph when its gradient is asked for."""

    @staticmethod
    def forward(ctx, trigger, fn, preserve_rng_state, result, *args):
        ctx.fn, ctx.args = fn, [None if isinstance(a, Tensor) else a for a in args]
        ctx.places = [place for place, a in enumerate(args) if isinstance(a, Tensor)]
        ctx.save_for_backward(*[args[place] for place in ctx.places])
        ctx.rng_state = STATES.pop() if preserve_rng_state else None
        ctx.autocast = {
            "enabled": torch.is_autocast_enabled("cpu"),
            "dtype": torch.get_autocast_dtype("cpu"),
        }
        return result

    @staticmethod
    def backward(ctx, *grads):
        args = list(ctx.args)
        for place, saved in zip(ctx.places, ctx.saved_tensors, strict=True):
            # Detached: the backward below must end here, not walk into earlier segments.
            args[place] = saved.detach().requires_grad_(saved.requires_grad)
        outer = torch.get_rng_state()
        try:
            if ctx.rng_state is not None:
                torch.set_rng_state(ctx.rng_state)
            with torch.enable_grad(), torch.autocast("cpu", **ctx.autocast):
                result = ctx.fn(*args)
        finally:
            if ctx.rng_state is not None:
                torch.set_rng_state(outer)
        results = result if isinstance(result, tuple) else (result,)
        pairs = [
            (r, g)
            for r, g in zip(results, grads, strict=True)
            if isinstance(r, Tensor) and r.requires_grad
        ]
        torch.autograd.backward([r for r, _ in pairs], [g for _, g in pairs])
        return None, None, None, None, *[a.grad if isinstance(a, Tensor) else None for a in args]


STATES = []


def checkpoint(fn, *args, preserve_rng_state=True):
    """Return ``fn(*args)``; its activations are computed again in backward."""
    if not torch.is_grad_enabled():
        return fn(*args)
    # Without an input that requires grad autograd would record no node.
    trigger = torch.empty(0, requires_grad=True)
    STATES.append(torch.get_rng_state())
    torch.set_grad_enabled(False)
    result = fn(*args)
    torch.set_grad_enabled(True)
    return _Recompute.apply(trigger, fn, preserve_rng_state, result, *args)


def split(blocks, num_segments):
    """Cut the blocks into contiguous segments whose sizes differ by at most one."""
    size, rest = divmod(len(blocks), num_segments)
    segments, start = [], 0
    for number in range(num_segments):
        end = start + size + (number < rest)
        segments.append(blocks[start:end])
        start = end
    return segments


def run(segment, h):
    """Run the blocks of one segment."""
    for block in segment:
        h = block(h)
    return h


def train(blocks, loss_fn, optimizer, batches, *, num_segments=None):
    """Train over the batches with checkpointed segments; return the losses."""
    blocks = list(blocks)
    if num_segments is None:
        num_segments = round(math.sqrt(len(blocks)))
    elif num_segments < 1:
        raise ValueError(f"num_segments must be at least 1, got {num_segments}")
    segments = split(blocks, min(num_segments, len(blocks)))
    losses = []
    for x, y in batches:
        optimizer.zero_grad()
        h = x
        for segment in segments:
            h = checkpoint(run, segment, h)
        loss = loss_fn(h, y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
