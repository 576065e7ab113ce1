"""Tell whether a result carries a graph, is a new tensor, and has a place for each number."""

from __future__ import annotations

from typing import Any


def probe(submission: Any, op: str, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Answer the one operation of this problem, ``graph``."""
    x, dim = data["x"], data["dim"]
    without = submission.softmax(x, dim)
    within = submission.softmax(tools.clone(x).requires_grad_(), dim)
    sizes = zip(without.shape, without.stride(), strict=True) if without.numel() else ()
    return {
        "without": without.requires_grad,
        "within": within.requires_grad,
        "itself": without is x,
        "overlaps": any(size > 1 and stride == 0 for size, stride in sizes),
    }
