"""Recurrent layers: several lengths, states that are given, what is refused."""

import warnings

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch

KINDS = [("RNN", {}), ("GRU", {}), ("LSTM", {}), ("LSTM", {"proj_size": 2})]


def both(kind, options):
    """Make a layer twice with the same weights: ours and PyTorch's."""
    micro.manual_seed(0)
    torch.manual_seed(0)
    return getattr(micro.nn, kind)(3, 4, 2, **options), getattr(torch.nn, kind)(3, 4, 2, **options)


def leaves(value):
    """List the tensors of a result as arrays."""
    if hasattr(value, "detach"):
        value = value.detach()
        return [value.array if isinstance(value, micro.Tensor) else value.numpy()]
    return [leaf for each in value if each is not None for leaf in leaves(each)]


@pytest.mark.parametrize(("kind", "options"), KINDS)
@pytest.mark.parametrize("lengths", [[5, 3, 3, 1], [2, 5, 1]])
def test_packed_sequences_and_given_states_agree_both_ways(kind, options, lengths):
    layers = both(kind, {"bidirectional": True, **options})
    x = np.random.default_rng(0).standard_normal((5, len(lengths), 3)).astype(np.float32)
    found = []
    for t, layer in zip((micro, torch), layers, strict=True):
        rnn = t.nn.utils.rnn
        steps = t.tensor(x, requires_grad=True)
        packed = rnn.pack_padded_sequence(steps, t.tensor(lengths), enforce_sorted=False)
        size = options.get("proj_size", 4)
        state = t.arange(4.0 * len(lengths) * size).reshape(4, len(lengths), size) / 10
        if kind == "LSTM":
            state = (state, t.ones(4, len(lengths), 4))
        output, last = layer(packed, state)
        padded, counts = rnn.pad_packed_sequence(output, padding_value=-1.0)
        (padded * padded).sum().backward()
        gradients = [steps.grad, *(each.grad for each in layer.parameters())]
        found.append(leaves([padded, counts, last, gradients]))
    for mine, other in zip(*found, strict=True):
        np.testing.assert_allclose(mine, other, rtol=2e-4, atol=2e-5)


def test_dropout_between_layers_leaves_out_what_pytorch_does():
    layers = both("GRU", {"dropout": 0.5, "batch_first": True})
    found = []
    for t, layer in zip((micro, torch), layers, strict=True):
        t.manual_seed(5)
        found.append(leaves(layer(t.ones(2, 40, 3))))
    for mine, other in zip(*found, strict=True):
        np.testing.assert_allclose(mine, other, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize(
    "call",
    [
        lambda t: t.nn.LSTM(3, 4)(t.ones(2, 1, 5)),
        lambda t: t.nn.GRU(3, 4)(t.ones(2, 1, 3), t.ones(1, 2, 4)),
        lambda t: t.nn.LSTM(3, 4)(t.ones(2, 1, 3), (t.ones(1, 4), t.ones(1, 4))),
        lambda t: t.nn.RNN(3, 4)(t.ones(3)),
        lambda t: t.nn.RNN(3, 4, nonlinearity="elu"),
        lambda t: t.nn.GRU(3, 4, proj_size=1),
        lambda t: t.nn.LSTM(3, 4, dropout=2),
        lambda t: t.nn.LSTMCell(3, 4)(t.ones(1, 1, 3)),
        lambda t: t.nn.GRU(3, 4)(t.ones(2, 1, 3, dtype=t.float64)),
    ],
)
def test_what_pytorch_refuses_is_refused_in_its_words(call):
    messages = []
    for t in (torch, micro):
        with pytest.raises((ValueError, RuntimeError)) as caught:
            call(t)
        messages.append((type(caught.value), str(caught.value)))
    assert messages[0] == messages[1]


def test_dropout_without_a_second_layer_is_a_warning():
    with pytest.warns(UserWarning, match="expects num_layers greater than 1"):
        micro.nn.GRU(3, 4, dropout=0.5)


def test_all_weights_stand_layer_by_layer():
    ours, theirs = both("LSTM", {"bidirectional": True, "proj_size": 2})
    shapes = [[tuple(each.shape) for each in layer] for layer in ours.all_weights]
    assert shapes == [[tuple(each.shape) for each in layer] for layer in theirs.all_weights]


def normed(t, layer):
    """Let a weight be computed."""
    return t.nn.utils.parametrizations.weight_norm(layer, "weight_hh_l0")


def normed_of_old(t, layer):
    """Let a weight be computed by a hook."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return t.nn.utils.weight_norm(layer, "weight_hh_l0")


def plain(t, layer):
    """Put a tensor in the place of a weight."""
    weight = layer.weight_hh_l0
    del layer.weight_hh_l0
    layer.weight_hh_l0 = weight * 0.5
    return layer


@pytest.mark.parametrize("change", [normed, normed_of_old, plain])
def test_weights_that_are_computed_are_used(change):
    found = []
    for t, layer in zip((micro, torch), both("GRU", {"bidirectional": True}), strict=True):
        layer = change(t, layer)
        output, state = layer(t.ones(5, 2, 3))
        output.sum().backward()
        grads = [each.grad for _, each in sorted(layer.named_parameters())]
        found.append([leaves(each)[0] for each in (output, state, *grads)])
        assert [len(each) for each in layer.all_weights] == [4] * 4
    for mine, other in zip(*found, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(("batch_first", "shape"), [(False, (5, 0, 3)), (True, (0, 5, 3))])
def test_a_batch_may_be_empty(batch_first, shape):
    for t in (micro, torch):
        layer = t.nn.LSTM(3, 4, bidirectional=True, batch_first=batch_first)
        output, (hidden, cell) = layer(t.zeros(shape))
        assert tuple(output.shape) == (*shape[:2], 8)
        assert tuple(hidden.shape) == tuple(cell.shape) == (2, 0, 4)
