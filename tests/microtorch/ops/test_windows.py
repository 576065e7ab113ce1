"""Windows: short ones, periodic ones, and both of their names."""

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("name", ["hann", "hamming", "blackman", "bartlett", "kaiser"])
@pytest.mark.parametrize("periodic", [True, False])
@pytest.mark.parametrize("length", [0, 1, 2, 9])
def test_older_names_give_the_weights_of_pytorch(name: str, periodic: bool, length: int) -> None:
    found = getattr(micro, f"{name}_window")(length, periodic)
    wanted = getattr(torch, f"{name}_window")(length, periodic)
    np.testing.assert_allclose(found.array, wanted.numpy(), rtol=1e-5, atol=1e-6)


def test_a_symmetric_window_reads_the_same_from_both_ends() -> None:
    for name in ("hann", "nuttall", "cosine", "gaussian", "exponential", "kaiser"):
        window = getattr(micro.signal.windows, name)(7, dtype=micro.float64)
        np.testing.assert_allclose(window.array, window.flip(0).array, atol=1e-12)
        assert window[3] == window.max()


def test_lengths_and_types_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="non-negative"):
        micro.signal.windows.hann(-1)
    with pytest.raises(ValueError, match="float32 or float64"):
        micro.signal.windows.hann(3, dtype=micro.int64)
    with pytest.raises(ValueError, match="Tau must be positive"):
        micro.signal.windows.exponential(3, tau=-1.0)


def test_a_named_parameter_is_that_one() -> None:
    found = micro.hamming_window(5, True, alpha=0.5, beta=0.3)
    wanted = torch.hamming_window(5, True, alpha=0.5, beta=0.3)
    np.testing.assert_allclose(found.array, wanted.numpy(), rtol=1e-5)
    only_one = micro.hamming_window(5, beta=0.3)
    np.testing.assert_allclose(only_one.array, micro.hamming_window(5, True, 0.54, 0.3).array)
