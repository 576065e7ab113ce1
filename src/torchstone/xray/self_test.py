"""The self-test: twelve programs run with and without the tracer, and what this torch supports."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional

from torchstone.xray import probes
from torchstone.xray.dispatch_tree import DispatchTrace
from torchstone.xray.fidelity import hash_tensor
from torchstone.xray.lines import LineFinder
from torchstone.xray.program import SEED, seed

Tensors = list[torch.Tensor]
Test = Callable[[], Tensors]


def _linear() -> Tensors:
    x, w = torch.randn(3, 4, requires_grad=True), torch.randn(5, 4, requires_grad=True)
    y = torch.relu(functional.linear(x, w))
    return [y, *torch.autograd.grad(y.sum(), [x, w])]


def _wrapped_number() -> Tensors:
    x = torch.rand(4, requires_grad=True)
    y = 2.0**x
    remainder = torch.remainder(2.5, x.detach())
    return [y, remainder, *torch.autograd.grad(y.sum(), [x])]


def _view_in_place() -> Tensors:
    x = torch.zeros(3, 4)
    x.t()[1].add_(1)
    return [x]


def _softmax() -> Tensors:
    x = torch.randn(2, 5, requires_grad=True)
    y = functional.cross_entropy(x, torch.tensor([1, 3]))
    return [y, *torch.autograd.grad(y, [x])]


def _convolution() -> Tensors:
    net = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4))
    y = net(torch.randn(2, 3, 8, 8))
    y.sum().backward()
    return [y, *(p.grad for p in net.parameters() if p.grad is not None)]


def _attention() -> Tensors:
    q = torch.randn(1, 2, 8, 4, requires_grad=True)
    y = functional.scaled_dot_product_attention(q, q, q, is_causal=True)
    return [y, *torch.autograd.grad(y.sum(), [q])]


def _autocast() -> Tensors:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return [functional.linear(torch.randn(3, 3), torch.randn(3, 3))]


def _vmap_of_grad() -> Tensors:
    gradient = torch.func.grad(lambda x: (x**2).sum())
    return [torch.func.vmap(gradient)(torch.randn(3, 2))]


def _forward_mode() -> Tensors:
    return list(torch.func.jvp(torch.sin, (torch.randn(3),), (torch.ones(3),)))


def _sparse() -> Tensors:
    dense = torch.eye(4).requires_grad_()
    y = torch.sparse.mm(dense.to_sparse(), torch.randn(4, 2))
    return [y, *torch.autograd.grad(y.sum(), [dense])]


def _optimizer() -> Tensors:
    parameter = torch.nn.Parameter(torch.randn(3))
    parameter.grad = torch.ones(3)
    torch.optim.SGD([parameter], lr=0.1, momentum=0.9).step()
    return [parameter]


def _raises() -> Tensors:
    with contextlib.suppress(RuntimeError):
        torch.ones(3) + torch.ones(4)
    return [torch.ones(3)]


PROGRAMS: dict[str, Test] = {
    "linear": _linear,
    "wrapped number": _wrapped_number,
    "in place on a view": _view_in_place,
    "softmax": _softmax,
    "convolution": _convolution,
    "attention": _attention,
    "autocast": _autocast,
    "vmap of grad": _vmap_of_grad,
    "forward mode": _forward_mode,
    "sparse": _sparse,
    "optimizer": _optimizer,
    "an error": _raises,
}


def selftest() -> dict[str, Any]:
    """Run the programs with and without the tracer, and compare bit for bit."""
    results = [{"program": name, **_compare(run)} for name, run in PROGRAMS.items()]
    return {
        "schema": 1,
        "torch": torch.__version__,
        "programs": results,
        "compared": len(results),
        "equal": sum(1 for each in results if each["equal"]),
        "supported": supported(),
    }


def _compare(run: Test) -> dict[str, Any]:
    seed(SEED)
    plain = [hash_tensor(tensor) for tensor in run()]
    seed(SEED)
    trace = DispatchTrace(LineFinder(None))
    with trace.on():
        traced = run()
    return {
        "equal": plain == [hash_tensor(tensor) for tensor in traced],
        "stops": trace.num_stops,
    }


def supported() -> dict[str, Any]:
    """Return for each scene whether it is live, static or absent; ``why`` has the missing names."""
    found: dict[str, Any] = {}
    why: dict[str, str] = {}
    for scene, fallback in FALLBACKS.items():
        lacking = probes.missing(scene)
        found[scene] = fallback if lacking else "live"
        if lacking:
            why[scene] = ", ".join(lacking)
    return {**found, "why": why}


# Scene -> what it is where this torch lacks what it needs.
FALLBACKS = {
    "dispatch": "static",
    "graph": "absent",
    "storage": "absent",
    "compile": "absent",
    "memory": "absent",
}
