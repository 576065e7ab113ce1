"""The dispatch tree: what PyTorch does is seen, and is what it does without being seen."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from torchstone.xray import table
from torchstone.xray.dispatch_tree import DispatchTrace
from torchstone.xray.lines import LineFinder
from torchstone.xray.self_test import PROGRAMS, selftest

pytestmark = [
    pytest.mark.torch,
    # Torch scripts decompositions when forward mode is first used.
    pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning"),
]

Node = dict[str, Any]


def trace(run: Callable[[], Any], **options: Any) -> DispatchTrace:
    with DispatchTrace(LineFinder(__file__), **options).on() as found:
        run()
    return found


def stops(nodes: list[Node]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        yield node["op"], node["key"]
        yield from stops(node["children"])


def test_a_call_falls_through_autograd_before_its_kernel() -> None:
    x = torch.randn(3, 4, requires_grad=True)
    (call,) = trace(lambda: torch.relu(x)).calls
    assert list(stops([call])) == [
        ("aten::relu", "AutogradCPU"),
        ("aten::relu", "CPU"),
        ("aten::clamp_min", "CPU"),
    ]
    assert (call["kernel"], call["alias"], call["stops"]) == ("Autograd", "Autograd", 3)
    assert call["args"][0]["name"] == "self"
    assert call["args"][0]["shape"] == [3, 4]
    assert call["args"][0]["keys"][-1] == "AutocastCPU"
    assert (
        call["line"]
        == test_a_call_falls_through_autograd_before_its_kernel.__code__.co_firstlineno + 2
    )
    inner = call["children"][0]
    # The kernel of Autograd shuts the door behind itself.
    assert "ADInplaceOrView" in inner["tls"]["exclude"]
    assert "VariableType" in call["registered"]
    assert "RegisterCPU" in inner["registered"]


def test_no_grad_keeps_the_stop_at_autograd_and_inference_mode_does_not() -> None:
    x = torch.randn(3, requires_grad=True)
    counts = {}
    for name, mode in (
        ("grad", contextlib.nullcontext()),
        ("no_grad", torch.no_grad()),
        ("inference_mode", torch.inference_mode()),
    ):
        with mode:
            counts[name] = trace(lambda: torch.relu(x)).num_stops
    assert counts == {"grad": 3, "no_grad": 3, "inference_mode": 2}


@pytest.mark.full
def test_keys_that_fall_through_are_computed_and_kept_apart() -> None:
    (call,) = trace(lambda: torch.empty(2)).calls
    assert (call["key"], call["skipped"]) == ("BackendSelect", [])
    keys = ("CPU", "ADInplaceOrView", "BackendSelect", "AutogradCPU")
    assert table.skipped("aten::relu", "CPU", keys, None) == ["ADInplaceOrView", "BackendSelect"]
    # Below the stop that has called on, and above the one that is asked.
    assert table.skipped("aten::relu", "CPU", keys, "ADInplaceOrView") == ["BackendSelect"]


def test_traced_equals_untraced_on_the_programs_of_the_selftest() -> None:
    found = selftest()
    assert [each["program"] for each in found["programs"] if not each["equal"]] == []
    assert (found["compared"], found["equal"]) == (len(PROGRAMS), 12)
    assert found["supported"]["dispatch"] == "live"


def custom_operator() -> None:
    @torch.library.custom_op("xray_test::twice", mutates_args=())
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    twice(torch.ones(3))


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return 2 * ctx.saved_tensors[0] * grad


class Labelled(torch.Tensor):
    pass


def fake() -> None:
    from torch._subclasses import FakeTensorMode

    with FakeTensorMode():
        torch.mm(torch.ones(3, 3), torch.ones(3, 3))


def checkpointed() -> None:
    net = torch.nn.Linear(3, 3)
    x = torch.ones(2, 3, requires_grad=True)
    torch.utils.checkpoint.checkpoint(net, x, use_reentrant=False).sum().backward()


def jagged() -> None:
    parts = [torch.ones(2, 3), torch.ones(4, 3)]
    x = torch.nested.nested_tensor(parts, layout=torch.jagged, requires_grad=True)
    torch.nn.functional.linear(x, torch.ones(5, 3)).sin()


CORNERS: dict[str, tuple[Callable[[], Any], str]] = {
    "sparse": (
        lambda: torch.sparse.mm(torch.eye(4).to_sparse(), torch.ones(4, 2)),
        "aten::_sparse_mm",
    ),
    "jagged": (jagged, "aten::sin"),
    "fake": (fake, "aten::mm"),
    "meta": (lambda: torch.ones(3, device="meta").sin(), "aten::sin"),
    "vmap of grad": (
        lambda: torch.func.vmap(torch.func.grad(lambda x: (x**2).sum()))(torch.ones(3, 2)),
        "aten::pow.Tensor_Scalar",
    ),
    "jvp": (lambda: torch.func.jvp(torch.sin, (torch.ones(3),), (torch.ones(3),)), "aten::cos"),
    "functionalize": (
        lambda: torch.func.functionalize(lambda x: x.clone().add_(1))(torch.ones(3)),
        "aten::add.Tensor",
    ),
    "custom operator": (custom_operator, "xray_test::twice"),
    "autograd.Function": (
        lambda: Square.apply(torch.ones(3, requires_grad=True)).sum().backward(),
        "aten::mul.Tensor",
    ),
    "subclass": (lambda: torch.ones(3).as_subclass(Labelled) + 1, "aten::add.Tensor"),
    "checkpoint": (checkpointed, "aten::addmm"),
    "printing": (lambda: repr(torch.ones(3)), "aten::abs"),
}


@pytest.mark.parametrize("corner", CORNERS)
def test_odd_corners_run_and_are_seen(corner: str) -> None:
    run, wanted = CORNERS[corner]
    found = trace(run)
    assert wanted in {operator for operator, _ in stops(found.calls)}


def test_autocast_is_a_stop_of_its_own() -> None:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = trace(lambda: torch.mm(torch.ones(2, 2), torch.ones(2, 2)))
    assert ("aten::mm", "AutocastCPU") in set(stops(found.calls))


def test_another_thread_is_not_followed_and_not_disturbed() -> None:
    came: list[torch.Tensor] = []
    thread = threading.Thread(target=lambda: came.append(torch.ones(3) + 1))

    def run() -> None:
        thread.start()
        thread.join()

    assert trace(run).num_stops == 0
    assert came[0].tolist() == [2.0, 2.0, 2.0]


def test_an_error_is_noted_and_raised_as_it_is() -> None:
    def run() -> None:
        with pytest.raises(RuntimeError, match="must match the size"):
            torch.ones(3) + torch.ones(4)

    found = trace(run)
    assert "RuntimeError" in [call["raised"] for call in found.calls]


def test_what_exceeds_the_limit_is_cut_and_counted() -> None:
    x = torch.ones(3)

    def run() -> None:
        for _ in range(50):
            x.sin()

    found = trace(run, limit=20)
    whole = trace(run)
    assert (found.num_stops, found.num_stops + found.num_cut) == (20, whole.num_stops)
    assert found.data()["truncated"] == {"stops": whole.num_stops - 20}


def test_a_compiled_graph_is_one_stop_that_is_not_looked_into() -> None:
    compiled = torch.compile(lambda x: (x * 2).relu(), backend="aot_eager")
    found = trace(lambda: compiled(torch.ones(3)))
    assert found.num_compiling > 0
    again = trace(lambda: compiled(torch.ones(3)))
    assert again.num_compiling == 0
    assert again.num_stops < found.num_compiling


def test_a_block_and_a_call_give_a_scene() -> None:
    from torchstone import xray

    x = torch.ones(2)
    with xray.dispatch() as watch:
        x.sin()
    assert [call["op"] for call in watch.scene["calls"]] == ["aten::sin"]
    assert xray.dispatch(torch.cos, x)["calls"][0]["op"] == "aten::cos"


def test_a_cell_of_a_notebook_is_drawn() -> None:
    from torchstone.xray.notebook import run_cell

    class Shell:
        user_ns: dict[str, Any] = {"torch": torch}  # noqa: RUF012

    drawn = run_cell(Shell(), "--lang zh", "x = torch.ones(2)\ny = x.relu()\n")
    assert "第 2 行" in drawn
    assert Shell.user_ns["y"].tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="invalid choice: 'no'"):
        run_cell(Shell(), "--scene no", "")


def test_a_stop_that_torch_has_asked_for_before_is_seen_again() -> None:
    def written(x: torch.Tensor) -> torch.Tensor:
        return x.clone().add_(1)

    torch.compile(written, backend="aot_eager")(torch.ones(3))
    found = list(stops(trace(lambda: torch.zeros(3).add_(1)).calls))
    assert ("aten::add_.Tensor", "AutogradCPU") in found
    assert ("aten::add_.Tensor", "ADInplaceOrView") in found
