"""The backward pass of a graph of a million nodes, and the memory of a hundred thousand steps."""

import subprocess
import sys
import weakref

import pytest

import torchstone.microtorch as torch

pytestmark = [pytest.mark.plain, pytest.mark.full]


def test_a_chain_of_a_million_runs_and_is_freed_without_recursion() -> None:
    depth = 1_000_000
    assert sys.getrecursionlimit() < depth
    x = torch.tensor([1.0], dtype=torch.float64, requires_grad=True)
    y = x
    for _ in range(depth):
        y = y + x
    node = weakref.ref(y.grad_fn)
    y.backward()
    assert x.grad.tolist() == [depth + 1]
    del y
    assert node() is None


# In a process of its own: the peak of one that has seen other tests would hide what grows.
MANY_STEPS = """
import resource
import torchstone.microtorch as torch

w = torch.randn(10, 20, requires_grad=True)
for step in range(1, 100_001):
    (w.exp() @ w.t()).sum().backward()
    w.grad = None
    if step in (10_000, 100_000):
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_the_memory_of_a_hundred_thousand_steps_is_flat() -> None:
    done = subprocess.run(
        [sys.executable, "-c", MANY_STEPS], stdout=subprocess.PIPE, check=True, text=True
    )
    before, after = map(int, done.stdout.split())
    assert after - before < 256
