"""Give the addition kernel to Python, and look at the operator that was made of it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import torch

GRID, BLOCK = 3, 64
_launchers: list[Any] = []
# What the kernel writes instead of its result, while somebody asks where a result comes from.
_mark: list[float] = []


def kernel(launcher: Any) -> dict[str, Callable[..., None]]:
    """Make the functions of the module ``kernel``: those of problem 42, without grid and stream."""
    _launchers.append(launcher)

    def add_forward(a: Any, b: Any, out: Any, alpha: float, n: int, nb: int) -> None:
        """Compute out[i] = a[i] + alpha * b[i mod nb] for n floats."""
        launcher.launch(
            "forward",
            {"a": a, "b": b, **_numbers(alpha, n, nb)},
            {"out": out},
            {"a": n, "b": nb, "out": n},
        )
        _write_mark(out, n)

    def add_backward(
        grad_out: Any, grad_a: Any, grad_b: Any, alpha: float, n: int, nb: int
    ) -> None:
        """Write grad_a and the whole sum of grad_b; None for a gradient that nobody wants."""
        launcher.launch(
            "backward",
            {"grad_out": grad_out, **_numbers(alpha, n, nb)},
            {"grad_a": grad_a, "grad_b": grad_b},
            {"grad_out": n, "grad_a": n, "grad_b": nb},
        )
        _write_mark(grad_a, n)
        _write_mark(grad_b, nb)

    return {"add_forward": add_forward, "add_backward": add_backward}


def _write_mark(tensor: Any, count: int) -> None:
    """Overwrite what a kernel has written, while somebody asks where a result comes from."""
    for mark in _mark if tensor is not None else ():
        place = (tensor.storage_offset(), (int(count),), (1,))
        torch.empty(0).set_(tensor.untyped_storage(), *place).fill_(mark)


def _numbers(alpha: float, n: int, nb: int) -> dict[str, float | int]:
    return {"alpha": float(alpha), "n": int(n), "nb": int(nb), "grid": GRID, "block": BLOCK}


def probe(submission: Any, op: str, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Answer one operation of this problem."""
    answer: dict[str, Any] = OPERATIONS[op](data, tools)
    return answer


def operator() -> Any:
    """Give the one overload."""
    return torch.ops.ts42.add.default


