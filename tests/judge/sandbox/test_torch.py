"""What torch does on a CPU works behind every wall, and what it must not show stays hidden."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.judge.sandbox.demo_host import DemoHost, Setting, demo_host
from torchstone.core.isolation import Isolation
from torchstone.judge.sandbox.command import Role
from torchstone.judge.sandbox.levels import achieved, probe_machine

pytestmark = [pytest.mark.sandbox, pytest.mark.full]

# torch.optim imports torch._dynamo when first used, and that wants sources which jobs may not read.
MODULES = ("numpy", "torch", "torch._dynamo")
LIMITS = {"data_bytes": 1 << 30, "address_space_bytes": 4 << 30}
# Without a uid of its own a job would be held to the count of all processes of the user.
WALLED_LIMITS = LIMITS | {"num_processes": 16}

WORK = {
    "matmul": "a = torch.randn(64, 64, requires_grad=True); (a @ a).sum().backward()",
    "conv2d": (
        "x = torch.randn(2, 3, 16, 16, requires_grad=True)\n"
        "torch.nn.Conv2d(3, 8, 3)(x).relu().sum().backward()"
    ),
    "bfloat16": "a = torch.randn(64, 64).bfloat16(); (a @ a).float().sum()",
    "bfloat16 conv": "x = torch.randn(1, 3, 8, 8).bfloat16(); F.conv2d(x, x[:, :, :3, :3])",
    "float16": "a = torch.randn(64, 64).half(); (a @ a).float().sum()",
    "sort": "torch.sort(torch.randn(1000)); torch.topk(torch.randn(100), 5)",
    "fft": "torch.fft.fft(torch.randn(128))",
    "svd": "torch.linalg.svd(torch.randn(16, 16)); torch.linalg.solve(torch.eye(4), torch.ones(4))",
    "double backward": (
        "a = torch.randn(8, requires_grad=True)\n"
        "(g,) = torch.autograd.grad((a**3).sum(), a, create_graph=True)\n"
        "g.sum().backward(); assert torch.allclose(a.grad, 6 * a)"
    ),
    "save and load": "b = io.BytesIO(); torch.save([torch.ones(3)], b); b.seek(0); torch.load(b)",
    "threads": (
        "out = []\n"
        "work = lambda: out.append((torch.ones(8, 8) @ torch.ones(8, 8)).sum().item())\n"
        "ts = [threading.Thread(target=work) for _ in range(4)]\n"
        "[t.start() for t in ts]; [t.join() for t in ts]; assert out == [512.0] * 4"
    ),
    "attention": "q = torch.randn(1, 2, 8, 4); F.scaled_dot_product_attention(q, q, q)",
    "lstm": "torch.nn.LSTM(4, 4)(torch.randn(3, 1, 4))",
    "vmap": "x = torch.randn(3); torch.func.vmap(torch.sin)(x); torch.func.jacrev(torch.sin)(x)",
    "optimizer": (
        "p = torch.nn.Parameter(torch.ones(3)); o = torch.optim.AdamW([p])\n"
        "p.sum().backward(); o.step()"
    ),
    "loader": "list(torch.utils.data.DataLoader(list(range(8)), batch_size=2))",
    "checkpoint": (
        "a = torch.ones(3, requires_grad=True)\n"
        "torch.utils.checkpoint.checkpoint(torch.sin, a, use_reentrant=False).sum().backward()"
    ),
    "custom function": (
        "class Double(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x): return 2 * x\n"
        "    @staticmethod\n    def backward(ctx, g): return 2 * g\n"
        "a = torch.ones(3, requires_grad=True); Double.apply(a).sum().backward()"
    ),
    "random": "import random; random.random(); np.random.default_rng().random()",
    "time": "time.sleep(0.001); time.perf_counter(); time.process_time()",
    "print": "str(torch.randn(3, 3)); repr(torch.nn.Linear(2, 2))",
}
HEADER = "import io, threading, time, torch, torch.utils.checkpoint, numpy as np\n"
HEADER += "import torch.nn.functional as F\n"


@pytest.fixture(
    scope="module",
    params=[
        level
        for level in (Isolation.NAMESPACES, Isolation.CONFINED)
        if achieved(probe_machine()).is_at_least(level)
    ],
)
def torch_host(request: pytest.FixtureRequest, visible_cache: Path) -> Iterator[DemoHost]:
    with demo_host(Setting(request.param), cache=visible_cache, modules=MODULES) as demo:
        yield demo


@pytest.mark.parametrize("code", WORK.values(), ids=WORK.keys())
def test_torch_works_in_a_job(torch_host: DemoHost, code: str) -> None:
    limits = WALLED_LIMITS if torch_host.launch.settings["namespaces"] else LIMITS
    answer, _ = torch_host.run(HEADER + code + "\nanswer = 'worked'", limits=limits)
    assert answer == "worked"


READ = """
import os, torch
root = os.path.dirname(torch.__file__)
answer = {}
for name in NAMES:
    try:
        with open(os.path.join(root, name), "rb") as file:
            answer[name] = bool(file.read(1))
    except PermissionError:
        answer[name] = False
"""
HIDDEN = (
    "_refs/__init__.py",
    "_refs/nn/functional/__init__.py",
    "_decomp/decompositions.py",
    "_prims/__init__.py",
    "_inductor/lowering.py",
    "masked/_ops.py",
    "testing/_comparison.py",
    "autograd/gradcheck.py",
)
SHOWN = (
    "__init__.py",
    "autograd/function.py",
    "nn/functional.py",
    "_tensor.py",
    "utils/data/dataset.py",
)


def read(host: DemoHost, names: tuple[str, ...]) -> Any:
    return host.run(READ.replace("NAMES", repr(names)))[0]


def test_sources_that_hold_an_answer_are_hidden_and_their_neighbours_are_not(
    torch_host: DemoHost,
) -> None:
    assert read(torch_host, HIDDEN) == dict.fromkeys(HIDDEN, False)
    assert read(torch_host, SHOWN) == dict.fromkeys(SHOWN, True)


def test_the_bytecode_of_a_hidden_source_is_hidden(torch_host: DemoHost) -> None:
    code = """
import importlib.util, os, torch
folder = os.path.dirname(torch.__file__)
answer = []
for name in ("autograd/gradcheck.py", "_refs/__init__.py"):
    path = importlib.util.cache_from_source(os.path.join(folder, name))
    try:
        open(path, "rb").close()
        answer.append(path)
    except (PermissionError, FileNotFoundError):
        pass
"""
    assert torch_host.run(code)[0] == []


@pytest.mark.parametrize("name", ["scipy", "torchstone", "pip", "setuptools", "pytest", "tests"])
def test_nothing_else_that_is_installed_can_be_imported(torch_host: DemoHost, name: str) -> None:
    code = f"""
try:
    import {name}
    answer = {name}.__file__
except ImportError as error:
    answer = type(error).__name__
"""
    assert torch_host.run(code)[0] == "ModuleNotFoundError"


def test_the_reference_may_read_what_a_submission_may_not(visible_cache: Path) -> None:
    level = achieved(probe_machine(), at_most=Isolation.NAMESPACES)
    setting = Setting(level)
    modules = ("numpy", "torch")
    with demo_host(setting, cache=visible_cache, modules=modules, role=Role.REFERENCE) as host:
        code = READ.replace("NAMES", repr(HIDDEN))
        assert host.run(code, kind="reference")[0] == dict.fromkeys(HIDDEN, True)
