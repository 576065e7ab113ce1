# The recomputed graph is differentiated with autograd.grad; the parameters are found in the graph.
import itertools
import math

import torch


def leaves_of(tensors):
    """Return the leaves that a graph accumulates into, found by walking over its nodes."""
    found, seen, todo = {}, set(), [t.grad_fn for t in tensors]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            found[id(leaf)] = leaf
        todo += [each for each, _ in node.next_functions]
    return list(found.values())


class _Segment(torch.autograd.Function):
    @staticmethod
    def forward(ctx, fn, keeps, flag, *args):
        ctx.fn, ctx.args = fn, args
        ctx.state = torch.get_rng_state() if keeps else None
        ctx.amp = [torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")]
        return fn(*args)

    @staticmethod
    def backward(ctx, *cotangents):
        args = [
            a.detach().requires_grad_(a.requires_grad) if torch.is_tensor(a) else a
            for a in ctx.args
        ]
        now = torch.get_rng_state()
        if ctx.state is not None:
            torch.set_rng_state(ctx.state)
        try:
            with torch.enable_grad(), torch.autocast("cpu", enabled=ctx.amp[0], dtype=ctx.amp[1]):
                results = ctx.fn(*args)
        finally:
            if ctx.state is not None:
                torch.set_rng_state(now)
        results = results if isinstance(results, tuple) else (results,)
        heads = [i for i, r in enumerate(results) if torch.is_tensor(r) and r.requires_grad]
        outs, cots = [results[i] for i in heads], [cotangents[i] for i in heads]
        mine = {id(a) for a in args}
        wanted = leaves_of(outs)
        grads = torch.autograd.grad(outs, wanted, cots, allow_unused=True) if wanted else ()
        by_id = {id(leaf): grad for leaf, grad in zip(wanted, grads, strict=False)}
        for leaf, grad in zip(wanted, grads, strict=False):
            if grad is not None and id(leaf) not in mine:
                leaf.grad = grad if leaf.grad is None else leaf.grad + grad
        return (None, None, None, *[by_id.get(id(a)) for a in args])


def checkpoint(fn, *args, preserve_rng_state=True):
    if not torch.is_grad_enabled():
        return fn(*args)
    flag = torch.ones((), requires_grad=True)
    return _Segment.apply(fn, preserve_rng_state, flag, *args)


def train(blocks, loss_fn, optimizer, batches, *, num_segments=None):
    blocks = tuple(blocks)
    if num_segments is not None and num_segments < 1:
        raise ValueError(f"num_segments is {num_segments}")
    k = min(num_segments or round(math.sqrt(len(blocks))), len(blocks))
    edges = [i * len(blocks) // k for i in range(k + 1)]
    losses = []
    for x, y in batches:
        optimizer.zero_grad()
        h = x
        for low, high in itertools.pairwise(edges):

            def part(h, low=low, high=high):
                for block in blocks[low:high]:
                    h = block(h)
                return h

            h = checkpoint(part, h)
        loss = loss_fn(h, y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
