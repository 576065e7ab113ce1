"""The networks are PyTorch's: the same source, weights from the same seed, and gradients."""

import numpy as np
import pytest
import torch

from tests.microtorch.training.in_torch import torch_models
from torchstone.microtorch import from_numpy
from torchstone.microtorch.nn.functional import cross_entropy
from torchstone.microtorch.ops.seeds import manual_seed
from torchstone.microtorch.training.models import MODELS

pytestmark = pytest.mark.torch

# Many roundings of float32, one behind the other.
ROUNDING = 100 * np.finfo(np.float32).eps


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("size", [8, 28])
def test_the_same_seed_gives_the_weights_of_pytorch_bit_for_bit(name: str, size: int) -> None:
    torch.manual_seed(7)
    theirs = torch_models()[name](size).state_dict()
    manual_seed(7)
    ours = MODELS[name](size).state_dict()
    assert list(ours) == list(theirs)
    for key, tensor in theirs.items():
        assert np.array_equal(ours[key].numpy(), tensor.numpy()), key


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("size", [8, 28])
def test_outputs_and_gradients_are_those_of_pytorch(name: str, size: int) -> None:
    random = np.random.default_rng(1)
    images = random.random((5, 1, size, size), np.float32)
    labels = random.integers(0, 10, 5)
    torch.manual_seed(7)
    theirs = torch_models()[name](size)
    manual_seed(7)
    ours = MODELS[name](size)
    wanted = theirs(torch.from_numpy(images))
    torch.nn.functional.cross_entropy(wanted, torch.from_numpy(labels)).backward()
    got = ours(from_numpy(images))
    cross_entropy(got, from_numpy(labels)).backward()
    assert_close(got.detach().numpy(), wanted.detach().numpy())
    for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        assert_close(mine.grad.numpy(), other.grad.numpy())


def assert_close(got: np.ndarray, wanted: np.ndarray) -> None:
    """Compare by the largest number: what small ones lost, they lost to it."""
    assert np.abs(got - wanted).max() <= ROUNDING * np.abs(wanted).max()
