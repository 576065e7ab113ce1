"""Windows and places: where they lie."""

import numpy as np
import pytest

import torchstone.microtorch as micro
from torchstone.microtorch.ops.sliding import (
    adaptive_taps,
    as_places,
    gather_places,
    pooled_size,
    scatter_places,
    take,
    window_taps,
)

pytestmark = pytest.mark.pure


def listed(taps, size):
    return [take(np.arange(size), places, -1).tolist() for places in taps]


def test_places_at_equal_steps_are_a_slice():
    assert as_places([1, 3, 5]) == slice(1, 6, 2)
    assert as_places([4]) == slice(4, 5, 1)
    assert as_places([]) == slice(0, 0)
    assert as_places([0, 0, 1]).tolist() == [0, 0, 1]
    assert as_places([2, 1]).tolist() == [2, 1]


def test_elements_outside_become_the_nearest_of_their_window():
    assert listed(window_taps(5, 3, 2, 1, 1, 3), 5) == [[0, 1, 3], [0, 2, 4], [1, 3, 4]]
    # With gaps of 2 the first element inside of the window that begins at -1 is 1, not 0.
    assert listed(window_taps(5, 3, 2, 1, 2, 2), 5) == [[1, 1], [1, 3], [3, 3]]


def test_the_last_window_does_not_begin_behind_the_input():
    assert pooled_size(5, 2, 3, 0, 1, False) == 2
    assert pooled_size(4, 1, 3, 0, 1, True) == 2
    assert pooled_size(3, 2, 2, 1, 1, True) == 2
    assert pooled_size(2, 1, 4, 0, 1, True) == 1


def test_adaptive_windows_cover_everything():
    assert listed(adaptive_taps(5, 3), 5) == [[0, 1, 3], [1, 2, 4], [1, 3, 4]]


def test_a_negative_number_takes_nothing_and_adds_nothing():
    x = micro.tensor([[1.0, 2.0, 3.0]]).requires_grad_()
    found = gather_places(x, micro.tensor([[2, -1, 2]]), 1)
    assert found.tolist() == [[3, 0, 3]]
    found.backward(micro.tensor([[1.0, 10.0, 100.0]]))
    assert x.grad.tolist() == [[0, 0, 101]]


def test_scattering_adds_up_and_gathers_back():
    x = micro.tensor([[1.0, 2.0, 4.0]]).requires_grad_()
    total = scatter_places(x, micro.tensor([[3, 0, 3]]), (4,))
    assert total.tolist() == [[2, 0, 0, 5]]
    total.backward(micro.tensor([[1.0, 2.0, 3.0, 4.0]]))
    assert x.grad.tolist() == [[4, 1, 4]]
