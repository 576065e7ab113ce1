"""Tell whether a result carries a graph, is a new tensor, and has a place for each number."""

from __future__ import annotations

from typing import Any


def probe(submission: Any, op: str, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Answer the one operation of this problem, ``graph``."""
    found = {}
    for name, x in data["tensors"].items():
        without = submission.softmax(x, data["dim"])
        within = submission.softmax(tools.clone(x).requires_grad_(), data["dim"])
        sizes = zip(without.shape, without.stride(), strict=True) if without.numel() else ()
        found |= {
            f"{name}.without": without.requires_grad,
            f"{name}.within": within.requires_grad,
            f"{name}.itself": without is x,
            f"{name}.overlaps": any(size > 1 and stride == 0 for size, stride in sizes),
        }
    return found
