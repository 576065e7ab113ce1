"""``torch.compile(fullgraph=True)`` goes through both wrappers, forward and backward."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor
from torch._dynamo.utils import counters
from torch.nn import functional as F

from torchstone import nested

pytestmark = [
    pytest.mark.torch,
    # Dynamo makes an object of a class of torch.autograd.Function when it traces it.
    pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning"),
]


@pytest.fixture(autouse=True)
def fresh_graphs() -> Iterator[None]:
    torch._dynamo.reset()
    counters.clear()
    yield
    torch._dynamo.reset()


def sequences(lengths: list[int]) -> list[Tensor]:
    return [torch.randn(n, 64) for n in lengths]


def forward(t: Tensor, weight: Tensor) -> Tensor:
    return F.relu(F.layer_norm(F.linear(t, weight), (10,)))


@pytest.mark.parametrize(
    "format", ["int8", *(pytest.param(each, marks=pytest.mark.full) for each in ("int4", "fp8"))]
)
@pytest.mark.parametrize("backend", ["aot_eager", pytest.param("inductor", marks=pytest.mark.full)])
def test_few_graphs_serve_all_lengths(backend: str, format: str) -> None:
    compiled = torch.compile(forward, backend=backend, fullgraph=True)
    weight = torch.randn(10, 64)
    for step in range(12):
        lengths = torch.randint(1, 30, (3 + step % 4,)).tolist()
        t = nested.tensor(sequences(lengths), format=format)
        wanted = forward(t, weight).values()
        got = compiled(t, weight).values()
        if backend == "aot_eager":
            assert torch.equal(got, wanted)
        else:
            torch.testing.assert_close(got, wanted)
    assert counters["stats"]["unique_graphs"] <= 3


@pytest.mark.parametrize("backend", ["aot_eager", pytest.param("inductor", marks=pytest.mark.full)])
def test_the_backward_is_compiled_with_quantize_in_the_graph(backend: str) -> None:
    rows = sequences([3, 7, 2, 5])
    x = torch.nested.nested_tensor(rows, layout=torch.jagged, requires_grad=True)
    weight = torch.randn(10, 64, requires_grad=True)

    def loss(x: Tensor, weight: Tensor) -> Tensor:
        return forward(nested.quantize(x), weight).values().square().sum()

    wanted = torch.autograd.grad(loss(x, weight), (x, weight))
    compiled = torch.compile(loss, backend=backend, fullgraph=True)
    got = torch.autograd.grad(compiled(x, weight), (x, weight))
    tolerance = {"rtol": 0.0, "atol": 0.0} if backend == "aot_eager" else {}
    torch.testing.assert_close(got[0].values(), wanted[0].values(), **tolerance)
    torch.testing.assert_close(got[1], wanted[1], **tolerance)


def test_a_graph_takes_and_returns_quantized_tensors() -> None:
    compiled = torch.compile(
        lambda t: nested.quantize(nested.dequantize(t) * 2), backend="aot_eager", fullgraph=True
    )
    q: Any = nested.quantize(torch.randn(3, 64))
    twice = compiled(q)
    assert type(twice) is nested.BlockQuantTensor
    assert torch.equal(twice.codes, q.codes)
    assert torch.equal(twice.scales, q.scales * 2)
