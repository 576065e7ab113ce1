"""Drawing in place, and limits: the same numbers, and the same refusals, as PyTorch's."""

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


@pytest.mark.parametrize(
    "draw",
    [
        lambda lib: lib.empty(9, dtype=lib.uint8).random_(),
        lambda lib: lib.empty(9, dtype=lib.int8).random_(),
        lambda lib: lib.empty(9, dtype=lib.bool).random_(),
        lambda lib: lib.empty(9, dtype=lib.float16).random_(),
        lambda lib: lib.empty(9, dtype=lib.int64).random_(-3, 5),
        lambda lib: lib.empty(9, dtype=lib.int64).bernoulli_(lib.full((9,), 0.5)),
        lambda lib: lib.empty(9, dtype=lib.int64).geometric_(0.3),
        lambda lib: lib.randint(high=5, size=(9,)),
    ],
)
def test_numbers_are_those_of_pytorch(draw):
    for lib in (micro, torch):
        lib.manual_seed(0)
    np.testing.assert_array_equal(draw(micro).numpy(), draw(torch).numpy())


@pytest.mark.parametrize(
    ("draw", "error"),
    [
        (lambda lib: lib.empty(3).random_(5, 2), RuntimeError),
        (lambda lib: lib.empty(3, dtype=lib.int8).random_(0, 300), RuntimeError),
        (lambda lib: lib.randint(0, 300, (3,), dtype=lib.uint8), RuntimeError),
        (lambda lib: lib.randperm(-1), RuntimeError),
        (lambda lib: lib.bernoulli(lib.tensor([float("nan")])), RuntimeError),
        (lambda lib: lib.bernoulli(lib.tensor([0, 1])), NotImplementedError),
        (lambda lib: lib.normal(0.0, 1.0), TypeError),
        (lambda lib: lib.normal(lib.zeros(3, dtype=lib.int64), 1.0), NotImplementedError),
        (lambda lib: lib.empty(3, dtype=lib.int64).uniform_(), NotImplementedError),
        (lambda lib: lib.empty(3, dtype=lib.int64).normal_(), NotImplementedError),
        (lambda lib: lib.empty(3, dtype=lib.int64).log_normal_(), NotImplementedError),
        (lambda lib: lib.empty(3, dtype=lib.int64).exponential_(), RuntimeError),
    ],
)
def test_what_makes_no_sense_is_refused_as_in_pytorch(draw, error):
    for lib in (micro, torch):
        with pytest.raises(error):
            draw(lib)
