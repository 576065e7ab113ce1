"""Exponential moving average of the parameters, used for sampling."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn


class Average:
    """Follow a model's parameters at a distance: ``average = decay * average + rest * new``.

    The first averages forget faster, with the decay ``(1 + n) / (10 + n)`` of step n, so that the
    weights that the model began with are soon gone.

    Args:
        model: Whose parameters are averaged.
        decay: From 0 to below 1; an average reaches back about ``1 / (1 - decay)`` steps.

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
        # In half a precision a small part of a small change would be rounded away.
        self._held = {
            name: each.detach().to(torch.promote_types(each.dtype, torch.float32), copy=True)
            for name, each in self._parameters.items()
        }
        self._is_swapped = False

    @torch.no_grad()
    def update(self) -> None:
        """Take the parameters in as they are now.

        Raises:
            RuntimeError: The averages themselves are in the model.
        """
        self._require_own()
        self.num_updates += 1
        decay = min(self.decay, (1 + self.num_updates) / (10 + self.num_updates))
        for name, each in self._parameters.items():
            held = self._held[name]
            held.lerp_(each.to(held.dtype), 1 - decay)

    @contextmanager
    def swapped(self) -> Iterator[None]:
        """Put the averages into the model, and afterwards its own parameters back.

        Raises:
            RuntimeError: They are there already.
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
        """Return what ``load_state_dict`` takes; its tensors are the averages, no copies."""
        return {"num_updates": self.num_updates, "parameters": dict(self._held)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from a state.

        Raises:
            ValueError: It is that of other parameters.
        """
        given: dict[str, Tensor] = state["parameters"]
        shapes = [{name: each.shape for name, each in one.items()} for one in (given, self._held)]
        if shapes[0] != shapes[1]:
            raise ValueError("Average: the state is that of other parameters")
        for name, each in self._held.items():
            each.copy_(given[name])
        self.num_updates = int(state["num_updates"])
