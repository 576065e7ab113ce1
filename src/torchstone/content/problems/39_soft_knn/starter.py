"""Soft k nearest neighbours."""

from typing import NamedTuple

from torch import Tensor


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
    """Return for each slot the softmin around the k-th smallest squared distance.

    Args:
        query: (*, N, D).
        points: (*, M, D).
        k: Slots, from 1 to M.
        temperature: Positive; a 0-d tensor may be learned.
        values: (*, M, C); the points if None.
        chunk_size: Queries at once; memory is bounded and the answer is the same.
        return_weights: Also return the weights (*, N, k, M).
    """
    raise NotImplementedError
