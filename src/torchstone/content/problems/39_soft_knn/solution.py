"""Soft k nearest neighbours: direct distances, one anchor per slot, chunks that are recomputed."""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint


class SoftKNN(NamedTuple):
    """Hold the neighbours of each query, their distances, and the weights of all points."""

    neighbors: Tensor
    distances: Tensor
    weights: Tensor | None


def soft_knn(
    query: Tensor,
    points: Tensor,
    k: int,
    temperature: float | Tensor,
    values: Tensor | None = None,
    chunk_size: int | None = None,
    return_weights: bool = False,
) -> SoftKNN:
    """Return for each slot the softmin around the k-th smallest squared distance."""
    values = points if values is None else values
    check(query, points, values, k, temperature, chunk_size)
    if return_weights:
        return select(query, points, values, temperature, k)
    if chunk_size is None:
        return select(query, points, values, temperature, k)._replace(weights=None)
    parts = [
        # Only the inputs of a chunk are kept; backward computes the rest again.
        checkpoint(
            lambda *inputs: select(*inputs)[:2],
            *(rows, points, values, temperature, k),
            use_reentrant=False,
            preserve_rng_state=False,
        )
        for rows in query.split(chunk_size, dim=-2)
    ]
    neighbors = torch.cat([part[0] for part in parts], dim=-3)
    distances = torch.cat([part[1] for part in parts], dim=-2)
    return SoftKNN(neighbors, distances, None)


def select(
    query: Tensor, points: Tensor, values: Tensor, temperature: float | Tensor, k: int
) -> SoftKNN:
    """Compute neighbours, distances and weights of some queries."""
    # Subtract first: |q|^2 - 2 q p + |p|^2 cancels away from the origin.
    d = (query.unsqueeze(-2) - points.unsqueeze(-3)).square().sum(-1)  # (*, N, M)
    anchors = d.topk(k, dim=-1, largest=False).values
    gaps = (anchors.unsqueeze(-1) - d.unsqueeze(-2)).abs()
    weights = torch.softmax(-gaps / temperature, dim=-1)  # (*, N, k, M)
    # One product for all slots of all queries: values are not repeated for each query.
    neighbors = weights.flatten(-3, -2) @ values
    neighbors = neighbors.unflatten(-2, (query.shape[-2], k))
    distances = (weights * d.unsqueeze(-2)).sum(-1)
    return SoftKNN(neighbors, distances, weights)


def check(
    query: Tensor,
    points: Tensor,
    values: Tensor,
    k: int,
    temperature: float | Tensor,
    chunk_size: int | None,
) -> None:
    """Raise ValueError for arguments that do not fit."""
    if query.ndim < 2 or points.ndim < 2 or values.ndim < 2:
        raise ValueError("query, points and values have two dimensions at least")
    if query.shape[:-2] != points.shape[:-2] or query.shape[-1] != points.shape[-1]:
        raise ValueError(f"query {tuple(query.shape)} does not match {tuple(points.shape)}")
    if values.shape[:-1] != points.shape[:-1]:
        raise ValueError(f"values {tuple(values.shape)} does not match {tuple(points.shape)}")
    if not 1 <= k <= points.shape[-2]:
        raise ValueError(f"k is {k}, and there are {points.shape[-2]} points")
    if not temperature > 0:
        raise ValueError("temperature must be positive")
    if chunk_size is not None and chunk_size < 1:
        raise ValueError("chunk_size must be at least 1")
