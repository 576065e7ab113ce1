"""Give the ReLU kernel to Python, and look at the operator that was made of it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import torch

# What the kernel writes instead of its result, while somebody asks where a result comes from.
_mark: list[float] = []


def kernel(launcher: Any) -> dict[str, Callable[..., int]]:
    """Make the functions of the module ``kernel``: the entries of problem 43, without a stream."""

    def relu_forward(x: Any, y: Any, n: int) -> int:
        """Write y[i] = x[i] < 0 ? 0 : x[i] for n floats; y may be x."""
        return _launch(launcher, "forward", {"x": x}, {"y": y}, int(n))

    def relu_backward(grad_y: Any, y: Any, grad_x: Any, n: int) -> int:
        """Write grad_x[i] = y[i] <= 0 ? 0 : grad_y[i]; grad_x may be grad_y."""
        return _launch(launcher, "backward", {"grad_y": grad_y, "y": y}, {"grad_x": grad_x}, int(n))

    return {"relu_forward": relu_forward, "relu_backward": relu_backward}


def _launch(
    launcher: Any, operation: str, inputs: dict[str, Any], outputs: dict[str, Any], n: int
) -> int:
    sizes = dict.fromkeys([*inputs, *outputs], n)
    status: int = launcher.launch(operation, inputs | {"n": n}, outputs, sizes)
    for mark in _mark:
        for tensor in outputs.values():
            place = (tensor.storage_offset(), (n,), (1,))
            torch.empty(0).set_(tensor.untyped_storage(), *place).fill_(mark)
    return status


def probe(submission: Any, op: str, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Answer one operation of this problem."""
    answer: dict[str, Any] = OPERATIONS[op](data, tools)
    return answer


def operator() -> Any:
    """Give the one overload."""
    return torch.ops.ts43.relu.default


def write_schema(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Write down the schema as torch has understood it."""
    return {"schema": str(operator()._schema)}


def trace_results(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Let the kernel write marks: they must come out, or the results are not the kernel's."""
    x = data["x"].requires_grad_()
    _mark[:] = [data["marks"][0]]
    out = operator()(x)
    _mark[:] = [data["marks"][1]]
    (grad,) = tools.vjp([out], [x], [data["grad"]])
    _mark.clear()
    return {"forward": tools.plain(out), "backward": tools.plain(grad)}


def interleave(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Call several times before the first backward; each knows its own output."""
    inputs = [each.requires_grad_() for each in data["inputs"]]
    outputs = [operator()(x) for x in inputs]
    return {
        str(number): tools.plain(tools.vjp([out], [x], [data["grad"]])[0])
        for number, (x, out) in enumerate(zip(inputs, outputs, strict=True))
    }


def change_later(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Overwrite the input or the output between forward and backward."""
    x = data["x"].requires_grad_()
    out = operator()(x)
    (out if data["changed"] == "output" else x).detach().fill_(data["value"])
    attempted = tools.attempt(lambda: tools.vjp([out], [x], [data["grad"]])[0])
    if "raised" in attempted:
        return {"grad": "an error"}
    return {"grad": tools.plain(attempted["value"])}


def measure(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Count the bytes that are kept for the backward, those of the output left out."""
    x = data["x"].requires_grad_()
    alive = tools.living_storages()
    saved, keep = tools.keeper()
    with tools.saved_tensors_hooks(keep, tools.unpack):
        out = operator()(x)
    hidden = tools.kept_since(alive, [out])
    return {"saved": tools.unique_bytes([*saved, *hidden], [out], [out])}


def refuse(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Make calls that must raise, with memory and without."""
    found = {}
    for name, x in data["calls"].items():
        attempted = tools.attempt(lambda x=x: operator()(x.to(data["device"])))
        if "raised" in attempted:
            found[f"{name}.raised"] = attempted["raised"]
    return found


def promise(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Describe the result for a tensor without memory."""
    x = data["x"]
    return _describe(
        operator()(torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device="meta"))
    )


def read_strides(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Describe the result for a tensor with memory."""
    return _describe(operator()(data["x"]))


def _describe(out: Any) -> dict[str, Any]:
    return {"shape": list(out.shape), "stride": list(out.stride()), "dtype": out.dtype}


def differentiate_twice(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Ask for second derivatives, each beside a term whose own is known.

    Without that term a gradient outside the graph would be an error; with it, it is silently
    nothing.
    """
    x, grad, toward = data["x"].requires_grad_(), data["grad"].requires_grad_(), data["toward"]

    def by_input() -> Any:
        out = operator()(x)
        total = ((out * out + x * x) * grad.detach() / 2).sum()
        (first,) = torch.autograd.grad(total, x, create_graph=True)
        return _leave(x, (first * toward).sum())

    def by_gradient() -> Any:
        (first,) = torch.autograd.grad(operator()(x), x, grad, create_graph=True)
        return _leave(grad, (first * toward).sum() + (grad * grad).sum())

    found = {}
    for name, second in (("by_input", by_input), ("by_gradient", by_gradient)):
        attempted = tools.attempt(second)
        found[name] = "an error" if "raised" in attempted else tools.plain(attempted["value"])
    return found


def _leave(leaf: Any, total: Any) -> Any:
    """Give a leaf its gradient; autograd.grad would prune the node of once_differentiable."""
    leaf.grad = None
    total.backward()
    return leaf.grad


def check_gradients(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Compare with finite differences; no step crosses 0, so wide ones are exact."""
    holds = torch.autograd.gradcheck(
        operator(),
        (data["x"].requires_grad_(),),
        eps=0.125,
        atol=1e-3,
        rtol=1e-3,
        nondet_tol=1e-4,
        raise_exception=False,
    )
    return {"gradcheck": holds}


def examine(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Run the four tests of opcheck."""
    x = data["x"].requires_grad_()
    # What fails is told by the answer; torch would write it out at length as well.
    logging.disable(logging.ERROR)
    try:
        found = torch.library.opcheck(operator(), (x,), raise_exception=False)
    finally:
        logging.disable(logging.NOTSET)
    return {name: str(result)[:300] for name, result in found.items()}


def compile_whole(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Compile a function around the operator, without a break in its graph."""
    x = data["x"].requires_grad_()
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: operator()(x * 2) * 3, fullgraph=True, backend="aot_eager")
    out = compiled(x)
    (grad,) = torch.autograd.grad([out], [x], [data["grad"]])
    return {"out": tools.plain(out), "grad": tools.plain(grad)}


OPERATIONS = {
    "schema": write_schema,
    "traced": trace_results,
    "interleaved": interleave,
    "later": change_later,
    "saved": measure,
    "refused": refuse,
    "promise": promise,
    "strides": read_strides,
    "twice": differentiate_twice,
    "gradcheck": check_gradients,
    "opcheck": examine,
    "compile": compile_whole,
}
