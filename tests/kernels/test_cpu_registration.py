"""While the kernels are built plain torch computes; then they do, in the same process."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kernels.standing_in import Compiler, until
from torchstone.kernels import background, build

pytestmark = pytest.mark.torch

BEGIN = """
import threading
import warnings
from pathlib import Path

import torch
from torch.profiler import profile
from torchstone import kernels
from torchstone.kernels import cpu_registration
from torchstone.kernels.library import instruction_set

cpu_registration.FIRST_CALL_SECONDS = cpu_registration.LOOK_SECONDS = 0.0
gate = Path(%(gate)r)
warnings.simplefilter("always")
caught = warnings.catch_warnings(record=True).__enter__()


def same(function, *arguments):
    x = torch.randn(4, 6, requires_grad=True)
    out = function(x, 6)
    out.sum().backward()
    torch.testing.assert_close(out, torch.nn.functional.layer_norm(x, (6,)), atol=1e-5, rtol=1e-5)


def late(function, *arguments):
    with profile() as found:
        result = function(*arguments)
    names = {each.key for each in found.key_averages()}
    return result, {name for name in names if name.startswith("torchstone_late::")}


same(kernels.layer_norm)
(said,) = [str(each.message) for each in caught]
assert "computes with plain torch while its own kernels are built" in said, said
assert late(same, kernels.layer_norm)[1] == set()
compiled = torch.compile(kernels.layer_norm, backend="aot_eager", fullgraph=True)
same(compiled)
"""
LAYER_NORM = """{"torchstone_late::layer_norm", "torchstone_late::layer_norm_backward"}"""


@pytest.fixture(scope="module")
def library() -> Path:
    """Return the real library, which the stand-in copies."""
    found = background.obtain(build.recipe())
    assert found is not None
    return found


@pytest.fixture
def compiler(tmp_path: Path, library: Path) -> Iterator[Compiler]:
    """Return a compiler that takes as long as a test wants, and brings the real library."""
    made = Compiler(folder=tmp_path)
    made.write(library)
    yield made
    made.gate.touch()


def start(compiler: Compiler, program: str) -> "subprocess.Popen[str]":
    """Start a program that has called the reference implementation once."""
    environment = {"CXX": str(compiler.path), "TORCHSTONE_CACHE": str(compiler.folder / "cache")}
    return subprocess.Popen(
        [sys.executable, "-c", BEGIN % {"gate": str(compiler.gate)} + program],
        env=os.environ | environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def run(compiler: Compiler, program: str) -> str:
    """Run it to its end; return what it printed."""
    process = start(compiler, program)
    printed, errors = process.communicate()
    assert process.returncode == 0, errors
    return printed


@pytest.mark.full
def test_the_next_call_uses_what_is_built(compiler: Compiler) -> None:
    program = f"""
gate.touch()
assert kernels.load() and kernels.load(0)
assert late(same, kernels.layer_norm)[1] == {LAYER_NORM}
# A graph that was compiled before, too.
assert late(same, compiled)[1] == {LAYER_NORM}
print(len(caught), instruction_set())
"""
    printed = run(compiler, program).split()
    assert printed[0] == "1"
    assert printed[1] != "reference"
    assert compiler.calls().count("libtorchstone.so") == 1


@pytest.mark.full
@pytest.mark.parametrize("function", ["kernels.layer_norm", "compiled"])
def test_no_one_has_to_ask_for_it(compiler: Compiler, function: str) -> None:
    program = f"""
import time
gate.touch()
while not late(same, {function})[1]:
    time.sleep(0.05)
assert late(same, {function})[1] == {LAYER_NORM}
print(len(caught))
"""
    assert run(compiler, program).strip() == "1"


@pytest.mark.full
def test_a_short_wait_for_a_load_that_has_a_limit(compiler: Compiler) -> None:
    assert run(compiler, "print(kernels.load(0.1), kernels.load(0), len(caught))") == (
        "False False 1\n"
    )


@pytest.mark.full
def test_threads_compute_on_while_the_kernels_come(compiler: Compiler) -> None:
    program = """
done, wrong = threading.Event(), []


def work(function):
    try:
        while not done.is_set():
            same(function)
    except BaseException as error:
        wrong.append(error)


threads = [threading.Thread(target=work, args=(each,)) for each in (kernels.layer_norm, compiled)]
for each in threads * 1:
    each.start()
gate.touch()
assert kernels.load()
for _ in range(20):
    same(kernels.layer_norm)
done.set()
for each in threads:
    each.join()
assert not wrong, wrong
print(instruction_set())
"""
    assert run(compiler, program) != "reference\n"


@pytest.mark.full
def test_an_operator_that_came_late_is_one_of_torch(compiler: Compiler) -> None:
    program = """
gate.touch()
assert kernels.load()
x = torch.randn(3, 8, requires_grad=True)
operator = torch.ops.torchstone.softmax.default
_, found = late(torch.library.opcheck, operator, (x,))
assert "torchstone_late::softmax" in found, found
# One that changes its arguments, and one whose backward draws again what the forward drew.
param = torch.nn.Parameter(torch.ones(5))
param.grad = torch.ones(5)
optimizer = kernels.AdamW([param], lr=0.1)
_, found = late(optimizer.step)
assert found == {"torchstone_late::adamw_"}, found
assert bool((param < 1).all())
q = torch.randn(1, 2, 5, 8, requires_grad=True)
out, found = late(lambda: kernels.flash_attention(q, q, q, dropout_p=0.5).sum().backward())
assert len(found) == 2, found
"""
    run(compiler, program)


@pytest.mark.full
def test_after_a_failure_one_asks_again(compiler: Compiler, library: Path) -> None:
    environment = {"CXX": str(compiler.path), "TORCHSTONE_CACHE": str(compiler.folder / "cache")}
    compiler.fail("no such dialect")
    program = (
        BEGIN.split("same(kernels.layer_norm)")[0] % {"gate": str(compiler.gate)}
        + """
same(kernels.layer_norm)
assert not kernels.load()
same(kernels.layer_norm)
(said,) = [str(each.message) for each in caught if "cannot be built" in str(each.message)]
assert "does not compile the kernels:\\nno such dialect" in said, said
print("failed", flush=True)
input()
gate.touch()
assert kernels.load()
assert late(same, kernels.layer_norm)[1]
"""
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], env=os.environ | environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line == "failed\n", process.communicate()[1]
    compiler.write(library)
    _, errors = process.communicate("\n")
    assert process.returncode == 0, errors


@pytest.mark.full
def test_two_processes_share_a_build_and_both_get_it(compiler: Compiler) -> None:
    wait = "print('reference', flush=True); assert kernels.load(); print(instruction_set())"
    both = [start(compiler, wait) for _ in range(2)]
    for each in both:
        assert each.stdout is not None
        assert each.stdout.readline() == "reference\n", each.communicate()[1]
    until(lambda: len(compiler.calls()) > 1)
    compiler.gate.touch()
    for each in both:
        printed, errors = each.communicate()
        assert each.returncode == 0, errors
        assert printed.strip() != "reference"
    assert len(compiler.calls()) == len(set(compiler.calls()))
