# style: sorted by length with a batch that shrinks, as a packed sequence does
import torch
from torch import Tensor, nn


class SimpleRNN(nn.Module):
    def __init__(
        self, input_size, hidden_size, nonlinearity="tanh", bias=True, batch_first=False, dtype=None
    ):
        super().__init__()
        self.act = {"tanh": torch.tanh, "relu": torch.relu}.get(nonlinearity)
        if self.act is None:
            raise ValueError("nonlinearity must be 'tanh' or 'relu'")
        self.sizes = (input_size, hidden_size)
        self.batch_first = batch_first
        self.weight_ih_l0 = nn.Parameter(torch.empty(hidden_size, input_size, dtype=dtype))
        self.weight_hh_l0 = nn.Parameter(torch.empty(hidden_size, hidden_size, dtype=dtype))
        for name in ("bias_ih_l0", "bias_hh_l0"):
            value = nn.Parameter(torch.empty(hidden_size, dtype=dtype)) if bias else None
            self.register_parameter(name, value)
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.uniform_(-(hidden_size**-0.5), hidden_size**-0.5)

    def forward(self, x, h0=None, lengths=None, truncate=None):
        is_short = truncate is not None and truncate < 1
        if x.ndim != 3 or x.shape[-1] != self.sizes[0] or is_short:
            raise ValueError("x must be (T, B, input_size) and truncate at least 1")
        x = x.movedim(0, 1) if self.batch_first else x
        num_steps, num_rows, _ = x.shape
        h0 = x.new_zeros(1, num_rows, self.sizes[1]) if h0 is None else h0
        if tuple(h0.shape) != (1, num_rows, self.sizes[1]):
            raise ValueError("h0 must be (1, B, H)")
        ends = [num_steps] * num_rows if lengths is None else torch.as_tensor(lengths).tolist()
        if len(ends) != num_rows or any(type(n) is list or not 0 <= n <= num_steps for n in ends):
            raise ValueError("lengths must be (B,), from 0 to T")
        every = num_steps if truncate is None else truncate
        output, last = self._packed(x, h0[0], ends, every)
        return (output.movedim(0, 1) if self.batch_first else output), last[None]

    def _packed(self, x: Tensor, h: Tensor, ends: list[int], every: int) -> tuple[Tensor, Tensor]:
        order = sorted(range(len(ends)), key=lambda row: -ends[row])
        x, h = x[:, order], h[order]
        rows, done = [], []
        for step in range(x.shape[0]):
            alive = sum(n > step for n in ends)
            if alive < h.shape[0]:
                done.insert(0, h[alive:])
                h = h[:alive]
            if step and step % every == 0:
                h, done = h.detach(), [part.detach() for part in done]
            h = self.act(self._linear(x[step, :alive], h))
            rows.append(nn.functional.pad(h, (0, 0, 0, len(ends) - alive)))
        last = torch.cat([h, *done])
        output = torch.stack(rows) if rows else x.new_zeros(0, len(ends), h.shape[1])
        back = sorted(range(len(order)), key=order.__getitem__)
        return output[:, back], last[back]

    def _linear(self, x: Tensor, h: Tensor) -> Tensor:
        left = nn.functional.linear(x, self.weight_ih_l0, self.bias_ih_l0)
        return left + nn.functional.linear(h, self.weight_hh_l0, self.bias_hh_l0)
