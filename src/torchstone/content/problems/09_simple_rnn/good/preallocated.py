# style: a preallocated output that is filled row by row
import math

import torch
from torch import nn
from torch.nn import Parameter


class SimpleRNN(nn.Module):
    def __init__(
        self, input_size, hidden_size, nonlinearity="tanh", bias=True, batch_first=False, dtype=None
    ):
        super().__init__()
        if nonlinearity not in {"tanh", "relu"}:
            raise ValueError(nonlinearity)
        self.nonlinearity, self.bias, self.batch_first = nonlinearity, bias, batch_first
        r = 1 / math.sqrt(hidden_size)

        def fresh(*shape):
            return Parameter((torch.rand(*shape, dtype=dtype) * 2 - 1) * r)

        self.weight_ih_l0 = fresh(hidden_size, input_size)
        self.weight_hh_l0 = fresh(hidden_size, hidden_size)
        if bias:
            self.bias_ih_l0 = fresh(hidden_size)
            self.bias_hh_l0 = fresh(hidden_size)

    def forward(self, x, h0=None, lengths=None, truncate=None):
        if x.dim() != 3:
            raise ValueError("x must be 3-d")
        if truncate is not None and truncate <= 0:
            raise ValueError("truncate must be positive")
        if self.batch_first:
            x = x.permute(1, 0, 2)
        T, B, H = x.size(0), x.size(1), self.weight_hh_l0.size(0)
        if h0 is not None and h0.size() != (1, B, H):
            raise RuntimeError("h0 must be (1, B, H)")
        n = torch.full((B,), T) if lengths is None else torch.as_tensor(lengths)
        if n.size() != (B,) or bool((n < 0).any()) or bool((n > T).any()):
            raise ValueError("bad lengths")
        h = torch.zeros(B, H, dtype=x.dtype) if h0 is None else h0.squeeze(0)
        y = torch.zeros(T, B, H, dtype=x.dtype)
        for t in range(T):
            if truncate and t and not t % truncate:
                h = h.detach()
            on = (n > t).unsqueeze(1)
            new = self.cell(torch.where(on, x[t], torch.zeros_like(x[t])), h)
            h = torch.where(on, new, h)
            y[t] = torch.where(on, new, torch.zeros_like(new))
        if self.batch_first:
            y = y.permute(1, 0, 2)
        return y, h.unsqueeze(0) * 1

    def cell(self, x, h):
        a = x.matmul(self.weight_ih_l0.t()) + h.matmul(self.weight_hh_l0.t())
        if self.bias:
            a = a + (self.bias_ih_l0 + self.bias_hh_l0)
        return a.tanh() if self.nonlinearity == "tanh" else a.clamp(min=0)
