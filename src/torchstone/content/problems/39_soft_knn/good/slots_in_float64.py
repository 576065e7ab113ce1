"""One slot after the other, in float64, rounded once at the end."""

from typing import NamedTuple

import torch
from torch.utils.checkpoint import checkpoint


class SoftKNN(NamedTuple):
    neighbors: torch.Tensor
    distances: torch.Tensor
    weights: torch.Tensor | None


def slot(d, anchor, tau, values):
    scores = (d - anchor).abs() / -tau
    w = (scores - scores.logsumexp(-1, keepdim=True)).exp()
    return w @ values, (w * d).sum(-1), w


def some(query, points, values, tau, k):
    d = sum(
        (query[..., i].unsqueeze(-1) - points[..., i].unsqueeze(-2)) ** 2
        for i in range(query.shape[-1])
    )
    results = []
    for j in range(1, k + 1):
        anchor = d.kthvalue(j, dim=-1, keepdim=True).values if d.numel() else d[..., :1]
        results.append(slot(d, anchor, tau, values))
    neighbors, distances, weights = zip(*results, strict=True)
    return torch.stack(neighbors, -2), torch.stack(distances, -1), torch.stack(weights, -2)


def soft_knn(query, points, k, temperature, values=None, chunk_size=None, return_weights=False):
    values = points if values is None else values
    if query.ndim != points.ndim or query.shape[:-2] != points.shape[:-2]:
        raise ValueError("leading dimensions")
    if query.shape[-1] != points.shape[-1] or values.shape[:-1] != points.shape[:-1]:
        raise ValueError("sizes")
    if not (0 < k <= points.shape[-2]) or not temperature > 0:
        raise ValueError("k or temperature")
    if chunk_size is not None and not chunk_size > 0:
        raise ValueError("chunk_size")
    dtype = query.dtype
    tau = temperature.double() if isinstance(temperature, torch.Tensor) else temperature
    q, p, v = query.double(), points.double(), values.double()
    if chunk_size is None or return_weights:
        neighbors, distances, weights = some(q, p, v, tau, k)
        weights = weights.to(dtype) if return_weights else None
        return SoftKNN(neighbors.to(dtype), distances.to(dtype), weights)
    neighbors, distances = [], []
    for rows in torch.split(q, chunk_size, -2):
        part = checkpoint(lambda *a: some(*a)[:2], rows, p, v, tau, k, use_reentrant=False)
        neighbors.append(part[0].to(dtype))
        distances.append(part[1].to(dtype))
    return SoftKNN(torch.cat(neighbors, -3), torch.cat(distances, -2), None)
