# style: one concatenated weight, and truncation as a loop over chunks
import torch
import torch.nn as nn
import torch.nn.functional as F


class SimpleRNN(nn.Module):
    def __init__(
        self, input_size, hidden_size, nonlinearity="tanh", bias=True, batch_first=False, dtype=None
    ):
        super().__init__()
        self.activations = {"tanh": F.tanh, "relu": F.relu}
        if nonlinearity not in self.activations:
            raise ValueError(f"{nonlinearity} is not tanh or relu")
        self.nonlinearity = nonlinearity
        self.batch_first = batch_first
        k = hidden_size**-0.5
        make = torch.distributions.Uniform(-k, k).sample
        self.weight_ih_l0 = nn.Parameter(make((hidden_size, input_size)).to(dtype))
        self.weight_hh_l0 = nn.Parameter(make((hidden_size, hidden_size)).to(dtype))
        self.bias_ih_l0 = nn.Parameter(make((hidden_size,)).to(dtype)) if bias else None
        self.bias_hh_l0 = nn.Parameter(make((hidden_size,)).to(dtype)) if bias else None

    def forward(self, x, h0=None, lengths=None, truncate=None):
        hidden, features = self.weight_ih_l0.shape
        if x.dim() != 3 or x.size(2) != features:
            raise ValueError("x")
        if truncate is not None and truncate < 1:
            raise ValueError("truncate")
        if self.batch_first:
            x = x.transpose(0, 1)
        count, batch = x.shape[:2]
        if h0 is not None and list(h0.shape) != [1, batch, hidden]:
            raise ValueError("h0")
        mask = self._mask(lengths, count, batch)
        x = torch.where(mask, x, 0.0)
        weight = torch.cat([self.weight_ih_l0, self.weight_hh_l0], 1)
        bias = None if self.bias_ih_l0 is None else self.bias_ih_l0 + self.bias_hh_l0
        h, outputs = x.new_zeros(batch, hidden) if h0 is None else h0[0], []
        start, span = 0, count if truncate is None else truncate
        while start < count:
            for step in range(start, min(start + span, count)):
                z = F.linear(torch.cat([x[step], h], 1), weight, bias)
                h = torch.where(mask[step], self.activations[self.nonlinearity](z), h)
                outputs.append(torch.where(mask[step], h, 0.0))
            start += span
            h = h.detach() if start < count else h
        y = torch.stack(outputs) if outputs else x.new_zeros(0, batch, hidden)
        return (y.transpose(0, 1) if self.batch_first else y), h[None].clone()

    @staticmethod
    def _mask(lengths, count, batch):
        ends = [count] * batch if lengths is None else torch.as_tensor(lengths).tolist()
        if len(ends) != batch or any(type(n) is list or not 0 <= n <= count for n in ends):
            raise ValueError("lengths")
        return torch.arange(count)[:, None, None] < torch.tensor(ends)[:, None]
