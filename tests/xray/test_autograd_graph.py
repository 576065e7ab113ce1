"""The autograd graph: it saves what PyTorch saves, to the byte, and its order is known."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch.utils.checkpoint import checkpoint

from torchstone import xray
from torchstone.xray.autograd_graph import GraphWatch
from torchstone.xray.lines import LineFinder

pytestmark = pytest.mark.torch

NETS: dict[str, torch.nn.Module] = {
    "mlp": torch.nn.Sequential(
        torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.LayerNorm(16), torch.nn.Linear(16, 4)
    ),
    "convolution": torch.nn.Sequential(
        torch.nn.Unflatten(1, (2, 4)), torch.nn.Conv1d(2, 3, 3), torch.nn.BatchNorm1d(3)
    ),
    "attention": torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True),
}


def run(net: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
    return net(x[None] if isinstance(net, torch.nn.TransformerEncoderLayer) else x).square().mean()


@pytest.mark.parametrize("name", NETS)
def test_saved_bytes_equal_those_that_hooks_see(name: str) -> None:
    net, x, packed = NETS[name], torch.randn(6, 8), 0

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        nonlocal packed
        packed += tensor.numel() * tensor.element_size()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        run(net, x)
    totals = xray.graph(run(net, x))["totals"]
    assert totals["saved_bytes"] == packed > 0
    assert totals["activation_bytes"] < totals["distinct_bytes"]


def watched(space: dict[str, Any], step: Any) -> dict[str, Any]:
    watch = GraphWatch(LineFinder(__file__))
    with watch.on():
        step()
    return watch.data(SimpleNamespace(space=space))


def test_every_node_runs_once_and_after_those_that_need_it() -> None:
    net, x = NETS["mlp"], torch.randn(6, 8)
    scene = watched({"net": net}, lambda: run(net, x).backward())
    assert sorted(scene["order"]) == [node["id"] for node in scene["nodes"]]
    place = {number: index for index, number in enumerate(scene["order"])}
    assert all(place[later] < place[before] for later, _, before, _ in scene["edges"])
    leaves = {node["leaf"] for node in scene["nodes"]} - {None}
    assert leaves == {f"net.{name}" for name, _ in net.named_parameters()}
    modules = {node["name"]: node["module"] for node in scene["nodes"]}
    assert modules["NativeLayerNormBackward0"] == "net.2"
    (relu,) = [node for node in scene["nodes"] if node["name"] == "ReluBackward0"]
    assert relu["line"] is not None
    assert relu["saved"]["result"]["bytes"] == 6 * 16 * 4
    assert relu["saved"]["result"]["is_parameter"] is False


def test_a_tensor_that_was_changed_after_it_was_saved_is_named_before_backward_fails() -> None:
    x = torch.randn(4, requires_grad=True)
    y = x.exp()
    loss = (y * 2).sum()
    y.add_(1)
    scene = xray.graph(loss)
    (saved,) = [s for n in scene["nodes"] for s in n["saved"].values() if s["state"] == "modified"]
    assert (saved["version_saved"], saved["version_now"]) == (0, 1)
    assert "modified by an inplace operation" in saved["words"]
    with pytest.raises(RuntimeError, match="inplace"):
        loss.backward()


def test_what_a_backward_has_used_is_freed() -> None:
    x = torch.randn(4, requires_grad=True)
    loss = x.exp().sum()
    before = xray.graph(loss)
    loss.backward()
    after = xray.graph(loss)
    assert {s["state"] for n in before["nodes"] for s in n["saved"].values()} == {"live"}
    assert {s["state"] for n in after["nodes"] for s in n["saved"].values()} == {"freed"}


def test_a_checkpoint_is_not_computed_again_by_being_looked_at() -> None:
    calls = []
    x = torch.randn(3, 8, requires_grad=True)

    def block(value: torch.Tensor) -> torch.Tensor:
        calls.append(1)
        return NETS["mlp"](value)

    y = checkpoint(block, x, use_reentrant=False)
    scene = xray.graph(y.sum())
    assert len(calls) == 1
    assert "packed" in {s["state"] for n in scene["nodes"] for s in n["saved"].values()}


def test_a_function_in_python_shows_what_it_saved() -> None:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            return 2 * ctx.saved_tensors[0] * grad

    scene = xray.graph(Square.apply(torch.ones(5, requires_grad=True)))
    assert scene["nodes"][0]["saved"]["saved_tensors[0]"]["bytes"] == 20


def test_a_large_graph_is_cut_and_counted() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x
    for _ in range(30):
        y = y.sin()
    watch = GraphWatch(LineFinder(None), limit=10)
    watch.look_at([y])
    scene = watch.data()
    assert len(scene["nodes"]) == 10
    assert scene["truncated"]["nodes"] > 0
