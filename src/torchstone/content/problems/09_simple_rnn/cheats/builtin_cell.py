# verdict: FORBIDDEN_OP
# en: Calls the fused cell in a loop.
# zh: 在循环里调用内置的融合单元。
import torch
from torch import nn


class SimpleRNN(nn.Module):
    def __init__(
        self, input_size, hidden_size, nonlinearity="tanh", bias=True, batch_first=False, dtype=None
    ):
        super().__init__()
        self.cell = torch.rnn_tanh_cell if nonlinearity == "tanh" else torch.rnn_relu_cell
        k = hidden_size**-0.5
        shapes = {
            "weight_ih_l0": (hidden_size, input_size),
            "weight_hh_l0": (hidden_size, hidden_size),
            "bias_ih_l0": (hidden_size,),
            "bias_hh_l0": (hidden_size,),
        }
        for name, shape in shapes.items():
            values = torch.empty(shape, dtype=dtype).uniform_(-k, k)
            setattr(self, name, nn.Parameter(values))

    def forward(self, x, h0=None, lengths=None, truncate=None):
        h = x.new_zeros(x.shape[1], self.weight_hh_l0.shape[0]) if h0 is None else h0[0]
        states = []
        for row in x.unbind(0):
            h = self.cell(row, h, *self.parameters())
            states.append(h)
        return torch.stack(states), h[None]
