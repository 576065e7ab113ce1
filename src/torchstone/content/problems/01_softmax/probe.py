"""Tell whether the result of a softmax carries a graph, with and without one in its input."""

from __future__ import annotations

from typing import Any


def probe(submission: Any, op: str, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Answer the one operation of this problem, ``graph``."""
    x, dim = data["x"], data["dim"]
    without = submission.softmax(x, dim)
    within = submission.softmax(tools.clone(x).requires_grad_(), dim)
    return {"without": without.requires_grad, "within": within.requires_grad}
