# verdict: FORBIDDEN_OP
# en: Asks the dispatcher for the operator by its qualified name.
# zh: 按限定名直接向分发器索取算子。
import torch
from torch import nn


class SimpleRNN(nn.Module):
    def __init__(
        self, input_size, hidden_size, nonlinearity="tanh", bias=True, batch_first=False, dtype=None
    ):
        super().__init__()
        packet = getattr(torch.ops.aten, "rnn_" + nonlinearity)
        self.operator, self.has_bias, self.batch_first = packet.input, bias, batch_first
        k = hidden_size**-0.5
        shapes = [(hidden_size, input_size), (hidden_size, hidden_size)]
        shapes += [(hidden_size,), (hidden_size,)] if bias else []
        names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
        for name, shape in zip(names, shapes, strict=False):
            values = torch.empty(shape, dtype=dtype).uniform_(-k, k)
            setattr(self, name, nn.Parameter(values))

    def forward(self, x, h0=None, lengths=None, truncate=None):
        if h0 is None:
            rows = x.shape[0] if self.batch_first else x.shape[1]
            h0 = x.new_zeros(1, rows, self.weight_hh_l0.shape[0])
        weights = list(self.parameters())
        return self.operator(x, h0, weights, self.has_bias, 1, 0.0, False, False, self.batch_first)
