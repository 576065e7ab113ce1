"""Blocks of points as well: a running softmin in forward, the derivative by hand in backward."""

from typing import NamedTuple

import torch
from torch.autograd import Function

BLOCK = 512


class SoftKNN(NamedTuple):
    neighbors: torch.Tensor
    distances: torch.Tensor
    weights: torch.Tensor | None


def squares(q, p):
    return (q[..., :, None, :] - p[..., None, :, :]).square().sum(-1)


def first_ranks(q, p, k):
    """Keep the k smallest of what was seen, and their places."""
    best = place = None
    for start in range(0, p.shape[-2], BLOCK):
        d = squares(q, p[..., start : start + BLOCK, :])
        at = torch.arange(start, start + d.shape[-1]).expand_as(d)
        if best is not None:
            d, at = torch.cat([best, d], -1), torch.cat([place, at], -1)
        best, index = d.topk(min(k, d.shape[-1]), -1, largest=False)
        place = at.gather(-1, index)
    return best, place


def softmin_rows(q, p, v, tau, anchors):
    """Return neighbours, distances and the sums of exponentials; the largest score is always 0."""
    total = neighbors = distances = 0
    for start in range(0, p.shape[-2], BLOCK):
        block = slice(start, start + BLOCK)
        d = squares(q, p[..., block, :])
        e = ((anchors[..., None] - d[..., None, :]).abs() / -tau).exp()
        total = total + e.sum(-1)
        neighbors = neighbors + (e.flatten(-3, -2) @ v[..., block, :]).unflatten(-2, e.shape[-3:-1])
        distances = distances + (e * d[..., None, :]).sum(-1)
    return neighbors / total[..., None], distances / total, total


class Soft(Function):
    @staticmethod
    def forward(ctx, query, points, values, tau, k, chunk):
        rows = query.split(chunk, -2)
        anchors, places = zip(*[first_ranks(q, points, k) for q in rows], strict=True)
        found = [
            softmin_rows(q, points, values, tau, a) for q, a in zip(rows, anchors, strict=True)
        ]
        neighbors = torch.cat([each[0] for each in found], -3)
        distances, totals = (torch.cat([each[i] for each in found], -2) for i in (1, 2))
        ctx.save_for_backward(
            *(query, points, values, tau, torch.cat(anchors, -2), torch.cat(places, -2), totals),
            *(neighbors, distances),
        )
        ctx.chunk = chunk
        return neighbors, distances

    @staticmethod
    def backward(ctx, of_neighbors, of_distances):
        query, points, values, tau, *kept = ctx.saved_tensors
        of_query, of_points = torch.zeros_like(query), torch.zeros_like(points)
        of_values, of_tau = torch.zeros_like(values), torch.zeros_like(tau)
        for start in range(0, query.shape[-2], ctx.chunk):
            rows = slice(start, start + ctx.chunk)
            q = query[..., rows, :]
            anchors, places, totals = (each[..., rows, :] for each in kept[:3])
            g_n, g_d = of_neighbors[..., rows, :, :], of_distances[..., rows, :]
            d = squares(q, points)
            signed = anchors[..., None] - d[..., None, :]
            w = (signed.abs() / -tau).exp() / totals[..., None]
            flat = g_n.flatten(-3, -2)
            of_values += w.flatten(-3, -2).mT @ flat
            of_w = (flat @ values.mT).view(w.shape) + g_d[..., None] * d[..., None, :]
            of_s = w * (of_w - (w * of_w).sum(-1, keepdim=True))
            of_tau += (of_s * signed.abs()).sum() / tau / tau
            pull = of_s * signed.sign() / tau
            of_d = (g_d[..., None] * w + pull).sum(-2)
            of_d = of_d.scatter_add(-1, places, -pull.sum(-1))
            # 2 (q - p) per pair, without a tensor of pairs and coordinates.
            for i in range(q.shape[-1]):
                way = 2 * of_d * (q[..., i, None] - points[..., None, :, i])
                of_query[..., rows, i] += way.sum(-1)
                of_points[..., i] -= way.sum(-2)
        return of_query, of_points, of_values, of_tau, None, None


def soft_knn(query, points, k, temperature, values=None, chunk_size=None, return_weights=False):
    values = points if values is None else values
    same = query.shape[:-2] == points.shape[:-2] and query.shape[-1] == points.shape[-1]
    if not same or values.shape[:-1] != points.shape[:-1]:
        raise ValueError("shapes")
    if not 1 <= k <= points.shape[-2] or not temperature > 0:
        raise ValueError("k or temperature")
    if chunk_size is not None and chunk_size < 1:
        raise ValueError("chunk_size")
    tau = temperature
    if not isinstance(tau, torch.Tensor):
        tau = torch.tensor(tau, dtype=query.dtype)
    if return_weights:
        d = squares(query, points)
        anchors = d.topk(k, -1, largest=False).values
        w = torch.softmax((anchors[..., None] - d[..., None, :]).abs() / -tau, -1)
        neighbors = torch.einsum("...nkm,...mc->...nkc", w, values)
        return SoftKNN(neighbors, (w * d[..., None, :]).sum(-1), w)
    chunk = chunk_size or max(query.shape[-2], 1)
    return SoftKNN(*Soft.apply(query, points, values, tau, k, chunk), None)
