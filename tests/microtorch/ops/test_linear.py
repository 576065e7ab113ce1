"""Linear maps of any number of dimensions."""

import pickle

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import torchstone.microtorch as micro
import torchstone.microtorch.nn.functional as ours

pytestmark = pytest.mark.torch


def both(*shape, seed=0):
    array = np.random.default_rng(seed).standard_normal(shape)
    return micro.tensor(array, requires_grad=True), torch.tensor(array, requires_grad=True)


@pytest.mark.parametrize("shape", [(3,), (4, 3), (2, 4, 3), (0, 3), (2, 0, 3)])
@pytest.mark.parametrize("bias", [True, False])
def test_values_and_gradients_agree_for_any_batch(shape, bias):
    pairs = [both(*shape), both(5, 3, seed=1), *([both(5, seed=2)] if bias else [])]
    a = ours.linear(*[mine for mine, _ in pairs])
    b = F.linear(*[theirs for _, theirs in pairs])
    np.testing.assert_allclose(a.numpy(force=True), b.detach().numpy(), atol=1e-12)
    a.sin().sum().backward()
    b.sin().sum().backward()
    for mine, theirs in pairs:
        np.testing.assert_allclose(mine.grad.numpy(), theirs.grad.numpy(), atol=1e-12)


def test_a_transposed_weight_and_input_give_the_same():
    x, y = both(3, 4)
    w, v = both(3, 5, seed=1)
    got = ours.linear(x.transpose(0, 1), w.transpose(0, 1))
    np.testing.assert_allclose(got.numpy(force=True), F.linear(y.T, v.T).detach().numpy())


def test_half_precision_adds_up_in_single():
    x = micro.ones(1, 4096, dtype=micro.float16)
    assert ours.linear(x, x).item() == 4096


def test_what_does_not_fit_is_refused():
    with pytest.raises(RuntimeError, match=r"shapes cannot be multiplied \(2x3 and 4x5\)"):
        ours.linear(micro.zeros(2, 3), micro.zeros(5, 4))
    with pytest.raises(RuntimeError, match="float != double"):
        ours.linear(micro.zeros(2, 3), micro.zeros(5, 3, dtype=micro.float64))
    with pytest.raises(RuntimeError, match="must match the number of outputs 5"):
        ours.linear(micro.zeros(2, 3), micro.zeros(5, 3), micro.zeros(4))
    with pytest.raises(RuntimeError, match="must have the same dtype, but got Long and Float"):
        ours.linear(micro.zeros(2, 3), micro.zeros(5, 3), micro.zeros(5, dtype=micro.int64))
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        ours.linear(micro.zeros(2, 3), micro.zeros(2, 5, 3))


def test_a_bias_may_be_a_matrix_as_in_pytorch():
    for space, t in ((F, torch), (ours, micro)):
        found = space.linear(t.ones(2, 3), t.ones(4, 3), t.arange(8.0).reshape(2, 4))
        assert found.tolist() == [[3, 4, 5, 6], [7, 8, 9, 10]]


def test_a_type_that_was_pickled_is_the_type_it_was() -> None:
    # NumPy's type is a copy then, equal to the one it was.
    array = pickle.loads(pickle.dumps(np.ones((1, 2), np.float32)))
    assert array.dtype is not np.dtype(np.float32)
    assert ours.linear(micro.from_numpy(array), micro.ones(3, 2)).tolist() == [[2.0, 2.0, 2.0]]
