"""A full sort for the anchors, the softmin written out, and chunks by a generator."""

from typing import NamedTuple

import torch
import torch.utils.checkpoint


class SoftKNN(NamedTuple):
    neighbors: torch.Tensor
    distances: torch.Tensor
    weights: torch.Tensor | None


def soft_knn(query, points, k, temperature, values=None, chunk_size=None, return_weights=False):
    if values is None:
        values = points
    refuse(query, points, k, temperature, values, chunk_size)

    def attend(q):
        d = torch.sum((q[..., :, None, :] - points[..., None, :, :]) ** 2, dim=-1)
        ordered, _ = torch.sort(d, dim=-1)
        e = torch.exp(-torch.abs(ordered[..., :k, None] - d[..., None, :]) / temperature)
        w = e / e.sum(-1, keepdim=True)
        return (
            torch.einsum("...nkm,...mc->...nkc", w, values),
            torch.einsum("...nkm,...nm->...nk", w, d),
            w,
        )

    if chunk_size is None or return_weights:
        neighbors, distances, weights = attend(query)
        return SoftKNN(neighbors, distances, weights if return_weights else None)

    def pieces():
        for start in range(0, max(query.shape[-2], 1), chunk_size):
            q = query[..., start : start + chunk_size, :]
            if torch.is_grad_enabled():
                yield torch.utils.checkpoint.checkpoint(attend, q, use_reentrant=False)[:2]
            else:
                yield attend(q)[:2]

    neighbors, distances = zip(*pieces(), strict=True)
    return SoftKNN(torch.cat(neighbors, -3), torch.cat(distances, -2), None)


def refuse(query, points, k, temperature, values, chunk_size):
    *lead, _, D = query.shape
    M = points.shape[-2]
    if list(points.shape) != [*lead, M, D]:
        raise ValueError("query and points do not match")
    if k < 1 or k > M:
        raise ValueError("k must be between 1 and the number of points")
    if float(temperature) <= 0:
        raise ValueError("the temperature must be positive")
    if list(values.shape[:-1]) != [*lead, M]:
        raise ValueError("values and points do not match")
    if chunk_size is not None and chunk_size < 1:
        raise ValueError("chunk_size must be positive")
