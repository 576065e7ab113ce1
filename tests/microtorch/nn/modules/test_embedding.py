"""Tables of vectors: the row that stands for nothing, tables that are given."""

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


def test_the_row_of_nothing_is_zero_and_gets_no_gradient():
    table = micro.nn.Embedding(5, 3, padding_idx=-2)
    assert table.padding_idx == 3
    np.testing.assert_array_equal(table.weight.array[3], np.zeros(3))
    table(micro.tensor([[3, 1], [1, 4]])).sum().backward()
    assert table.weight.grad.array[:, 0].tolist() == [0, 2, 0, 0, 1]


@pytest.mark.parametrize("kind", ["Embedding", "EmbeddingBag"])
def test_a_given_table_is_used_and_stays_unless_it_may_change(kind):
    rows = micro.arange(12.0).reshape(4, 3)
    frozen = getattr(micro.nn, kind).from_pretrained(rows)
    assert not frozen.weight.requires_grad
    assert np.shares_memory(frozen.weight.array, rows.array)
    free = getattr(micro.nn, kind).from_pretrained(rows, False, max_norm=2.0)
    assert free.weight.requires_grad
    assert free.max_norm == 2.0
    with pytest.raises(AssertionError, match="expected to be 2-dimensional"):
        getattr(micro.nn, kind).from_pretrained(micro.ones(3))


def test_positional_options_of_a_given_table_are_pytorchs():
    for t in (micro, torch):
        rows = t.ones(4, 3)
        table = t.nn.Embedding.from_pretrained(rows, True, 1, 2.0, 1.0, True)
        assert (table.padding_idx, table.max_norm, table.norm_type) == (1, 2.0, 1.0)
        assert table.scale_grad_by_freq
        bag = t.nn.EmbeddingBag.from_pretrained(rows, True, 2.0, 1.0, False, "sum")
        assert (bag.max_norm, bag.norm_type, bag.mode) == (2.0, 1.0, "sum")


def test_what_does_not_fit_is_refused():
    with pytest.raises(AssertionError, match="must be within num_embeddings"):
        micro.nn.Embedding(3, 4, padding_idx=3)
    with pytest.raises(AssertionError, match="Shape of weight does not match"):
        micro.nn.Embedding(3, 4, _weight=micro.ones(4, 3))
    with pytest.raises(RuntimeError, match="negative dimension -1"):
        micro.nn.Embedding(-1, 4)
