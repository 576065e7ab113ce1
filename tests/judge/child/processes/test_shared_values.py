"""Values and arrays in shared memory behave as those of ``multiprocessing``."""

import multiprocessing
import os
from typing import Any

import pytest

from torchstone.judge.child.processes import shared_values

pytestmark = pytest.mark.pure


def in_child(work: Any) -> None:
    pid = os.fork()
    if not pid:
        work()
        os._exit(0)
    os.waitpid(pid, 0)


@pytest.mark.parametrize("kind", [shared_values.RawValue, multiprocessing.RawValue])
def test_a_value_is_shared(kind: Any) -> None:
    cell = kind("q", 5)
    in_child(lambda: setattr(cell, "value", cell.value + 1))
    assert cell.value == 6
    assert kind("d").value == 0.0


@pytest.mark.parametrize("kind", [shared_values.RawArray, multiprocessing.RawArray])
def test_an_array_is_shared(kind: Any) -> None:
    cells = kind("i", [1, 2, 3])
    in_child(lambda: cells.__setitem__(slice(0, 2), [7, 8]))
    assert (list(cells), len(cells), cells[-1], cells[1:]) == ([7, 8, 3], 3, 3, [8, 3])
    assert list(kind("i", 2)) == [0, 0]
    with pytest.raises(IndexError):
        cells[3]


def test_a_lock_guards_a_value() -> None:
    lock = multiprocessing.RLock()
    cell = shared_values.Value(shared_values.RawValue("q"), lock)
    with cell.get_lock():
        cell.value += 1
    assert cell.get_obj().value == cell.value == 1
    assert cell.get_lock() is lock
    cells = shared_values.Array(shared_values.RawArray("q", 2), lock)
    with cells:
        cells[0] = 4
    assert (cells[:], len(cells)) == ([4, 0], 2)
