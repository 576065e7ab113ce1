"""A Function that keeps its inputs alone, and differentiates each chunk in backward."""

from typing import NamedTuple

import torch
from torch.autograd import Function


class SoftKNN(NamedTuple):
    neighbors: torch.Tensor
    distances: torch.Tensor
    weights: torch.Tensor | None


def direct(query, points, values, tau, k):
    d = (query[..., :, None, :] - points[..., None, :, :]).pow(2).sum(-1)
    anchors = d.gather(-1, d.detach().argsort(-1)[..., :k])
    w = ((anchors[..., None] - d[..., None, :]).abs() / -tau).softmax(-1)
    flat = w.flatten(-3, -2) @ values
    return flat.unflatten(-2, w.shape[-3:-1]), (w * d[..., None, :]).sum(-1), w


class Recomputed(Function):
    @staticmethod
    def forward(ctx, query, points, values, tau, k, chunk):
        ctx.save_for_backward(query, points, values, tau)
        ctx.k, ctx.chunk = k, chunk
        parts = [direct(rows, points, values, tau, k)[:2] for rows in query.split(chunk, -2)]
        return torch.cat([part[0] for part in parts], -3), torch.cat(
            [part[1] for part in parts], -2
        )

    @staticmethod
    def backward(ctx, of_neighbors, of_distances):
        query, *shared = (each.detach() for each in ctx.saved_tensors)
        needed = ctx.needs_input_grad[:4]
        of_query, sums = [], [torch.zeros_like(each) for each in shared]
        cuts = (query.split(ctx.chunk, -2), of_neighbors.split(ctx.chunk, -3))
        for rows, *gs in zip(*cuts, of_distances.split(ctx.chunk, -2), strict=True):
            leaves = [
                each.detach().requires_grad_(need)
                for each, need in zip([rows, *shared], needed, strict=True)
            ]
            with torch.enable_grad():
                ys = direct(*leaves, ctx.k)[:2]
            asked = [leaf for leaf in leaves if leaf.requires_grad]
            # The distances do not depend on the values.
            pairs = [(y, g) for y, g in zip(ys, gs, strict=True) if y.requires_grad]
            ys, gs = zip(*pairs, strict=True)
            found = iter(torch.autograd.grad(ys, asked, gs, allow_unused=True))
            grads = [next(found) if need else None for need in needed]
            of_query.append(grads[0])
            for total, grad in zip(sums, grads[1:], strict=True):
                if grad is not None:
                    total += grad
        first = torch.cat(of_query, -2) if needed[0] else None
        rest = [total if need else None for total, need in zip(sums, needed[1:], strict=True)]
        return first, *rest, None, None


def soft_knn(query, points, k, temperature, values=None, chunk_size=None, return_weights=False):
    values = points if values is None else values
    if query.shape[:-2] != points.shape[:-2] or query.shape[-1] != points.shape[-1]:
        raise ValueError("query and points differ in more than their number")
    if values.shape[:-1] != points.shape[:-1] or not 1 <= k <= points.shape[-2]:
        raise ValueError("values or k")
    tau = torch.as_tensor(temperature, dtype=None if torch.is_tensor(temperature) else query.dtype)
    if tau <= 0:
        raise ValueError("temperature")
    if chunk_size is None:
        neighbors, distances, weights = direct(query, points, values, tau, k)
        return SoftKNN(neighbors, distances, weights if return_weights else None)
    if chunk_size < 1:
        raise ValueError("chunk_size")
    if return_weights:
        return SoftKNN(*direct(query, points, values, tau, k))
    return SoftKNN(*Recomputed.apply(query, points, values, tau, k, chunk_size), None)
