import torch
from torch import Tensor


class SimpleRNN(torch.nn.Module):
    """Run a one-layer recurrent network through time, as ``torch.nn.RNN`` does.

    Shapes:
        x: (T, B, input_size), or (B, T, input_size) with ``batch_first``.
        h0, h_n: (1, B, hidden_size) in either layout.
        output: (T, B, hidden_size), or (B, T, hidden_size).
    """

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
        raise NotImplementedError

    def forward(
        self,
        x: Tensor,
        h0: Tensor | None = None,
        lengths: Tensor | list[int] | None = None,
        truncate: int | None = None,
    ) -> tuple[Tensor, Tensor]:
        raise NotImplementedError
