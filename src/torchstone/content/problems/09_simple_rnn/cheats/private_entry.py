# verdict: FORBIDDEN_OP
# en: Reaches the fused operator through torch._VF.
# zh: 经 `torch._VF` 调用内置的融合算子。
import torch
from torch import _VF, nn


class SimpleRNN(nn.Module):
    def __init__(
        self, input_size, hidden_size, nonlinearity="tanh", bias=True, batch_first=False, dtype=None
    ):
        super().__init__()
        self.run = getattr(_VF, f"rnn_{nonlinearity}")
        self.has_bias, self.batch_first = bias, batch_first
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
        return self.run(x, h0, weights, self.has_bias, 1, 0.0, False, False, self.batch_first)
