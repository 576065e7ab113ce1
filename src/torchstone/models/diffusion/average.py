"""Exponential moving average of the parameters, used for sampling."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn


class Average:
    """Exponential moving average of parameters: ``average = decay * average + (1 - decay) * new``.

    The decay of step n is at most ``(1 + n) / (10 + n)``, so that the initial weights are forgotten
    soon.

    Args:
        model: The model whose parameters are averaged.
        decay: At least 0 and below 1; the average covers about ``1 / (1 - decay)`` steps.

    Raises:
        ValueError: The decay is out of range.

    Source:
        Polyak, Juditsky, "Acceleration of Stochastic Approximation by Averaging", 1992; the warm-up
        is that of TensorFlow's ``ExponentialMovingAverage``.
    """

    def __init__(self, model: nn.Module, decay: float) -> None:
        if not 0 <= decay < 1:
            raise ValueError(f"Average: decay is {decay}; expected from 0 to below 1")
        self.decay, self.num_updates = decay, 0
        self._parameters = dict(model.named_parameters())
        # In half precision small updates would be lost to rounding.
        self._held = {
            name: each.detach().to(torch.promote_types(each.dtype, torch.float32), copy=True)
            for name, each in self._parameters.items()
        }
        self._is_swapped = False

    @torch.no_grad()
    def update(self) -> None:
        """Update the average with the current parameters.

        Raises:
            RuntimeError: The averages are in the model; see ``swapped``.
        """
        self._require_own()
        self.num_updates += 1
        decay = min(self.decay, (1 + self.num_updates) / (10 + self.num_updates))
        for name, each in self._parameters.items():
            held = self._held[name]
            held.lerp_(each.to(held.dtype), 1 - decay)

    @contextmanager
    def swapped(self) -> Iterator[None]:
        """Replace the model's parameters by the averages within a block.

        Raises:
            RuntimeError: The parameters are already replaced.
        """
        self._require_own()
        own = {name: each.detach().clone() for name, each in self._parameters.items()}
        self._is_swapped = True
        try:
            self._write(self._held)
            yield
        finally:
            self._write(own)
            self._is_swapped = False

    @torch.no_grad()
    def _write(self, values: dict[str, Tensor]) -> None:
        for name, each in self._parameters.items():
            each.copy_(values[name])

    def _require_own(self) -> None:
        if self._is_swapped:
            raise RuntimeError("Average: the averages are in the model; leave swapped() first")

    def state_dict(self) -> dict[str, Any]:
        """Return the state for ``load_state_dict``; its tensors are not copies."""
        return {"num_updates": self.num_updates, "parameters": dict(self._held)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Load a state.

        Raises:
            ValueError: The state belongs to other parameters.
        """
        given: dict[str, Tensor] = state["parameters"]
        shapes = [{name: each.shape for name, each in one.items()} for one in (given, self._held)]
        if shapes[0] != shapes[1]:
            raise ValueError("Average: the state is that of other parameters")
        for name, each in self._held.items():
            each.copy_(given[name])
        self.num_updates = int(state["num_updates"])
