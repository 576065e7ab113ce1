"""Convolutions of all libraries, by hand; groups, for which PyTorch's counter counts too much."""

from __future__ import annotations

import pytest

from tests.doctor.kernels import shapes
from torchstone.doctor.roofline.shapes import work_of

pytestmark = pytest.mark.pure

X, WEIGHT = [2, 6, 9, 9], [4, 6, 3, 3]


@pytest.mark.parametrize(
    ("name", "before", "values"),
    [
        ("aten::conv2d", [[]], ["", "[2, 2]", "[1, 1]", "[1, 1]", "1"]),
        ("aten::cudnn_convolution", [], ["[1, 1]", "[2, 2]", "[1, 1]", "1"]),
        ("aten::miopen_convolution", [[]], ["", "[1, 1]", "[2, 2]", "[1, 1]", "1"]),
        ("aten::mkldnn_convolution", [[]], ["", "[1, 1]", "[2, 2]", "[1, 1]", "1"]),
        ("aten::_conv_depthwise2d", [[], []], ["[3, 3]", "", "[2, 2]", "[1, 1]", "[1, 1]"]),
    ],
)
def test_forward(name: str, before: list[list[int]], values: list[str]) -> None:
    dims = [X, WEIGHT, *([[]] * len(values))]
    types = ["float", "float", *([""] * len(values))]
    found = work_of(name, shapes(dims, types, ["", "", *values]))
    assert found is not None
    # Nine places in each direction make five.
    assert found.output == (2, 4, 5, 5)
    assert found.flops == 2 * 2 * 25 * 4 * 6 * 9
    assert found.num_bytes == 4 * (2 * 6 * 81 + 4 * 6 * 9 + 2 * 4 * 25)


def test_without_its_parameters_nothing_is_known() -> None:
    assert work_of("aten::cudnn_convolution", shapes([X, WEIGHT, [], [], []])) is None


@pytest.mark.parametrize(
    ("mask", "products", "written"),
    [
        ("[True, True, False]", 2, 2 * 6 * 81 + 216),
        ("[False, True, False]", 1, 216),
        ("[False, False, True]", 0, 0),
    ],
)
def test_backward_counts_the_gradients_that_are_asked_for(
    mask: str, products: int, written: int
) -> None:
    values = ["", "", "", "[4]", "[2, 2]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1", mask]
    dims = [[2, 4, 5, 5], X, WEIGHT, *([[]] * 8)]
    found = work_of("aten::convolution_backward", shapes(dims, values=values))
    assert found is not None
    assert found.flops == products * 2 * 2 * 25 * 216
    assert found.written == 4 * written


def test_groups_multiply_only_their_own_channels() -> None:
    values = ["", "", "", "[4]", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "2"]
    dims = [[1, 4, 9, 9], [1, 4, 9, 9], [4, 2, 3, 3], *([[]] * 8)]
    found = work_of(
        "aten::convolution_backward", shapes(dims, values=[*values, "[False, True, False]"])
    )
    assert found is not None
    assert found.flops == 2 * 81 * 4 * 2 * 9
