"""The stages of torch.compile: read from what it writes, and joined to the lines of the program."""

from __future__ import annotations

from typing import Any

import pytest

from tests.xray.asked import ask, order
from torchstone.xray.breaks import count_breaks, read_break
from torchstone.xray.guards import read_guards, read_recompiles

BREAK = """\
Graph break in user code at p.py:21
Graph Break Reason: Encountered graph break when attempting to trace CALL: a function call:

Failed to trace builtin operator
  Explanation: Dynamo does not know how to trace builtin operator `print`.
  Hint: Avoid calling builtin `print`.
  Hint: Please report an issue to PyTorch.

  Developer debug context: builtin print

 For more details, please visit: https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0059.html
"""
GUARDS = """\
TREE_GUARD_MANAGER:
+- RootGuardManager
| +- DEFAULT_DEVICE: utils_device.CURRENT_DEVICE == None  # _dynamo/output_graph.py:1122 in init
| +- GuardManager: source=L['x'], accessed_by=FrameLocalsGuardAccessor(key='x'), type=<class 'T'>
| | +- TENSOR_MATCH: check_tensor(L['x'], Tensor, size=[4, 16])  # y = x.sin()  # p.py:7 in f
| +- GuardManager: source=G['torch'], accessed_by=DictGetItemGuardAccessor('torch')
| | +- ID_MATCH: ___check_obj_id(G['torch'], 140512345678912)  # y = x.sin()  # p.py:7 in f
"""
PROGRAM = """\
import torch


def f(x):
    y = x.sin()
    return y * 2


def h(x):
    y = x.sin()
    print("hello")
    return y + 1


compiled = torch.compile(f, backend="aot_eager")
compiled(torch.randn(4, requires_grad=True)).sum().backward()
broken = torch.compile(h, backend="eager", dynamic=False)
broken(torch.randn(3))
broken(torch.randn(5))
"""


@pytest.mark.pure
def test_a_break_has_its_line_its_reason_and_what_to_do() -> None:
    found = read_break(BREAK)
    assert (found["file"], found["line"], found["gb"]) == ("p.py", 21, "gb0059")
    assert found["reason"] == "Failed to trace builtin operator"
    assert found["explanation"].endswith("builtin operator `print`.")
    assert len(found["hints"]) == 2
    (joined,) = count_breaks([found, dict(found)])
    assert joined["count"] == 2


@pytest.mark.pure
def test_guards_have_their_source_and_line_and_no_address() -> None:
    first, second, third = read_guards(GUARDS, "p.py")
    assert (first["kind"], first["source"], first["line"]) == ("DEFAULT_DEVICE", "", None)
    assert (second["kind"], second["source"], second["line"]) == ("TENSOR_MATCH", "L['x']", 7)
    assert third["expression"] == "___check_obj_id(G['torch'], …)"


@pytest.mark.pure
def test_a_recompilation_names_the_guard_and_both_values() -> None:
    words = "1/0: tensor 'x' size mismatch at index 0. expected 3, actual 5"
    assert read_recompiles(words, 9) == [
        {"line": 9, "guard": "tensor 'x' size mismatch at index 0", "was": "3", "now": "5"}
    ]


@pytest.mark.torch
@pytest.mark.full
def test_stages_breaks_and_recompilations_come_from_one_run() -> None:
    scene: dict[str, Any]
    scene, _ = ask({"p": order(PROGRAM, "compile")})["p"]
    graph = scene["graphs"][0]
    assert (graph["frame"], graph["id"]) == ("f", "0/0")
    assert all(graph[stage] for stage in ("dynamo", "joint", "forward", "backward"))
    assert {node["line"] for node in graph["nodes"]} == {5, 6}
    assert any(guard["kind"] == "TENSOR_MATCH" for guard in graph["guards"])
    (broken, *_) = scene["breaks"]
    assert (broken["line"], broken["count"]) == (11, 2)
    assert ("3", "5") in {(each["was"], each["now"]) for each in scene["recompiles"]}
    assert [row["line"] for row in scene["map"]][:2] == [5, 6]
    assert "0x" not in str(scene["graphs"])


@pytest.mark.torch
@pytest.mark.full
def test_each_kernel_has_its_lines() -> None:
    text = PROGRAM.replace(', backend="aot_eager"', "")
    scene, _ = ask({"p": order(text, "compile")})["p"]
    kernels = scene["graphs"][0]["kernels"]
    assert {kernel["stage"] for kernel in kernels} == {"forward", "backward"}
    assert all(kernel["lines"] for kernel in kernels)
    assert all(kernel["code"] for kernel in kernels if kernel["name"].startswith("cpp_fused"))
