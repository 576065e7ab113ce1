"""Join the operators to autograd, and look at what a call by name does not show."""

from __future__ import annotations

import itertools
import logging
from typing import Any

import torch

NAMESPACE = "ts41"


def glue() -> None:
    """Give add_constant its gradient; the constant has none."""
    backward = torch.ops.ts41.add_constant_backward
    torch.library.register_autograd(
        "ts41::add_constant", lambda ctx, grad_output: (backward(grad_output), None)
    )


def probe(submission: Any, op: str, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Answer one operation of this problem."""
    answer: dict[str, Any] = OPERATIONS[op](submission, data, tools)
    return answer


def list_schemas(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Write down every operator of the namespace as torch has understood it."""
    names = sorted(
        name for name in torch._C._dispatch_get_all_op_names() if name.startswith(f"{NAMESPACE}::")
    )
    schemas = [str(torch._C._get_schema(*_split(name))) for name in names]
    return {"schemas": schemas}


def _split(name: str) -> tuple[str, str]:
    operator, _, overload = name.partition(".")
    return operator, overload


def describe(out: torch.Tensor) -> dict[str, Any]:
    """Give what a fake must promise; strides only where there is a second element to reach."""
    steps = zip(out.shape, out.stride(), strict=True)
    return {
        "device": out.device.type,
        "dtype": out.dtype,
        "shape": list(out.shape),
        "stride": [step if size > 1 else None for size, step in steps] if out.numel() else None,
    }


def read_strides(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Describe the results for one layout in every dtype."""
    function = getattr(submission, data["name"])
    return {
        f"{dtype}.{key}": item
        for dtype, x in data["tensors"].items()
        for key, item in describe(function(x, *data["rest"])).items()
    }


def run_on_meta(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Describe the results for tensors that have a layout and no data."""
    function = getattr(submission, data["name"])
    size, stride, offset = data["geometry"]
    found: dict[str, Any] = {}
    for dtype in data["dtypes"]:
        reach = sum((n - 1) * step for n, step in zip(size, stride, strict=True) if n)
        storage = torch.empty(offset + reach + 1, dtype=dtype, device="meta")
        out = function(storage.as_strided(size, stride, offset), *data["rest"])
        name = str(dtype).removeprefix("torch.")
        found |= {f"{name}.{key}": item for key, item in describe(out).items()}
    return found


def refuse_on_meta(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Make calls that must raise, on tensors without data."""
    found: dict[str, Any] = {}
    for name, (size, dtype, c) in data["calls"].items():
        x = torch.empty(size, dtype=dtype, device="meta")
        attempted = tools.attempt(lambda x=x, c=c: submission.add_constant(x, c))
        if "raised" in attempted:
            found[f"{name}.raised"] = attempted["raised"]
    return found


def keep_results(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Call twice for every dtype, keep all results, and see who shares memory with whom."""
    function = getattr(submission, data["name"])
    inputs = list(data["tensors"].values())
    before = [(x._version, x.untyped_storage().data_ptr(), tools.clone(x)) for x in inputs]
    first = [function(x, *data["rest"]) for x in inputs]
    copies = [tools.clone(y) for y in first]
    second = [function(x, *data["rest"]) for x in inputs]
    results = first + second
    aliases = [tools.same_storage(x, y) for x in inputs for y in results]
    shared = [tools.same_storage(*pair) for pair in itertools.combinations(results, 2)]
    now = [(x._version, x.untyped_storage().data_ptr(), x) for x in inputs]
    return {
        "an input": any(aliases),
        "one another": any(shared),
        "inputs": all(
            old[:2] == new[:2] and tools.same_bits(old[2], new[2])
            for old, new in zip(before, now, strict=True)
        ),
        "first": all(map(tools.same_bits, first, copies)),
    }


def differentiate_sum(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Take the gradient of a sum: what arrives at the backward has stride 0 everywhere."""
    x, c = data["args"]
    x.requires_grad_()
    submission.add_constant(x, c).sum().backward()
    return {"grad": tools.plain(x.grad)}


def check_gradients(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Compare the gradient with finite differences."""
    x, c = data["args"]
    holds = torch.autograd.gradcheck(
        lambda x: submission.add_constant(x, c), (x.requires_grad_(),), raise_exception=False
    )
    return {"gradcheck": holds}


def examine(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Run tests of opcheck; that of the gradient's registration wants an input that has one."""
    operator = getattr(torch.ops.ts41, data["name"]).default
    x, *rest = data["args"]
    if "test_autograd_registration" in data["tests"]:
        x.requires_grad_()
    # What fails is told by the answer; torch would write it out at length as well.
    logging.disable(logging.ERROR)
    try:
        found = torch.library.opcheck(
            operator, (x, *rest), test_utils=tuple(data["tests"]), raise_exception=False
        )
    finally:
        logging.disable(logging.NOTSET)
    return {name: str(result)[:300] for name, result in found.items()}


OPERATIONS = {
    "schemas": list_schemas,
    "strides": read_strides,
    "state": keep_results,
    "meta": run_on_meta,
    "refused on meta": refuse_on_meta,
    "sum": differentiate_sum,
    "gradcheck": check_gradients,
    "opcheck": examine,
}
