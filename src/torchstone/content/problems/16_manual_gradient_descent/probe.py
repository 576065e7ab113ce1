"""Call train_linear in other modes, and count what is alive while it runs."""

from __future__ import annotations

import contextlib
import gc
import sys
from typing import Any

import torch

# Captured here, before a submission could replace them.
Tensor = torch.Tensor
needs_grad = vars(torch._C.TensorBase)["requires_grad"].__get__
grad_fn_of = vars(torch._C.TensorBase)["grad_fn"].__get__
grad_of = vars(torch._C.TensorBase)["grad"].__get__
version_of = vars(torch._C.TensorBase)["_version"].__get__
is_inference = Tensor.is_inference
require_grad = Tensor.requires_grad_
get_default_dtype, set_default_dtype = torch.get_default_dtype, torch.set_default_dtype
get_objects, set_profile, collect = gc.get_objects, sys.setprofile, gc.collect
MODES = {
    "grad": torch.enable_grad,
    "no_grad": torch.no_grad,
    "inference": torch.inference_mode,
    "none": contextlib.nullcontext,
}
NODES = 100_000


def probe(submission: Any, op: str, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Answer one operation of this problem."""
    return {"context": context, "memory": memory}[op](submission.train_linear, data, tools)


def context(train: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Call in a mode and with a default dtype of the caller, after a call that must raise."""
    usual = get_default_dtype()
    set_default_dtype(data["default"])
    try:
        return in_mode(train, data, tools)
    finally:
        set_default_dtype(usual)


def in_mode(train: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    given = {name: tools.clone(data[name]) for name in data["tensors"]}
    with MODES[data["mode"]]():
        if data["inside"]:
            given = {name: tools.clone(tensor) for name, tensor in given.items()}
        for name in data["requires"]:
            require_grad(given[name])
        state, before = tools.global_state(), look_at(given, tools)
        found: dict[str, Any] = {}
        refused = tools.attempt(lambda: train(given["x"], given["y"][1:]) and None)
        if "raised" in refused:
            found["error.raised"] = refused["raised"]
        tools.same_state(state)
        start = {name: given[name] for name in ("weight", "bias") if name in given}
        result = train(given["x"], given["y"], **start, **data["options"])
        tools.same_state(state)
        unchanged(given, before, tools)
    return found | describe(result, list(given.values()), tools)


def look_at(given: dict[str, Tensor], tools: Any) -> dict[str, Any]:
    return {
        name: (tools.storage_snapshot(each), needs_grad(each), count_writes(each))
        for name, each in given.items()
    }


def count_writes(tensor: Tensor) -> int:
    return 0 if is_inference(tensor) else version_of(tensor)


def unchanged(given: dict[str, Tensor], before: dict[str, Any], tools: Any) -> None:
    for name, tensor in given.items():
        snapshot, required, writes = before[name]
        changed = tools.storage_changed(tensor, snapshot) or count_writes(tensor) != writes
        if changed or needs_grad(tensor) != required or grad_of(tensor) is not None:
            raise tools.Fault("call_mutated")


def describe(result: Any, given: list[Tensor], tools: Any) -> dict[str, Any]:
    """Send the results, after the checks that the driver makes of its own calls."""
    items = list(result) if type(result) in (tuple, list) else [result]
    found: dict[str, Any] = {"out.len": len(items)}
    for position, item in enumerate(items):
        if not tools.is_plain(item):
            raise tools.Fault("nth_result_type", type=type(item).__name__, position=position)
        if any(tools.same_storage(item, other) for other in given):
            raise tools.Fault("nth_result_shares_input", position=position)
        found[f"out.{position}"] = tools.sendable(item)
    found["graph"] = any(needs_grad(item) or grad_fn_of(item) is not None for item in items)
    return found


def memory(train: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Train for few and for many steps; count the nodes of graphs that are alive meanwhile."""
    given, (few, many) = [data["x"], data["y"]], data["steps"]
    with Census(tools) as census:
        result = train(*given, num_steps=few, **data["options"])
    found = {"few.nodes": census.nodes, "few.bytes": census.bytes}
    found |= {f"few.{key}": item for key, item in describe(result, given, tools).items()}
    del result
    known = living()
    result = train(*given, num_steps=many, **data["options"])
    collect()
    kept = [item for item in result if isinstance(item, Tensor)]
    found["many.left"] = tools.unique_bytes(others(known), [], [*given, *kept])
    return found | {f"many.{key}": item for key, item in describe(result, given, tools).items()}


def living() -> list[Tensor]:
    return [item for item in get_objects() if type(item) is Tensor]


def others(known: list[Tensor]) -> list[Tensor]:
    """Find the tensors that came since. Those that are known live: their numbers stay theirs."""
    numbers = set(map(id, known))
    return [item for item in living() if id(item) not in numbers]


class Census:
    """Count what lives after 500, 1000, 2000... calls of functions: nodes of graphs, and bytes."""

    def __init__(self, tools: Any) -> None:
        self.tools, self.nodes, self.bytes = tools, 0, 0

    def __enter__(self) -> Census:
        self.known, self.calls, self.next = living(), 0, 500
        set_profile(self.see)
        return self

    def __exit__(self, *exc: object) -> None:
        set_profile(None)

    def see(self, frame: Any, event: str, argument: Any) -> None:
        self.calls += 1
        if self.calls == self.next:
            self.next *= 2
            # The wrappers of torch.func have no storage, or a level that has ended.
            with contextlib.suppress(RuntimeError, NotImplementedError):
                tensors = others(self.known)
                self.bytes = max(self.bytes, self.tools.unique_bytes(tensors, [], []))
                self.nodes = max(self.nodes, self.count(tensors))

    def count(self, tensors: list[Tensor]) -> int:
        nodes: set[Any] = set()
        waiting = [node for each in tensors if (node := grad_fn_of(each)) is not None]
        while waiting and len(nodes) < NODES:
            node = waiting.pop()
            if node not in nodes:
                nodes.add(node)
                waiting += [each for each, _ in node.next_functions if each is not None]
        return len(nodes)
