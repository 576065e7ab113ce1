"""Memory over time: the peak by tensors, who lived then, and what kernels took beside it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from torchstone.xray.lines import LineFinder
from torchstone.xray.memory_timeline import MemoryWatch

pytestmark = pytest.mark.torch

KIB = 1024


def watch(step: Any, **space: Any) -> dict[str, Any]:
    memory = MemoryWatch(LineFinder(__file__))
    with memory.on():
        step()
    return memory.data(SimpleNamespace(space=space))


def test_the_peak_is_where_most_tensors_live() -> None:
    def step() -> None:
        x = torch.zeros(4 * KIB)
        y = x + 1
        del x
        z = y * 2
        del y, z

    scene = watch(step)
    assert scene["peak"]["bytes"] == 32 * KIB
    assert [event["op"] for event in scene["peak"]["alive"]] == [
        "aten.zeros.default",
        "aten.add.Tensor",
    ]
    assert [event["bytes"] // KIB for event in scene["events"]] == [16, 16, -16, 16, -16, -16]
    assert scene["events"][-1]["now"] == 0


def test_modules_phases_and_lines_are_named() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
    optimizer = torch.optim.AdamW(net.parameters())

    def step() -> None:
        net(torch.ones(32, 8)).sum().backward()
        optimizer.step()

    scene = watch(step, net=net)
    assert "net.0" in {event["module"] for event in scene["events"]}
    assert {event["phase"] for event in scene["events"]} == {"forward", "backward", "step"}
    assert set(scene["phases"]) == {"forward", "backward", "step"}
    assert all(event["line"] for event in scene["events"] if event["bytes"] > 0)


def test_views_take_no_memory() -> None:
    scene = watch(lambda: torch.zeros(KIB).view(32, 32).t())
    assert [event["bytes"] for event in scene["events"] if event["bytes"] > 0] == [4 * KIB]


def test_what_a_kernel_takes_for_itself_is_the_allocators_alone() -> None:
    x, w = torch.ones(2, 8, 32, 32), torch.ones(16, 8, 3, 3)
    scene = watch(lambda: torch.nn.functional.conv2d(x, w))
    assert scene["peak"]["bytes"] == 2 * 16 * 30 * 30 * 4
    assert scene["allocator"]["peak_bytes"] >= scene["peak"]["bytes"]
