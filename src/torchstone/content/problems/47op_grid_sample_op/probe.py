"""Give the sampling kernel to Python, and look at the operator that was made of it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import torch

# What the kernel writes instead of each result, while somebody asks where a result comes from.
_marks: dict[str, float] = {}
# Which results the backward kernel was asked for.
_asked: set[str] = set()


def kernel(launcher: Any) -> dict[str, Callable[..., int]]:
    """Make the functions of the module ``kernel``: the entries of problem 47, without a stream."""

    def grid_sample_forward(
        input: Any,
        grid: Any,
        out: Any,
        N: int,
        C: int,
        H: int,
        W: int,
        Ho: int,
        Wo: int,
        padding_mode: int,
        align_corners: bool,
    ) -> int:
        """Sample the images at the places that the grid names."""
        numbers = _numbers(N, C, H, W, Ho, Wo, padding_mode, align_corners)
        return _launch(launcher, "forward", {"input": input, "grid": grid}, {"out": out}, numbers)

    def grid_sample_backward(
        grad_out: Any,
        input: Any,
        grid: Any,
        grad_input: Any,
        grad_grid: Any,
        N: int,
        C: int,
        H: int,
        W: int,
        Ho: int,
        Wo: int,
        padding_mode: int,
        align_corners: bool,
    ) -> int:
        """Overwrite both gradients; None for one that nobody wants."""
        numbers = _numbers(N, C, H, W, Ho, Wo, padding_mode, align_corners)
        inputs = {"grad_out": grad_out, "input": input, "grid": grid}
        outputs = {"grad_input": grad_input, "grad_grid": grad_grid}
        _asked.update(name for name, memory in outputs.items() if memory is not None)
        return _launch(launcher, "backward", inputs, outputs, numbers)

    return {
        "grid_sample_forward": grid_sample_forward,
        "grid_sample_backward": grid_sample_backward,
    }


def _numbers(*numbers: int) -> dict[str, int]:
    names = ("N", "C", "H", "W", "Ho", "Wo", "padding_mode", "align_corners")
    return {name: int(number) for name, number in zip(names, numbers, strict=True)}


def _launch(
    launcher: Any,
    operation: str,
    inputs: dict[str, Any],
    outputs: dict[str, Any],
    numbers: dict[str, int],
) -> int:
    N, C, H, W, Ho, Wo = (numbers[name] for name in ("N", "C", "H", "W", "Ho", "Wo"))
    image, view, places = N * C * H * W, N * C * Ho * Wo, 2 * N * Ho * Wo
    sizes = {
        **dict.fromkeys(("input", "grad_input"), image),
        **dict.fromkeys(("out", "grad_out"), view),
        **dict.fromkeys(("grid", "grad_grid"), places),
    }
    status: int = launcher.launch(operation, inputs | numbers, outputs, sizes)
    for name, tensor in outputs.items():
        if name in _marks and tensor is not None:
            place = (tensor.storage_offset(), (sizes[name],), (1,))
            torch.empty(0).set_(tensor.untyped_storage(), *place).fill_(_marks[name])
    return status


def probe(submission: Any, op: str, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Answer one operation of this problem."""
    answer: dict[str, Any] = OPERATIONS[op](data, tools)
    return answer


def operator() -> Any:
    """Give the one overload."""
    return torch.ops.ts47.grid_sample.default


def _leaves(data: dict[str, Any]) -> tuple[Any, Any]:
    return data["input"].requires_grad_(), data["grid"].requires_grad_()


