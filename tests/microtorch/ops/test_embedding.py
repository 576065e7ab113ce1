"""Embeddings: gradients of rows that are looked up often, or that do not count."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import torchstone.microtorch as micro
import torchstone.microtorch.nn.functional as ours

pytestmark = pytest.mark.torch
INDEX = np.array([[1, 3, 3], [0, 3, 5]])


def both(*shape):
    array = np.random.default_rng(0).standard_normal(shape)
    return micro.tensor(array, requires_grad=True), torch.tensor(array, requires_grad=True)


@pytest.mark.parametrize(
    "options", [{}, {"padding_idx": 3}, {"padding_idx": -1}, {"scale_grad_by_freq": True}]
)
def test_gradients_add_up_over_rows(options):
    w, v = both(6, 4)
    ours.embedding(micro.tensor(INDEX), w, **options).sin().sum().backward()
    F.embedding(torch.tensor(INDEX), v, **options).sin().sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), v.grad.numpy(), atol=1e-12)


def test_rows_that_are_too_long_are_shortened_in_the_table():
    w, v = both(6, 4)
    got = ours.embedding(micro.tensor(INDEX), w, max_norm=0.5)
    wanted = F.embedding(torch.tensor(INDEX), v, max_norm=0.5)
    np.testing.assert_allclose(got.numpy(force=True), wanted.detach().numpy(), atol=1e-6)
    np.testing.assert_allclose(w.numpy(force=True), v.detach().numpy(), atol=1e-6)
    assert w._version == 1


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("offsets", [[0, 2], [0, 2, 2, 6], [0, 0, 3]])
@pytest.mark.parametrize("count", [None, 0])
def test_bags_agree_where_some_are_empty(mode, offsets, count):
    w, v = both(6, 4)
    flat = INDEX.reshape(-1)[:count]
    offsets = offsets if count is None else [0, 0]
    a = ours.embedding_bag(micro.tensor(flat), w, micro.tensor(offsets), mode=mode, padding_idx=0)
    b = F.embedding_bag(torch.tensor(flat), v, torch.tensor(offsets), mode=mode, padding_idx=0)
    np.testing.assert_allclose(a.numpy(force=True), b.detach().numpy(), atol=1e-12)
    a.sin().sum().backward()
    b.sin().sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), v.grad.numpy(), atol=1e-12)


def test_no_rows_looked_up_give_no_rows_and_a_gradient_of_zeros():
    w, _ = both(6, 4)
    rows = ours.embedding(micro.zeros(0, 2, dtype=micro.int64), w)
    assert rows.shape == (0, 2, 4)
    rows.sum().backward()
    assert not w.grad.numpy().any()


def test_an_index_that_is_not_there_is_refused():
    with pytest.raises(IndexError, match="index out of range in self"):
        ours.embedding(micro.tensor([6]), micro.zeros(6, 4))
    with pytest.raises(RuntimeError, match="scalar types: Long, Int"):
        ours.embedding(micro.tensor([1.0]), micro.zeros(6, 4))


def test_one_hot_counts_the_classes_itself():
    index = np.array([[0, 2], [1, 0]])
    wanted = F.one_hot(torch.tensor(index)).numpy()
    np.testing.assert_array_equal(ours.one_hot(micro.tensor(index)).numpy(), wanted)
    with pytest.raises(RuntimeError, match="must be smaller than num_classes"):
        ours.one_hot(micro.tensor(index), 2)
