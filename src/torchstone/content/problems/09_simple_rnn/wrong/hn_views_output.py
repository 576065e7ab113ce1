# verdict: WA property
# group: sample
# en: h_n is a view of output: writing into one result changes the other. Each owns its memory.
# zh: `h_n` 是 `output` 的视图：写入其中一个会改变另一个。每个返回值都应拥有自己的内存。
import math

import torch
from torch import Tensor, nn


class SimpleRNN(nn.Module):
    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"SimpleRNN: nonlinearity {nonlinearity!r}; use 'tanh' or 'relu'.")
        self.input_size, self.hidden_size = input_size, hidden_size
        self.activation = torch.tanh if nonlinearity == "tanh" else torch.relu
        self.batch_first = batch_first
        shapes = {"weight_ih_l0": (hidden_size, input_size), "weight_hh_l0": (hidden_size,) * 2}
        if bias:
            shapes |= {"bias_ih_l0": (hidden_size,), "bias_hh_l0": (hidden_size,)}
        bound = 1 / math.sqrt(hidden_size)
        for name, shape in shapes.items():
            values = torch.empty(shape, dtype=dtype).uniform_(-bound, bound)
            self.register_parameter(name, nn.Parameter(values))
        self.has_bias = bias

    def forward(
        self,
        x: Tensor,
        h0: Tensor | None = None,
        lengths: Tensor | list[int] | None = None,
        truncate: int | None = None,
    ) -> tuple[Tensor, Tensor]:
        if x.dim() != 3 or x.shape[2] != self.input_size:
            raise ValueError(f"SimpleRNN: x {tuple(x.shape)}; (T, B, {self.input_size}) is wanted.")
        if truncate is not None and truncate < 1:
            raise ValueError(f"SimpleRNN: truncate {truncate}; at least 1 is wanted.")
        if self.batch_first:
            x = x.transpose(0, 1)
        num_steps, num_rows, _ = x.shape
        if h0 is None:
            h0 = x.new_zeros(1, num_rows, self.hidden_size)
        elif h0.shape != (1, num_rows, self.hidden_size):
            raise ValueError(f"SimpleRNN: h0 {tuple(h0.shape)}; (1, B, H) is wanted.")
        valid = self._valid_steps(lengths, num_steps, num_rows)

        if valid is not None:
            # The padding is cleaned before it meets a weight. Were it only masked afterwards, the
            # backward pass would compute 0 * NaN = NaN.
            x = x.masked_fill(~valid, 0.0)
        output, h = self._steps(x, h0.squeeze(0), valid, truncate)
        if valid is not None:
            output = output.masked_fill(~valid, 0.0)
        last = h.unsqueeze(0)
        if valid is None and num_steps:
            last = output[-1:]
        return (output.transpose(0, 1) if self.batch_first else output), last

    def _steps(
        self, x: Tensor, h: Tensor, valid: Tensor | None, truncate: int | None
    ) -> tuple[Tensor, Tensor]:
        # The inputs of all steps need no state: one large product instead of T small ones.
        drive = x @ self.weight_ih_l0.T
        if self.has_bias:
            drive = drive + self.bias_ih_l0 + self.bias_hh_l0
        recurrent, states = self.weight_hh_l0.T, []
        # unbind has one backward for all steps; indexing would fill a (T, B, H) gradient per step.
        for step, now in enumerate(drive.unbind(0)):
            if truncate is not None and step > 0 and step % truncate == 0:
                h = h.detach()  # the value goes on, the gradient ends here
            new = self.activation(torch.addmm(now, h, recurrent))
            h = new if valid is None else torch.where(valid[step], new, h)
            states.append(h)
        # One stack at the end: cat in every step would copy the past again and again.
        output = torch.stack(states) if states else drive.new_zeros(0, *h.shape)
        return output, h

    def _valid_steps(
        self, lengths: Tensor | list[int] | None, num_steps: int, num_rows: int
    ) -> Tensor | None:
        if lengths is None:
            return None
        lengths = torch.as_tensor(lengths)
        if lengths.shape != (num_rows,):
            raise ValueError(f"SimpleRNN: lengths {tuple(lengths.shape)}; (B,) is wanted.")
        if ((lengths < 0) | (lengths > num_steps)).any():
            raise ValueError(f"SimpleRNN: lengths {lengths.tolist()}; 0 to {num_steps} is wanted.")
        steps = torch.arange(num_steps, device=lengths.device)
        return steps[:, None, None] < lengths[:, None]  # (T, B, 1)