def write_schema(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Write down the schema as torch has understood it."""
    return {"schema": str(operator()._schema)}


def count_launches(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Count the launches of a forward and of its backward, with either gradient wanted."""
    launcher = _launchers[-1]
    a, b = (data[name].requires_grad_(name in data["wanted"]) for name in ("a", "b"))
    before = launcher.num_launches
    out = operator()(a, b, data["alpha"])
    forward = launcher.num_launches - before
    inputs = [each for each in (a, b) if each.requires_grad]
    before = launcher.num_launches
    torch.autograd.grad([out], inputs, [data["grad"]])
    return {"forward": forward, "backward": launcher.num_launches - before}


def trace_results(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Let the kernel write marks: they must come out, or the results are not the kernel's."""
    a, b = (data[name].requires_grad_() for name in ("a", "b"))
    _mark[:] = [data["marks"][0]]
    out = operator()(a, b, data["alpha"])
    _mark[:] = [data["marks"][1]]
    (grad,) = tools.vjp([out], [b], [data["grad"]])
    _mark.clear()
    return {"forward": tools.plain(out), "backward": tools.plain(grad)}


def interleave(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Call several times before the first backward; each knows its own alpha."""
    calls = []
    for alpha in data["alphas"]:
        a, b = (tools.clone(data[name]).requires_grad_() for name in ("a", "b"))
        calls.append((a, b, operator()(a, b, alpha)))
    found = {}
    for number, (a, b, out) in enumerate(calls):
        found[f"{number}.a"], found[f"{number}.b"] = tools.vjp([out], [a, b], [data["grad"]])
    return found


def refuse(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Make calls that must raise, with memory and without."""
    found = {}
    for name, (a, b) in data["calls"].items():
        a, b = map(torch.Tensor.to, (a, b), data["devices"][name])
        attempted = tools.attempt(lambda a=a, b=b: operator()(a, b, 1.0))
        if "raised" in attempted:
            found[f"{name}.raised"] = attempted["raised"]
    return found


def promise(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Describe the result for tensors without memory."""
    a, b = (data[name] for name in ("a", "b"))
    fakes = [
        torch.empty_strided(each.shape, each.stride(), dtype=each.dtype, device="meta")
        for each in (a, b)
    ]
    return _describe(operator()(*fakes, 1.0))


def read_strides(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Describe the result for tensors with memory."""
    return _describe(operator()(data["a"], data["b"], data["alpha"]))


def _describe(out: Any) -> dict[str, Any]:
    return {"shape": list(out.shape), "stride": list(out.stride()), "dtype": out.dtype}


def measure(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Count the bytes that are saved for the backward."""
    a, b = (data[name].requires_grad_() for name in ("a", "b"))
    _, saved = tools.saved_bytes(lambda: operator()(a, b, 2.0), [])
    return {"saved": saved}


def differentiate_twice(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Ask for the gradients of both gradients, with respect to the incoming one."""
    a, b = (data[name].requires_grad_() for name in ("a", "b"))
    grad = data["grad"].requires_grad_()

    def second(wanted: Any, toward: Any) -> Any:
        grad.grad = None
        out = operator()(a, b, data["alpha"])
        (first,) = torch.autograd.grad([out], [wanted], [grad], create_graph=True)
        # Beside it something that has a gradient for certain: what is cut off is then no error of
        # autograd's, but a part that is missing without a word.
        ((first * toward).sum() + grad.sum()).backward()
        return grad.grad - 1

    found = {}
    for name, wanted, toward in zip(("a", "b"), (a, b), data["toward"], strict=True):
        attempted = tools.attempt(lambda wanted=wanted, toward=toward: second(wanted, toward))
        found[name] = "an error" if "raised" in attempted else tools.plain(attempted["value"])
    return found


def examine(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Run the four tests of opcheck."""
    a, b = (data[name] for name in ("a", "b"))
    for each in (a, b):
        each.requires_grad_()
    # What fails is told by the answer; torch would write it out at length as well.
    logging.disable(logging.ERROR)
    try:
        found = torch.library.opcheck(operator(), (a, b, data["alpha"]), raise_exception=False)
    finally:
        logging.disable(logging.NOTSET)
    return {name: str(result)[:300] for name, result in found.items()}


def check_gradients(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Compare with finite differences; the function is linear, so wide steps are exact."""
    a, b = (data[name].requires_grad_() for name in ("a", "b"))
    holds = torch.autograd.gradcheck(
        lambda a, b: operator()(a, b, data["alpha"]),
        (a, b),
        eps=0.5,
        atol=1e-3,
        rtol=1e-3,
        nondet_tol=1e-4,
        raise_exception=False,
    )
    return {"gradcheck": holds}


def compile_whole(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Compile a function around the operator, without a break in its graph."""
    a, b = (data[name].requires_grad_() for name in ("a", "b"))
    torch._dynamo.reset()
    compiled = torch.compile(
        lambda a, b: operator()(a * 2, b, data["alpha"]), fullgraph=True, backend="aot_eager"
    )
    out = compiled(a, b)
    grads = torch.autograd.grad([out], [a, b], [data["grad"]])
    return {"out": tools.plain(out), "a": tools.plain(grads[0]), "b": tools.plain(grads[1])}


OPERATIONS = {
    "schema": write_schema,
    "launches": count_launches,
    "traced": trace_results,
    "interleaved": interleave,
    "refused": refuse,
    "promise": promise,
    "strides": read_strides,
    "saved": measure,
    "twice": differentiate_twice,
    "opcheck": examine,
    "gradcheck": check_gradients,
    "compile": compile_whole,
}
