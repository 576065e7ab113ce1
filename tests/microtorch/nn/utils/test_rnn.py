"""Sequences of several lengths, padded and packed."""

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch

SEQUENCES = [np.arange(length * 2.0).reshape(length, 2) + 10 * length for length in (3, 5, 1)]


def sequences(t):
    """Make them."""
    return [t.tensor(each) for each in SEQUENCES]


def same(mine, other):
    """Compare two results, part by part."""
    for one, two in zip(mine, other, strict=True):
        if two is None:
            assert one is None
        else:
            np.testing.assert_array_equal(one.array, two.numpy())


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_stands_where_pytorch_puts_it(batch_first, side):
    mine, other = (
        t.nn.utils.rnn.pad_sequence(sequences(t), batch_first, -1.0, side) for t in (micro, torch)
    )
    same([mine], [other])


def test_packing_and_unpacking_agree_and_come_back():
    mine, other = (
        t.nn.utils.rnn.pack_sequence(sequences(t), enforce_sorted=False) for t in (micro, torch)
    )
    same(mine, other)
    same(
        micro.nn.utils.rnn.pad_packed_sequence(mine, True, 0.5, 7),
        torch.nn.utils.rnn.pad_packed_sequence(other, True, 0.5, 7),
    )
    same(micro.nn.utils.rnn.unpack_sequence(mine), sequences(torch))


def test_gradients_go_through_both():
    x = micro.ones(4, 2, 3, requires_grad=True)
    rnn = micro.nn.utils.rnn
    padded, _ = rnn.pad_packed_sequence(rnn.pack_padded_sequence(x, [4, 2]))
    padded.sum().backward()
    np.testing.assert_array_equal(x.grad.array[:, :, 0], [[1, 1], [1, 1], [1, 0], [1, 0]])


@pytest.mark.parametrize("lengths", [[2, 4], [4, 0], [4]])
def test_lengths_that_do_not_fit_are_refused_in_pytorchs_words(lengths):
    messages = []
    for t in (torch, micro):
        with pytest.raises(RuntimeError) as caught:
            t.nn.utils.rnn.pack_padded_sequence(t.ones(4, 2, 3), lengths)
        messages.append(str(caught.value).split("\n")[0])
    assert messages[0].startswith(messages[1][:60])


def test_sequences_that_were_padded_have_memory_of_their_own():
    padded = micro.zeros(2, 3)
    rows = micro.nn.utils.rnn.unpad_sequence(padded, micro.tensor([2, 3]), batch_first=True)
    rows[0].fill_(1)
    assert padded.sum().item() == 0


def test_padded_sequences_have_the_type_of_the_first():
    for t in (micro, torch):
        padded = t.nn.utils.rnn.pad_sequence([t.ones(1), t.ones(3, dtype=t.float64)])
        assert padded.dtype is t.float32
        with pytest.raises(RuntimeError, match="Cannot pack empty tensors"):
            t.nn.utils.rnn.pack_padded_sequence(t.zeros(3, 0, 2), t.zeros(0, dtype=t.int64))
