"""Linear maps along one dimension: they are matrices, and their transposes are."""

import numpy as np
import pytest

from torchstone.microtorch.ops.resampling import AxisMap, weighted, window_sums

pytestmark = pytest.mark.pure


def as_matrix(made):
    return made.apply(np.eye(made.in_size), -2)


@pytest.mark.parametrize("axis", [-1, -2])
def test_a_map_acts_as_its_matrix_along_any_dimension(axis):
    rows, columns = np.array([0, 2, 2, 3, 0]), np.array([1, 1, 0, 3, 2])
    weights = np.arange(1.0, 6)
    made = AxisMap(rows, columns, weights, out_size=5, in_size=4)
    matrix = np.zeros((5, 4))
    np.add.at(matrix, (rows, columns), weights)
    x = np.random.default_rng(0).normal(size=(4, 4))
    wanted = matrix @ x if axis == -2 else x @ matrix.T
    np.testing.assert_allclose(made.apply(x, axis), wanted)
    np.testing.assert_allclose(as_matrix(made.transposed), matrix.T)
    assert made.transposed.transposed is made


def test_sums_of_windows_see_their_elements_once():
    made = window_sums(np.array([0, 1, 4, 4]), np.array([2, 4, 5, 4]), 5)
    wanted = [[1, 1, 0, 0, 0], [0, 1, 1, 1, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]]
    assert as_matrix(made).tolist() == wanted


def test_one_sum_over_all_is_a_row_of_ones():
    assert as_matrix(window_sums(np.array([1]), np.array([4]), 5)).tolist() == [[0, 1, 1, 1, 0]]


def test_places_outside_count_as_the_nearest_inside():
    made = weighted(np.array([[-1, 3]]), np.array([[0.5, 2.0]]), 3)
    assert as_matrix(made).tolist() == [[0.5, 0, 0], [0, 0, 2.0]]
