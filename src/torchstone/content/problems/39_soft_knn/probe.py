"""Measure what problem 39 limits: the largest tensor, the bytes kept, the peak of a process."""

from __future__ import annotations

import gc
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

# Captured here, before a submission could replace them.
Tensor, no_grad = torch.Tensor, torch.no_grad
set_grad_enabled = torch.set_grad_enabled
untyped_storage, num_bytes_of = Tensor.untyped_storage, torch.UntypedStorage.nbytes
itemsize_of, backward = Tensor.element_size, torch.autograd.backward
grad_of = vars(torch._C.TensorBase)["grad"].__get__
collect = gc.collect
SHOWN = ("neighbors", "distances")


class Largest(TorchDispatchMode):
    """Note the elements of the largest storage that any operator returns."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # Otherwise the first operator imports torch._dynamo, which takes a second.
        return False

    def __init__(self) -> None:
        super().__init__()
        self.most = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        self.look(result)
        return result

    def look(self, result: Any) -> None:
        """Look at each tensor of a result; one that is expanded is as large as its storage."""
        if isinstance(result, Tensor):
            elements = num_bytes_of(untyped_storage(result)) // itemsize_of(result)
            self.most = max(self.most, elements)
        elif isinstance(result, (list, tuple)):
            for item in result:
                self.look(item)


def without_gradients(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Call under ``no_grad`` with tensors that require gradients."""
    with no_grad():
        found: dict[str, Any] = tools.call(submission, data["call"], tools.Session())
    return {key: item for key, item in found.items() if not key.startswith("grad.")}


def measure(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Differentiate a part of the queries, and call all of them and the part once more.

    Return the largest tensor of each call, and what all of them keep for backward.
    """
    call, query = data["call"], data["query"]
    with Largest() as seen:
        found: dict[str, Any] = tools.call(submission, call, tools.Session())
    (part, points, k, temperature), options = call["args"], call["kwargs"]
    given = [each.requires_grad_() for each in (query, points, temperature)]
    alive, (saved, keep) = tools.living_storages(), tools.keeper()
    with Largest() as seen_forward, tools.saved_tensors_hooks(keep, tools.unpack):
        result = submission.soft_knn(query, points, k, temperature, **options)
    results = [result.neighbors, result.distances]
    kept = [*saved, *tools.kept_since(alive, results)]
    found["saved.bytes"] = tools.unique_bytes(kept, results, given)
    found |= {f"whole.{name}": tools.plain(getattr(result, name)) for name in SHOWN}
    del result, results, kept
    with Largest() as seen_without, no_grad():
        submission.soft_knn(part, points, k, temperature, **options)
    return found | {"largest": [seen_forward.most, seen.most, seen_without.most]}


def alone(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Call, and differentiate if asked to, in a process whose peak memory the host measures."""
    collect()  # a graph that the call before left behind is not this call's
    query, points = data["query"].requires_grad_(), data["points"].requires_grad_()
    with set_grad_enabled(data["is_grad"]):
        found = submission.soft_knn(
            query, points, data["k"], data["temperature"], chunk_size=data["chunk_size"]
        )
    if not data["is_grad"]:
        return {name: tools.plain(getattr(found, name)) for name in SHOWN}
    # A row of the gradient of the query belongs to one query.
    backward([found.neighbors, found.distances], data["cotangents"])
    return {
        "neighbors": tools.plain(found.neighbors),
        "distances": tools.plain(found.distances),
        "grad": tools.plain(grad_of(query)),
    }


RUNS = {"without_gradients": without_gradients, "measure": measure, "alone": alone}


def probe(submission: Any, op: str, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Answer one request."""
    found: dict[str, Any] = RUNS[op](submission, data, tools)
    return found
