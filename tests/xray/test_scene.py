"""Scenes of a file: its lines, its fidelity, and a sentence for each program that goes wrong."""

from __future__ import annotations

from typing import Any

import pytest

from tests.xray.asked import ask, order
from torchstone.core.i18n import LANGS, catalogue

pytestmark = pytest.mark.torch

NET = """\
import torch

x = torch.randn(3, 4, requires_grad=True)
w = torch.randn(5, 4, requires_grad=True)


def step():
    return torch.relu(torch.nn.functional.linear(x, w))


step().sum().backward()
print("done")
"""
MANY = "import torch\nx = torch.ones(2)\nfor _ in range(100_000):\n    x.sin_()\n"
RANDOM = "import os, torch\nx = torch.tensor(list(os.urandom(8)))\n"
THREADS = """\
import threading
import torch
t = threading.Thread(target=lambda: torch.ones(2) + 1)
t.start()
t.join()
"""
HIDES = """\
import sys, torch
ours = torch.tensor([name.startswith("torchstone") for name in sys.modules]).sum()
assert not ours and __name__ == "__main__", sorted(sys.modules)
"""
FEW = {"seconds": 2, "idle_seconds": 2, "memory_bytes": 256 << 20, "output_bytes": 1 << 20}
BAD = {
    "loops": ("too_slow", "while True: pass\n"),
    "sleeps": ("waits", "import time\ntime.sleep(3600)\n"),
    "forks": ("starts", "import os\n\nos.fork()\n"),
    "calls a shell": ("starts", "import subprocess\nsubprocess.run(['true'])\n"),
    "prints": ("prints", "while True:\n    print('x' * 4096)\n"),
    "is no Python": ("syntax", "import torch\nx = = 1\n"),
    "patches torch": ("patches", "import torch\ntorch.add = lambda a, b: a\n"),
    "patches an operator": ("patches", "import torch\ntorch.Tensor.__add__ = lambda a, b: a\n"),
    "patches a layer": ("patches", "import torch\ntorch.nn.Linear.forward = lambda net, x: x\n"),
    "imports what is missing": ("missing", "import torch\nimport no_such_module\n"),
    "takes too much": ("memory", "import torch\nx = torch.ones(1 << 28)\n"),
    "exits": ("exited", "import os\nos._exit(3)\n"),
    "prints and exits": ("died", "import os\nprint('bye', flush=True)\nos._exit(3)\n"),
    "kills itself": ("killed", "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n"),
}


@pytest.fixture(scope="module")
def answers() -> dict[str, list[dict[str, Any]]]:
    orders = {name: order(text, limits=FEW) for name, (_, text) in BAD.items()}
    return ask(
        orders
        | {
            "net": order(NET, under=["no_grad", "autocast"]),
            "again": order(NET),
            "step": order(NET, function="step"),
            "absent": order(NET, function="absent"),
            "arguments": order("def f(x):\n    return x\n", function="f"),
            "raises": order("import torch\n\ntorch.ones(2) + torch.ones(3)\n"),
            "random": order(RANDOM),
            "threads": order(THREADS),
            "hides": order(HIDES),
        }
    )


def scene_of(found: list[dict[str, Any]]) -> dict[str, Any]:
    assert [each["event"] for each in found] == ["scene", "end"], found
    return found[0]


@pytest.mark.parametrize("case", BAD)
def test_a_program_that_goes_wrong_gets_its_sentence(
    case: str, answers: dict[str, list[dict[str, Any]]]
) -> None:
    (error,) = answers[case]
    assert (error["event"], error["code"]) == ("error", BAD[case][0])
    for lang in LANGS:
        words = catalogue("xray", lang)[f"xray.refusal.{error['code']}.message"]
        said = words.format(**{"file": "p.py", **error["values"]})
        assert "None" not in said


def test_the_line_of_the_fault_is_named(answers: dict[str, list[dict[str, Any]]]) -> None:
    lines = {case: answers[case][0]["values"].get("line") for case in BAD}
    assert (lines["forks"], lines["is no Python"], lines["imports what is missing"]) == (3, 2, 2)


def test_calls_have_their_lines_and_tensors_are_equal(
    answers: dict[str, list[dict[str, Any]]],
) -> None:
    scene = scene_of(answers["net"])
    assert {call["line"] for call in scene["calls"]} == {3, 4, 8, 11}
    assert scene["source"]["lines"] == 12
    # x and w with their gradients.
    assert scene["fidelity"] == {"compared": 4, "equal": 4}
    assert scene["stdout"] == {"text": "done\n", "bytes": 5}
    assert scene["modes"].keys() == {"no_grad", "autocast"}
    # Nothing requires a gradient any more, so that backward raises.
    assert scene["modes"]["no_grad"]["raised"]["line"] == 11
    assert scene["modes"]["autocast"]["stops"] > scene["stops"]


def test_two_runs_print_the_same_and_no_address(
    answers: dict[str, list[dict[str, Any]]],
) -> None:
    first, again = scene_of(answers["net"]), scene_of(answers["again"])
    assert first | {"modes": {}} == again
    assert "0x" not in str(first)


def test_one_function_is_looked_at_alone(answers: dict[str, list[dict[str, Any]]]) -> None:
    scene = scene_of(answers["step"])
    assert [call["op"] for call in scene["calls"]] == ["aten::linear", "aten::relu"]
    assert answers["absent"][0]["code"] == "no_function"
    assert answers["absent"][0]["values"]["known"] == "step"
    assert answers["arguments"][0]["code"] == "needs_arguments"


def test_an_exception_is_shown_with_its_line(answers: dict[str, list[dict[str, Any]]]) -> None:
    scene = scene_of(answers["raises"])
    assert (scene["raised"]["type"], scene["raised"]["line"]) == ("RuntimeError", 3)
    assert scene["calls"][-1]["raised"] == "RuntimeError"


def test_a_program_that_repeats_itself_nowhere_is_said_to(
    answers: dict[str, list[dict[str, Any]]],
) -> None:
    scene = scene_of(answers["random"])
    assert scene["deterministic"] is False
    assert scene["fidelity"]["equal"] == 0


def test_threads_are_counted(answers: dict[str, list[dict[str, Any]]]) -> None:
    assert scene_of(answers["threads"])["not_followed"] == [{"what": "threads", "count": 1}]


def test_the_program_sees_nothing_of_the_x_ray(answers: dict[str, list[dict[str, Any]]]) -> None:
    assert scene_of(answers["hides"])["raised"] is None


@pytest.mark.full
def test_a_hundred_thousand_calls_are_cut_and_counted() -> None:
    scene = scene_of(ask({"many": order(MANY, limits={"seconds": 60})})["many"])
    assert scene["stops"] == 20_000
    assert scene["truncated"]["stops"] + scene["stops"] >= 200_000