def write_schema(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Write down the schema as torch has understood it."""
    return {"schema": str(operator()._schema)}


def trace_results(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Let the kernel write marks: they must come out, or the results are not the kernel's."""
    tensors = {name: data[name].requires_grad_(name in data["wanted"]) for name in NAMES}
    _asked.clear()
    _marks.update(data["marks"])
    out = operator()(*tensors.values(), *data["mode"])
    grads = tools.vjp([out], [tensors[name] for name in data["wanted"]], [data["grad"]])
    _marks.clear()
    found = {f"grad_{name}": tools.plain(g) for name, g in zip(data["wanted"], grads, strict=True)}
    return found | {"out": tools.plain(out), "asked": sorted(_asked)}


def interleave(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Call several times before the first backward; each knows its own mode and arguments."""
    calls = []
    for mode, image in zip(data["modes"], data["images"], strict=True):
        tensors = image.requires_grad_(), tools.clone(data["grid"]).requires_grad_()
        calls.append((tensors, operator()(*tensors, *mode)))
    found = {}
    for number, (tensors, out) in enumerate(calls):
        grads = tools.vjp([out], tensors, [data["grad"]])
        found |= {f"{number}.{name}": g for name, g in zip(NAMES, grads, strict=True)}
    return found


def change_later(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Overwrite an argument between forward and backward."""
    leaves = _leaves(data)
    out = operator()(*leaves, *data["mode"])
    data[data["changed"]].detach().fill_(0.25)
    attempted = tools.attempt(lambda: tools.vjp([out], leaves, [data["grad"]]))
    if "raised" in attempted:
        return dict.fromkeys(NAMES, "an error")
    grads = map(tools.plain, attempted["value"])
    return dict(zip(NAMES, grads, strict=True))


def measure(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Count the bytes that are kept for the backward, those of the arguments left out."""
    leaves = _leaves(data)
    alive = tools.living_storages()
    saved, keep = tools.keeper()
    with tools.saved_tensors_hooks(keep, tools.unpack):
        out = operator()(*leaves, *data["mode"])
    hidden = tools.kept_since(alive, [out])
    return {"saved": tools.unique_bytes([*saved, *hidden], [out], leaves)}


def refuse(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Make calls that must raise, with memory and without."""
    found = {}
    for name, (image, grid, padding_mode) in data["calls"].items():
        tensors = _moved((image, grid), data["devices"])
        attempted = tools.attempt(lambda t=tensors, p=padding_mode: operator()(*t, p, False))
        if "raised" in attempted:
            found[f"{name}.raised"] = attempted["raised"]
    return found


def _moved(tensors: tuple[Any, ...], devices: list[str]) -> list[Any]:
    """Move tensors to their devices, or make FakeTensors of them."""
    if "fake" not in devices:
        return [each.to(device) for each, device in zip(tensors, devices, strict=True)]
    from torch._subclasses.fake_tensor import FakeTensorMode

    mode = FakeTensorMode()
    return [mode.from_tensor(each) for each in tensors]


def promise(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Describe the result for tensors without memory."""
    fakes = [
        torch.empty_strided(each.shape, each.stride(), dtype=each.dtype, device="meta")
        for each in (data["input"], data["grid"])
    ]
    out = operator()(*fakes, *data["mode"])
    return {"shape": list(out.shape), "stride": list(out.stride()), "dtype": out.dtype}


def differentiate_twice(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Ask for second derivatives, each beside a term whose own is known.

    Without that term a gradient outside the graph would be an error; with it, it is silently
    nothing.
    """
    image, grid = _leaves(data)
    grad = data["grad"].requires_grad_()

    def by_gradient() -> Any:
        out = operator()(image, grid, *data["mode"])
        (first,) = torch.autograd.grad(out, image, grad, create_graph=True)
        total = (first * data["toward_input"]).sum() + (grad * grad).sum()
        return _leave(grad, total)

    def by_input() -> Any:
        out = operator()(image, grid, *data["mode"])
        (first,) = torch.autograd.grad(out, grid, grad, create_graph=True)
        total = (first * data["toward_grid"]).sum() + (image * image).sum()
        return _leave(image, total)

    found = {}
    for name, second in (("by_gradient", by_gradient), ("by_input", by_input)):
        attempted = tools.attempt(second)
        found[name] = "an error" if "raised" in attempted else tools.plain(attempted["value"])
    return found


def _leave(leaf: Any, total: Any) -> Any:
    """Give a leaf its gradient; autograd.grad would prune the node of once_differentiable."""
    leaf.grad = None
    total.backward()
    return leaf.grad


def check_gradients(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Compare with finite differences; no step leaves its cell, where it is linear in each."""
    holds = torch.autograd.gradcheck(
        lambda image, grid: operator()(image, grid, *data["mode"]),
        _leaves(data),
        eps=1 / 64,
        atol=2e-3,
        rtol=2e-3,
        nondet_tol=1e-4,
        raise_exception=False,
    )
    return {"gradcheck": holds}


def examine(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Run the four tests of opcheck."""
    args = (*_leaves(data), *data["mode"])
    # What fails is told by the answer; torch would write it out at length as well.
    logging.disable(logging.ERROR)
    try:
        found = torch.library.opcheck(operator(), args, raise_exception=False)
    finally:
        logging.disable(logging.NOTSET)
    return {name: str(result)[:300] for name, result in found.items()}


def compile_whole(data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Compile a function around the operator, without a break in its graph."""
    leaves = _leaves(data)
    torch._dynamo.reset()
    compiled = torch.compile(
        lambda image, grid: operator()(image * 2, grid, *data["mode"]),
        fullgraph=True,
        backend="aot_eager",
    )
    out = compiled(*leaves)
    grads = torch.autograd.grad([out], leaves, [data["grad"]])
    found = {name: tools.plain(g) for name, g in zip(NAMES, grads, strict=True)}
    return found | {"out": tools.plain(out)}


NAMES = ("input", "grid")
OPERATIONS = {
    "schema": write_schema,
    "traced": trace_results,
    "interleaved": interleave,
    "later": change_later,
    "saved": measure,
    "refused": refuse,
    "promise": promise,
    "twice": differentiate_twice,
    "gradcheck": check_gradients,
    "opcheck": examine,
    "compile": compile_whole,
}
