"""Recurrent modules: RNN, LSTM, GRU.

A padded batch is processed as a packed one in which all sequences have equal length; see
``nn.utils.rnn``.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from torchstone.microtorch.nn import functional as F
from torchstone.microtorch.nn.init import unset
from torchstone.microtorch.nn.modules.module import Module
from torchstone.microtorch.nn.modules.rnn_cells import KINDS, State, draw_evenly
from torchstone.microtorch.nn.utils.rnn import PackedSequence
from torchstone.microtorch.ops.joining import cat, stack
from torchstone.microtorch.tensor import Tensor

_USUAL = {
    "proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0,
    "bidirectional": False,
}  # fmt: skip


class RNNBase(Module):
    """Base class of the recurrent modules.

    Attributes:
        mode: "RNN_TANH", "RNN_RELU", "LSTM" or "GRU".
        proj_size: If nonzero, the size to which an LSTM projects its hidden state.
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if mode not in KINDS:
            raise ValueError("Unrecognized RNN mode: " + mode)
        self.mode, self.input_size, self.hidden_size = mode, input_size, hidden_size
        self.num_layers, self.bias, self.batch_first = num_layers, bias, batch_first
        self.dropout, self.bidirectional, self.proj_size = float(dropout), bidirectional, proj_size
        self._check_arguments()
        self._directions = ("", "_reverse") if bidirectional else ("",)
        for layer in range(num_layers):
            for direction in self._directions:
                self._add_parameters(layer, f"_l{layer}{direction}", dtype)
        # Weights are looked up by name, because a parametrization may replace them by computed
        # ones.
        self._flat_weights_names = list(self._parameters)
        self.reset_parameters()

    def _check_arguments(self) -> None:
        for name in ("bias", "batch_first", "input_size", "hidden_size"):
            value, wanted = getattr(self, name), int if name.endswith("size") else bool
            if not isinstance(value, wanted):
                raise TypeError(
                    f"{name} should be of type {wanted.__name__}, got: {type(value).__name__}"
                )
        for name in ("input_size", "hidden_size", "num_layers"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if not 0 <= self.dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an "
                "element being zeroed"
            )
        if self.dropout > 0 and self.num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero "
                "dropout expects num_layers greater than 1, but got "
                f"dropout={self.dropout} and num_layers={self.num_layers}",
                stacklevel=4,
            )
        self._check_projection()

    def _check_projection(self) -> None:
        if self.proj_size < 0:
            raise ValueError(
                "proj_size should be a positive integer or zero to disable projections"
            )
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if self.proj_size and self.mode != "LSTM":
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")

    def _add_parameters(self, layer: int, suffix: str, dtype: Any) -> None:
        rows, size = KINDS[self.mode][0] * self.hidden_size, self._output_size
        inputs = size * len(self._directions) if layer else self.input_size
        setattr(self, f"weight_ih{suffix}", unset(rows, inputs, dtype=dtype))
        setattr(self, f"weight_hh{suffix}", unset(rows, size, dtype=dtype))
        if self.bias:
            setattr(self, f"bias_ih{suffix}", unset(rows, dtype=dtype))
            setattr(self, f"bias_hh{suffix}", unset(rows, dtype=dtype))
        if self.proj_size:
            setattr(self, f"weight_hr{suffix}", unset(size, self.hidden_size, dtype=dtype))

    def extra_repr(self) -> str:
        """Return the sizes, and the options that differ from the defaults."""
        parts = [f"{self.input_size}, {self.hidden_size}"]
        for name, usual in _USUAL.items():
            if getattr(self, name) != usual:
                parts.append(f"{name}={getattr(self, name)}")
        return ", ".join(parts)

    @property
    def _output_size(self) -> int:
        return self.proj_size or self.hidden_size

    @property
    def all_weights(self) -> list[list[Any]]:
        """Return the parameters of each layer and direction."""
        per_layer = 2 + 2 * self.bias + bool(self.proj_size)
        own = self._flat_weights
        return [own[start : start + per_layer] for start in range(0, len(own), per_layer)]

    @property
    def _flat_weights(self) -> list[Any]:
        return [getattr(self, name) for name in self._flat_weights_names]

    def reset_parameters(self) -> None:
        """Initialize from the uniform distribution on +-1 / sqrt(hidden_size)."""
        draw_evenly(self)

    def flatten_parameters(self) -> None:
        """Do nothing: flattening only matters on GPUs."""

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        """Apply the recurrent network to sequences.

        Shapes:
            input: (length, batch, input_size); batch comes first with ``batch_first``, and is
                absent for a single sequence; or a PackedSequence.
            hx: (num_layers * num_directions, batch, size), for each part of the state.

        Returns:
            The outputs of the last layer at each step, and the final state.
        """
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        name, ndim = self.mode.partition("_")[0], input.array.ndim
        if ndim not in (2, 3):
            got = f"{ndim}D tensor" if name == "RNN" else f"{ndim}D"
            raise ValueError(f"{name}: Expected input to be 2D or 3D, got {got} instead")
        batch_dim = 0 if self.batch_first else 1
        state = None if hx is None else self._as_tuple(hx)
        if ndim == 2:
            input = input.unsqueeze(batch_dim)
        if state is not None:
            self._check_state_dims(state, ndim)
            state = tuple(each.unsqueeze(1) for each in state) if ndim == 2 else state
        steps = input.transpose(0, 1) if self.batch_first else input
        length, batch = steps.array.shape[:2]
        if length == 0:
            raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
        self._check_input(input)
        state = self._begin(input, batch, state)
        rows, state = self._run(steps.flatten(0, 1), [batch] * length, state)
        output = rows.unflatten(0, (length, batch))
        if self.batch_first:
            output = output.transpose(0, 1)
        if ndim == 2:
            output = output.squeeze(batch_dim)
            state = tuple(each.squeeze(1) for each in state)
        return output, self._as_given(state)

    def _forward_packed(self, input: PackedSequence, hx: Any) -> tuple[PackedSequence, Any]:
        data, sizes, order, back = input
        state = None if hx is None else self._as_tuple(hx)
        if state is not None and order is not None:
            state = tuple(each.index_select(1, order) for each in state)
        self._check_input(data)
        state = self._begin(data, int(sizes[0]), state)
        rows, state = self._run(data, sizes.tolist(), state)
        if back is not None:
            state = tuple(each.index_select(1, back) for each in state)
        return PackedSequence(rows, sizes, order, back), self._as_given(state)

    def _as_tuple(self, hx: Any) -> State:
        return tuple(hx) if self.mode == "LSTM" else (hx,)

    def _as_given(self, state: State) -> Any:
        return state if self.mode == "LSTM" else state[0]

    def _check_input(self, input: Tensor) -> None:
        kind = self.weight_ih_l0.dtype
        if input.dtype is not kind:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({kind}). Convert "
                f"input: input.to({kind}), or convert model: model.to({input.dtype})"
            )
        if input.array.shape[-1] != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got "
                f"{input.array.shape[-1]}"
            )

    def _check_state_dims(self, state: State, ndim: int) -> None:
        dims = [each.array.ndim for each in state]
        if any(each != ndim for each in dims):
            what = "hx and cx should" if self.mode == "LSTM" else "hx should"
            got = f"({dims[0]}-D, {dims[-1]}-D) tensors" if len(dims) > 1 else f"{dims[0]}-D tensor"
            kind = "batched 3-D" if ndim == 3 else "unbatched 2-D"
            raise RuntimeError(f"For {kind} input, {what} also be {ndim}-D but got {got}")

    def _begin(self, input: Tensor, batch: int, state: State | None) -> State:
        """Return the initial state: zeros, or the given one after a check of its shape."""
        depth = self.num_layers * len(self._directions)
        shapes = [(depth, batch, self._output_size), (depth, batch, self.hidden_size)]
        shapes = shapes[: KINDS[self.mode][1]]
        if state is None:
            return tuple(input.new_zeros(shape) for shape in shapes)
        for place, (each, shape) in enumerate(zip(state, shapes, strict=True)):
            if each.array.shape != shape:
                name = f"hidden[{place}]" if len(shapes) > 1 else "hidden"
                raise RuntimeError(f"Expected {name} size {shape}, got {list(each.shape)}")
        return state

    def _run(self, rows: Tensor, sizes: list[int], state: State) -> tuple[Tensor, State]:
        """Run all layers in all directions."""
        finals: list[State] = []
        for layer in range(self.num_layers):
            outputs = []
            for direction in self._directions:
                begin = tuple(each[len(finals)] for each in state)
                is_reverse = bool(direction)
                output, final = self._scan(rows, sizes, begin, f"_l{layer}{direction}", is_reverse)
                outputs.append(output)
                finals.append(final)
            rows = cat(outputs, -1) if len(outputs) > 1 else outputs[0]
            if self.dropout and layer < self.num_layers - 1:
                rows = F.dropout(rows, self.dropout, self.training)
        return rows, tuple(stack(each) for each in zip(*finals, strict=True))

    def _scan(
        self, rows: Tensor, sizes: list[int], begin: State, suffix: str, is_reverse: bool
    ) -> tuple[Tensor, State]:
        """Run one layer in one direction."""
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")
        own = (name + suffix for name in names)
        weights: Any = (getattr(self, n) if n in self._flat_weights_names else None for n in own)
        w_ih, w_hh, b_ih, b_hh, w_hr = weights
        step = KINDS[self.mode][2]
        # The input projection does not depend on the state, so it is computed for all steps at
        # once.
        gates: Sequence[Tensor] = F.linear(rows, w_ih, b_ih).split(sizes)
        outputs, ended, state = [], list[State](), begin
        if is_reverse:
            gates = gates[::-1]
            state = tuple(each[: sizes[-1]] for each in begin)
        for each in gates:
            state = _fitted(state, begin, len(each), ended)
            state = step(each, state, w_hh, b_hh)
            if w_hr is not None:
                state = (F.linear(state[0], w_hr), *state[1:])
            outputs.append(state[0])
        ended.append(state)
        final = tuple(cat(parts[::-1]) for parts in zip(*ended, strict=True))
        return cat(outputs[::-1] if is_reverse else outputs), final if len(ended) > 1 else state


def _fitted(state: State, begin: State, batch: int, ended: list[State]) -> State:
    """Drop the state of ended sequences, or append the initial state of starting ones."""
    rows = len(state[0])
    if batch < rows:
        ended.append(tuple(each[batch:] for each in state))
        return tuple(each[:batch] for each in state)
    if batch > rows:
        pairs = zip(state, begin, strict=True)
        return tuple(cat([each, first[rows:batch]]) for each, first in pairs)
    return state


class RNN(RNNBase):
    """Elman RNN with ``tanh`` or ``relu``.

    Attributes:
        nonlinearity: The activation, "tanh" or "relu".
    """

    def __init__(self, *args: Any, nonlinearity: str = "tanh", **kwargs: Any) -> None:
        if len(args) > 3:
            nonlinearity, args = args[3], args[:3] + args[4:]
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(
                f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'."
            )
        super().__init__(f"RNN_{nonlinearity.upper()}", *args, **kwargs)
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """Long short-term memory with input, forget and output gates."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)


class GRU(RNNBase):
    """Gated recurrent unit."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("GRU", *args, **kwargs)
