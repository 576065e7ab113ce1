"""Squares of cdist without its matrix product; one batch dimension; results written into place."""

from typing import NamedTuple

import torch
from torch.utils.checkpoint import checkpoint


class SoftKNN(NamedTuple):
    neighbors: torch.Tensor
    distances: torch.Tensor
    weights: torch.Tensor | None


def soft_knn(query, points, k, temperature, values=None, chunk_size=None, return_weights=False):
    values = points if values is None else values
    lead, n, m, channels = query.shape[:-2], query.size(-2), points.size(-2), values.size(-1)
    if points.shape[:-2] != lead or points.size(-1) != query.size(-1):
        raise ValueError("points")
    if values.shape[:-1] != points.shape[:-1]:
        raise ValueError("values")
    if k not in range(1, m + 1):
        raise ValueError("k")
    if temperature <= 0:
        raise ValueError("temperature")
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("chunk_size")
    step = n if chunk_size is None or return_weights else chunk_size
    blocks = [
        checkpoint(block, q, points, values, temperature, k, return_weights, use_reentrant=False)
        if step < n
        else block(q, points, values, temperature, k, return_weights)
        for q in query.split(max(step, 1), -2)
    ]
    neighbors, distances, weights = zip(*blocks, strict=True)
    return SoftKNN(
        torch.cat(neighbors, -3).view(*lead, n, k, channels),
        torch.cat(distances, -2).view(*lead, n, k),
        weights[0] if return_weights else None,
    )


def block(query, points, values, temperature, k, with_weights):
    d = torch.cdist(query, points, compute_mode="donot_use_mm_for_euclid_dist").pow(2)
    anchors = torch.topk(d, k, largest=False, sorted=True)[0]
    logits = (anchors[..., :, None] - d[..., None, :]).abs().neg().div(temperature)
    w = torch.nn.functional.softmax(logits, -1)
    rows = w.reshape(*w.shape[:-3], w.shape[-3] * k, w.shape[-1])
    neighbors = torch.matmul(rows, values).reshape(*w.shape[:-1], values.shape[-1])
    return neighbors, (w * d[..., None, :]).sum(-1), w if with_weights else None
