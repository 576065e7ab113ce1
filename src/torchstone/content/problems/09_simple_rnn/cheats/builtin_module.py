# verdict: FORBIDDEN_OP
# en: Subclasses nn.RNN and calls its forward.
# zh: 继承 `nn.RNN`，直接调用它的 `forward`。
import torch
from torch import nn


class SimpleRNN(nn.RNN):
    def __init__(
        self, input_size, hidden_size, nonlinearity="tanh", bias=True, batch_first=False, dtype=None
    ):
        super().__init__(
            input_size,
            hidden_size,
            nonlinearity=nonlinearity,
            bias=bias,
            batch_first=batch_first,
            dtype=dtype,
        )

    def forward(self, x, h0=None, lengths=None, truncate=None):
        output, h_n = super().forward(x, h0)
        if lengths is not None:
            lengths = torch.as_tensor(lengths)
            output = output * (torch.arange(x.shape[0])[:, None] < lengths)[..., None]
        return output, h_n
