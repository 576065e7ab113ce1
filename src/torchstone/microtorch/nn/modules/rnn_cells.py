"""Recurrent cells: RNNCell, LSTMCell, GRUCell.

Source:
    Hochreiter and Schmidhuber, Long short-term memory (1997), with the forget gates of
    Gers et al. (2000).
    Cho et al., Learning phrase representations using RNN encoder-decoder (2014), for the GRU.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

from torchstone.microtorch.nn import functional as F
from torchstone.microtorch.nn.init import uniform_, unset
from torchstone.microtorch.nn.modules.module import Module
from torchstone.microtorch.tensor import Tensor

State = tuple[Tensor, ...]
# (input projections of the gates, state, recurrent weight, recurrent bias) -> next state.
Step = Callable[[Tensor, State, Tensor, Tensor | None], State]


def _rnn_step(activation: str) -> Step:
    def step(gates: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
        return (getattr(gates + F.linear(state[0], weight, bias), activation)(),)

    return step


def _lstm_step(gates: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
    hidden, cell = state
    i, f, g, o = (gates + F.linear(hidden, weight, bias)).chunk(4, -1)
    cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
    return o.sigmoid() * cell.tanh(), cell


def _gru_step(gates: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
    (hidden,) = state
    r, z, n = F.linear(hidden, weight, bias).chunk(3, -1)
    r_in, z_in, n_in = gates.chunk(3, -1)
    new = (n_in + (r_in + r).sigmoid() * n).tanh()
    return (new + (z_in + z).sigmoid() * (hidden - new),)


# Mode -> number of gates, number of state tensors, step function.
KINDS: dict[str, tuple[int, int, Step]] = {
    "RNN_TANH": (1, 1, _rnn_step("tanh")),
    "RNN_RELU": (1, 1, _rnn_step("relu")),
    "LSTM": (4, 2, _lstm_step),
    "GRU": (3, 1, _gru_step),
}


def draw_evenly(module: Module) -> None:
    """Initialize all parameters from the uniform distribution on +-1 / sqrt(hidden_size)."""
    bound = 1.0 / math.sqrt(module.hidden_size) if module.hidden_size > 0 else 0
    for parameter in module.parameters():
        uniform_(parameter, -bound, bound)


class RNNCellBase(Module):
    """Base class of the recurrent cells: one step of a recurrent layer."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = num_chunks * hidden_size
        self.weight_ih = unset(rows, input_size, dtype=dtype)
        self.weight_hh = unset(rows, hidden_size, dtype=dtype)
        self.register_parameter("bias_ih", unset(rows, dtype=dtype) if bias else None)
        self.register_parameter("bias_hh", unset(rows, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialize from the uniform distribution on +-1 / sqrt(hidden_size)."""
        draw_evenly(self)

    def extra_repr(self) -> str:
        """Return the sizes, and the options that differ from the defaults."""
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")

    def _step(self, mode: str, input: Tensor, state: State | None) -> State:
        name, ndim = type(self).__name__, input.array.ndim
        if ndim not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {ndim}D instead")
        _, num_states, step = KINDS[mode]
        for place, each in enumerate(state or ()):
            if each.array.ndim not in (1, 2):
                what = "hidden" if num_states == 1 else f"hx[{place}]"
                raise ValueError(
                    f"{name}: Expected {what} to be 1D or 2D, got {each.array.ndim}D instead"
                )
        rows = input if ndim == 2 else input.unsqueeze(0)
        self._check_sizes(rows, state or ())
        if state is None:
            state = (input.new_zeros((len(rows), self.hidden_size)),) * num_states
        elif ndim == 1:
            state = tuple(each.unsqueeze(0) for each in state)
        gates = F.linear(rows, self.weight_ih, self.bias_ih)
        after = step(gates, state, self.weight_hh, self.bias_hh)
        return after if ndim == 2 else tuple(each.squeeze(0) for each in after)

    def _check_sizes(self, rows: Tensor, state: State) -> None:
        size = rows.array.shape[1]
        if size != self.input_size:
            raise RuntimeError(
                f"input has inconsistent input_size: got {size} expected {self.input_size}"
            )
        for number, each in enumerate(state):
            *batch, size = each.array.shape
            if batch and batch[0] != len(rows):
                raise RuntimeError(
                    f"Input batch size {len(rows)} doesn't match hidden{number} batch size "
                    f"{batch[0]}"
                )
            if size != self.hidden_size:
                raise RuntimeError(
                    f"hidden{number} has inconsistent hidden_size: got {size}, expected "
                    f"{self.hidden_size}"
                )


class RNNCell(RNNCellBase):
    """Elman RNN cell with ``tanh`` or ``relu``."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """Return the next hidden state."""
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        mode = f"RNN_{self.nonlinearity.upper()}"
        return self._step(mode, input, None if hx is None else (hx,))[0]

    def extra_repr(self) -> str:
        """Return the sizes, and the options that differ from the defaults."""
        is_usual = self.nonlinearity == "tanh"
        return super().extra_repr() + ("" if is_usual else f", nonlinearity={self.nonlinearity}")


class _GatedCell(RNNCellBase):
    _mode: ClassVar[str]

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, KINDS[self._mode][0], device, dtype)


class LSTMCell(_GatedCell):
    """LSTM cell."""

    _mode = "LSTM"

    def forward(self, input: Tensor, hx: State | None = None) -> State:
        """Return the next hidden state and the next cell state."""
        return self._step(self._mode, input, None if hx is None else tuple(hx))


class GRUCell(_GatedCell):
    """GRU cell."""

    _mode = "GRU"

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """Return the next hidden state."""
        return self._step(self._mode, input, None if hx is None else (hx,))[0]
