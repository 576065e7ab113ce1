"""Distance modules: CosineSimilarity and PairwiseDistance."""

from __future__ import annotations

from torchstone.microtorch.nn.modules.functional_module import Functional


class CosineSimilarity(Functional, call="cosine_similarity", shown=(), dim=1, eps=1e-8):
    """Cosine similarity of vectors."""


class PairwiseDistance(
    Functional, call="pairwise_distance", shown=(), p=2.0, eps=1e-6, keepdim=False
):
    """p-norm distance between vectors."""
