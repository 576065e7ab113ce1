# style: a cell for each step, input product included; no lengths are full lengths
import math

import torch
from torch import nn


class SimpleRNN(nn.Module):
    def __init__(
        self, input_size, hidden_size, nonlinearity="tanh", bias=True, batch_first=False, dtype=None
    ):
        super().__init__()
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"unknown nonlinearity {nonlinearity!r}")
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.act = torch.tanh if nonlinearity == "tanh" else torch.relu
        self.batch_first = batch_first
        self.weight_ih_l0 = nn.Parameter(torch.empty(hidden_size, input_size, dtype=dtype))
        self.weight_hh_l0 = nn.Parameter(torch.empty(hidden_size, hidden_size, dtype=dtype))
        if bias:
            self.bias_ih_l0 = nn.Parameter(torch.empty(hidden_size, dtype=dtype))
            self.bias_hh_l0 = nn.Parameter(torch.empty(hidden_size, dtype=dtype))
        else:
            self.bias_ih_l0 = self.bias_hh_l0 = None
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -1 / math.sqrt(hidden_size), 1 / math.sqrt(hidden_size))

    def step(self, x, h):
        z = x @ self.weight_ih_l0.T + h @ self.weight_hh_l0.T
        if self.bias_ih_l0 is not None:
            z = z + self.bias_ih_l0 + self.bias_hh_l0
        return self.act(z)

    def check(self, x, truncate):
        if x.dim() != 3 or x.shape[2] != self.input_size:
            raise ValueError(f"x has shape {tuple(x.shape)}")
        if truncate is not None and truncate < 1:
            raise ValueError("truncate must be at least 1")

    def forward(self, x, h0=None, lengths=None, truncate=None):
        self.check(x, truncate)
        if self.batch_first:
            x = x.transpose(0, 1)
        steps, rows, _ = x.shape
        if h0 is None:
            h0 = x.new_zeros(1, rows, self.hidden_size)
        if h0.shape != (1, rows, self.hidden_size):
            raise ValueError(f"h0 has shape {tuple(h0.shape)}")
        if lengths is None:
            lengths = [steps] * rows
        lengths = torch.as_tensor(lengths, dtype=torch.int64)
        if lengths.shape != (rows,) or (lengths < 0).any() or (lengths > steps).any():
            raise ValueError("lengths do not fit")
        valid = (torch.arange(steps)[:, None] < lengths)[:, :, None]
        x = x.masked_fill(~valid, 0.0)

        h = h0[0]
        outputs = []
        for t, x_t in enumerate(x.unbind(0)):
            if truncate is not None and t > 0 and t % truncate == 0:
                h = h.detach()
            h = torch.where(valid[t], self.step(x_t, h), h)
            outputs.append(h)
        output = torch.stack(outputs) if outputs else x.new_zeros(0, rows, self.hidden_size)
        output = output.masked_fill(~valid, 0.0)
        h_n = h[None]
        if self.batch_first:
            output = output.transpose(0, 1)
        return output, h_n
